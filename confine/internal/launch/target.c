/* The target, from its clone to execve. It shares memory with a suspended pid 1. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include "kernel.h"
#include "launch.h"

static void __attribute__((noreturn)) give_up(struct launch *l, const char *stage, const char *path)
{
	note(&l->failure, MSG_FAILED, stage, path, errno);
	_exit(125);
}

static void drop_capabilities(struct launch *l)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};
	/* the bounding set first: it needs CAP_SETPCAP. Without it uid 0 would
	 * regain every capability of its namespace at execve. */
	int cap = 0;
	while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
		cap++;
	if (errno != EINVAL || cap == 0) /* EINVAL: past the last one this kernel has */
		give_up(l, "drop capabilities", NULL);
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		give_up(l, "drop capabilities", NULL);
	if (syscall(SYS_capset, &head, none) < 0)
		give_up(l, "drop capabilities", NULL);
}

/* Leaves the target exactly the plan's descriptors, at their numbers. */
static void arrange_descriptors(struct launch *l)
{
	const struct plan_fd *fd = (const void *)(l->base + l->head->fds.off);
	uint32_t n = l->head->fds.len;
	int top = 2, moved[n + 1];
	for (uint32_t i = 0; i < n; i++)
		if (fd[i].dst > top)
			top = fd[i].dst;
	for (uint32_t i = 0; i < n; i++) /* out of the way of every destination */
		if ((moved[i] = fcntl(fd[i].src, F_DUPFD_CLOEXEC, top + 1)) < 0)
			give_up(l, "arrange descriptors", NULL);
	if (syscall(SYS_close_range, 0, top, 0) < 0)
		give_up(l, "arrange descriptors", NULL);
	for (uint32_t i = 0; i < n; i++)
		if (dup2(moved[i], fd[i].dst) < 0)
			give_up(l, "arrange descriptors", NULL);
	close_range_from(top + 1);
}

static void reset_signals(void)
{
	/* the kernel's own call: the C library keeps some numbers to itself */
	static const struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} dfl;
	sigset_t none;
	for (int sig = 1; sig <= 64; sig++) /* an ignored SIGCHLD or SIGPIPE would survive execve */
		syscall(SYS_rt_sigaction, sig, &dfl, NULL, sizeof dfl.mask);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void execute(struct launch *l, char **argv, char **envp)
{
	const struct plan_header *h = l->head;
	const uint32_t *exe = (const void *)(l->base + h->exe.off);
	struct sock_fprog filter = {.len = (unsigned short)h->seccomp.len,
				    .filter = (void *)(l->base + h->seccomp.off)};
	if (filter.len && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
		give_up(l, "load seccomp filter", NULL);
	/* as execvp(3): not found or not permitted means the next candidate */
	int denied = 0, err = ENOENT;
	const char *last = str(l, exe[0]);
	for (uint32_t i = 0; i < h->exe.len; i++) {
		l->executing = 1;
		execve(str(l, exe[i]), argv, envp);
		l->executing = 0;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
			err = errno, last = str(l, exe[i]), denied = 0;
			break;
		}
		if (errno == EACCES && !denied)
			denied = 1, last = str(l, exe[i]);
	}
	errno = denied ? EACCES : err;
	give_up(l, "execute", last);
}

int run_target(void *arg)
{
	struct launch *l = arg;
	const struct plan_header *h = l->head;
	const struct plan_rlimit *lim = (const void *)(l->base + h->rlimits.off);
	const uint32_t *av = (const void *)(l->base + h->argv.off), *ev = (const void *)(l->base + h->envp.off);
	char **argv = calloc(h->argv.len + 1, sizeof *argv), **envp = calloc(h->envp.len + 1, sizeof *envp);
	if (!argv || !envp)
		give_up(l, "allocate", NULL);
	for (uint32_t i = 0; i < h->argv.len; i++)
		argv[i] = (char *)str(l, av[i]);
	for (uint32_t i = 0; i < h->envp.len; i++)
		envp[i] = (char *)str(l, ev[i]);

	/* a process group of its own: kill(0, …) inside must not reach the
	 * supervisor's group, which no namespace separates */
	if ((h->flags & PLAN_NEW_SESSION ? setsid() : setpgid(0, 0)) < 0)
		give_up(l, "make process group", NULL);
	if ((h->flags & PLAN_FOREGROUND) && tcsetpgrp(h->tty_fd, getpgrp()) < 0)
		give_up(l, "take the terminal", NULL);
	/* by path and in the new root: a descriptor from before still reaches the old mounts */
	if (chdir(str(l, h->cwd)) < 0)
		give_up(l, "enter working directory", str(l, h->cwd));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		give_up(l, "set no_new_privs", NULL);
	/* a session keyring is inherited across namespaces (keyrings(7)); a kernel without keyrings has none */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		give_up(l, "join session keyring", NULL);
	drop_capabilities(l);
	if (h->landlock_fd >= 0 && syscall(SYS_landlock_restrict_self, h->landlock_fd, 0) < 0)
		give_up(l, "enforce Landlock ruleset", NULL);
	arrange_descriptors(l);
	if (setrlimit(RLIMIT_NOFILE, &l->files) < 0)
		give_up(l, "set resource limit", NULL);
	for (uint32_t i = 0; i < h->rlimits.len; i++) {
		struct rlimit r = {.rlim_cur = lim[i].soft, .rlim_max = lim[i].hard};
		if (setrlimit((int)lim[i].resource, &r) < 0)
			give_up(l, "set resource limit", NULL);
	}
	reset_signals();
	execute(l, argv, envp);
	return 125;
}
