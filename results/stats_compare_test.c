/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_compare_test - differences against ministat's example and R, Holm's levels, and what
 * share of random data sets is covered, rejected or detected.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "results/stats.h"
#include "results/stats_compare.h"
#include "results/stats_rank.h"

#define SETS 10000

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

static bool holds(struct interval i, double truth)
{
	return i.lo <= truth && truth <= i.hi;
}

/* ministat's manual: no difference proven. R: t.test(b, a). */
static void ministat_example(void **state)
{
	const double a[] = { 50, 200, 150, 400, 750, 400, 150 }, b[] = { 150, 400, 720, 500, 930 };
	struct stats_test t = stats_welch(b, 5, a, 7);

	(void)state;
	near(t.difference.mean, 240, 1e-9);
	near(t.t, 1.488839530991, 1e-10);
	near(t.degrees, 7.425428321243, 1e-10);
	near(t.p, 0.177721841543, 1e-9);
	near(t.difference.lo, -136.793175816864, 1e-4);
	near(t.difference.hi, 616.793175816864, 1e-4);
}

/* R: t.test(x, y, paired = TRUE); p.adjust(p, "holm"); power.t.test(n, power = 0.8, ...). */
static void values_of_r(void **state)
{
	const double x[] = { 101, 99, 104, 95, 100 }, y[] = { 95, 97, 98, 93, 96 };
	struct stats_test t = stats_paired(x, y, 5);
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 };

	(void)state;
	near(t.t, 4.4721359549996, 1e-10);
	near(t.p, 0.0110564933935, 1e-9);
	near(t.difference.lo, 1.5166720035925, 1e-5);
	near(t.difference.hi, 6.4833279964075, 1e-5);
	stats_holm(p, 5);
	near(p[0], 0.03, 1e-12);
	assert_true(isnan(p[1]));
	near(p[2], 0.06, 1e-12);
	near(p[3], 0.06, 1e-12);
	near(p[4], 0.02, 1e-12);
	near(stats_detectable(1, 5), 1.6819990382, 0.03);
	near(stats_detectable(1, 10), 0.996001902096, 0.01);
}

static void edges(void **state)
{
	const double same[] = { 2, 2, 2 }, other[] = { 3, 3, 3 };
	struct stats_test t = stats_welch(same, 3, other, 3);

	(void)state;
	assert_true(t.difference.lo == -1 && t.difference.hi == -1 && t.p == 0);
	t = stats_welch(same, 3, same, 3);
	assert_true(t.difference.lo == 0 && t.p == 1);
	t = stats_welch(same, 1, other, 3);
	assert_true(t.difference.mean == -1 && isnan(t.difference.lo) && isnan(t.p));
	t = stats_paired(same, other, 1);
	assert_true(t.difference.mean == -1 && isnan(t.p));
	assert_true(isnan(stats_detectable(1, 1)));
	assert_true(isnan(stats_aa(same, 3).detectable_pct));
	stats_holm(NULL, 0);
}

/* Ten pairs of five suites that do not differ: at least one is "proven" in 5 % at most. */
static void holm_holds_all_pairs(void **state)
{
	int any = 0, plain = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int set = 0; set < SETS / 5; set++) {
		double x[5][8], p[10], least = 1, raw = 1;
		int n = 0;

		for (int s = 0; s < 5; s++)
			for (int k = 0; k < 8; k++)
				x[s][k] = 100 + rng_normal(&r);
		for (int s = 0; s < 5; s++)
			for (int q = 0; q < s; q++)
				p[n++] = stats_welch(x[s], 8, x[q], 8).p;
		for (int i = 0; i < n; i++)
			raw = fmin(raw, p[i]);
		stats_holm(p, 10);
		for (int i = 0; i < n; i++)
			least = fmin(least, p[i]);
		any += least <= 0.05;
		plain += raw <= 0.05;
	}
	assert_true(any <= SETS / 5 * 0.06);
	assert_true(plain > SETS / 5 * 0.2); /* without it one of the ten would be, that often */
}

static void unlike_spreads_are_covered(void **state)
{
	int welch = 0, paired = 0;
	double x[8], y[8];
	struct rng r;

	(void)state;
	rng_seed(&r, 12);
	for (int set = 0; set < SETS; set++) {
		for (int k = 0; k < 8; k++) {
			x[k] = 100 + rng_normal(&r);
			y[k] = 97 + 4 * rng_normal(&r);
		}
		welch += holds(stats_welch(x, 5, y, 8).difference, 3);
		for (int k = 0; k < 5; k++) {
			double block = 20 * rng_normal(&r);

			x[k] += block;
			y[k] += block;
		}
		paired += holds(stats_paired(x, y, 5).difference, 3);
	}
	near(100.0 * welch / SETS, 95, 1.5);
	near(100.0 * paired / SETS, 95, 1);
}

/* At a true difference of what is said to be detectable, four of five campaigns prove it. */
static void power_is_as_said(void **state)
{
	static const size_t sizes[] = { 5, 10, 20 };
	struct rng r;

	(void)state;
	rng_seed(&r, 13);
	for (int s = 0; s < 3; s++) {
		size_t n = sizes[s];
		double by = stats_detectable(1, n), x[20], zero[20] = { 0 };
		int proven = 0;

		for (int set = 0; set < SETS; set++) {
			for (size_t k = 0; k < n; k++)
				x[k] = by + rng_normal(&r);
			proven += stats_paired(x, zero, n).difference.lo > 0;
		}
		near(100.0 * proven / SETS, 80, 2);
	}
}

static void control_finds_nothing_in_noise_and_something_in_bias(void **state)
{
	int inside = 0, biased = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 14);
	for (int set = 0; set < SETS; set++) {
		double x[10];

		for (int k = 0; k < 10; k++)
			x[k] = 500 + 5 * rng_normal(&r);
		inside += holds(stats_aa(x, 10).difference_pct, 0);
		for (int k = 0; k < 10; k++) /* every A is favoured */
			x[k] += k % 4 == 0 || k % 4 == 3 ? 25 : 0;
		biased += stats_aa(x, 10).difference_pct.lo > 0;
	}
	near(100.0 * inside / SETS, 95, 1);
	assert_true(biased > SETS * 8 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ministat_example),
		cmocka_unit_test(values_of_r),
		cmocka_unit_test(edges),
		cmocka_unit_test(holm_holds_all_pairs),
		cmocka_unit_test(unlike_spreads_are_covered),
		cmocka_unit_test(power_is_as_said),
		cmocka_unit_test(control_finds_nothing_in_noise_and_something_in_bias),
	};

	return cmocka_run_group_tests_name("stats_compare", tests, NULL, NULL);
}
