/* pid 1: builds the root, starts the target, obeys the supervisor and reaps. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "kernel.h"
#include "launch.h"

static void loopback_up(const struct launch *l)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req) < 0)
		fail(l, "bring loopback up", "lo");
	close(fd);
}

static void give_terminal(const struct launch *l)
{
	if (l->head->tty_fd >= 0) /* SIGTTOU is blocked here; a terminal that hung up is no error */
		(void)tcsetpgrp(l->head->tty_fd, l->target);
}

/* Obeys one command; ends the process when the supervisor is gone. */
static void obey_command(struct launch *l)
{
	struct message m;
	ssize_t n = recv(l->control, &m, sizeof m, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		_exit(125);
	if (n != (ssize_t)sizeof m)
		return;
	if (m.type == CMD_SIGNAL)
		kill(m.b ? -l->target : l->target, m.a);
	else if (m.type == CMD_FOREGROUND)
		give_terminal(l);
}

/* Tells the end of the target. When no child is left either, the whole namespace
 * is empty but for this process, since orphans become its children: the
 * supervisor then need not wait for the namespaces to be taken down. */
static void tell_end(struct launch *l, int status, int alone)
{
	struct message m;
	struct rusage ru;
	note(&m, MSG_EXITED, NULL, NULL, 0);
	m.a = status;
	m.b = alone;
	if (getrusage(RUSAGE_CHILDREN, &ru) == 0) {
		m.user_us = ru.ru_utime.tv_sec * 1000000LL + ru.ru_utime.tv_usec;
		m.system_us = ru.ru_stime.tv_sec * 1000000LL + ru.ru_stime.tv_usec;
		m.maxrss_kb = ru.ru_maxrss;
	}
	send_message(l, &m);
}

/* Reaps everything that ended. Returns 0 when no child is left. */
static int reap(struct launch *l, int *ended)
{
	int end = 0, last = 0;
	for (;;) {
		int status;
		struct message m;
		pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0) {
			if (end)
				tell_end(l, last, pid < 0);
			return pid == 0;
		}
		if (pid != l->target)
			continue;
		if (WIFSTOPPED(status)) {
			note(&m, MSG_STOPPED, NULL, NULL, 0);
			m.a = WSTOPSIG(status);
			send_message(l, &m);
			continue;
		}
		*ended = end = 1;
		last = status;
	}
}

static void supervise(struct launch *l)
{
	sigset_t chld;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	struct pollfd p[3] = {{.fd = l->control, .events = POLLIN}, {.fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN}, {.fd = l->mountinfo, .events = POLLPRI}};
	if (p[1].fd < 0)
		fail(l, "watch children", NULL);
	/* the event comes before the outside rename is finished: look again a little
	 * later; a folder that is moved away takes its mount along, without an event */
	int ended = 0, again = 0, idle = p[2].fd >= 0 ? 200 : -1;
	while (reap(l, &ended) && !(ended && !(l->head->flags & PLAN_LINGER))) {
		if (poll(p, 3, again ? 5 : idle) < 0 && errno != EINTR)
			_exit(125);
		if (p[0].revents)
			obey_command(l);
		if (p[1].revents) {
			struct signalfd_siginfo si;
			while (read(p[1].fd, &si, sizeof si) > 0)
				;
		}
		if (p[2].fd >= 0) {
			again = p[2].revents ? 5 : again > 0 ? again - 1 : 0;
			if (restore_all(l) > 0)
				again = 5; /* it is gone, and may come back */
		}
	}
}

int run_init(void *arg)
{
	struct launch *l = arg;
	struct message m;
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	prctl(PR_SET_NAME, "confine-init", 0, 0, 0);
	if (l->head->flags & PLAN_LOOPBACK_UP)
		loopback_up(l);
	if (l->head->flags & PLAN_NO_USERNS) /* before /proc/sys becomes read-only; it cannot be raised again without capabilities */
		write_file(l, "forbid user namespaces", "/proc/sys/user/max_user_namespaces", "0");
	build_root(l);
	if (l->head->flags & PLAN_GUARD_MOUNTS) {
		/* before the target starts: only changes after this are told */
		l->mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
		if (l->mountinfo < 0)
			fail(l, "watch mounts", "/proc/self/mountinfo");
	}
	/* not dumpable: nothing inside may read this process, which keeps its capabilities */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (stack == MAP_FAILED)
		fail(l, "allocate", NULL);
	char last_word;
	if (recv(l->control, &last_word, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		_exit(125); /* the supervisor has given up meanwhile */
	l->target = clone(run_target, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	if (l->target < 0)
		fail(l, "start process", NULL);
	if (l->failure.type == 0 && !l->executing) {
		errno = EINTR;
		fail(l, "prepare process", "killed from outside");
	}
	if (l->failure.type != 0) {
		send_message(l, &l->failure);
		_exit(125);
	}
	note(&m, MSG_EXECUTED, NULL, NULL, 0);
	m.a = l->target;
	send_message(l, &m);
	close_range_except((int[]){l->control, l->head->tty_fd, l->root, l->mountinfo}, 4);
	supervise(l);
	_exit(0);
}
