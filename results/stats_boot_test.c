/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_boot_test - bootstrap intervals against those of every possible resample, worked
 * out by R, and what share of random data sets they cover.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "results/normal.h"
#include "results/stats_boot.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

/* R: pnorm(-1.2), pnorm(-6), qnorm(0.025), qnorm(1e-9) */
static void normal_distribution(void **state)
{
	(void)state;
	near(normal_below(-1.2), 1.15069670222e-1, 1e-12);
	near(normal_below(-6) / 9.86587645038e-10, 1, 1e-10);
	near(normal_quantile(0.025), -1.95996398454, 1e-10);
	near(normal_quantile(0.975), 1.95996398454, 1e-10);
	near(normal_quantile(1e-9), -5.99780701501, 1e-10);
	assert_true(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY);
}

/*
 * R over all 5^5 resamples: g <- expand.grid(rep(list(1:5), 5)); th <- sort(apply(g, 1, stat));
 * z0 <- qnorm((mean(th < est) + mean(th <= est)) / 2), the acceleration by the jackknife;
 * th[floor(pnorm(z0 + (z0 + z) / (1 - a (z0 + z))) * 3125)]. Drawn resamples come close.
 */
static void agrees_with_all_resamples(void **state)
{
	const double x[] = { 12, 15, 11, 30, 14 }, sorted[] = { 11, 12, 14, 15, 30 };
	const double a[] = { 101, 99, 104, 95, 100 }, b[] = { 50, 52, 47, 51, 49 };
	struct stats_boot boot;
	struct interval i;

	(void)state;
	assert_int_equal(stats_boot_init(&boot, 5, 20000, 7), 0);
	i = stats_boot_mean(&boot, x);
	near(i.mean, 16.4, 1e-12);
	near(i.lo, 12.4, 0.21);
	near(i.hi, 26.4, 0.61);
	i = stats_boot_median(&boot, sorted);
	assert_true(i.mean == 14 && i.lo == 11 && i.hi == 30);
	i = stats_boot_ratio(&boot, a, b);
	near(i.mean, 499.0 / 249, 1e-12);
	near(i.lo, 1.9137254902, 0.01);
	near(i.hi, 2.1375, 0.01);
	assert_int_equal(i.n, 5);
	stats_boot_release(&boot);
}

static void same_seed_same_interval(void **state)
{
	const double x[] = { 3.1, 4.1, 5.9, 2.6, 5.3, 5.8, 9.7, 9.3 };
	struct stats_boot one, two, other;

	(void)state;
	assert_int_equal(stats_boot_init(&one, 8, STATS_RESAMPLES, 1), 0);
	assert_int_equal(stats_boot_init(&two, 8, STATS_RESAMPLES, 1), 0);
	assert_int_equal(stats_boot_init(&other, 8, STATS_RESAMPLES, 2), 0);
	assert_true(stats_boot_mean(&one, x).lo == stats_boot_mean(&two, x).lo);
	assert_true(stats_boot_mean(&one, x).hi == stats_boot_mean(&one, x).hi);
	assert_true(stats_boot_mean(&one, x).lo != stats_boot_mean(&other, x).lo ||
		    stats_boot_mean(&one, x).hi != stats_boot_mean(&other, x).hi);
	stats_boot_release(&one);
	stats_boot_release(&two);
	stats_boot_release(&other);
}

static void edges(void **state)
{
	const double same[] = { 4, 4, 4 }, eight[] = { 8, 8, 8 }, odd[] = { 1, -2, 0.5 };
	struct stats_boot b;
	struct interval i;

	(void)state;
	assert_int_equal(stats_boot_init(&b, 3, 99, 1), 0);
	i = stats_boot_mean(&b, same);
	assert_true(i.mean == 4 && i.lo == 4 && i.hi == 4);
	i = stats_boot_median(&b, same);
	assert_true(i.mean == 4 && i.lo == 4 && i.hi == 4);
	i = stats_boot_ratio(&b, eight, same);
	assert_true(i.mean == 2 && i.lo == 2 && i.hi == 2);
	i = stats_boot_ratio(&b, same, odd); /* the divisor is not positive */
	assert_true(isnan(i.mean) && isnan(i.lo) && isnan(i.hi));
	stats_boot_release(&b);
	assert_int_equal(stats_boot_init(&b, 1, 99, 1), 0);
	i = stats_boot_mean(&b, same);
	assert_true(i.mean == 4 && isnan(i.lo));
	i = stats_boot_median(&b, same);
	assert_true(i.mean == 4 && isnan(i.lo));
	stats_boot_release(&b);
}

/* bench-results does it with ten thousand sets; these are enough to see a mistake. */
static void covers_nearly_with_thirty(void **state)
{
	int mean = 0, median = 0, sets = 400;
	struct stats_boot b;
	struct rng r;
	double x[31];

	(void)state;
	rng_seed(&r, 6);
	assert_int_equal(stats_boot_init(&b, 31, 999, 1), 0);
	for (int set = 0; set < sets; set++) {
		struct interval i;

		for (int k = 0; k < 31; k++) {
			double v = exp(0.5 * rng_normal(&r));
			int at = k;

			for (; at > 0 && x[at - 1] > v; at--)
				x[at] = x[at - 1];
			x[at] = v;
		}
		i = stats_boot_mean(&b, x);
		mean += i.lo <= exp(0.125) && exp(0.125) <= i.hi;
		i = stats_boot_median(&b, x);
		median += i.lo <= 1 && 1 <= i.hi;
	}
	stats_boot_release(&b);
	near(100.0 * mean / sets, 93, 3.5);
	near(100.0 * median / sets, 94, 3.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_distribution),
		cmocka_unit_test(agrees_with_all_resamples),
		cmocka_unit_test(same_seed_same_interval),
		cmocka_unit_test(edges),
		cmocka_unit_test(covers_nearly_with_thirty),
	};

	return cmocka_run_group_tests_name("stats_boot", tests, NULL, NULL);
}
