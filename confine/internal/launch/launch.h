/* What the launcher's files share. */
#ifndef CONFINE_LAUNCH_H
#define CONFINE_LAUNCH_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "plan.h"

/* the launcher's descriptors; files follow (start_linux.go) */
#define CONTROL_FD 3
#define PLAN_FD 4

#define STACK_SIZE (128 * 1024)

struct launch {
	const unsigned char *base;
	const struct plan_header *head;
	const struct plan_op *ops;
	int control;
	int *slot;      /* descriptors, by slot number */
	int root;       /* the new root, O_PATH */
	int mountinfo;  /* to be told of changes; -1 without guarded mounts */
	struct rlimit files; /* the caller's RLIMIT_NOFILE, for the target */
	pid_t target;
	struct message failure; /* written by the target's child before it leaves */
	int executing;          /* the child is about to call execve */
};

static inline const char *str(const struct launch *l, uint32_t off)
{
	return off == PLAN_NONE ? NULL : (const char *)l->base + off;
}

/* launch.c */
void block_signals(void);
void read_plan(struct launch *l, int plan);
void enter_namespaces(const struct launch *l, uint32_t namespaces, uint32_t uid, uint32_t gid);
void __attribute__((noreturn)) start_init(struct launch *l, int (*init)(void *));

/* early.c */
void start_early(void);
void __attribute__((noreturn)) launch_early(void);

/* messages.c */
void send_message(const struct launch *l, const struct message *m);
void note(struct message *m, uint32_t type, const char *stage, const char *path, int err);
void __attribute__((noreturn)) fail(const struct launch *l, const char *stage, const char *path);
void write_file(const struct launch *l, const char *stage, const char *path, const char *text);

/* check.c */
int confine_plan_check(const void *base, size_t size);

/* mounts.c */
void build_root(struct launch *l);
int restore_all(struct launch *l); /* how many are not covered */

/* target.c; for clone(2), with the launch as argument */
int run_target(void *launch);

/* init.c; for clone(2), with the launch as argument */
int run_init(void *launch);

#endif
