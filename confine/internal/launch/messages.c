/* Words to the supervisor, and the only way to give up before the target's clone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch.h"

void send_message(const struct launch *l, const struct message *m)
{
	ssize_t n;
	do
		n = send(l->control, m, sizeof *m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
}

void note(struct message *m, uint32_t type, const char *stage, const char *path, int err)
{
	memset(m, 0, sizeof *m);
	m->type = type;
	m->err = err;
	snprintf(m->stage, sizeof m->stage, "%s", stage ? stage : "");
	snprintf(m->path, sizeof m->path, "%s", path ? path : "");
}

/* Reports the failed stage and ends this process; nothing was executed. */
void __attribute__((noreturn)) fail(const struct launch *l, const char *stage, const char *path)
{
	struct message m;
	note(&m, MSG_FAILED, stage, path, errno);
	send_message(l, &m);
	_exit(125);
}

void write_file(const struct launch *l, const char *stage, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		fail(l, stage, path);
	ssize_t want = (ssize_t)strlen(text);
	if (write(fd, text, (size_t)want) != want)
		fail(l, stage, path);
	close(fd);
}
