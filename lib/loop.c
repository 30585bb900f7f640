/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop - libev behind our own watchers; the only file that knows it.
 *
 * libev's ev_io lives in the opaque words of our loop_io.  Timers are ours: libev
 * waits in whole milliseconds, which is too coarse for sending at intended times,
 * so the earliest due time is given to a timerfd instead.
 */
#include "lib/loop.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/timers.h"

#define NEVER_NS INT64_MAX

_Static_assert(sizeof(ev_io) <= sizeof(((struct loop_io *)0)->opaque), "an ev_io fits");
_Static_assert(_Alignof(ev_io) <= _Alignof(void *), "an ev_io is aligned");
_Static_assert((int)LOOP_READ == (int)EV_READ && (int)LOOP_WRITE == (int)EV_WRITE, "same bits");

struct loop {
	struct ev_loop *ev;
	ev_prepare before_wait;
	ev_check after_wait; /* before any other watcher of the turn */
	ev_async wake;
	ev_io timer_fd;
	struct loop_timer *first; /* the earliest armed timer */
	int64_t set_ns;           /* what the timerfd is set to */
	int64_t now_ns;           /* stamp of this turn */
	bool running;
	void (*on_wake)(struct loop *l, void *data);
	void *data;
};

/*
 * Only an earlier time is worth a system call.  A timer that was moved to later,
 * as idle limits are with every request, costs one empty turn at the old time.
 */
static void set_timer_fd(struct ev_loop *ev, ev_prepare *w, int revents)
{
	struct loop *l = w->data;
	struct itimerspec at = { 0 };

	(void)ev;
	(void)revents;
	if (!l->first || l->first->due_ns >= l->set_ns)
		return;
	l->set_ns = l->first->due_ns;
	at.it_value.tv_sec = (time_t)(l->set_ns / NS_PER_S);
	at.it_value.tv_nsec = (long)(l->set_ns % NS_PER_S);
	timerfd_settime(l->timer_fd.fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void clear_timer_fd(struct ev_loop *ev, ev_io *w, int revents)
{
	struct loop *l = w->data;
	uint64_t expirations;

	(void)ev;
	(void)revents;
	/* Without an expiration it is still set. */
	if (read(w->fd, &expirations, sizeof(expirations)) == (ssize_t)sizeof(expirations))
		l->set_ns = NEVER_NS;
}

static void disarm(struct loop_timer *t)
{
	timers_remove(&t->loop->first, t);
	t->armed = false;
	ev_unref(t->loop->ev);
}

static void run_due_timers(struct ev_loop *ev, ev_check *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	l->now_ns = clock_ns();
	while (l->first && l->first->due_ns <= l->now_ns) {
		struct loop_timer *t = l->first;

		disarm(t);
		t->on_due(t);
	}
}

static void on_async(struct ev_loop *ev, ev_async *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	if (l->on_wake)
		l->on_wake(l, l->data);
}

/* Our own watchers; each ev_unref() keeps one from counting as armed. */
static void start_own(struct loop *l, int timer_fd)
{
	ev_prepare_init(&l->before_wait, set_timer_fd);
	ev_set_priority(&l->before_wait, EV_MINPRI);
	ev_check_init(&l->after_wait, run_due_timers);
	ev_set_priority(&l->after_wait, EV_MAXPRI);
	ev_async_init(&l->wake, on_async);
	ev_io_init(&l->timer_fd, clear_timer_fd, timer_fd, EV_READ);
	l->before_wait.data = l->after_wait.data = l->wake.data = l->timer_fd.data = l;
	ev_prepare_start(l->ev, &l->before_wait);
	ev_unref(l->ev);
	ev_check_start(l->ev, &l->after_wait);
	ev_unref(l->ev);
	ev_async_start(l->ev, &l->wake);
	ev_unref(l->ev);
	ev_io_start(l->ev, &l->timer_fd);
	ev_unref(l->ev);
}

/* Where no descriptor is left for the pipe it wakes by, libev ends the program. */
static bool can_open_wake(void)
{
	int fds[2];

	if (pipe(fds))
		return false;
	close(fds[0]);
	close(fds[1]);
	return true;
}

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (l && fd >= 0)
		l->ev = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	if (!l || !l->ev) {
		if (fd >= 0)
			close(fd);
		free(l);
		return NULL;
	}
	if (!can_open_wake()) {
		ev_loop_destroy(l->ev);
		close(fd);
		free(l);
		return NULL;
	}
	l->set_ns = NEVER_NS;
	start_own(l, fd);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	ev_loop_destroy(l->ev);
	close(l->timer_fd.fd);
	free(l);
}

void loop_run(struct loop *l)
{
	l->now_ns = clock_ns();
	l->running = true;
	ev_run(l->ev, 0);
	l->running = false;
}

void loop_stop(struct loop *l)
{
	ev_break(l->ev, EVBREAK_ONE);
}

int64_t loop_now_ns(const struct loop *l)
{
	return l->running ? l->now_ns : clock_ns();
}

static ev_io *io_of(struct loop_io *io)
{
	return (ev_io *)io->opaque;
}

static void on_io(struct ev_loop *ev, ev_io *w, int revents)
{
	struct loop_io *io = w->data;

	(void)ev;
	if (revents & EV_ERROR)
		io->events = 0; /* not an open descriptor: libev has let go of it */
	io->on_ready(io, revents & (EV_READ | EV_WRITE));
}

void loop_io_init(struct loop_io *io, struct loop *l, int fd,
		  void (*on_ready)(struct loop_io *, int), void *data)
{
	*io = (struct loop_io){ .on_ready = on_ready, .data = data, .fd = fd, .loop = l };
	ev_io_init(io_of(io), on_io, fd, 0);
	io_of(io)->data = io;
}

void loop_io_want(struct loop_io *io, int events)
{
	ev_io *w;

	if (events == io->events)
		return;
	w = io_of(io);
	ev_io_stop(io->loop->ev, w);
	/* A first start sets the descriptor too, which may have been reused. */
	if (io->events)
		ev_io_modify(w, events);
	else
		ev_io_set(w, io->fd, events);
	io->events = events;
	if (events)
		ev_io_start(io->loop->ev, w);
}

void loop_timer_init(struct loop_timer *t, struct loop *l, void (*on_due)(struct loop_timer *),
		     void *data)
{
	*t = (struct loop_timer){ .on_due = on_due, .data = data, .loop = l };
}

void loop_timer_at(struct loop_timer *t, int64_t due_ns)
{
	struct loop *l = t->loop;
	int64_t now_ns = loop_now_ns(l);

	if (t->armed)
		timers_remove(&l->first, t);
	else
		ev_ref(l->ev);
	t->armed = true;
	/* Behind this turn's stamp, or a timer that arms itself anew would never let go. */
	t->due_ns = due_ns > now_ns ? due_ns : now_ns + 1;
	timers_add(&l->first, t);
}

void loop_timer_stop(struct loop_timer *t)
{
	if (t->armed)
		disarm(t);
}

void loop_on_wake(struct loop *l, void (*on_wake)(struct loop *, void *), void *data)
{
	l->on_wake = on_wake;
	l->data = data;
}

void loop_wake(struct loop *l)
{
	ev_async_send(l->ev, &l->wake);
}
