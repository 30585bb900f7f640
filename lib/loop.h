/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop - the event loop: readiness of descriptors, timers, waking from another thread.
 *
 * The only file that knows libev is loop.c.  One loop per thread; nothing but
 * loop_wake() may be called from another thread.  Watchers are the caller's
 * memory and must stay put while armed.  Level-triggered.
 */
#ifndef LIB_LOOP_H
#define LIB_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

#define LOOP_OPAQUE_WORDS 8

struct loop;

struct loop_io {
	void (*on_ready)(struct loop_io *io, int events);
	void *data; /* the caller's */
	int fd;
	int events; /* armed for; 0 when not armed */
	struct loop *loop;
	void *opaque[LOOP_OPAQUE_WORDS];
};

struct loop_timer {
	void (*on_due)(struct loop_timer *t);
	void *data;
	bool armed;
	int64_t due_ns; /* while armed */
	struct loop *loop;
	struct loop_timer *child, *next, *prev; /* the loop's */
};

struct loop *loop_new(void); /* NULL: no memory or no descriptors */
/* Watchers of it that are still armed are forgotten, not called. Accepts NULL. */
void loop_free(struct loop *l);
/* Until loop_stop(), or until nothing is armed; a wake handler alone does not keep it going. */
void loop_run(struct loop *l);
/* From a callback: loop_run() returns at the end of this turn. Without effect outside loop_run().
 */
void loop_stop(struct loop *l);
/*
 * The monotonic clock, read once per turn: cheap. Use clock_ns() for stamps that are figures.
 * Outside loop_run() the same as clock_ns().
 */
int64_t loop_now_ns(const struct loop *l);

void loop_io_init(struct loop_io *io, struct loop *l, int fd,
		  void (*on_ready)(struct loop_io *, int), void *data);
/*
 * Change what is waited for; 0 disarms. Cheap when nothing changes. Disarm before
 * closing the descriptor. Safe from any callback, for any watcher: one that is
 * disarmed is not called any more, even when its event had been seen already.
 * Disarming a zeroed struct, or stopping a zeroed timer, does nothing.
 */
void loop_io_want(struct loop_io *io, int events);

void loop_timer_init(struct loop_timer *t, struct loop *l, void (*on_due)(struct loop_timer *),
		     void *data);
/*
 * One shot, at a monotonic time, never before it and not rounded to milliseconds;
 * arming again moves it. A due time in the past fires in the next turn, behind
 * those that were due already. Cheap: most moves cost no system call.
 */
void loop_timer_at(struct loop_timer *t, int64_t due_ns);
void loop_timer_stop(struct loop_timer *t);

/*
 * loop_wake() may come from any thread or a signal handler: on_wake runs soon on the
 * loop's thread. Several wakes may become one call; one sent before loop_run() is kept.
 */
void loop_on_wake(struct loop *l, void (*on_wake)(struct loop *, void *), void *data);
void loop_wake(struct loop *l);

#endif
