/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_timer_test - timers on the loop: in order, never early, finer than a
 * millisecond, fair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

#define TIMERS 50

struct firing {
	int64_t due_ns;
	int *left;
};

static int64_t latest_due_ns;

static void check_due(struct loop_timer *t)
{
	struct firing *f = t->data;

	assert_true(loop_now_ns(t->loop) >= f->due_ns); /* never early */
	assert_true(loop_now_ns(t->loop) <= clock_ns());
	assert_false(t->armed);
	assert_true(f->due_ns >= latest_due_ns); /* in order */
	latest_due_ns = f->due_ns;
	--*f->left;
}

/* Armed in random order, a few hundred nanoseconds apart: several are due in one turn. */
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

		*f = (struct firing){ .due_ns = start_ns + order[i] * 300, .left = &left };
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
	int *turns = t->data;
	int64_t turn_ns = loop_now_ns(t->loop);

	*turns += turn_ns != latest_due_ns;
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
		int turns = 0;
		int64_t start_ns = clock_ns() + NS_PER_MS;

		for (int i = 0; i < FINE_TIMERS; i++) {
			loop_timer_init(&timer[i], l, note_turn, &turns);
			loop_timer_at(&timer[i], start_ns + i * 100 * NS_PER_US);
		}
		loop_run(l);
		most = turns > most ? turns : most;
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

struct chain {
	int64_t due_ns;
	int calls;
};

static void arm_a_little_later(struct loop_timer *t)
{
	struct chain *c = t->data;

	assert_true(loop_now_ns(t->loop) >= c->due_ns);
	c->due_ns = loop_now_ns(t->loop) + 500;
	if (++c->calls < 100)
		loop_timer_at(t, c->due_ns);
}

static void a_little_later_is_not_now(void **state)
{
	struct loop *l = new_loop();
	struct chain c = { 0 };
	struct loop_timer t;

	(void)state;
	loop_timer_init(&t, l, arm_a_little_later, &c);
	loop_timer_at(&t, 0);
	loop_run(l);
	assert_int_equal(c.calls, 100);
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

static void note_writable(struct loop_io *io, int events)
{
	(void)events;
	++*(int *)io->data;
	loop_io_want(io, 0);
}

/* A timer that is always due lets later ones, and descriptors, have their turn. */
static void a_greedy_timer_starves_nobody(void **state)
{
	struct loop *l = new_loop();
	struct rivals r = { 0 };
	struct loop_io io;
	int fd[2], writable = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	loop_io_init(&io, l, fd[0], note_writable, &writable);
	loop_io_want(&io, LOOP_WRITE);
	loop_timer_init(&r.greedy, l, arm_in_the_past, &r);
	loop_timer_init(&r.patient, l, come_at_last, &r);
	loop_timer_at(&r.patient, clock_ns() + NS_PER_US);
	loop_timer_at(&r.greedy, 0);
	loop_run(l);
	assert_int_equal(r.patient_calls, 1);
	assert_true(r.greedy_calls < 1000);
	assert_int_equal(writable, 1);
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
	loop_timer_stop(&(struct loop_timer){ 0 });
	loop_io_want(&(struct loop_io){ 0 }, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_fire_in_order_and_never_early),
		cmocka_unit_test(timers_are_finer_than_a_millisecond),
		cmocka_unit_test(timers_move_and_repeat),
		cmocka_unit_test(a_little_later_is_not_now),
		cmocka_unit_test(a_greedy_timer_starves_nobody),
		cmocka_unit_test(a_stopped_timer_is_not_called),
		cmocka_unit_test(stop_leaves_the_rest_armed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
