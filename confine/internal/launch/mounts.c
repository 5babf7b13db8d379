/* The mount operations of a plan, in its order, and their restoration. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "launch.h"

static int same_object(int fd, const struct plan_op *op)
{
	struct statx sx;
	if (!(op->flags & OPF_IDENTITY))
		return 1;
	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &sx) < 0)
		return 0;
	if (sx.stx_ino == op->ino && sx.stx_dev_major == op->dev_major && sx.stx_dev_minor == op->dev_minor)
		return 1;
	errno = ESTALE; /* the path was replaced after it was resolved */
	return 0;
}

/* Opens a path below dir without following any link. */
static int open_beneath(int dir, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_IN_ROOT,
	};
	int fd;
	while (*path == '/')
		path++;
	if (*path == '\0')
		return fcntl(dir, F_DUPFD_CLOEXEC, 0);
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN);
	return fd;
}

static int set_attr(int fd, const struct plan_op *op)
{
	struct mount_attr attr = {
		.attr_set = op->attr_set, .attr_clr = op->attr_clr, .propagation = op->propagation};
	unsigned flags = AT_EMPTY_PATH | ((op->flags & OPF_RECURSIVE) ? AT_RECURSIVE : 0);
	if (attr.attr_set == 0 && attr.attr_clr == 0 && attr.propagation == 0)
		return 0;
	return (int)syscall(SYS_mount_setattr, fd, "", flags, &attr, sizeof attr);
}

static int clone_tree(int dir, const char *path, const struct plan_op *op)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT |
			 ((op->flags & OPF_RECURSIVE) ? AT_RECURSIVE : 0) | (*path ? 0 : AT_EMPTY_PATH);
	int fd = (int)syscall(SYS_open_tree, dir, path, flags);
	if (fd >= 0 && set_attr(fd, op) < 0) {
		int err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

static int clone_host(const struct launch *l, const struct plan_op *op)
{
	int from = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int at = open_beneath(from, str(l, op->path));
	close(from);
	if (at < 0)
		return -1;
	int fd = same_object(at, op) ? clone_tree(at, "", op) : -1;
	int err = errno;
	close(at);
	errno = err;
	return fd;
}

/* Creates a file system instance; options is "key=value,key=value". */
static int new_filesystem(const char *type, const char *options, const struct plan_op *op)
{
	char buf[256], *save = NULL;
	int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	snprintf(buf, sizeof buf, "%s", options);
	for (char *key = strtok_r(buf, ",", &save); key; key = strtok_r(NULL, ",", &save)) {
		char *value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		if (syscall(SYS_fsconfig, fs, value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, key, value, 0) < 0)
			goto bad;
	}
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		goto bad;
	int fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, (unsigned)op->attr_set);
	if (fd < 0)
		goto bad;
	close(fs);
	return fd;
bad:;
	int err = errno;
	close(fs);
	errno = err;
	return -1;
}

static int move_onto(int from, int to)
{
	return (int)syscall(SYS_move_mount, from, "", to, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* Attaches fd over the current root directory. Look-ups that start at a root
 * do not cross a mount on top of it, so nobody sees it, yet it belongs to this
 * mount namespace, as open_tree demands before Linux 6.15. */
static int stage(int fd)
{
	return (int)syscall(SYS_move_mount, fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
}

static uint64_t mount_id(const char *path)
{
	struct statx sx;
	if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_MNT_ID, &sx) < 0 ||
	    !(sx.stx_mask & STATX_MNT_ID))
		return 0;
	return sx.stx_mnt_id;
}

/* Detaches everything that is mounted over the root, and makes sure of it: ".."
 * of the root leads to the topmost mount there, so whatever were left would be
 * within reach. The current folder is the root. */
static int uncover_root(void)
{
	uint64_t root = mount_id("/"), above;
	for (int i = 0; root && (above = mount_id("/..")); i++) {
		if (above == root)
			return 0;
		if (i == 16)
			break;
		if (syscall(SYS_umount2, ".", MNT_DETACH) < 0)
			return -1;
	}
	errno = EBUSY;
	return -1;
}

static int switch_root(struct launch *l, int fd)
{
	/* pivot_root puts the old root, with all that was staged on it, over the new one */
	if (stage(fd) < 0 || fchdir(fd) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || uncover_root() < 0 || chdir("/") < 0)
		return -1;
	l->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return l->root;
}

/* Whether fd, reached by path, is the root of a mount. */
static int is_mount_root(int fd)
{
	struct statx sx;
	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &sx) < 0)
		return 1; /* nothing to go by: leave it */
	return (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

static int attach(struct launch *l, const struct plan_op *op)
{
	int at = open_beneath(l->root, str(l, op->path));
	if (at < 0)
		return -1;
	if (l->slot[op->slot] < 0) /* its source was out of reach, and OPF_OPTIONAL */
		return close(at), 0;
	int rc = same_object(at, op) ? move_onto(l->slot[op->slot], at) : -1;
	int err = errno;
	close(at);
	errno = err;
	return rc;
}

static int add_landlock_rule(const struct launch *l, const struct plan_op *op)
{
	struct path_beneath rule = {.allowed_access = op->attr_set};
	rule.parent_fd = open_beneath(l->root, str(l, op->path));
	if (rule.parent_fd < 0)
		return -1;
	int rc = (int)syscall(SYS_landlock_add_rule, l->head->landlock_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	int err = errno;
	close(rule.parent_fd);
	errno = err;
	return rc;
}

static const char *const op_name[OP_LAST] = {
	[OP_CLONE] = "clone mount", [OP_TMPFS] = "make tmpfs", [OP_FS] = "make file system", [OP_STAGE] = "stage mount",
	[OP_MKDIR] = "make mount point", [OP_MKFILE] = "make mount point", [OP_SYMLINK] = "make link",
	[OP_SUBCLONE] = "clone mount", [OP_SETATTR] = "set mount attributes", [OP_ROOT] = "switch root",
	[OP_ATTACH] = "attach mount", [OP_LANDLOCK] = "add Landlock rule",
};

static int make_file(int dir, const char *path, mode_t mode)
{
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	int rc = fchmod(fd, mode);
	close(fd);
	return rc;
}

static int make_dir(int dir, const char *path, mode_t mode)
{
	if (mkdirat(dir, path, 0700) < 0)
		return -1;
	return fchmodat(dir, path, mode, 0);
}

static int obey(struct launch *l, const struct plan_op *op)
{
	const char *path = str(l, op->path), *arg = str(l, op->arg);
	int *slot = op->slot == PLAN_NONE ? NULL : &l->slot[op->slot];
	switch (op->code) {
	case OP_CLONE:
		return *slot = clone_host(l, op);
	case OP_TMPFS:
		return *slot = new_filesystem("tmpfs", arg, op);
	case OP_FS:
		return *slot = new_filesystem(path, arg, op);
	case OP_STAGE:
		return stage(*slot);
	case OP_MKDIR:
		return make_dir(*slot, path, op->mode);
	case OP_MKFILE:
		return make_file(*slot, path, op->mode);
	case OP_SYMLINK:
		return symlinkat(arg, *slot, path);
	case OP_SUBCLONE:
		return *slot = clone_tree(l->slot[op->src], path, op);
	case OP_SETATTR:
		return set_attr(*slot, op);
	case OP_ROOT:
		return switch_root(l, *slot);
	case OP_ATTACH:
		return attach(l, op);
	case OP_LANDLOCK:
		return add_landlock_rule(l, op);
	}
	errno = EINVAL;
	return -1;
}

/* A plan holds a descriptor for every mount it prepares. */
static void allow_many_files(struct launch *l)
{
	struct rlimit most;
	if (getrlimit(RLIMIT_NOFILE, &l->files) < 0)
		fail(l, "read resource limit", NULL);
	most = (struct rlimit){.rlim_cur = l->files.rlim_max, .rlim_max = l->files.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &most) < 0)
		fail(l, "set resource limit", NULL);
}

void build_root(struct launch *l)
{
	allow_many_files(l);
	mode_t mask = umask(0); /* the target keeps the caller's */
	for (uint32_t i = 0; i < l->head->ops.len; i++) {
		const struct plan_op *op = &l->ops[i];
		if (obey(l, op) < 0 && !((op->flags & OPF_OPTIONAL) && errno == EACCES) &&
		    !((op->flags & OPF_VANISHING) && errno == ENOENT))
			fail(l, op_name[op->code], str(l, op->path));
	}
	umask(mask);
}

/* A fresh mask for a carve-out whose mount an outside change took away. */
static int make_mask(mode_t kind, const struct plan_op *op)
{
	static const struct plan_op writable; /* a file can only be made before the mount is read-only */
	int fs = new_filesystem("tmpfs", "mode=0,size=4k,nr_inodes=4", &writable);
	if (fs < 0)
		return -1;
	if (S_ISDIR(kind))
		return fs;
	int fd = -1;
	if (make_file(fs, "mask", 0) == 0 && stage(fs) == 0) {
		fd = clone_tree(fs, "mask", op);
		if (chdir("/") < 0 || uncover_root() < 0)
			_exit(125); /* nothing may stay over the root: better no run */
	}
	close(fs);
	return fd;
}

/* Returns 1 while the path is not covered: it may appear again at any time. */
static int restore(struct launch *l, const struct plan_op *op)
{
	struct stat st;
	struct message m;
	int covered = 1;
	int at = open_beneath(l->root, str(l, op->path));
	if (at < 0)
		return errno == ENOENT;
	if (!is_mount_root(at) && fstat(at, &st) == 0) {
		int fd = (op->flags & OPF_GUARD_SAME) ? clone_tree(at, "", op) : make_mask(st.st_mode, op);
		covered = fd >= 0 && set_attr(fd, op) == 0 && move_onto(fd, at) == 0;
		if (covered) {
			note(&m, MSG_RESTORED, NULL, str(l, op->path), 0);
			send_message(l, &m);
		}
		if (fd >= 0)
			close(fd);
	}
	close(at);
	return !covered;
}

int restore_all(struct launch *l)
{
	int open = 0;
	for (uint32_t i = 0; i < l->head->ops.len; i++)
		if (l->ops[i].code == OP_ATTACH && (l->ops[i].flags & OPF_GUARD))
			open += restore(l, &l->ops[i]);
	return open;
}
