/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_rank_test - the exact Mann-Whitney test against its published tables, against R and
 * against every choice counted one by one; Cliff's delta; the median's exact interval.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "results/stats_rank.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

/* Two samples without ties whose U of the first is u: all of y, and x moved up past u of them. */
static struct stats_rank with_u(size_t nx, size_t ny, size_t u)
{
	double x[32], y[32];

	for (size_t i = 0; i < nx; i++) {
		size_t above = u < ny ? u : ny;

		x[i] = (double)above - 0.5 + 1e-3 * (double)i;
		u -= above;
	}
	for (size_t j = 0; j < ny; j++)
		y[j] = (double)j;
	return stats_mann_whitney(x, nx, y, ny);
}

/* Largest U that is significant at 5 %, two-sided (Mann and Whitney's tables, as printed in
 * every textbook of non-parametric statistics). */
static void published_table(void **state)
{
	static const struct {
		size_t nx, ny, u;
	} row[] = { { 4, 4, 0 },   { 5, 5, 2 },    { 5, 8, 6 },    { 6, 6, 5 },
		    { 7, 7, 8 },   { 8, 8, 13 },   { 9, 9, 17 },   { 10, 10, 23 },
		    { 6, 10, 11 }, { 12, 15, 49 }, { 15, 15, 64 }, { 20, 20, 127 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct stats_rank in = with_u(row[i].nx, row[i].ny, row[i].u);
		struct stats_rank out = with_u(row[i].nx, row[i].ny, row[i].u + 1);

		assert_true(in.exact && in.u == (double)row[i].u);
		if (!(in.p <= 0.05 && out.p > 0.05))
			fail_msg("%zu and %zu: %g and %g", row[i].nx, row[i].ny, in.p, out.p);
	}
}

/*
 * R: wilcox.test(x, y, exact = TRUE); with ties r <- rank(c(x, y)), s <- combn(length(r), nx,
 * function(i) sum(r[i])), mean(abs(s - mu) >= abs(sum(r[1:nx]) - mu)).
 */
static void values_of_r(void **state)
{
	const double x[] = { 1.1, 2.2, 3.3, 4.4, 5.5 }, y[] = { 2.5, 3.6, 4.7, 5.8, 6.9, 8.1 };
	const double a[] = { 50, 200, 150, 400, 750, 400, 150 }, b[] = { 150, 400, 720, 500, 930 };
	const double c[] = { 1, 2, 2, 3 }, d[] = { 2, 3, 3, 4, 5 };
	struct stats_rank r = stats_mann_whitney(x, 5, y, 6);

	(void)state;
	near(r.u, 6, 0);
	near(r.p, 0.125541125541, 1e-11);
	near(stats_mann_whitney(y, 6, x, 5).p, r.p, 1e-12);
	near(stats_mann_whitney(b, 5, a, 7).p, 0.188131313131, 1e-11);
	near(stats_mann_whitney(c, 4, d, 5).p, 0.111111111111, 1e-11);
}

/* Of every choice of `n` among `of` doubled ranks: those at least as far from the mean. */
static double count_one_by_one(const int *rank, int of, int n, int seen)
{
	int mean = 0, far = 0, all = 0;

	for (int i = 0; i < of; i++)
		mean += rank[i];
	mean = mean * n / of;
	for (unsigned set = 0; set < 1u << of; set++) {
		int sum = 0;

		if (__builtin_popcount(set) != n)
			continue;
		for (int i = 0; i < of; i++)
			sum += set >> i & 1 ? rank[i] : 0;
		all++;
		far += abs(sum - mean) >= abs(seen - mean);
	}
	return (double)far / all;
}

static void ties_by_brute_force(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 8);
	for (int set = 0; set < 200; set++) {
		int nx = 2 + (int)rng_below(&r, 5), ny = 2 + (int)rng_below(&r, 5), n = nx + ny;
		int rank[12], seen = 0;
		double v[12];

		for (int i = 0; i < n; i++)
			v[i] = (double)rng_below(&r, 6);
		for (int i = 0; i < n; i++) {
			rank[i] = 1;
			for (int j = 0; j < n; j++)
				rank[i] += 2 * (v[j] < v[i]) + (v[j] == v[i]);
			seen += i < nx ? rank[i] : 0;
		}
		near(stats_mann_whitney(v, (size_t)nx, v + nx, (size_t)ny).p,
		     count_one_by_one(rank, n, nx, seen), 1e-12);
	}
}

/* Where both can be had the approximation is near the exact value. */
static void large_samples(void **state)
{
	double x[60], y[60];
	struct stats_rank exact, normal;
	struct rng r;

	(void)state;
	rng_seed(&r, 9);
	for (int i = 0; i < 60; i++) {
		x[i] = rng_normal(&r);
		y[i] = rng_normal(&r) + 0.7;
	}
	exact = stats_mann_whitney(x, 50, y, 50);
	normal = stats_mann_whitney(x, 51, y, 50);
	assert_true(exact.exact && !normal.exact);
	near(normal.p, exact.p, 0.03);
	if (!(normal.p > 0.001 && normal.p < 0.5))
		fail_msg("%g, exactly %g", normal.p, exact.p);
	assert_true(isnan(stats_mann_whitney(x, 0, y, 5).p));
}

/* R: wilcox.test((0:59) %% 7, (0:49) %% 5 + 1, exact = FALSE, correct = TRUE); (0:49) %% 4. */
static void large_samples_of_ties(void **state)
{
	double x[60], y[50];

	(void)state;
	for (int i = 0; i < 60; i++)
		x[i] = i % 7;
	for (int i = 0; i < 50; i++)
		y[i] = i % 5 + 1;
	near(stats_mann_whitney(x, 60, y, 50).p, 0.7403844962806, 1e-10);
	for (int i = 0; i < 50; i++)
		y[i] = i % 4;
	near(stats_mann_whitney(x, 60, y, 50).p, 0.0001661086353671, 1e-12);
}

static void effect_sizes(void **state)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 2, 3, 3, 9 }, far[] = { 10, 11, 12 };

	(void)state;
	near(stats_cliff(x, 4, y, 4), (4.0 - 9) / 16, 1e-12);
	assert_true(stats_cliff(far, 3, x, 4) == 1 && stats_cliff(x, 4, far, 3) == -1);
	assert_true(isnan(stats_cliff(x, 0, y, 4)));
	assert_string_equal(stats_cliff_word(0.1), "negligible");
	assert_string_equal(stats_cliff_word(-0.3), "small");
	assert_string_equal(stats_cliff_word(0.4), "medium");
	assert_string_equal(stats_cliff_word(-1), "large");
	assert_string_equal(stats_cliff_word(NAN), "");
}

/* Ranks 1, 2, 6 and 18 from each end for n = 6, 9, 20, 50 (R: qbinom(0.025, n, 0.5)). */
static void median_by_order(void **state)
{
	static const size_t size[] = { 6, 9, 20, 50 }, rank[] = { 1, 2, 6, 18 };
	double x[50];

	(void)state;
	for (int k = 0; k < 50; k++)
		x[k] = k + 1;
	assert_true(isnan(stats_median_exact(x, 5).lo));
	assert_true(stats_median_exact(x, 5).mean == 3);
	assert_true(isnan(stats_median_exact(x, 0).mean));
	for (int s = 0; s < 4; s++) {
		struct interval i = stats_median_exact(x, size[s]);

		assert_true(i.lo == (double)rank[s]);
		assert_true(i.hi == (double)(size[s] + 1 - rank[s]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_table),       cmocka_unit_test(values_of_r),
		cmocka_unit_test(ties_by_brute_force),   cmocka_unit_test(large_samples),
		cmocka_unit_test(large_samples_of_ties), cmocka_unit_test(effect_sizes),
		cmocka_unit_test(median_by_order),
	};

	return cmocka_run_group_tests_name("stats_rank", tests, NULL, NULL);
}
