/*
 * Kernel interfaces that C libraries of supported build hosts do not all
 * declare: numbers and structures of the new mount API (Linux 5.2, 5.12),
 * openat2 (5.6), close_range (5.9) and Landlock (5.13). They are part of the
 * kernel's stable ABI.
 */
#ifndef CONFINE_KERNEL_H
#define CONFINE_KERNEL_H

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define OPEN_TREE_CLONE 1u
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_EMPTY_PATH 0x04u
#define MOVE_MOUNT_T_EMPTY_PATH 0x40u
#define FSOPEN_CLOEXEC 1u
#define FSMOUNT_CLOEXEC 1u
#define FSCONFIG_SET_FLAG 0
#define FSCONFIG_SET_STRING 1
#define FSCONFIG_CMD_CREATE 6
#define MNT_DETACH 2
#define KEYCTL_JOIN_SESSION_KEYRING 1
#define LANDLOCK_RULE_PATH_BENEATH 1
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_IN_ROOT 0x10
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000u /* 5.8 */
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000u /* 5.8 */
#endif

struct mount_attr {
	uint64_t attr_set, attr_clr, propagation, userns_fd;
};

struct open_how {
	uint64_t flags, mode, resolve;
};

struct path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

static inline void close_range_from(int first)
{
	syscall(SYS_close_range, (unsigned)first, ~0u, 0);
}

/* Closes every descriptor but the n given; -1 stands for none. Sorts them. */
static inline void close_range_except(int *keep, int n)
{
	unsigned from = 0;
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && keep[j - 1] > keep[j]; j--) {
			int t = keep[j];
			keep[j] = keep[j - 1];
			keep[j - 1] = t;
		}
	for (int i = 0; i < n; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from)
			syscall(SYS_close_range, from, keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	syscall(SYS_close_range, from, ~0u, 0);
}

#endif
