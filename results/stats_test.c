/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_test - known values, and what share of many random data sets the intervals
 * cover. Seeds are fixed: a share is a property of the code, not of the day.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "results/stats.h"

#define SETS 10000

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

static void covers(const char *what, int inside, double expected_pct, double tolerance_pct)
{
	double pct = 100.0 * inside / SETS;

	print_message("%s: %.2f %%\n", what, pct);
	near(pct, expected_pct, tolerance_pct);
}

static bool holds(struct interval i, double truth)
{
	return i.lo <= truth && truth <= i.hi;
}

/* Quantiles from published tables; the data of ministat's manual, worked by hand. */
static void known_values(void **state)
{
	const double a[] = { 50, 200, 150, 400, 750, 400, 150 };
	const double b[] = { 150, 400, 720, 500, 930 };
	struct interval i;

	(void)state;
	near(stats_t95(1), 12.7062, 1e-4);
	near(stats_t95(4), 2.77645, 1e-5);
	near(stats_t95(29), 2.04523, 1e-5);
	near(stats_t95(1000000), 1.95996, 1e-4);
	near(stats_sd(a, 7), 238.04761, 1e-5);
	near(stats_sd(b, 5), 299.08193, 1e-5);
	i = stats_mean(b, 5);
	near(i.mean, 540, 1e-12);
	near(i.hi - i.lo, 2 * 2.776445 * 299.08193 / sqrt(5), 1e-3);
	assert_int_equal(i.n, 5);
}

static void edges(void **state)
{
	const double one[] = { 3 }, two[] = { 2, -2 }, same[] = { 4, 4, 4 }, eight[] = { 8, 8, 8 };
	struct interval i = stats_mean(one, 1);

	(void)state;
	assert_true(i.mean == 3 && isnan(i.lo) && isnan(i.hi));
	assert_true(isnan(stats_mean(one, 0).mean));
	assert_true(isnan(stats_sd(one, 1)));
	i = stats_mean(same, 3);
	assert_true(i.mean == 4 && i.lo == 4 && i.hi == 4);
	i = stats_ratio(eight, same, 3);
	near(i.lo, 2, 1e-12);
	near(i.hi, 2, 1e-12);
	i = stats_ratio(one, one, 1);
	assert_true(i.mean == 1 && isnan(i.lo) && isnan(i.hi));
	i = stats_ratio(one, two, 2 - 2);
	assert_true(isnan(i.mean));
	i = stats_ratio(same, two, 2); /* sum(b) is 0 */
	assert_true(isnan(i.mean) && isnan(i.lo) && isnan(i.hi));
	i = stats_ratio_paired(same, two, 2); /* a negative value */
	assert_true(isnan(i.mean) && isnan(i.lo));
	i = stats_ratio_paired(eight, same, 3);
	near(i.mean, 2, 1e-12);
	near(i.hi, 2, 1e-12);
}

/* R is a bound exactly when the mean of a - R b is t standard errors from 0. */
static void ratio_bounds_solve_the_definition(void **state)
{
	const double a[] = { 101, 99, 104, 95, 100 }, b[] = { 50, 52, 47, 51, 49 };
	struct interval i = stats_ratio(a, b, 5);
	const double bound[] = { i.lo, i.hi };
	double d[5];

	(void)state;
	near(i.mean, 499.0 / 249, 1e-12);
	assert_true(i.lo < i.mean && i.mean < i.hi);
	for (int k = 0; k < 2; k++) {
		struct interval zero;

		for (int j = 0; j < 5; j++)
			d[j] = a[j] - bound[k] * b[j];
		zero = stats_mean(d, 5);
		near(k == 0 ? zero.lo : zero.hi, 0, 1e-9);
	}
}

static void mean_covers(void **state)
{
	const size_t sizes[] = { 2, 3, 5, 10, 30 };
	struct rng r;
	double x[30];

	(void)state;
	rng_seed(&r, 1);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		int inside = 0;

		for (int set = 0; set < SETS; set++) {
			for (size_t k = 0; k < sizes[s]; k++)
				x[k] = 1000 + 25 * rng_normal(&r);
			inside += holds(stats_mean(x, sizes[s]), 1000);
		}
		covers("mean of normal data", inside, 95, 1);
	}
}

static void mean_of_skewed_data_covers_less(void **state)
{
	int inside = 0;
	struct rng r;
	double x[5];

	(void)state;
	rng_seed(&r, 2);
	for (int set = 0; set < SETS; set++) {
		for (int k = 0; k < 5; k++)
			x[k] = -log(1 - rng_unit(&r));
		inside += holds(stats_mean(x, 5), 1);
	}
	covers("mean of exponential data, n = 5", inside, 88, 1.5);
}

/* Requests and energy of five trials; a busy moment moves both. */
static int ratio_inside(struct rng *r, double noise, double shared)
{
	double a[5], b[5];
	int inside = 0;

	for (int set = 0; set < SETS; set++) {
		for (int k = 0; k < 5; k++) {
			double common = shared * rng_normal(r);

			a[k] = 5000 * (1 + noise * rng_normal(r) + common);
			b[k] = 2.5 * (1 + noise * rng_normal(r) + common);
		}
		inside += holds(stats_ratio(a, b, 5), 2000);
	}
	return inside;
}

static void ratio_covers(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 3);
	covers("ratio, 3 % apart", ratio_inside(&r, 0.03, 0), 95, 1);
	covers("ratio, 10 % apart", ratio_inside(&r, 0.10, 0), 95, 1);
	covers("ratio, 1 % apart, 10 % in common", ratio_inside(&r, 0.01, 0.10), 95, 1);
	covers("ratio, 10 % both", ratio_inside(&r, 0.10, 0.10), 95, 1);
}

static void ratio_of_log_normal_data_covers(void **state)
{
	double a[5], b[5];
	int inside = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 4);
	for (int set = 0; set < SETS; set++) {
		for (int k = 0; k < 5; k++) {
			a[k] = 5000 * exp(0.2 * rng_normal(&r));
			b[k] = 2.5 * exp(0.2 * rng_normal(&r));
		}
		inside += holds(stats_ratio(a, b, 5), 2000);
	}
	covers("ratio of log-normal data, 20 %", inside, 95, 1);
}

/* Blocks differ by half, suites by a tenth: only pairs can see that. */
static void paired_ratio_covers(void **state)
{
	int inside = 0, proven = 0;
	double a[5], b[5];
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int set = 0; set < SETS; set++) {
		struct interval i;

		for (int k = 0; k < 5; k++) {
			double block = exp(0.5 * rng_normal(&r));

			a[k] = 110 * block * exp(0.02 * rng_normal(&r));
			b[k] = 100 * block * exp(0.02 * rng_normal(&r));
		}
		i = stats_ratio_paired(a, b, 5);
		inside += holds(i, 1.1);
		proven += i.lo > 1;
	}
	covers("paired ratio", inside, 95, 1);
	assert_true(proven > SETS * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(edges),
		cmocka_unit_test(ratio_bounds_solve_the_definition),
		cmocka_unit_test(mean_covers),
		cmocka_unit_test(mean_of_skewed_data_covers_less),
		cmocka_unit_test(ratio_covers),
		cmocka_unit_test(ratio_of_log_normal_data_covers),
		cmocka_unit_test(paired_ratio_covers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
