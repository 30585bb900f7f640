/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_loop - signals and standard input in one event loop. It must not know the
 * options, nor what the counters mean.
 */
#include "servers/serve_loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/loop.h"
#include "servers/serve_json.h"

struct serve_loop {
	struct loop *loop;
	struct server *server;
	const struct server_params *params;
	struct loop_io signals, input;
	struct fail *fail;
	bool failed;
};

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

void serve_loop_prepare(void)
{
	sigset_t set;

	end_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	/* A peer or reader that left is an error code of the call that met it. */
	signal(SIGPIPE, SIG_IGN);
}

static void give_up(struct serve_loop *l, const char *what)
{
	fail_set(l->fail, errno, "%s: %s", what, strerror(errno));
	l->failed = true;
	loop_stop(l->loop);
}

static void on_signal(struct loop_io *io, int events)
{
	struct serve_loop *l = io->data;

	(void)events;
	loop_stop(l->loop);
}

static void print_counters(struct serve_loop *l)
{
	json_t *counters = serve_counters_json(l->server, l->params);

	if (!counters || json_dumpf(counters, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF ||
	    fflush(stdout) != 0)
		give_up(l, "cannot write the counters to standard output");
	json_decref(counters);
}

static void on_input(struct loop_io *io, int events)
{
	struct serve_loop *l = io->data;
	char bytes[512];
	ssize_t n = read(io->fd, bytes, sizeof bytes);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0)
		give_up(l, "cannot read standard input");
	if (n == 0)
		loop_stop(l->loop);
	for (ssize_t i = 0; i < n && !l->failed; i++)
		if (bytes[i] == '\n')
			print_counters(l);
}

int serve_loop_run(struct server *s, const struct server_params *p, bool counters, struct fail *f)
{
	struct serve_loop l = { .loop = loop_new(), .server = s, .params = p, .fail = f };
	sigset_t set;
	int fd;

	end_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (!l.loop || fd < 0) {
		l.failed = true;
		fail_set(f, errno, "cannot wait for signals: %s", strerror(errno));
		goto out;
	}
	loop_io_init(&l.signals, l.loop, fd, on_signal, &l);
	loop_io_want(&l.signals, LOOP_READ);
	loop_io_init(&l.input, l.loop, STDIN_FILENO, on_input, &l);
	loop_io_want(&l.input, counters ? LOOP_READ : 0);
	loop_run(l.loop);
	loop_io_want(&l.input, 0);
	loop_io_want(&l.signals, 0);
out:
	if (fd >= 0)
		close(fd);
	loop_free(l.loop);
	return l.failed ? -1 : 0;
}
