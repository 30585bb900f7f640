/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy_test - every meaning of a sample, windows, stamps, counters, uncertainty.
 */
#include <string.h>

#include "power/trace_maker.h"

static struct trace steps(enum sample_meaning meaning)
{
	struct trace t = make(meaning, 1);

	add(&t, 0, 1, 0);
	add(&t, 1, 3, 0);
	add(&t, 2, 5, 0);
	return t;
}

static void meanings(void **state)
{
	struct trace t;

	(void)state;
	t = steps(SAMPLE_INSTANT);
	assert_near(joules(&t, 0, 2, GAP_FAIL), 6); /* (1+3)/2 + (3+5)/2 */
	assert_near(joules(&t, 0.5, 1.5, GAP_FAIL), 1.25 + 1.75);
	trace_release(&t);
	t = steps(SAMPLE_MEAN_ENDING);
	assert_near(joules(&t, 0, 2, GAP_FAIL), 8);
	assert_near(joules(&t, 0.5, 1.5, GAP_FAIL), 1.5 + 2.5);
	/* The first mean reaches one period back. */
	assert_near(joules(&t, -0.5, 2, GAP_FAIL), 8.5);
	trace_release(&t);
	t = steps(SAMPLE_MEAN_STARTING);
	assert_near(joules(&t, 0, 2, GAP_FAIL), 4);
	assert_near(joules(&t, 0.5, 2.5, GAP_FAIL), 0.5 + 3 + 2.5);
	trace_release(&t);
	t = steps(SAMPLE_INCREMENT);
	assert_near(joules(&t, 0, 2, GAP_FAIL), 8);
	assert_near(joules(&t, 0.25, 1.5, GAP_FAIL), 0.75 * 3 + 2.5);
	trace_release(&t);
	t = steps(SAMPLE_COUNTER);
	assert_near(joules(&t, 0, 2, GAP_FAIL), 4);
	assert_near(joules(&t, 0.25, 1.5, GAP_FAIL), 0.75 * 2 + 1);
	trace_release(&t);
}

static void edges_are_cut_and_reported(void **state)
{
	struct trace t = steps(SAMPLE_INSTANT);
	struct energy e = window(&t, -0.5, 2.25, GAP_EXCLUDE);

	(void)state;
	assert_near((double)e.energy_nj / 1e9, 6);
	assert_int_equal(e.covered_ns, 2 * NS_PER_S);
	assert_int_equal(e.about_ns, 2 * NS_PER_S);
	assert_int_equal(e.mean_nw, 3 * NS_PER_S);
	assert_int_equal(e.peak_nw, 5 * NS_PER_S);
	assert_int_equal(e.samples, 3);
	assert_true(e.insufficient);
	/* Shorter than three periods: uncovered, but not called a gap. */
	assert_int_equal(e.gaps, 0);
	e = window(&t, -4, 2, GAP_EXCLUDE);
	assert_int_equal(e.gaps, 1);
	assert_int_equal(e.longest_gap_ns, 4 * NS_PER_S);
	trace_release(&t);
}

static void bad_windows(void **state)
{
	struct trace t = steps(SAMPLE_INSTANT);
	struct fail f = { 0 };
	struct energy e;

	(void)state;
	assert_int_equal(energy_window(&t, 5, 5, GAP_EXCLUDE, 0, &e, &f), -1);
	fail_clear(&f);
	assert_int_equal(energy_window(&t, 50 * NS_PER_S, 60 * NS_PER_S, GAP_EXCLUDE, 0, &e, &f),
			 -1);
	assert_non_null(strstr(f.text, "no readings"));
	trace_release(&t);
}

/* B42: on-change source, no change for an hour: 33.5 Wh, not 0. B43: half a step is not lost. */
static void on_change(void **state)
{
	struct trace t = make(SAMPLE_MEAN_STARTING, 0);

	(void)state;
	add(&t, 0, 33.5, 0);
	assert_near(joules(&t, 0, 3600, GAP_FAIL), 33.5 * 3600);
	trace_release(&t);
	t = make(SAMPLE_MEAN_STARTING, 0);
	add(&t, 0, 0, 0);
	add(&t, 10, 2000, 0);
	add(&t, 12, 0, 0);
	add(&t, 60, 0, 0);
	assert_near(joules(&t, 0, 60, GAP_FAIL), 4000);
	trace_release(&t);
}

/* B32, B34: time that stands still or falls back is counted, not integrated. */
static void bad_stamps(void **state)
{
	struct trace t = make(SAMPLE_INSTANT, 1);
	struct energy e;

	(void)state;
	for (int i = 0; i <= 10; i++) {
		add(&t, i, 1, 0);
		add(&t, i, 50, 0);
		add(&t, i - 2147.48, 50, 0);
	}
	e = window(&t, 0, 10, GAP_FAIL);
	assert_near((double)e.energy_nj / 1e9, 10);
	assert_int_equal(e.rejected, 20); /* what comes after the window is not looked at */
	assert_int_equal(e.peak_nw, NS_PER_S);
	trace_release(&t);
}

/* B46: energy between two readings of a counter belongs to the next: nothing is lost. */
static void counters(void **state)
{
	struct trace t = make(SAMPLE_COUNTER, 0);
	struct energy e;

	(void)state;
	t.facts.counter_range_nj = 100 * NS_PER_S;
	/* B26: nothing until the first good reading, which is only the base. */
	for (int i = 0; i < 5; i++)
		add(&t, i, 0, SAMPLE_ABSENT);
	add(&t, 5, 53, 0);
	add(&t, 6, 57.2, 0);
	add(&t, 7, 60.4, 0);
	add(&t, 8, 0, SAMPLE_ABSENT);
	add(&t, 9, 90.4, 0);
	add(&t, 10, 10.4, 0); /* wrapped: 20 J */
	e = window(&t, 0, 10, GAP_EXCLUDE);
	assert_int_equal(e.ambiguous, 0);
	assert_near((double)e.energy_nj / 1e9, 4.2 + 3.2 + 30 + 20);
	assert_int_equal(e.covered_ns, 5 * NS_PER_S);
	/* The reading that failed in between does not cost the energy around it. */
	assert_near(joules(&t, 7, 9, GAP_FAIL), 30);
	add(&t, 11, 5, 0); /* a reset: not known */
	add(&t, 12, 6, 0);
	e = window(&t, 10, 12, GAP_EXCLUDE);
	assert_near((double)e.energy_nj / 1e9, 1);
	assert_int_equal(e.gaps, 1);
	assert_int_equal(e.ambiguous, 1);
	trace_release(&t);
}

/* B24: the range is not known: a fall is a gap, never negative energy. */
static void counter_without_range(void **state)
{
	struct trace t = make(SAMPLE_COUNTER, 10);
	struct energy e;

	(void)state;
	add(&t, 0, 3990, 0);
	add(&t, 10, 4000, 0);
	add(&t, 20, 0.01, 0);
	add(&t, 30, 0.02, 0);
	e = window(&t, 0, 30, GAP_EXCLUDE);
	assert_near((double)e.energy_nj / 1e9, 10.01);
	assert_int_equal(e.covered_ns, 20 * NS_PER_S);
	assert_int_equal(e.gaps, 1);
	trace_release(&t);
}

/* B58: small power over a long time, large power over a long time: no overflow, no rounding. */
static void long_and_large(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 0);

	(void)state;
	for (int i = 0; i <= 1000; i++)
		add(&t, i * 86400.0, 1e-9, 0);
	assert_int_equal(window(&t, 0, 1000 * 86400.0, GAP_FAIL).energy_nj, 86400000);
	trace_release(&t);
	t = make(SAMPLE_INSTANT, 0);
	for (int i = 0; i <= 100; i++)
		add(&t, i * 1000.0, 90000, 0);
	assert_int_equal(window(&t, 0, 100000, GAP_FAIL).energy_nj, INT64_C(9000000000) * NS_PER_S);
	trace_release(&t);
	t = make(SAMPLE_INSTANT, 0);
	for (int i = 0; i <= 100; i++)
		add(&t, i * 1e7, 500000, 0);
	{
		struct fail f = { 0 };
		struct energy e;

		assert_int_equal(energy_window(&t, 0, 1000000000 * NS_PER_S, GAP_FAIL, 0, &e, &f),
				 -1);
		assert_non_null(strstr(f.text, "64 bits"));
	}
	trace_release(&t);
}

static void sufficiency(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 1);

	(void)state;
	for (int i = 0; i <= 100; i++)
		add(&t, i, 1, i >= 30 && i < 70 ? SAMPLE_ABSENT : 0);
	assert_int_equal(window(&t, 0, 20, GAP_EXCLUDE).lacks, 0);
	assert_false(window(&t, 0, 20, GAP_EXCLUDE).insufficient);
	/* Too short; less than half covered. */
	assert_int_equal(window(&t, 0, 9.5, GAP_EXCLUDE).lacks, LACK_LENGTH);
	assert_true(window(&t, 0, 9.5, GAP_EXCLUDE).insufficient);
	assert_false(window(&t, 0, 50, GAP_EXCLUDE).insufficient);
	assert_int_equal(window(&t, 0, 65, GAP_EXCLUDE).lacks, LACK_COVER);
	assert_true(window(&t, 0, 65, GAP_EXCLUDE).insufficient);
	trace_release(&t);
	/* Too few samples, whatever time they cover. */
	t = make(SAMPLE_MEAN_STARTING, 0);
	for (int i = 0; i < 9; i++)
		add(&t, i, 1, 0);
	assert_true(window(&t, 0, 3600, GAP_FAIL).insufficient);
	add(&t, 9, 1, 0);
	assert_false(window(&t, 0, 3600, GAP_FAIL).insufficient);
	trace_release(&t);
}

/* Sixteen slices at 1 and 3 W in turn: sd = sqrt(16 / 15) W, over sqrt(16). */
static void standard_errors(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 1);

	(void)state;
	for (int i = 0; i < 160; i++)
		add(&t, i, i / 10 % 2 ? 3 : 1, 0);
	assert_in_range(window(&t, 0, 160, GAP_EXCLUDE).error_nw, 258198888, 258198890);
	/* Fewer than half of the slices filled: not known. */
	assert_int_equal(window(&t, 0, 1000, GAP_EXCLUDE).error_nw, -1);
	trace_release(&t);
}

/* The budget's worked example: 3 W at 5 V, 0.1 Ohm, /8, grade A: 0.73 % at k = 1. */
static void instrument(void **state)
{
	struct meter_facts facts = { .kind = CODE_BUS_SHUNT,
				     .meaning = SAMPLE_MEAN_ENDING,
				     .period_ns = NS_PER_S,
				     .bus_lsb_pv = 4000000000,
				     .shunt_lsb_pv = 10000000,
				     .shunt_uohm = 100000,
				     .gain_ppm = 4082,
				     .shunt_ppm = 5774,
				     .clock_ppm = 50,
				     .offset_na = 1154700 };
	struct trace t;
	struct energy e;

	(void)state;
	assert_int_equal(trace_init(&t, &facts, 0), 0);
	for (int i = 0; i <= 20; i++) {
		struct sample s = { i * NS_PER_S, i * NS_PER_S, { 1250, 6000 }, 0 };

		assert_int_equal(trace_add(&t, &s), 0);
	}
	e = window(&t, 0, 20, GAP_FAIL);
	assert_near((double)e.energy_nj / 1e9, 60);
	assert_in_range(e.instrument_nj * 100000 / e.energy_nj, 725, 740);
	/* The parts: 0.4082, 0.5774, 0.005 % of 60 J; 0.1 mA / sqrt(12) * 5 V * 20 s. */
	assert_int_equal(e.gain_nj, 244920000);
	assert_int_equal(e.shunt_nj, 346440000);
	assert_int_equal(e.clock_nj, 3000000);
	assert_in_range(e.step_nj, 2886700, 2886800);
	/* 1.1547 mA * 5 V * 20 s */
	assert_in_range(e.offset_nj, 115400000, 115500000);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meanings),
		cmocka_unit_test(edges_are_cut_and_reported),
		cmocka_unit_test(bad_windows),
		cmocka_unit_test(on_change),
		cmocka_unit_test(bad_stamps),
		cmocka_unit_test(counters),
		cmocka_unit_test(counter_without_range),
		cmocka_unit_test(long_and_large),
		cmocka_unit_test(sufficiency),
		cmocka_unit_test(standard_errors),
		cmocka_unit_test(instrument),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
