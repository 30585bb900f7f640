/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gap_test - what is not known is not invented: gaps, flags, policies.
 */
#include <string.h>

#include "power/trace_maker.h"

/* B41: a source that was away: no trapezoid from the old point to the new one. */
static struct trace with_gap(void)
{
	struct trace t = make(SAMPLE_INSTANT, 1);

	for (int i = 0; i <= 10; i++)
		add(&t, i, 2, 0);
	for (int i = 20; i <= 30; i++)
		add(&t, i, 4, 0);
	return t;
}

static void gap_policies(void **state)
{
	struct trace t = with_gap();
	struct fail f = { 0 };
	struct energy e;

	(void)state;
	e = window(&t, 0, 30, GAP_EXCLUDE);
	assert_near((double)e.energy_nj / 1e9, 20 + 40);
	assert_int_equal(e.covered_ns, 20 * NS_PER_S);
	assert_int_equal(e.mean_nw, 3 * NS_PER_S);
	assert_int_equal(e.gaps, 1);
	assert_int_equal(e.longest_gap_ns, 10 * NS_PER_S);
	assert_near(joules(&t, 0, 30, GAP_HOLD), 20 + 20 + 40);
	assert_near(joules(&t, 0, 30, GAP_LINEAR), 20 + 30 + 40);
	e = window(&t, 0, 30, GAP_LINEAR);
	assert_int_equal(e.about_ns, 30 * NS_PER_S);
	assert_int_equal(e.covered_ns, 20 * NS_PER_S);
	/* Windows that begin, end or lie inside the gap. */
	assert_near(joules(&t, 15, 25, GAP_LINEAR), (3 + 4) / 2.0 * 5 + 20);
	assert_near(joules(&t, 5, 15, GAP_LINEAR), 10 + (2 + 3) / 2.0 * 5);
	assert_near(joules(&t, 15, 25, GAP_HOLD), 10 + 20);
	assert_near(joules(&t, 5, 15, GAP_HOLD), 10 + 10);
	/* Beyond both ends of the trace the nearest value holds. */
	assert_near(joules(&t, -10, 40, GAP_LINEAR), 20 + 90 + 40);
	assert_int_equal(energy_window(&t, 0, 30 * NS_PER_S, GAP_FAIL, 0, &e, &f), -1);
	assert_non_null(strstr(f.text, "gap of 10 s at 10 s"));
	/* A wider limit bridges it by the samples' own meaning. */
	fail_clear(&f);
	assert_int_equal(energy_window(&t, 0, 30 * NS_PER_S, GAP_FAIL, 11 * NS_PER_S, &e, &f), 0);
	assert_near((double)e.energy_nj / 1e9, 20 + 30 + 40);
	trace_release(&t);
}

/* B38, B49: dropped values are gaps, zeros are data. */
static void flags_and_zeros(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 1);
	struct energy e;

	(void)state;
	for (int i = 0; i <= 20; i++)
		add(&t, i, i % 2 ? 2 : 0, 0);
	e = window(&t, 0, 20, GAP_FAIL);
	assert_near((double)e.energy_nj / 1e9, 20);
	assert_int_equal(e.mean_nw, NS_PER_S);
	trace_release(&t);
	t = make(SAMPLE_MEAN_ENDING, 1);
	for (int i = 0; i <= 20; i++)
		add(&t, i, i == 5 ? 0 : 2,
		    i == 5    ? SAMPLE_ABSENT
		    : i == 9  ? SAMPLE_SATURATED
		    : i == 12 ? SAMPLE_RETRIED
			      : 0);
	e = window(&t, 0, 20, GAP_EXCLUDE);
	assert_near((double)e.energy_nj / 1e9, 36);
	assert_int_equal(e.covered_ns, 18 * NS_PER_S);
	assert_int_equal(e.mean_nw, 2 * NS_PER_S);
	assert_int_equal(e.gaps, 2);
	assert_int_equal(e.absent, 1);
	assert_int_equal(e.saturated, 1);
	assert_int_equal(e.retried, 1);
	assert_int_equal(e.samples, 19);
	trace_release(&t);
	/* The same with a point sample loses both sides of it. */
	t = make(SAMPLE_INSTANT, 1);
	for (int i = 0; i <= 20; i++)
		add(&t, i, 2, i == 5 ? SAMPLE_ABSENT : 0);
	assert_int_equal(window(&t, 0, 20, GAP_EXCLUDE).covered_ns, 18 * NS_PER_S);
	trace_release(&t);
}

static void stale_is_no_sample(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 1);
	struct energy e;

	(void)state;
	for (int i = 0; i <= 40; i++)
		add(&t, i / 2.0, i % 2 ? 99 : i / 2, i % 2 ? SAMPLE_STALE : 0);
	e = window(&t, 0, 20, GAP_FAIL);
	assert_near((double)e.energy_nj / 1e9, 210);
	assert_int_equal(e.stale, 20);
	assert_int_equal(e.samples, 21);
	assert_int_equal(e.peak_nw, 20 * NS_PER_S);
	trace_release(&t);
}

static void range_and_reinit(void **state)
{
	struct trace t = make(SAMPLE_INSTANT, 1);

	(void)state;
	t.facts.power_max_nw = 10 * NS_PER_S;
	for (int i = 0; i <= 20; i++)
		add(&t, i, i == 5 ? 4294967.295 : 1, i == 10 ? SAMPLE_REINIT : 0);
	assert_int_equal(window(&t, 0, 20, GAP_EXCLUDE).covered_ns, 17 * NS_PER_S);
	assert_near(joules(&t, 0, 20, GAP_EXCLUDE), 17);
	trace_release(&t);
	/* A mean knows one period before the chip was set up again. */
	t = make(SAMPLE_MEAN_ENDING, 1);
	for (int i = 0; i <= 20; i++)
		add(&t, i < 10 ? i : i + 1.5, 1, i == 10 ? SAMPLE_REINIT : 0);
	assert_int_equal(window(&t, 0, 21.5, GAP_EXCLUDE).covered_ns, 20 * NS_PER_S);
	trace_release(&t);
}

/* Means with a counter behind them have no gaps by length: what is late is not lost. */
static void gapless(void **state)
{
	struct trace t = make(SAMPLE_MEAN_ENDING, 1);
	struct energy e;

	(void)state;
	for (int i = 0; i <= 10; i++)
		add(&t, i < 5 ? i : i + 20, i, 0);
	e = window(&t, 0, 30, GAP_EXCLUDE);
	assert_int_equal(e.covered_ns, 10 * NS_PER_S);
	assert_int_equal(e.gaps, 1);
	t.facts.gapless = true;
	e = window(&t, 0, 30, GAP_FAIL);
	assert_near((double)e.energy_nj / 1e9, 10 + 5 * 21 + 40);
	assert_int_equal(e.covered_ns, 30 * NS_PER_S);
	/* What lies outside the trace is still open. */
	e = window(&t, -5, 30, GAP_EXCLUDE);
	assert_int_equal(e.gaps, 1);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_policies),
		cmocka_unit_test(flags_and_zeros),
		cmocka_unit_test(stale_is_no_sample),
		cmocka_unit_test(range_and_reinit),
		cmocka_unit_test(gapless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
