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

struct serve_loop {
	struct loop *loop;
	const struct serve_watch *watch;
	struct loop_io signals, input, end;
	struct fail *fail;
	bool failed, ended;
};

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

static volatile sig_atomic_t starting;
static pthread_t waiter;

/* A thread that was made while the server started may get what the main thread waits for. */
static void on_early_signal(int number)
{
	if (!starting) {
		pthread_kill(waiter, number);
		return;
	}
	signal(number, SIG_DFL);
	raise(number);
}

void serve_loop_start(void)
{
	struct sigaction action = { .sa_handler = on_early_signal, .sa_flags = SA_RESTART };

	/* A peer or reader that left is an error code of the call that met it. */
	signal(SIGPIPE, SIG_IGN);
	starting = 1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void serve_loop_prepare(void)
{
	sigset_t set;

	end_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	waiter = pthread_self();
	starting = 0;
	/* A peer or reader that left is an error code of the call that met it. */
	signal(SIGPIPE, SIG_IGN);
}

int serve_loop_announce(const char *url, struct fail *f)
{
	if (printf("listening on %s\n", url) < 0 || fflush(stdout) != 0)
		return fail_set(f, errno,
				"cannot write 'listening on %s' to standard output: %s; without "
				"that line nobody would know, so nothing is served",
				url, strerror(errno));
	return 0;
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
	json_t *counters = l->watch->counters(l->watch->data);

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

static void on_end(struct loop_io *io, int events)
{
	struct serve_loop *l = io->data;

	(void)events;
	l->ended = true;
	loop_stop(l->loop);
}

static void watch_all(struct serve_loop *l, int signal_fd)
{
	loop_io_init(&l->signals, l->loop, signal_fd, on_signal, l);
	loop_io_init(&l->input, l->loop, STDIN_FILENO, on_input, l);
	loop_io_init(&l->end, l->loop, l->watch->end_fd, on_end, l);
	loop_io_want(&l->signals, LOOP_READ);
	loop_io_want(&l->input, l->watch->counters ? LOOP_READ : 0);
	loop_io_want(&l->end, l->watch->end_fd >= 0 ? LOOP_READ : 0);
	loop_run(l->loop);
	loop_io_want(&l->end, 0);
	loop_io_want(&l->input, 0);
	loop_io_want(&l->signals, 0);
}

int serve_loop_run(const struct serve_watch *watch, bool *ended, struct fail *f)
{
	struct serve_loop l = { .loop = loop_new(), .watch = watch, .fail = f };
	sigset_t set;
	int fd;

	end_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l.loop && fd >= 0) {
		watch_all(&l, fd);
	} else {
		l.failed = true;
		fail_set(f, errno, "cannot wait for signals: %s", strerror(errno));
	}
	*ended = l.ended;
	if (fd >= 0)
		close(fd);
	loop_free(l.loop);
	return l.failed ? -1 : 0;
}
