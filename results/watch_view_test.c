/* SPDX-License-Identifier: Apache-2.0 */
/* watch_view_test - how a campaign stands and how long it takes, by made-up looks at it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "results/watch_view.h"

#define NOW_NS (INT64_C(1800000000) * NS_PER_S)

static struct report report;

/* Running, nothing stored of 40 trials. */
static struct watch_view make(void)
{
	report = (struct report){ .trials_missing = 40 };
	return (struct watch_view){ .database = "a.db",
				    .claimed = 1,
				    .written_ns = NOW_NS,
				    .report = &report,
				    .newest = true };
}

/* A trial that began then, newer than those before; whole seconds are stored. */
static void add(struct watch_view *v, int64_t start_ns)
{
	struct watch_trial t = { .valid = true };

	clock_utc(start_ns, t.started);
	memmove(&v->trial[1], &v->trial[0], (WATCH_TRIALS - 1) * sizeof(t));
	v->trial[0] = t;
	v->trials += v->trials < WATCH_TRIALS;
	report.trials++;
	report.trials_missing--;
}

static void nothing_there_is_waited_for(void **state)
{
	struct watch_view v = make();

	(void)state;
	v.report = NULL;
	v.claimed = 0;
	for (int i = 0; i < 3; i++) {
		v.fail.code = (int[]){ ENOENT, ENODATA, EBUSY }[i];
		assert_int_equal(watch_state(&v, NOW_NS), WATCH_WAITING);
		assert_true(watch_may_come(&v.fail));
	}
	v.fail.code = EBADMSG;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_TROUBLE);
	assert_false(watch_may_come(&v.fail));
}

static void the_lock_tells_who_runs(void **state)
{
	struct watch_view v = make();

	(void)state;
	/* However long ago it wrote. */
	assert_int_equal(watch_state(&v, NOW_NS + 3600 * NS_PER_S), WATCH_RUNNING);
	v.newest = false;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_OTHER);
	v.newest = true;
	v.claimed = 0;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_INTERRUPTED);
	v.claimed = 1;
	report.campaign.complete = true;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_ENDED);
	v.claimed = 0;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_ENDED);
}

static void where_no_lock_is_seen_writing_tells(void **state)
{
	struct watch_view v = make();

	(void)state;
	v.claimed = -1;
	assert_int_equal(watch_state(&v, NOW_NS + 59 * NS_PER_S), WATCH_RUNNING);
	assert_int_equal(watch_state(&v, NOW_NS + 60 * NS_PER_S), WATCH_INTERRUPTED);
	/* Trials of 100 s are silent for longer. */
	add(&v, NOW_NS - 100 * NS_PER_S);
	add(&v, NOW_NS);
	assert_int_equal(watch_state(&v, NOW_NS + 299 * NS_PER_S), WATCH_RUNNING);
	assert_int_equal(watch_state(&v, NOW_NS + 300 * NS_PER_S), WATCH_INTERRUPTED);
	v.written_ns = 0;
	assert_int_equal(watch_state(&v, NOW_NS), WATCH_INTERRUPTED);
}

static void time_left_is_not_known_from_one_trial(void **state)
{
	struct watch_view v = make();

	(void)state;
	assert_int_equal(watch_left_ns(&v), -1);
	add(&v, NOW_NS);
	assert_int_equal(watch_trial_ns(&v), 0);
	assert_int_equal(watch_left_ns(&v), -1);
	/* Within the same second: stamps cannot tell. */
	add(&v, NOW_NS);
	assert_int_equal(watch_left_ns(&v), -1);
	/* What is no time is none. */
	strcpy(v.trial[0].started, "<b>");
	add(&v, NOW_NS + 10 * NS_PER_S);
	assert_int_equal(watch_trial_ns(&v), 10 * NS_PER_S);
}

static void time_left_is_median_times_trials(void **state)
{
	struct watch_view v = make();

	(void)state;
	for (int i = 0; i < 4; i++)
		add(&v, NOW_NS + i * 20 * NS_PER_S);
	assert_int_equal(watch_total(&v), 40);
	assert_int_equal(watch_trial_ns(&v), 20 * NS_PER_S);
	assert_int_equal(watch_left_ns(&v), 36 * 20 * NS_PER_S);
	report.trials_missing = 0;
	assert_int_equal(watch_left_ns(&v), 0);
}

/*
 * Truth is known: trials of 0.7 s to 30 s that scatter by a tenth, stamps cut to whole seconds, and
 * in half of the sets an interruption of an hour somewhere.
 */
static void median_is_near_the_truth(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct rng r;

	(void)state;
	print_message("# seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int set = 0; set < 2000; set++) {
		struct watch_view v = make();
		double truth_s = 0.7 + 29.3 * rng_unit(&r), at_s = rng_unit(&r), got_s;
		int trials = 16 + (int)rng_below(&r, 80);
		int gap = rng_below(&r, 2) ? 1 + (int)rng_below(&r, (uint64_t)trials - 1) : -1;

		for (int i = 0; i < trials; i++) {
			at_s += i == gap ? 3600 : 0;
			add(&v, NOW_NS + (int64_t)(at_s * 1e9));
			at_s += truth_s * (0.9 + 0.2 * rng_unit(&r));
		}
		got_s = (double)watch_trial_ns(&v) / 1e9;
		if (got_s < 0.9 * truth_s - 0.26 || got_s > 1.1 * truth_s + 0.26)
			fail_msg("%d trials of %.3f s, gap at %d: %.3f s", trials, truth_s, gap,
				 got_s);
	}
}

static void silence_is_never_negative(void **state)
{
	struct watch_view v = make();

	(void)state;
	assert_int_equal(watch_silent_ns(&v, NOW_NS + 5), 5);
	assert_int_equal(watch_silent_ns(&v, NOW_NS - 5), 0); /* the clock was set back */
	v.written_ns = 0;
	assert_int_equal(watch_silent_ns(&v, NOW_NS), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_there_is_waited_for),
		cmocka_unit_test(the_lock_tells_who_runs),
		cmocka_unit_test(where_no_lock_is_seen_writing_tells),
		cmocka_unit_test(time_left_is_not_known_from_one_trial),
		cmocka_unit_test(time_left_is_median_times_trials),
		cmocka_unit_test(median_is_near_the_truth),
		cmocka_unit_test(silence_is_never_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
