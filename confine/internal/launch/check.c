/* The plan's validation: every offset, length and string end is checked once, here. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <stddef.h>

#include "launch.h"

static int array_ok(const struct plan_header *h, struct plan_array a, size_t size, size_t align)
{
	return a.len <= h->total / size && a.off <= h->total && a.off % align == 0 &&
	       (uint64_t)a.off + (uint64_t)a.len * size <= h->total;
}

static int string_ok(const struct plan_header *h, uint32_t off)
{
	return off == PLAN_NONE || (off >= sizeof *h && off < h->total);
}

static int strings_ok(const struct plan_header *h, struct plan_array a)
{
	const uint32_t *off = (const uint32_t *)((const unsigned char *)h + a.off);
	for (uint32_t i = 0; i < a.len; i++)
		if (off[i] == PLAN_NONE || !string_ok(h, off[i]))
			return 0;
	return 1;
}

static int op_ok(const struct plan_header *h, const struct plan_op *op)
{
	if (op->code == 0 || op->code >= OP_LAST)
		return 0;
	if (op->slot != PLAN_NONE && op->slot >= h->slots)
		return 0;
	if (op->src != PLAN_NONE && op->src >= h->slots)
		return 0;
	int wants_slot = op->code != OP_LANDLOCK;
	int wants_path = op->code != OP_TMPFS && op->code != OP_STAGE && op->code != OP_SETATTR && op->code != OP_ROOT;
	int wants_src = op->code == OP_SUBCLONE;
	int wants_arg = op->code == OP_TMPFS || op->code == OP_FS || op->code == OP_SYMLINK;
	return (!wants_slot || op->slot != PLAN_NONE) && (!wants_path || op->path != PLAN_NONE) &&
	       (!wants_src || op->src != PLAN_NONE) && (!wants_arg || op->arg != PLAN_NONE) &&
	       string_ok(h, op->path) && string_ok(h, op->arg);
}

/* Returns 0 when the block of size bytes at base is a plan that can be obeyed safely. */
int confine_plan_check(const void *base, size_t size)
{
	const struct plan_header *h = base;
	if (size < sizeof *h || size > UINT32_MAX || h->magic != PLAN_MAGIC || h->version != PLAN_VERSION)
		return -1;
	/* the block ends in NUL, so every string inside it ends too */
	if (h->total != size || ((const char *)base)[size - 1] != '\0')
		return -1;
	if (h->slots > PLAN_MAX_SLOTS || h->ops.len > PLAN_MAX_OPS)
		return -1;
	if (!array_ok(h, h->ops, sizeof(struct plan_op), 8) || !array_ok(h, h->fds, sizeof(struct plan_fd), 4) ||
	    !array_ok(h, h->rlimits, sizeof(struct plan_rlimit), 8) || !array_ok(h, h->exe, 4, 4) ||
	    !array_ok(h, h->argv, 4, 4) || !array_ok(h, h->envp, 4, 4) ||
	    !array_ok(h, h->seccomp, sizeof(struct sock_filter), 8) || h->seccomp.len > BPF_MAXINSNS)
		return -1;
	if (!strings_ok(h, h->exe) || !strings_ok(h, h->argv) || !strings_ok(h, h->envp) || h->cwd == PLAN_NONE ||
	    !string_ok(h, h->cwd) || h->exe.len == 0 || h->argv.len == 0)
		return -1;
	const struct plan_op *op = (const void *)((const char *)base + h->ops.off);
	for (uint32_t i = 0; i < h->ops.len; i++)
		if (!op_ok(h, &op[i]))
			return -1;
	return 0;
}

void confine_plan_sizes(unsigned sizes[5])
{
	sizes[0] = sizeof(struct plan_header);
	sizes[1] = sizeof(struct plan_op);
	sizes[2] = sizeof(struct plan_fd);
	sizes[3] = sizeof(struct plan_rlimit);
	sizes[4] = sizeof(struct message);
}
