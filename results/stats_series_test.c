/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_series_test - outliers, drift and warm-up against made-up series whose truth is
 * known, and what stopping early costs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "results/stats.h"
#include "results/stats_series.h"

#define SETS 4000

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

/* R: quantile(c(9, 10, 10, 11, 12, 12, 13, 14, 30), c(.25, .75)) is 10 and 13. */
static void outliers_by_fences(void **state)
{
	const double x[] = { 12, 30, 9, 10, 14, 10, 13, 11, 12 };
	const double sorted[] = { 9, 10, 10, 11, 12, 12, 13, 14, 30 };
	const double mild[] = { 12, 18, 9, 10, 14, 10, 13, 11, 5 };
	const double low[] = { 12, 11, 9, 10, 14, 10, 13, 11, -30 };
	enum stats_outlier kind[9];

	(void)state;
	near(stats_quantile(sorted, 9, 0.25), 10, 1e-12);
	near(stats_quantile(sorted, 9, 0.75), 13, 1e-12);
	near(stats_quantile(sorted, 9, 1), 30, 1e-12);
	near(stats_quantile(sorted, 4, 0.5), 10, 1e-12);
	assert_int_equal(stats_outliers(x, 9, kind), 1);
	assert_int_equal(kind[1], STATS_FAR_HIGH);
	assert_int_equal(kind[0], STATS_INSIDE);
	assert_int_equal(stats_outliers(mild, 9, kind), 2);
	assert_int_equal(kind[1], STATS_MILD_HIGH);
	assert_int_equal(kind[8], STATS_MILD_LOW);
	assert_int_equal(stats_outliers(low, 9, kind), 1);
	assert_int_equal(kind[8], STATS_FAR_LOW);
	assert_int_equal(stats_outliers(x, 3, kind), 0);
	assert_true(isnan(stats_quantile(sorted, 0, 0.5)));
}

/* R: confint(lm(y ~ seq(0, 5))), per cent of mean(y). */
static void drift_of_r(void **state)
{
	const double y[] = { 10, 10.2, 10.1, 10.6, 10.5, 10.9 };
	struct interval i = stats_drift_pct(y, 6);

	(void)state;
	near(i.mean, 1.623480853015, 1e-9);
	near(i.lo, 0.659124443097, 1e-5);
	near(i.hi, 2.587837262934, 1e-5);
	assert_true(isnan(stats_drift_pct(y, 2).mean));
}

static void drift_is_claimed_as_rarely_as_said(void **state)
{
	int claimed = 0;
	struct rng r;
	double x[8];

	(void)state;
	rng_seed(&r, 21);
	for (int set = 0; set < SETS; set++) {
		struct interval i;

		for (int k = 0; k < 8; k++)
			x[k] = 100 + 3 * rng_normal(&r);
		i = stats_drift_pct(x, 8);
		claimed += i.lo > 0 || i.hi < 0;
	}
	near(100.0 * claimed / SETS, 5, 1);
}

static void warmup_is_found(void **state)
{
	int found = 0, invented = 0;
	struct rng r;
	double x[20];

	(void)state;
	rng_seed(&r, 22);
	for (int set = 0; set < 500; set++) {
		size_t cut;

		for (int k = 0; k < 20; k++)
			x[k] = 100 + rng_normal(&r);
		invented += stats_warmup(x, 20) > 5;
		for (int k = 0; k < 3; k++)
			x[k] -= 30;
		cut = stats_warmup(x, 20);
		found += cut >= 3 && cut <= 6;
	}
	assert_true(found > 400);
	assert_true(invented < 100);
	assert_int_equal(stats_warmup(x, 7), 0);
}

/* Until 2 % is reached, 30 trials at most: of normal data with 2.5 % spread. */
static void stopping_early_covers_a_little_less(void **state)
{
	int inside = 0, sets = 0;
	double x[30], sum = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 23);
	for (; sets < SETS; sets++) {
		struct interval i = { 0 };
		size_t n = 0;

		while (n < 30 && !stats_narrow(&i, 2)) {
			x[n++] = 1000 + 25 * rng_normal(&r);
			i = stats_mean(x, n);
		}
		inside += i.lo <= 1000 && 1000 <= i.hi;
		sum += (double)n;
	}
	print_message("stopped after %.1f trials, covered %.2f %%\n", sum / sets,
		      100.0 * inside / sets);
	near(100.0 * inside / sets, 94.2, 1);
}

static void narrow_enough(void **state)
{
	struct interval i = { 100, 98, 102, 5 }, lopsided = { 100, 99, 103, 9 };

	(void)state;
	assert_true(stats_narrow(&i, 2));
	assert_false(stats_narrow(&i, 1.9));
	assert_false(stats_narrow(&lopsided, 2));
	i.n = 4;
	assert_false(stats_narrow(&i, 2));
	i = (struct interval){ 100, NAN, NAN, 9 };
	assert_false(stats_narrow(&i, 2));
	i = (struct interval){ -100, -101, -99, 9 };
	assert_true(stats_narrow(&i, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outliers_by_fences),
		cmocka_unit_test(drift_of_r),
		cmocka_unit_test(drift_is_claimed_as_rarely_as_said),
		cmocka_unit_test(warmup_is_found),
		cmocka_unit_test(stopping_early_covers_a_little_less),
		cmocka_unit_test(narrow_enough),
	};

	return cmocka_run_group_tests_name("stats_series", tests, NULL, NULL);
}
