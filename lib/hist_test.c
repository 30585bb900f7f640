/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist_test - quantiles against sorted samples, and merging against union.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/hist_testing.h"
#include "lib/testing.h"

#define SAMPLES_MAX 4000

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The definition in hist.h, by counting. */
static int64_t exact_quantile(const int64_t *sorted, size_t n, double q)
{
	for (size_t rank = 1; rank < n; rank++)
		if ((double)rank / (double)n >= q)
			return sorted[rank - 1];
	return sorted[n - 1];
}

static void check_bound(const struct hist *h, const int64_t *sorted, size_t n, double q)
{
	int64_t exact = exact_quantile(sorted, n, q), answer = hist_quantile(h, q);
	double error = fabs((double)(answer - exact));

	if (error * 1024 > (double)exact)
		fail_msg("q %.17g of %zu: %lld instead of %lld", q, n, (long long)answer,
			 (long long)exact);
	if (exact < 1024)
		assert_int_equal(answer, exact);
}

static void check_totals(const struct hist *h, const int64_t *sorted, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)sorted[i];
	assert_int_equal(h->count, n);
	assert_int_equal(h->above, 0);
	assert_int_equal(h->min_ns, sorted[0]);
	assert_int_equal(h->max_ns, sorted[n - 1]);
	assert_true(fabs(h->sum_ns - sum) <= sum * 1e-12);
	assert_true(fabs(hist_mean(h) - sum / (double)n) <= sum / (double)n * 1e-12);
}

static void quantiles_within_bound(void **state)
{
	static const double levels[] = { 0, 0.01, 0.07, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1 };
	struct rng r = testing_rng(__func__);
	static int64_t sample[SAMPLES_MAX];
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	for (int trial = 0; trial < 400; trial++) {
		size_t n = 1 + (size_t)rng_below(&r, trial % 4 ? 120 : SAMPLES_MAX);

		hist_clear(&h);
		for (size_t i = 0; i < n; i++) {
			sample[i] = draw(&r, (enum shape)(trial % SHAPES));
			hist_add(&h, sample[i]);
		}
		qsort(sample, n, sizeof(sample[0]), by_value);
		check_totals(&h, sample, n);
		for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
			check_bound(&h, sample, n, levels[i]);
		for (int i = 0; i < 5; i++)
			check_bound(&h, sample, n, rng_unit(&r));
	}
	hist_release(&h);
}

/* With a smallest and a largest sample around, clamping cannot hide a wrong middle. */
static void every_bucket_edge_within_bound(void **state)
{
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	for (int k = 0; k < 42; k++)
		for (int part = 0; part < 512; part += 7)
			for (int off = -1; off <= 1; off++) {
				int64_t ns =
					(INT64_C(1) << k) + ((INT64_C(1) << k) * part >> 9) + off;
				int64_t three[3] = { 0, ns, HIST_MAX_NS - 1 };

				if (ns < 0 || ns >= HIST_MAX_NS)
					continue;
				hist_clear(&h);
				for (int i = 0; i < 3; i++)
					hist_add(&h, three[i]);
				check_bound(&h, three, 3, 0.5);
			}
	hist_release(&h);
}

static void table_in_comment_holds(void **state)
{
	(void)state;
	assert_int_equal(hist_bucket_of(1000), 1000);
	assert_int_equal(hist_bucket_of(1025), 1024);
	assert_int_equal(hist_bucket_of(5000), 2161);
	assert_int_equal(hist_bucket_of(1000000), 6096);
	assert_int_equal(hist_bucket_of(HIST_MAX_NS - 1), 17407);
	assert_int_equal(hist_bucket_count(), 17408);
}

struct coverage {
	int64_t end_ns;
	uint64_t count;
};

static void add_coverage(void *data, int64_t low_ns, int64_t high_ns, uint64_t count)
{
	struct coverage *c = data;

	assert_int_equal(low_ns, c->end_ns); /* no hole, no overlap */
	assert_true(high_ns > low_ns);
	assert_int_equal(hist_bucket_of(low_ns), hist_bucket_of(high_ns - 1));
	c->end_ns = high_ns;
	c->count += count;
}

static void buckets_tile_the_range(void **state)
{
	struct coverage c = { 0 };
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	for (int64_t ns = 0; ns < 1024; ns++)
		hist_add(&h, ns);
	for (int k = 10; k < 42; k++)
		for (int64_t part = 512; part < 1024; part++)
			hist_add(&h, part << (k - 9));
	hist_each(&h, add_coverage, &c);
	assert_int_equal(c.end_ns, HIST_MAX_NS);
	assert_int_equal(c.count, hist_bucket_count());
	hist_release(&h);
}

static void far_samples_are_counted_above(void **state)
{
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	assert_int_equal(hist_quantile(&h, 0.5), -1);
	assert_true(isnan(hist_mean(&h)));
	hist_add(&h, -5);
	hist_add(&h, HIST_MAX_NS - 1);
	hist_add(&h, HIST_MAX_NS);
	hist_add(&h, INT64_MAX);
	assert_int_equal(h.count, 4);
	assert_int_equal(h.above, 2);
	assert_int_equal(h.min_ns, 0);
	assert_int_equal(hist_quantile(&h, 0.75), INT64_MAX);
	assert_int_equal(hist_quantile(&h, 1), INT64_MAX);
	assert_true(hist_quantile(&h, 0.5) < HIST_MAX_NS);
	hist_release(&h);
}

static void merge_equals_union(void **state)
{
	struct rng r = testing_rng(__func__);
	struct hist parts[3], sum, all;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(hist_init(&parts[i]), 0);
	assert_int_equal(hist_init(&sum), 0);
	assert_int_equal(hist_init(&all), 0);
	for (int i = 0; i < 5000; i++) { /* parts[2] stays empty */
		int64_t ns = draw(&r, (enum shape)(i % SHAPES)) + (i % 1000 ? 0 : HIST_MAX_NS);

		hist_add(&parts[i % 2], ns);
		hist_add(&all, ns);
	}
	for (int i = 2; i >= 0; i--)
		hist_merge(&sum, &parts[i]);
	assert_int_equal(all.above, 5);
	assert_same(&sum, &all);
	for (int i = 0; i < 3; i++)
		hist_release(&parts[i]);
	hist_release(&sum);
	hist_release(&all);
}

/* In one pass and one by one, with samples above the last bucket too. */
static void test_quantiles_at_once(void **state)
{
	static const double q[] = { 0, 0.01, 0.5, 0.5, 0.9, 0.99, 0.999, 1 };
	int64_t ns[8];
	struct hist h;
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	assert_int_equal(hist_init(&h), 0);
	hist_quantiles(&h, q, 8, ns);
	assert_true(ns[0] == -1 && ns[7] == -1);
	for (int i = 0; i < 3000; i++) {
		hist_add(&h, (int64_t)rng_below(&r, (uint64_t)1 << rng_below(&r, 43)));
		hist_quantiles(&h, q, 8, ns);
		for (int k = 0; k < 8; k++)
			assert_true(ns[k] == hist_quantile(&h, q[k]));
		assert_true(ns[0] == h.min_ns && ns[7] == h.max_ns);
	}
	hist_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_at_once),
		cmocka_unit_test(quantiles_within_bound),
		cmocka_unit_test(every_bucket_edge_within_bound),
		cmocka_unit_test(table_in_comment_holds),
		cmocka_unit_test(buckets_tile_the_range),
		cmocka_unit_test(far_samples_are_counted_above),
		cmocka_unit_test(merge_equals_union),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
