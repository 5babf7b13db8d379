/*
 * The early start: the launcher is executed before the Go runtime starts, so that
 * both get ready at the same time. Linked in by package prefork. The namespaces
 * are those of every plan that is handed over here; for another set, Go
 * re-executes the binary.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel.h"
#include "launch.h"

#define EARLY_MAX_FDS 200
#define EARLY_NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNET)

int confine_early_control = -1; /* the supervisor's end */
int confine_early_pid = 0;

/* Takes the plan, the files and the standard streams, in this order, to the
 * numbers that Start gives them at a re-execution. */
static int await_plan(void *launch)
{
	struct launch *l = launch;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(EARLY_MAX_FDS * sizeof(int))];
	} control;
	struct message m;
	struct iovec data = {&m, sizeof m};
	struct msghdr msg = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	ssize_t n;
	do
		n = recvmsg(CONTROL_FD, &msg, 0);
	while (n < 0 && errno == EINTR);
	struct cmsghdr *head = n == (ssize_t)sizeof m ? CMSG_FIRSTHDR(&msg) : NULL;
	if (!head || (msg.msg_flags & MSG_CTRUNC) || head->cmsg_type != SCM_RIGHTS)
		_exit(0); /* the supervisor had nothing to run */
	int count = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int)), fd[EARLY_MAX_FDS];
	memcpy(fd, CMSG_DATA(head), (size_t)count * sizeof(int));
	for (int i = 0; i < 3 && count >= 4; i++)
		if (dup2(fd[count - 3 + i], i) < 0)
			_exit(125);
	if (count < 4 || fd[0] != PLAN_FD || fd[count - 1] != PLAN_FD + count - 1)
		_exit(125);
	close_range_from(fd[count - 3]);
	read_plan(l, PLAN_FD);
	if (l->head->namespaces != EARLY_NAMESPACES || l->head->uid != geteuid() || l->head->gid != getegid()) {
		errno = EINVAL;
		fail(l, "read plan", "made for other namespaces");
	}
	return run_init(l);
}

static cpu_set_t every_cpu;
static int pinned;

/* The Go runtime makes threads for the processors that this process may use,
 * and waking them up costs more than they do during a start: with one processor
 * it is about 1 ms faster. unpin undoes it once the run is under way. */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();
	mallopt(M_ARENA_MAX, 1); /* no 64 MiB arena for each thread */
	if (cpu < 0 || sched_getaffinity(0, sizeof every_cpu, &every_cpu) < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pinned = sched_setaffinity(0, sizeof one, &one) == 0;
}

/* Gives every thread of this process its processors back. */
void confine_unpin(void)
{
	struct dirent *entry;
	if (!pinned)
		return;
	pinned = 0;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			sched_setaffinity(atoi(entry->d_name), sizeof every_cpu, &every_cpu);
	if (tasks)
		closedir(tasks);
}

/* The early launcher: gets everything ready that no plan decides. */
void __attribute__((noreturn)) launch_early(void)
{
	static struct launch l = {.control = CONTROL_FD, .root = -1, .mountinfo = -1};
	block_signals();
	enter_namespaces(&l, EARLY_NAMESPACES, geteuid(), getegid());
	start_init(&l, await_plan);
}

/* Starts the early launcher. It is executed anew rather than forked, so that
 * nothing of this process, its environment and arguments above all, is in the
 * memory of pid 1. */
void start_early(void)
{
	char *argv[] = {"confine-launcher", NULL}, *envp[] = {"CONFINE_LAUNCH=early", NULL};
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	int pair[2], null;
	sigset_t all, before;
	sigaction(SIGCHLD, &dfl, NULL); /* an inherited SIG_IGN would hide how children end */
	while ((null = open("/dev/null", O_RDWR)) >= 0 && null <= 2)
		; /* the numbers below 3 are taken, as the Go runtime will see to as well */
	if (null >= 0)
		close(null);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return; /* Start re-executes instead, and reports what is wrong */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before); /* a terminal's signals are not for the launcher */
	pid_t pid = vfork();
	if (pid == 0) {
		if (dup2(pair[1], CONTROL_FD) < 0 || (pair[1] == CONTROL_FD && fcntl(CONTROL_FD, F_SETFD, 0) < 0))
			_exit(125);
		close_range_from(CONTROL_FD + 1);
		execve("/proc/self/exe", argv, envp);
		_exit(125);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return;
	}
	confine_early_control = pair[0];
	confine_early_pid = pid;
	stay_on_one_cpu();
}
