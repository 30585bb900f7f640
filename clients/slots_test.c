/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots_test - known answers, the shape of the published tables, and random samples against a
 * count that sorts them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clients/slots.h"
#include "lib/testing.h"

#define MS INT64_C(1000000)

static void nothing_is_no_value(void **state)
{
	(void)state;
	struct slots s;
	char text[SLOTS_BYTES];
	assert_int_equal(slots_init(&s), 0);
	slots_add(&s, -1);
	assert_int_equal(slots_percentile_ms(&s, 950), -1);
	assert_true(isnan(slots_average_ms(&s)));
	assert_string_equal(slots_format(&s, text), "no values available!");
	slots_release(&s);
}

/* Edges: 4.999999 ms is the first slot, 5 ms the second; above the range is the last one. */
static void edges_and_the_maximum(void **state)
{
	(void)state;
	struct slots s;
	assert_int_equal(slots_init(&s), 0);
	for (int i = 0; i < 1000; i++)
		slots_add(&s, i < 900 ? 5 * MS - 1 : i < 999 ? 5 * MS : 41 * MS);
	assert_int_equal(slots_percentile_ms(&s, 50), 4);
	assert_int_equal(slots_percentile_ms(&s, 950), 9);
	/* Rank 1 from the top is the second longest. */
	assert_int_equal(slots_percentile_ms(&s, 999), 9);
	slots_add(&s, 3600000 * MS);
	assert_int_equal(s.slot[SLOTS - 1], 1);
	assert_int_equal(s.max_ns, 3600000 * MS);
	slots_release(&s);
}

/* Table 1 of the study: 34 44 45 45, where 45 is the maximum itself. */
static void published_shapes_come_out(void **state)
{
	(void)state;
	struct slots s;
	char text[SLOTS_BYTES];
	assert_int_equal(slots_init(&s), 0);
	for (int i = 0; i < 200; i++)
		slots_add(&s, i < 189   ? 21 * MS + 345678
			      : i < 197 ? 33 * MS
			      : i < 199 ? 41 * MS
					: 45 * MS + 900000);
	assert_string_equal(slots_format(&s, text),
			    "#: 200, avg.: 22.13 ms, 95%: 34 ms, 99%: 44 ms, 99.9%: 45 ms, "
			    "max.: 45 ms");
	slots_release(&s);
	assert_int_equal(slots_init(&s), 0);
	for (int i = 0; i < 10; i++)
		slots_add(&s, 250000);
	assert_string_equal(slots_format(&s, text),
			    "#: 10, sum.: 2 ms, 95%: 0 ms, 99%: 0 ms, 99.9%: 0 ms, max.: 0 ms");
	slots_release(&s);
}

static int descending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x < y) - (x > y);
}

/* The value is the upper edge of the slot of the sample with that rank from the top. */
static void random_samples_agree_with_sorting(void **state)
{
	(void)state;
	static const int per_mille[] = { 1, 500, 950, 990, 999 };
	struct rng rng = testing_rng("slots");
	for (int trial = 0; trial < 2000; trial++) {
		struct slots a, b;
		int64_t sample[300], sum_ns = 0;
		int n = 1 + (int)(rng_next(&rng) % 300);
		int64_t range_ns = (int64_t)1 << (10 + rng_next(&rng) % 25);
		assert_int_equal(slots_init(&a) | slots_init(&b), 0);
		for (int i = 0; i < n; i++) {
			sample[i] = (int64_t)(rng_next(&rng) % (uint64_t)range_ns);
			sum_ns += sample[i];
			slots_add(i & 1 ? &a : &b, sample[i]);
		}
		slots_merge(&a, &b);
		qsort(sample, (size_t)n, sizeof(sample[0]), descending);
		assert_int_equal(a.count, n);
		assert_true(slots_average_ms(&a) == (double)(sum_ns / MS) / n);
		for (int i = 0; i < 5; i++) {
			int rank = n * (1000 - per_mille[i]) / 1000;
			int64_t slot = sample[rank] / SLOT_NS;
			int64_t edge_ns = ((slot < SLOTS ? slot : SLOTS - 1) + 1) * SLOT_NS - 1;
			assert_int_equal(slots_percentile_ms(&a, per_mille[i]),
					 (edge_ns < sample[0] ? edge_ns : sample[0]) / MS);
		}
		slots_release(&a);
		slots_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_no_value),
		cmocka_unit_test(edges_and_the_maximum),
		cmocka_unit_test(published_shapes_come_out),
		cmocka_unit_test(random_samples_agree_with_sorting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
