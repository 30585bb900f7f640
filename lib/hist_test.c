/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist_test - quantiles against sorted samples, merging against union, and bytes
 * that were tampered with.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/testing.h"

#define SAMPLES_MAX 4000

enum shape { TINY, UNIFORM, HEAVY, WIDE, SHAPES };

static int64_t draw(struct rng *r, enum shape shape)
{
	switch (shape) {
	case TINY:
		return (int64_t)rng_below(r, 1500);
	case UNIFORM:
		return (int64_t)rng_below(r, 50 * 1000 * 1000);
	case HEAVY: /* Pareto with an infinite mean, cut below HIST_MAX_NS */
		return (int64_t)fmin(1000 / pow(1 - rng_unit(r), 1.2), (double)HIST_MAX_NS - 1);
	default: /* every octave alike */
		return (int64_t)(rng_next(r) >> (22 + rng_below(r, 42)));
	}
}

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

static void assert_same(const struct hist *a, const struct hist *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->above, b->above);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_true(fabs(a->sum_ns - b->sum_ns) <= fabs(b->sum_ns) * 1e-12);
	assert_memory_equal(a->bucket, b->bucket, sizeof(*a->bucket) * (size_t)hist_bucket_count());
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

static void fill_and_encode(struct rng *r, struct hist *h, struct buf *b)
{
	int n = (int)rng_below(r, 200);

	hist_clear(h);
	for (int i = 0; i < n; i++)
		hist_add(h, draw(r, (enum shape)(i % SHAPES)) + (i % 50 ? 0 : HIST_MAX_NS));
	buf_clear(b);
	hist_encode(h, b);
	assert_false(b->failed);
}

static void decode_gives_back(void **state)
{
	struct rng r = testing_rng(__func__);
	struct hist h, back;
	struct fail f = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	assert_int_equal(hist_init(&back), 0);
	for (int trial = 0; trial < 200; trial++) {
		fill_and_encode(&r, &h, &b);
		assert_int_equal(hist_decode(&back, b.data, b.len, &f), 0);
		assert_same(&back, &h);
		assert_true(back.sum_ns == h.sum_ns);
		for (size_t cut = 0; cut < b.len;
		     cut += 1 + b.len / 9) { /* a short one is refused */
			assert_int_equal(hist_decode(&back, b.data, cut, &f), -1);
			assert_int_equal(back.count, 0);
			fail_clear(&f);
		}
		buf_byte(&b, 0);
		assert_int_equal(hist_decode(&back, b.data, b.len, &f), -1);
		assert_non_null(strstr(f.text, "histogram"));
		fail_clear(&f);
	}
	hist_release(&h);
	hist_release(&back);
	buf_release(&b);
}

/* One sample in the last bucket, and the same one bucket further on. */
static void a_bucket_beyond_the_last_is_refused(void **state)
{
	struct fail f = { 0 };
	struct buf b = { 0 };
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	hist_add(&h, HIST_MAX_NS - 1);
	hist_encode(&h, &b);
	assert_int_equal(hist_decode(&h, b.data, b.len, &f), 0);
	assert_int_equal(b.data[b.len - 1], 1);             /* the count */
	assert_int_equal((uint8_t)b.data[b.len - 4], 0x80); /* 17408 as a varint: 80 88 01 */
	b.data[b.len - 4]++;
	assert_int_equal(hist_decode(&h, b.data, b.len, &f), -1);
	hist_release(&h);
	buf_release(&b);
}

static void add_counts(void *data, int64_t low_ns, int64_t high_ns, uint64_t count)
{
	(void)low_ns;
	(void)high_ns;
	*(uint64_t *)data += count;
}

static void mutate(struct rng *r, uint8_t *data, size_t *len)
{
	for (uint64_t n = 1 + rng_below(r, 3); n && *len; n--) {
		size_t at = (size_t)rng_below(r, *len);

		switch (rng_below(r, 4)) {
		case 0:
			data[at] = (uint8_t)rng_next(r);
			break;
		case 1:
			data[at] ^= (uint8_t)(1 << rng_below(r, 8));
			break;
		case 2:
			memmove(data + at, data + at + 1, *len - at - 1);
			--*len;
			break;
		default:
			data[at] = (uint8_t)(data[at] + (rng_below(r, 2) ? 1 : -1));
		}
	}
}

static void check_consistent(const struct hist *h)
{
	uint64_t total = h->above;

	hist_each(h, add_counts, &total);
	assert_int_equal(total, h->count);
	if (!h->count)
		return;
	for (double q = 0; q <= 1; q += 0.25) {
		int64_t ns = hist_quantile(h, q);

		assert_true(ns >= h->min_ns && ns <= h->max_ns);
	}
	assert_true(hist_mean(h) >= (double)h->min_ns * (1 - 1e-8));
	assert_true(hist_mean(h) <= (double)h->max_ns * (1 + 1e-8));
}

static void damaged_bytes_are_refused_or_consistent(void **state)
{
	struct rng r = testing_rng(__func__);
	struct buf b = { 0 };
	int accepted = 0;
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	for (int trial = 0; trial < 10000; trial++) {
		struct fail f = { 0 };
		uint8_t *copy;
		size_t len;

		if (trial % 100 == 0)
			fill_and_encode(&r, &h, &b);
		len = b.len;
		copy = malloc(len ? len : 1); /* its own size, so that a sanitizer sees the edge */
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		mutate(&r, copy, &len);
		if (hist_decode(&h, copy, len, &f))
			assert_int_equal(h.count, 0);
		else
			accepted++;
		check_consistent(&h);
		free(copy);
	}
	printf("%d of 10000 damaged histograms were still consistent\n", accepted);
	hist_release(&h);
	buf_release(&b);
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
		cmocka_unit_test(decode_gives_back),
		cmocka_unit_test(a_bucket_beyond_the_last_is_refused),
		cmocka_unit_test(damaged_bytes_are_refused_or_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
