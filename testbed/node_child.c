/* SPDX-License-Identifier: Apache-2.0 */
/* node_child - a child process, its lines and its last words. */
#include "testbed/node_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

#define LINE_BYTES_MAX (16 << 20) /* a result with its histograms */

void node_argv_add(struct node_argv *a, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (a->count == 64 || vasprintf(&word, fmt, ap) < 0)
		a->failed = true;
	else
		a->word[a->count++] = word;
	va_end(ap);
}

void node_argv_release(struct node_argv *a)
{
	for (int i = 0; i < a->count; i++)
		free(a->word[i]);
	memset(a, 0, sizeof(*a));
}

int node_child_start(struct node_child *c, const char *name, struct node_argv *argv, struct fail *f)
{
	memset(c, 0, sizeof(*c));
	if (argv->failed)
		return fail_set(f, E2BIG, "the command line of the %s is too long", name);
	if (proc_start(&c->proc, argv->word, PROC_STDIN | PROC_STDOUT | PROC_STDERR, f))
		return -1;
	snprintf(c->name, sizeof(c->name), "%s", name);
	fcntl(c->proc.err_fd, F_SETFL, O_NONBLOCK);
	proc_lines_init(&c->lines, c->proc.out_fd, LINE_BYTES_MAX);
	return 0;
}

bool node_child_runs(const struct node_child *c)
{
	return c->name[0];
}

/* Keep the end of what was said: the reason comes last. */
static void remember(struct node_child *c, const char *text, size_t len)
{
	size_t room = sizeof(c->said) - 1, old = strlen(c->said);

	if (len > room) {
		text += len - room;
		len = room;
	}
	if (old + len > room) {
		size_t drop = old + len - room;

		memmove(c->said, c->said + drop, old - drop + 1);
		old -= drop;
	}
	memcpy(c->said + old, text, len);
	c->said[old + len] = '\0';
}

void node_child_listen(struct node_child *c)
{
	char text[4096];
	ssize_t n;

	while (c->proc.err_fd >= 0 && (n = read(c->proc.err_fd, text, sizeof(text))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		for (ssize_t i = 0; i < n; i++)
			text[i] = text[i] ? text[i] : ' ';
		remember(c, text, (size_t)n);
	}
	if (c->proc.err_fd >= 0) {
		close(c->proc.err_fd);
		c->proc.err_fd = -1;
	}
}

/* The last line said that is not a hint to read the help. */
static const char *last_words(struct node_child *c)
{
	char *end = c->said + strlen(c->said), *start;

	for (;;) {
		while (end > c->said && end[-1] == '\n')
			*--end = '\0';
		start = strrchr(c->said, '\n');
		start = start ? start + 1 : c->said;
		if (strncmp(start, "Try '", 5) || start == c->said)
			return start;
		end = start;
		*end = '\0';
	}
}

static int describe_end(struct node_child *c, struct fail *f)
{
	char how[64] = "it closed its output";
	const char *words;

	if (proc_wait(&c->proc, clock_ns() + NS_PER_S) == 1)
		proc_describe(&c->proc, how, sizeof(how));
	node_child_listen(c);
	words = last_words(c);
	return fail_set(f, ECHILD, "the %s ended (%s)%s%s", c->name, how, words[0] ? ": " : "",
			words);
}

int node_child_line(struct node_child *c, int64_t due_ns, const char **line, struct fail *f)
{
	struct fail why = { 0 };
	int got = proc_lines_next(&c->lines, due_ns, line, &why);

	if (got > 0)
		return 1;
	if (got < 0 && why.code == ETIMEDOUT)
		return 0;
	if (got < 0)
		return fail_set(f, why.code, "the %s: %s", c->name, why.text);
	return describe_end(c, f);
}

void node_child_tell_to_end(const struct node_child *c)
{
	if (c->proc.pid)
		kill(c->proc.pid, SIGTERM);
}

bool node_child_ended(struct node_child *c, int64_t due_ns)
{
	return proc_wait(&c->proc, due_ns) != 0;
}

void node_child_stop(struct node_child *c, int64_t grace_ns)
{
	if (!node_child_runs(c))
		return;
	proc_lines_release(&c->lines);
	proc_stop(&c->proc, grace_ns);
	memset(c, 0, sizeof(*c));
}
