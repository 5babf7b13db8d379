/*
 * The plan's wire form: one flat block, written by encode.go, read by the
 * launcher. All offsets count from the start of the block; every string is
 * NUL-terminated inside it. encode.go mirrors these structures field by field
 * and a test holds the sizes equal.
 */
#ifndef CONFINE_PLAN_H
#define CONFINE_PLAN_H

#include <stdint.h>

#define PLAN_MAGIC 0x6e6c7063u /* "cpln" */
#define PLAN_VERSION 1u
#define PLAN_MAX_OPS 65536u
#define PLAN_MAX_SLOTS 65536u
#define PLAN_NONE 0xffffffffu /* an absent string or slot */

/* plan_header.flags */
#define PLAN_LOOPBACK_UP 1u  /* bring lo up in the new network namespace */
#define PLAN_LINGER 2u       /* wait for background children instead of killing them */
#define PLAN_FOREGROUND 4u   /* make the target's group the terminal's foreground group */
#define PLAN_NO_USERNS 8u    /* set max_user_namespaces to 0 inside */
#define PLAN_NEW_SESSION 32u /* the target gets no controlling terminal */
#define PLAN_GUARD_MOUNTS 16u /* restore carve-outs that an outside change detached */

/* plan_op.code, in the order in which a plan normally uses them */
enum {
	OP_CLONE = 1, /* slot = recursive clone of the host's path (identity checked), attributes set */
	OP_TMPFS,     /* slot = new tmpfs with the options in arg (key=value,…) */
	OP_FS,        /* slot = new file system of type path with the options in arg */
	OP_STAGE,     /* attach slot over the old root, so that it can be cloned from and written to */
	OP_MKDIR,     /* make folder path with mode in slot */
	OP_MKFILE,    /* make an empty file path with mode in slot */
	OP_SYMLINK,   /* make link path -> arg in slot */
	OP_SUBCLONE,  /* slot = clone of path inside staged slot src, attributes set */
	OP_SETATTR,   /* attributes on slot's own mount */
	OP_ROOT,      /* slot becomes the root; the old root is gone */
	OP_ATTACH,    /* attach slot on path below the new root (identity checked where given) */
	OP_LANDLOCK,  /* add the path-beneath rule attr_set on path below the new root */
	OP_LAST,
};

/* plan_op.flags */
#define OPF_RECURSIVE 1u
#define OPF_IDENTITY 2u  /* dev_major, dev_minor and ino must match */
#define OPF_GUARD 4u     /* re-attach when an outside change detached it */
#define OPF_GUARD_SAME 8u /* … by cloning what is at the path now, read-only, not the slot */
#define OPF_OPTIONAL 16u /* the path may be out of reach: then it is for the target too */

#define OPF_VANISHING 32u /* the path may be gone: then nothing is left to close */

struct plan_op {
	uint32_t code;
	uint32_t flags;
	uint32_t slot;
	uint32_t src;
	uint32_t path; /* string offset */
	uint32_t arg;  /* string offset */
	uint32_t mode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t pad;
	uint64_t ino;
	uint64_t attr_set; /* MOUNT_ATTR_*, or Landlock rights */
	uint64_t attr_clr;
	uint64_t propagation;
};

struct plan_fd {
	int32_t src; /* descriptor number in the launcher */
	int32_t dst; /* descriptor number in the target */
};

struct plan_rlimit {
	uint32_t resource;
	uint32_t pad;
	uint64_t soft;
	uint64_t hard;
};

struct plan_array {
	uint32_t off;
	uint32_t len; /* elements */
};

struct plan_header {
	uint32_t magic;
	uint32_t version;
	uint32_t total;
	uint32_t flags;
	uint32_t namespaces; /* CLONE_NEW* */
	uint32_t slots;
	uint32_t uid;
	uint32_t gid;
	int32_t landlock_fd; /* -1: none */
	int32_t tty_fd;      /* -1: none */
	uint32_t cwd;        /* string offset */
	uint32_t pad;
	struct plan_array ops;     /* struct plan_op */
	struct plan_array fds;     /* struct plan_fd */
	struct plan_array rlimits; /* struct plan_rlimit */
	struct plan_array exe;     /* uint32_t string offsets: candidates, tried in order */
	struct plan_array argv;    /* uint32_t string offsets */
	struct plan_array envp;    /* uint32_t string offsets */
	struct plan_array seccomp; /* struct sock_filter, 8 bytes each */
};

/* Messages on the control socket (SOCK_SEQPACKET), both directions. */
enum {
	MSG_FAILED = 1, /* stage, path, err: the target was not executed */
	MSG_INIT,       /* a = pid of pid 1 in the launcher's pid namespace */
	MSG_EXECUTED,   /* a = the target's pid in its own namespace */
	MSG_STOPPED,    /* a = signal */
	MSG_EXITED,     /* a = wait status of the target; b = 1: no other process is left; usage */
	MSG_RESTORED,   /* path: a detached carve-out was attached again */
	CMD_SIGNAL = 64, /* a = signal, b = 1: the target's process group */
	CMD_FOREGROUND,  /* give the terminal to the target's group */
};

struct message {
	uint32_t type;
	int32_t err;
	int32_t a;
	int32_t b;
	int64_t user_us; /* what all processes that were waited for used */
	int64_t system_us;
	int64_t maxrss_kb; /* of the largest */
	char stage[48];
	char path[448];
};

#endif
