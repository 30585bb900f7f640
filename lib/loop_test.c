/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_test - descriptors, timers and wakes, each waited for by event, never by
 * sleeping.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/loop.h"
#include "lib/testing.h"

static struct loop *new_loop(void)
{
	struct loop *l = loop_new();

	assert_non_null(l);
	return l;
}

static void make_pair(int fd[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
}

struct counter {
	int calls, events, limit;
	struct loop_io *other;
};

static void read_one(struct loop_io *io, int events)
{
	struct counter *c = io->data;
	char byte;

	c->calls++;
	c->events |= events;
	assert_int_equal(read(io->fd, &byte, 1), 1);
	if (c->calls == c->limit)
		loop_io_want(io, 0);
}

/* One byte is taken at a time: an edge-triggered loop would call once. */
static void readiness_is_a_level(void **state)
{
	struct counter c = { .limit = 3 };
	struct loop *l = new_loop();
	struct loop_io io;
	int fd[2];

	(void)state;
	make_pair(fd);
	assert_int_equal(write(fd[1], "abc", 3), 3);
	loop_io_init(&io, l, fd[0], read_one, &c);
	loop_run(l); /* nothing is armed */
	assert_int_equal(c.calls, 0);
	loop_io_want(&io, LOOP_READ);
	loop_run(l);
	assert_int_equal(c.calls, 3);
	assert_int_equal(c.events, LOOP_READ);
	assert_int_equal(io.events, 0);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

static void change_direction(struct loop_io *io, int events)
{
	struct counter *c = io->data;

	c->calls++;
	if (events & LOOP_WRITE) {
		assert_int_equal(c->calls, 1);
		assert_int_equal(write(io->fd, "x", 1), 1);
		loop_io_want(io, LOOP_READ);
		loop_io_want(io, LOOP_READ); /* once more changes nothing */
		return;
	}
	assert_int_equal(events, LOOP_READ);
	loop_io_want(io, 0);
}

static void echo(struct loop_io *io, int events)
{
	char byte;

	(void)events;
	assert_int_equal(read(io->fd, &byte, 1), 1);
	assert_int_equal(write(io->fd, &byte, 1), 1);
	loop_io_want(io, 0);
}

static void directions_can_change(void **state)
{
	struct counter c = { 0 };
	struct loop *l = new_loop();
	struct loop_io a, b;
	int fd[2];

	(void)state;
	make_pair(fd);
	loop_io_init(&a, l, fd[0], change_direction, &c);
	loop_io_init(&b, l, fd[1], echo, NULL);
	loop_io_want(&a, LOOP_WRITE | LOOP_READ);
	loop_io_want(&b, LOOP_READ);
	loop_run(l);
	assert_int_equal(c.calls, 2);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

static void disarm_other(struct loop_io *io, int events)
{
	struct counter *c = io->data;

	(void)events;
	c->calls++;
	loop_io_want(io, 0);
	loop_io_want(c->other, 0);
}

/* Both are ready in the same turn; whichever comes first silences the other. */
static void disarmed_is_not_called(void **state)
{
	struct loop_io io[2];
	struct counter c[2] = { { .other = &io[1] }, { .other = &io[0] } };
	struct loop *l = new_loop();
	int fd[2];

	(void)state;
	make_pair(fd);
	for (int i = 0; i < 2; i++) {
		loop_io_init(&io[i], l, fd[i], disarm_other, &c[i]);
		loop_io_want(&io[i], LOOP_WRITE);
	}
	loop_run(l);
	assert_int_equal(c[0].calls + c[1].calls, 1);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

/* A closed descriptor's number comes back for another pipe: libev must notice. */
static void numbers_are_reused(void **state)
{
	struct loop *l = new_loop();

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct counter c = { .limit = 1 };
		struct loop_io io;
		int fd[2];

		make_pair(fd);
		assert_int_equal(write(fd[1], "x", 1), 1);
		loop_io_init(&io, l, fd[0], read_one, &c);
		loop_io_want(&io, LOOP_READ);
		loop_run(l);
		assert_int_equal(c.calls, 1);
		close(fd[0]);
		close(fd[1]);
	}
	loop_free(l);
}

#define TIMERS 50

struct firing {
	int64_t due_ns;
	int *left;
};

static int64_t latest_due_ns;

static void check_due(struct loop_timer *t)
{
	struct firing *f = t->data;

	assert_true(clock_ns() >= f->due_ns); /* never early */
	assert_true(loop_now_ns(t->loop) <= clock_ns());
	assert_false(t->armed);
	assert_true(f->due_ns >= latest_due_ns); /* in order */
	latest_due_ns = f->due_ns;
	--*f->left;
}

/* Armed in random order. */
static void timers_fire_in_order_and_never_early(void **state)
{
	struct rng r = testing_rng(__func__);
	struct loop *l = new_loop();
	struct loop_timer timer[TIMERS];
	struct firing firing[TIMERS];
	int order[TIMERS], left = TIMERS - 1;
	int64_t start_ns = clock_ns() + 20 * NS_PER_MS;

	(void)state;
	latest_due_ns = 0;
	for (int i = 0; i < TIMERS; i++)
		order[i] = i;
	rng_shuffle(&r, order, TIMERS, sizeof(order[0]));
	for (int i = 0; i < TIMERS; i++) {
		struct firing *f = &firing[order[i]];

		*f = (struct firing){ .due_ns = start_ns + order[i] * NS_PER_MS / 4,
				      .left = &left };
		loop_timer_init(&timer[order[i]], l, check_due, f);
		loop_timer_at(&timer[order[i]], f->due_ns);
		assert_true(timer[order[i]].armed);
	}
	loop_timer_stop(&timer[7]);
	assert_false(timer[7].armed);
	loop_run(l);
	assert_int_equal(left, 0);
	loop_free(l);
}

#define FINE_TIMERS 20

static void note_turn(struct loop_timer *t)
{
	struct counter *c = t->data;
	int64_t turn_ns = loop_now_ns(t->loop);

	c->calls += turn_ns != latest_due_ns;
	latest_due_ns = turn_ns;
}

/*
 * Twenty timers within two milliseconds: a loop that waits in milliseconds needs
 * three turns for them. A busy machine may put several into one turn, so that the
 * best of many tries counts.
 */
static void timers_are_finer_than_a_millisecond(void **state)
{
	struct loop *l = new_loop();
	int most = 0;

	(void)state;
	for (int trial = 0; trial < 200 && most <= 6; trial++) {
		struct loop_timer timer[FINE_TIMERS];
		struct counter c = { 0 };
		int64_t start_ns = clock_ns() + NS_PER_MS;

		for (int i = 0; i < FINE_TIMERS; i++) {
			loop_timer_init(&timer[i], l, note_turn, &c);
			loop_timer_at(&timer[i], start_ns + i * 100 * NS_PER_US);
		}
		loop_run(l);
		most = c.calls > most ? c.calls : most;
	}
	assert_true(most > 6);
	loop_free(l);
}

static void fire_once(struct loop_timer *t)
{
	++*(int *)t->data;
}

static void fire_again(struct loop_timer *t)
{
	if (++*(int *)t->data < 5)
		loop_timer_at(t, 0); /* long past: at once */
}

static void timers_move_and_repeat(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer moved, again;
	int fired = 0, repeats = 0;
	int64_t start_ns = clock_ns();

	(void)state;
	loop_timer_init(&moved, l, fire_once, &fired);
	loop_timer_at(&moved, start_ns + 3600 * NS_PER_S);
	loop_timer_at(&moved, start_ns + 5 * NS_PER_MS);
	loop_timer_init(&again, l, fire_again, &repeats);
	loop_timer_at(&again, INT64_MIN);
	loop_run(l);
	assert_int_equal(fired, 1);
	assert_int_equal(repeats, 5);
	assert_true(clock_ns() - start_ns >= 5 * NS_PER_MS);
	assert_true(clock_ns() - start_ns < 3600 * NS_PER_S);
	loop_free(l);
}

struct rivals {
	struct loop_timer greedy, patient;
	int greedy_calls, patient_calls;
};

static void arm_in_the_past(struct loop_timer *t)
{
	struct rivals *r = t->data;

	if (++r->greedy_calls < 1000 && !r->patient_calls)
		loop_timer_at(t, 0);
}

static void come_at_last(struct loop_timer *t)
{
	((struct rivals *)t->data)->patient_calls++;
}

/* A timer that is always due lets later ones, and descriptors, have their turn. */
static void a_greedy_timer_starves_nobody(void **state)
{
	struct counter c = { .limit = 1 };
	struct loop *l = new_loop();
	struct rivals r = { 0 };
	struct loop_io io;
	int fd[2];

	(void)state;
	make_pair(fd);
	assert_int_equal(write(fd[1], "x", 1), 1);
	loop_io_init(&io, l, fd[0], read_one, &c);
	loop_io_want(&io, LOOP_READ);
	loop_timer_init(&r.greedy, l, arm_in_the_past, &r);
	loop_timer_init(&r.patient, l, come_at_last, &r);
	loop_timer_at(&r.patient, clock_ns() + NS_PER_US);
	loop_timer_at(&r.greedy, 0);
	loop_run(l);
	assert_int_equal(r.patient_calls, 1);
	assert_true(r.greedy_calls < 1000);
	assert_int_equal(c.calls, 1);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

static void stop_the_other(struct loop_timer *t)
{
	struct loop_timer **other = t->data;

	assert_true((*other)->armed);
	loop_timer_stop(*other);
}

/* Both are due in the same turn. */
static void a_stopped_timer_is_not_called(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer first, second, *other = &second;
	int fired = 0;

	(void)state;
	loop_timer_init(&first, l, stop_the_other, &other);
	loop_timer_init(&second, l, fire_once, &fired);
	loop_timer_at(&second, clock_ns() + NS_PER_MS);
	loop_timer_at(&first, second.due_ns - 1);
	loop_run(l);
	assert_int_equal(fired, 0);
	loop_timer_stop(&second); /* again: nothing to do */
	loop_run(l);
	loop_free(l);
}

static void stop_loop(struct loop_timer *t)
{
	loop_stop(t->loop);
}

static void stop_leaves_the_rest_armed(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer stop, later;
	int fired = 0;

	(void)state;
	loop_timer_init(&stop, l, stop_loop, NULL);
	loop_timer_init(&later, l, fire_once, &fired);
	loop_timer_at(&later, clock_ns() + 3600 * NS_PER_S);
	loop_timer_at(&stop, 0);
	loop_run(l);
	assert_int_equal(fired, 0);
	assert_true(later.armed);
	loop_timer_at(&later, 0);
	loop_run(l); /* and it can run again */
	assert_int_equal(fired, 1);
	loop_free(l);
	loop_free(NULL);
}

static void count_wake(struct loop *l, void *data)
{
	++*(int *)data;
	loop_stop(l);
}

static void *wake_from_thread(void *data)
{
	loop_wake(data);
	return NULL;
}

static void wakes_from_another_thread(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer keep;
	int wakes = 0, fired = 0;
	pthread_t thread;

	(void)state;
	loop_timer_init(&keep, l, fire_once, &fired);
	loop_timer_at(&keep, clock_ns() + 3600 * NS_PER_S);
	loop_on_wake(l, count_wake, &wakes);
	for (int i = 1; i <= 100; i++) { /* before, while and after the loop starts to wait */
		assert_int_equal(pthread_create(&thread, NULL, wake_from_thread, l), 0);
		loop_run(l);
		assert_int_equal(wakes, i);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	assert_int_equal(fired, 0);
	loop_free(l);
}

static struct loop *to_wake;

static void wake_from_signal(int signo)
{
	(void)signo;
	loop_wake(to_wake);
}

static void raise_signal(struct loop_timer *t)
{
	(void)t;
	raise(SIGUSR1);
}

static void wakes_from_a_signal_handler(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer keep, sender;
	int wakes = 0, fired = 0;

	(void)state;
	to_wake = l;
	signal(SIGUSR1, wake_from_signal);
	loop_on_wake(l, count_wake, &wakes);
	loop_timer_init(&keep, l, fire_once, &fired);
	loop_timer_at(&keep, clock_ns() + 3600 * NS_PER_S);
	loop_timer_init(&sender, l, raise_signal, NULL);
	loop_timer_at(&sender, 0);
	loop_run(l);
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(wakes, 1);
	loop_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readiness_is_a_level),
		cmocka_unit_test(directions_can_change),
		cmocka_unit_test(disarmed_is_not_called),
		cmocka_unit_test(numbers_are_reused),
		cmocka_unit_test(timers_fire_in_order_and_never_early),
		cmocka_unit_test(timers_are_finer_than_a_millisecond),
		cmocka_unit_test(timers_move_and_repeat),
		cmocka_unit_test(a_greedy_timer_starves_nobody),
		cmocka_unit_test(a_stopped_timer_is_not_called),
		cmocka_unit_test(stop_leaves_the_rest_armed),
		cmocka_unit_test(wakes_from_another_thread),
		cmocka_unit_test(wakes_from_a_signal_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
