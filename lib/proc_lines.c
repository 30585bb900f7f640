/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_lines - lines out of a pipe, however the writes were cut.
 *
 * Reads only when poll() says so, hence the descriptor may stay blocking.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/proc.h"

#define FIRST_BYTES 4096

void proc_lines_init(struct proc_lines *l, int fd, size_t max)
{
	*l = (struct proc_lines){ .fd = fd, .max = max };
}

void proc_lines_release(struct proc_lines *l)
{
	free(l->data);
	*l = (struct proc_lines){ .fd = -1 };
}

/* A line that is there already, ended by a newline. */
static const char *cut_line(struct proc_lines *l)
{
	char *start = l->data + l->used, *end;

	if (l->used == l->len)
		return NULL;
	end = memchr(start, '\n', l->len - l->used);
	if (!end || (size_t)(end - start) > l->max)
		return NULL;
	*end = '\0';
	l->used += (size_t)(end - start) + 1;
	return start;
}

/* What is behind the last newline, at the end of the file. */
static const char *cut_rest(struct proc_lines *l)
{
	char *start = l->data + l->used;

	if (l->used == l->len)
		return NULL;
	l->data[l->len] = '\0';
	l->used = l->len;
	return start;
}

/* Room for at least one byte more, and for a NUL. */
static int make_room(struct proc_lines *l)
{
	size_t cap = l->cap ? l->cap * 2 : FIRST_BYTES;
	char *data;

	if (l->used) {
		l->len -= l->used;
		memmove(l->data, l->data + l->used, l->len);
		l->used = 0;
	}
	if (l->len + 1 < l->cap)
		return 0;
	data = realloc(l->data, cap);
	if (!data)
		return -1;
	l->data = data;
	l->cap = cap;
	return 0;
}

static int wait_readable(int fd, int64_t due_ns, struct fail *f)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left_ns = due_ns - clock_ns();
		struct timespec left = { 0 };
		int n;

		if (left_ns > 0) {
			left.tv_sec = (time_t)(left_ns / NS_PER_S);
			left.tv_nsec = (long)(left_ns % NS_PER_S);
		}
		n = ppoll(&p, 1, &left, NULL);
		if (n > 0)
			return 0;
		if (!n)
			return fail_set(f, ETIMEDOUT, "no line came in time");
		if (errno != EINTR)
			return fail_set(f, errno, "cannot wait for a line: %s", strerror(errno));
	}
}

/* 1 more bytes, 0 end of file, -1 failed. */
static int fill(struct proc_lines *l, int64_t due_ns, struct fail *f)
{
	ssize_t n;

	if (make_room(l))
		return fail_set(f, ENOMEM, "no memory for a line");
	do {
		if (wait_readable(l->fd, due_ns, f))
			return -1;
		n = read(l->fd, l->data + l->len, l->cap - l->len - 1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return fail_set(f, errno, "cannot read a line: %s", strerror(errno));
	l->len += (size_t)n;
	return n > 0;
}

int proc_lines_next(struct proc_lines *l, int64_t due_ns, const char **line, struct fail *f)
{
	int more = 1;

	*line = NULL;
	while (more > 0) {
		*line = l->len ? cut_line(l) : NULL;
		if (*line)
			return 1;
		if (l->len - l->used > l->max)
			return fail_set(f, EMSGSIZE, "a line is longer than %zu bytes", l->max);
		more = fill(l, due_ns, f);
	}
	if (more < 0)
		return -1;
	*line = l->len ? cut_rest(l) : NULL;
	return *line ? 1 : 0;
}
