/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase_test - trials of hours on a fake clock, and every way to lose one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "testbed/phase.h"

#define MS    NS_PER_MS
#define S     NS_PER_S
#define HOUR  (3600 * S)
#define START (1000 * S)

static const struct phase_times usual = {
	.settle_ns = 1 * S,
	.idle_ns = 2 * S,
	.warmup_ns = 3 * S,
	.measure_ns = 10 * S,
	.cool_ns = 4 * S,
	.overtime_ns = 5 * S,
};

/* A machine brought into a phase by a faultless trial; *now is when. */
static struct phase_machine in_phase(const struct phase_times *times, enum phase phase,
				     int64_t *now)
{
	struct phase_machine m;

	*now = START;
	phase_start(&m, times, *now);
	while (m.phase < phase) {
		enum phase_event event = PHASE_TICK;

		if (m.phase == PHASE_WARMUP) {
			event = PHASE_WINDOW_OPENED;
			*now += times->warmup_ns;
		} else if (m.phase == PHASE_MEASURE) {
			event = PHASE_WINDOW_CLOSED;
			*now += times->measure_ns;
		} else {
			*now = m.deadline_ns;
		}
		phase_step(&m, event, *now);
	}
	assert_int_equal(m.phase, phase);
	return m;
}

static void whole_trial(void **state)
{
	struct phase_machine m;
	int64_t t = START;

	(void)state;
	phase_start(&m, &usual, t);
	assert_int_equal(m.phase, PHASE_SETTLE);
	assert_int_equal(m.deadline_ns, t + 1 * S);
	assert_int_equal(phase_step(&m, PHASE_TICK, t + 999 * MS), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_SETTLE);
	t += 1 * S;
	assert_int_equal(phase_step(&m, PHASE_TICK, t), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_IDLE_BEFORE);
	t += 2 * S;
	assert_int_equal(phase_step(&m, PHASE_TICK, t), PHASE_START_LOAD);
	assert_int_equal(m.phase, PHASE_WARMUP);
	assert_int_equal(m.deadline_ns, t + 8 * S);
	assert_int_equal(phase_step(&m, PHASE_TICK, t + 3 * S), PHASE_WAIT);
	t += 3 * S;
	assert_int_equal(phase_step(&m, PHASE_WINDOW_OPENED, t), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_MEASURE);
	assert_int_equal(m.deadline_ns, t + 15 * S);
	assert_int_equal(phase_step(&m, PHASE_TICK, t + 10 * S), PHASE_WAIT);
	t += 10 * S;
	assert_int_equal(phase_step(&m, PHASE_WINDOW_CLOSED, t), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_IDLE_AFTER);
	t += 2 * S;
	assert_int_equal(phase_step(&m, PHASE_TICK, t), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_COOL);
	t += 4 * S;
	assert_int_equal(phase_step(&m, PHASE_TICK, t), PHASE_FINISH);
	assert_int_equal(m.phase, PHASE_DONE);
	assert_null(m.reason);

	assert_int_equal(m.idle_before_from_ns, START + 1 * S);
	assert_int_equal(m.idle_before_to_ns, START + 3 * S);
	assert_int_equal(m.window_from_ns, START + 6 * S);
	assert_int_equal(m.window_to_ns, START + 16 * S);
	assert_int_equal(m.idle_after_from_ns, START + 16 * S);
	assert_int_equal(m.idle_after_to_ns, START + 18 * S);
}

/* Late ticks make phases longer, and the windows tell how long they really were. */
static void late_ticks(void **state)
{
	struct phase_machine m;

	(void)state;
	phase_start(&m, &usual, START);
	phase_step(&m, PHASE_TICK, START + 1300 * MS);
	assert_int_equal(m.deadline_ns, START + 3300 * MS);
	assert_int_equal(phase_step(&m, PHASE_TICK, START + 3200 * MS), PHASE_WAIT);
	assert_int_equal(phase_step(&m, PHASE_TICK, START + 4 * S), PHASE_START_LOAD);
	assert_int_equal(m.idle_before_from_ns, START + 1300 * MS);
	assert_int_equal(m.idle_before_to_ns, START + 4 * S);
}

static void no_length(void **state)
{
	const struct phase_times none = { .measure_ns = 1 * S, .overtime_ns = 1 * S };
	struct phase_machine m;

	(void)state;
	phase_start(&m, &none, START);
	assert_int_equal(phase_step(&m, PHASE_TICK, START), PHASE_START_LOAD);
	assert_int_equal(phase_step(&m, PHASE_WINDOW_OPENED, START), PHASE_WAIT);
	assert_int_equal(phase_step(&m, PHASE_WINDOW_CLOSED, START + 1 * S), PHASE_FINISH);
	assert_int_equal(m.phase, PHASE_DONE);
	assert_int_equal(m.idle_before_from_ns, 0);
	assert_int_equal(m.idle_before_to_ns, 0);
	assert_int_equal(m.idle_after_from_ns, 0);
	assert_int_equal(m.idle_after_to_ns, 0);
	assert_int_equal(m.window_to_ns - m.window_from_ns, 1 * S);
}

/* By count the window has no planned length, only the overtime. */
static void by_count(void **state)
{
	struct phase_times times = usual;
	struct phase_machine m;
	int64_t t;

	(void)state;
	times.count = 1000;
	times.overtime_ns = HOUR;
	m = in_phase(&times, PHASE_MEASURE, &t);
	assert_int_equal(m.deadline_ns, t + HOUR);
	assert_int_equal(phase_step(&m, PHASE_TICK, t + HOUR), PHASE_WAIT);
	assert_int_equal(phase_step(&m, PHASE_WINDOW_CLOSED, t + 59 * 60 * S), PHASE_WAIT);
	assert_int_equal(m.phase, PHASE_IDLE_AFTER);
	m = in_phase(&times, PHASE_MEASURE, &t);
	assert_int_equal(phase_step(&m, PHASE_TICK, t + HOUR + 1), PHASE_ABORT);
	assert_non_null(m.reason);
}

static void time_outs(void **state)
{
	static const int64_t planned_ns[] = { 1 * S, 2 * S, 3 * S, 10 * S, 2 * S, 4 * S };

	(void)state;
	for (int p = PHASE_SETTLE; p < PHASE_DONE; p++) {
		int64_t t, end;
		struct phase_machine m = in_phase(&usual, (enum phase)p, &t);

		end = t + planned_ns[p] + usual.overtime_ns;
		assert_int_not_equal(phase_step(&m, PHASE_TICK, end), PHASE_ABORT);
		m = in_phase(&usual, (enum phase)p, &t);
		assert_int_equal(phase_step(&m, PHASE_TICK, end + 1), PHASE_ABORT);
		assert_int_equal(m.phase, PHASE_ABORTED);
		assert_non_null(m.reason);
	}
}

/* An event that is late is as bad as one that does not come. */
static void late_events(void **state)
{
	int64_t t;
	struct phase_machine m = in_phase(&usual, PHASE_WARMUP, &t);

	(void)state;
	assert_int_equal(phase_step(&m, PHASE_WINDOW_OPENED, t + 8 * S + 1), PHASE_ABORT);
	m = in_phase(&usual, PHASE_MEASURE, &t);
	assert_int_equal(phase_step(&m, PHASE_WINDOW_CLOSED, t + 15 * S + 1), PHASE_ABORT);
	assert_int_equal(m.window_to_ns, 0);
}

static void aborts_in_every_phase(void **state)
{
	static const enum phase_event bad[] = { PHASE_NODE_LOST, PHASE_LOAD_FAILED };

	(void)state;
	for (int p = PHASE_SETTLE; p < PHASE_DONE; p++)
		for (int i = 0; i < 2; i++) {
			int64_t t;
			struct phase_machine m = in_phase(&usual, (enum phase)p, &t);

			assert_int_equal(phase_step(&m, bad[i], t + 1), PHASE_ABORT);
			assert_int_equal(m.phase, PHASE_ABORTED);
			assert_non_null(m.reason);
		}
}

/* Each window event is right in one phase and aborts in all others. */
static void events_out_of_order(void **state)
{
	(void)state;
	for (int p = PHASE_SETTLE; p < PHASE_DONE; p++) {
		int64_t t;
		struct phase_machine m = in_phase(&usual, (enum phase)p, &t);
		enum phase_action opened = phase_step(&m, PHASE_WINDOW_OPENED, t + 1), closed;

		m = in_phase(&usual, (enum phase)p, &t);
		closed = phase_step(&m, PHASE_WINDOW_CLOSED, t + 1);
		assert_int_equal(opened, p == PHASE_WARMUP ? PHASE_WAIT : PHASE_ABORT);
		assert_int_equal(closed, p == PHASE_MEASURE ? PHASE_WAIT : PHASE_ABORT);
	}
}

static void window_backwards(void **state)
{
	int64_t t;
	struct phase_machine m = in_phase(&usual, PHASE_MEASURE, &t);

	(void)state;
	assert_int_equal(phase_step(&m, PHASE_WINDOW_CLOSED, t - 1), PHASE_ABORT);
	assert_int_equal(m.window_to_ns, 0);
}

static void nothing_after_the_end(void **state)
{
	static const enum phase ends[] = { PHASE_DONE, PHASE_ABORTED };

	(void)state;
	for (int i = 0; i < 2; i++) {
		int64_t t;
		struct phase_machine m = in_phase(&usual, PHASE_COOL, &t);

		if (ends[i] == PHASE_DONE)
			phase_step(&m, PHASE_TICK, m.deadline_ns);
		else
			phase_step(&m, PHASE_NODE_LOST, t);
		assert_int_equal(m.phase, ends[i]);
		for (int e = PHASE_TICK; e <= PHASE_NODE_LOST; e++)
			assert_int_equal(phase_step(&m, (enum phase_event)e, t + HOUR), PHASE_WAIT);
		assert_int_equal(m.phase, ends[i]);
	}
}

/* A campaign of some 4,000 hours; it must take no time at all. */
static void hours(void **state)
{
	const struct phase_times times = {
		.settle_ns = 60 * S,
		.idle_ns = 600 * S,
		.warmup_ns = 60 * S,
		.measure_ns = 2 * HOUR,
		.cool_ns = HOUR,
		.overtime_ns = 60 * S,
	};
	int64_t t, total_ns = 0;

	(void)state;
	for (int trial = 0; trial < 1200; trial++) {
		struct phase_machine m = in_phase(&times, PHASE_DONE, &t);

		assert_int_equal(m.window_to_ns - m.window_from_ns, 2 * HOUR);
		total_ns += t - START;
	}
	assert_int_equal(total_ns, 1200 * (3 * HOUR + 1320 * S));
}

/* Whatever comes when: an action at most once, windows ordered, an end that stays. */
static void random_events(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct rng r;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int trial = 0; trial < 20000; trial++) {
		int64_t t = START;
		struct phase_machine m;
		int seen[PHASE_ABORT + 1] = { 0 };

		phase_start(&m, &usual, t);
		for (int i = 0; i < 40; i++) {
			enum phase before = m.phase;
			uint64_t dice = rng_below(&r, 100);
			enum phase_event e = dice < 60   ? PHASE_TICK
					     : dice < 79 ? PHASE_WINDOW_OPENED
					     : dice < 98 ? PHASE_WINDOW_CLOSED
					     : dice < 99 ? PHASE_LOAD_FAILED
							 : PHASE_NODE_LOST;

			t += (int64_t)rng_below(&r, (uint64_t)(3 * S));
			seen[phase_step(&m, e, t)]++;
			assert_true(m.phase >= before);
		}
		assert_true(seen[PHASE_START_LOAD] <= 1);
		assert_true(seen[PHASE_FINISH] + seen[PHASE_ABORT] <= 1);
		assert_int_equal(seen[PHASE_FINISH], m.phase == PHASE_DONE);
		assert_int_equal(seen[PHASE_ABORT], m.phase == PHASE_ABORTED);
		assert_int_equal(m.reason != NULL, m.phase == PHASE_ABORTED);
		if (m.phase == PHASE_DONE)
			assert_true(m.idle_before_to_ns <= m.window_from_ns &&
				    m.window_to_ns <= m.idle_after_from_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_trial),
		cmocka_unit_test(late_ticks),
		cmocka_unit_test(no_length),
		cmocka_unit_test(by_count),
		cmocka_unit_test(time_outs),
		cmocka_unit_test(late_events),
		cmocka_unit_test(aborts_in_every_phase),
		cmocka_unit_test(events_out_of_order),
		cmocka_unit_test(window_backwards),
		cmocka_unit_test(nothing_after_the_end),
		cmocka_unit_test(hours),
		cmocka_unit_test(random_events),
	};

	return cmocka_run_group_tests_name("phase", tests, NULL, NULL);
}
