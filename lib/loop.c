/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop - libev behind our own watchers; the only file that knows it.
 *
 * libev's watchers live in the opaque words of ours.  Its clock is its own, so
 * due times are turned into distances from a stamp taken once per turn, and a
 * timer that libev fires a hair early is put off until it is really due.
 */
#include "lib/loop.h"

#include <ev.h>
#include <stdlib.h>

#include "lib/clock.h"

_Static_assert(sizeof(ev_io) <= sizeof(((struct loop_io *)0)->opaque), "an ev_io fits");
_Static_assert(sizeof(ev_timer) <= sizeof(((struct loop_timer *)0)->opaque), "an ev_timer fits");
_Static_assert(_Alignof(ev_io) <= _Alignof(void *), "an ev_io is aligned");
_Static_assert(_Alignof(ev_timer) <= _Alignof(void *), "an ev_timer is aligned");
_Static_assert((int)LOOP_READ == (int)EV_READ && (int)LOOP_WRITE == (int)EV_WRITE, "same bits");

struct loop {
	struct ev_loop *ev;
	ev_check turn; /* right behind the kernel's wait, before any other watcher */
	ev_async wake;
	int64_t now_ns;
	bool running;
	void (*on_wake)(struct loop *l, void *data);
	void *data;
};

static void on_turn(struct ev_loop *ev, ev_check *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	l->now_ns = clock_ns();
}

static void on_async(struct ev_loop *ev, ev_async *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	if (l->on_wake)
		l->on_wake(l, l->data);
}

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->ev = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	if (!l->ev) {
		free(l);
		return NULL;
	}
	ev_check_init(&l->turn, on_turn);
	ev_set_priority(&l->turn, EV_MAXPRI);
	l->turn.data = l;
	ev_check_start(l->ev, &l->turn);
	ev_unref(l->ev); /* neither keeps the loop running */
	ev_async_init(&l->wake, on_async);
	l->wake.data = l;
	ev_async_start(l->ev, &l->wake);
	ev_unref(l->ev);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	ev_loop_destroy(l->ev);
	free(l);
}

void loop_run(struct loop *l)
{
	ev_now_update(l->ev);
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

static ev_timer *timer_of(struct loop_timer *t)
{
	return (ev_timer *)t->opaque;
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

static void start_timer(struct loop_timer *t)
{
	struct loop *l = t->loop;
	int64_t now_ns = l->now_ns;
	double after_s;

	if (!l->running) {
		ev_now_update(l->ev);
		now_ns = clock_ns();
	}
	after_s = t->due_ns > now_ns ? (double)(t->due_ns - now_ns) / (double)NS_PER_S : 0;
	ev_timer_set(timer_of(t), after_s, 0);
	ev_timer_start(l->ev, timer_of(t));
}

static void on_timer(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop_timer *t = w->data;

	(void)ev;
	(void)revents;
	if (clock_ns() < t->due_ns) {
		start_timer(t);
		return;
	}
	t->armed = false;
	t->on_due(t);
}

void loop_timer_init(struct loop_timer *t, struct loop *l, void (*on_due)(struct loop_timer *),
		     void *data)
{
	*t = (struct loop_timer){ .on_due = on_due, .data = data, .loop = l };
	ev_timer_init(timer_of(t), on_timer, 0, 0);
	timer_of(t)->data = t;
}

void loop_timer_at(struct loop_timer *t, int64_t due_ns)
{
	ev_timer_stop(t->loop->ev, timer_of(t));
	t->due_ns = due_ns;
	t->armed = true;
	start_timer(t);
}

void loop_timer_stop(struct loop_timer *t)
{
	ev_timer_stop(t->loop->ev, timer_of(t));
	t->armed = false;
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
