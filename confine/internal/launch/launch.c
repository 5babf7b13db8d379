/*
 * The launcher: builds the namespaces and mounts that a plan lists, then
 * executes the target. It decides nothing: the order of operations, every
 * path, right and number come from the plan (plan.h), which Go has made.
 *
 *   supervisor (Go)            launcher (this file)              pid 1            target
 *   fork+exec /proc/self/exe ─> constructor, before Go starts
 *   plan memfd, descriptors     unshare, id maps
 *                               clone(CLONE_PARENT|CLONE_VM) ──> starts
 *   <── MSG_INIT pid ────────── _exit(0)                         lo, mounts, pivot
 *                                                                clone(VM|VFORK) ─> caps, Landlock, fds,
 *   <── MSG_FAILED stage, errno ──────── (either of them) ────────────────────────  seccomp, execve
 *   <── MSG_EXECUTED ────────────────────────────────────────── execve succeeded
 *   ──  CMD_SIGNAL, CMD_FOREGROUND ───────────────────────────> obeyed
 *   <── MSG_STOPPED, MSG_EXITED ─────────────────────────────── reaps
 *   end of the socket (supervisor gone) ──────────────────────> _exit: the kernel kills the namespace
 *
 * pid 1 is a child of the supervisor (CLONE_PARENT), so the supervisor reaps
 * it and holds its pidfd; no process stays in between. The target's vfork-style
 * clone shares memory with pid 1 until execve, which makes "executed or not"
 * certain: an error is in shared memory before the child leaves.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "launch.h"


void enter_namespaces(const struct launch *l, uint32_t namespaces, uint32_t uid, uint32_t gid)
{
	char map[64];
	if (unshare((int)namespaces) < 0)
		fail(l, "create namespaces", NULL);
	/* an id map may only be written for the process itself, and gid_map only
	 * once setgroups is off (user_namespaces(7)) */
	write_file(l, "map ids", "/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	write_file(l, "map ids", "/proc/self/uid_map", map);
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	write_file(l, "map ids", "/proc/self/gid_map", map);
}

/* Blocks every signal: pid 1 takes its orders from the control socket, and a
 * terminal's signals to the supervisor's group must not end it. */
void block_signals(void)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &dfl, NULL); /* an inherited SIG_IGN would discard every wait status */
}

/* Maps and checks the plan; does not return without one. */
void read_plan(struct launch *l, int plan)
{
	struct stat st;
	if (fstat(plan, &st) < 0 || st.st_size <= 0)
		fail(l, "read plan", NULL);
	l->base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, plan, 0);
	errno = EINVAL;
	if (l->base == MAP_FAILED || confine_plan_check(l->base, (size_t)st.st_size) < 0)
		fail(l, "read plan", NULL);
	close(plan);
	l->head = (const void *)l->base;
	l->ops = (const void *)(l->base + l->head->ops.off);
	l->slot = malloc((l->head->slots + 1) * sizeof *l->slot);
	if (!l->slot)
		fail(l, "allocate", NULL);
	memset(l->slot, 0xff, (l->head->slots + 1) * sizeof *l->slot);
}

/* Starts pid 1 as the supervisor's child, and leaves. */
void __attribute__((noreturn)) start_init(struct launch *l, int (*init)(void *))
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		fail(l, "allocate", NULL);
	pid_t pid = clone(init, stack + STACK_SIZE, CLONE_VM | CLONE_PARENT | SIGCHLD, l);
	if (pid < 0)
		fail(l, "start pid 1", NULL);
	struct message m = {.type = MSG_INIT, .a = pid};
	send_message(l, &m);
	_exit(0);
}

static void __attribute__((noreturn)) launch(void)
{
	static struct launch l = {.control = CONTROL_FD, .root = -1, .mountinfo = -1};
	block_signals();
	read_plan(&l, PLAN_FD);
	enter_namespaces(&l, l.head->namespaces, l.head->uid, l.head->gid);
	start_init(&l, run_init);
}

extern const int confine_prefork __attribute__((weak));

/*
 * Runs before the Go runtime of every process that links this package. Two
 * things go on here: the re-execution made by the supervisor, started as
 * /proc/self/exe with an environment of exactly CONFINE_LAUNCH=1 (or =early);
 * and, where package prefork is linked, the early start.
 */
static void __attribute__((constructor)) confine_launch_constructor(void)
{
	extern char **environ;
	const char *name = (const char *)getauxval(AT_EXECFN);
	const char *only = environ && environ[0] && !environ[1] ? environ[0] : "";
	if (strncmp(only, "CONFINE_LAUNCH=", 15) == 0 && name && strcmp(name, "/proc/self/exe") == 0) {
		if (strcmp(only + 15, "1") == 0)
			launch();
		if (strcmp(only + 15, "early") == 0)
			launch_early();
	}
	if (&confine_prefork)
		start_early();
}
