/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrival_test - schedules in simulated time: the asked rate is kept and never exceeded, threads
 * share it without a start twice or missing, and Poisson gaps are exponential.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/arrival.h"
#include "lib/clock.h"
#include "lib/testing.h"

#define ORIGIN_NS INT64_C(123456789012345)

static int64_t next_ns(struct arrival *a)
{
	return a->ops->next_ns(a, 0);
}

static void closed_loop_follows_its_client(void **state)
{
	(void)state;
	struct arrival a;
	arrival_closed(&a, 0);
	assert_false(a.ops->open);
	assert_int_equal(a.ops->next_ns(&a, 0), 0);
	assert_int_equal(a.ops->next_ns(&a, INT64_C(123456789012)), INT64_C(123456789012));
	arrival_closed(&a, 250 * NS_PER_MS);
	assert_int_equal(a.ops->next_ns(&a, ORIGIN_NS), ORIGIN_NS + 250 * NS_PER_MS);
}

/* Starts in (origin, origin + span]. */
static int64_t starts_within(double rate_per_s, int64_t span_ns)
{
	struct arrival a;
	int64_t n = 0;
	arrival_fixed(&a, rate_per_s, 0, 1);
	a.ops->restart(&a, ORIGIN_NS);
	while (next_ns(&a) <= ORIGIN_NS + span_ns)
		n++;
	return n;
}

/* L10, L11: within 1 % or one request a second of the rate, never above it. */
static void fixed_rate_is_kept_and_never_exceeded(void **state)
{
	(void)state;
	static const double rates[] = { 1,   2,    3,    7,     10,    33,    70,    78,    99.5,
					333, 1000, 3497, 11506, 33333, 70000, 99999, 100000 };
	struct rng rng = testing_rng("fixed_rate_is_kept_and_never_exceeded");
	for (int i = 0; i < 60; i++) {
		double rate = i < 17 ? rates[i] : 1 + (double)rng_below(&rng, 100000);
		int64_t span_ns = (int64_t)(1 + rng_below(&rng, 3000)) * NS_PER_MS;
		double asked = rate * (double)span_ns / NS_PER_S;
		double got = (double)starts_within(rate, span_ns);
		assert_true(got <= asked);
		assert_true(got >= asked - fmax(0.01 * asked, 1));
	}
}

static void kth_start_is_exact(void **state)
{
	(void)state;
	struct arrival a;
	arrival_fixed(&a, 3, 0, 1); /* a period that is no whole number */
	a.ops->restart(&a, ORIGIN_NS);
	for (int64_t k = 1; k < 100000; k++)
		assert_int_equal(next_ns(&a), ORIGIN_NS + k * 333333334);
}

/* The plans of several threads together are the plan of one. */
static void threads_share_a_schedule(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 5; threads++) {
		struct arrival one, part[5];
		arrival_fixed(&one, 70, 0, 1);
		for (int i = 0; i < threads; i++)
			arrival_fixed(&part[i], 70, i, threads);
		for (int again = 0; again < 2; again++) {
			one.ops->restart(&one, ORIGIN_NS * again);
			for (int i = 0; i < threads; i++)
				part[i].ops->restart(&part[i], ORIGIN_NS * again);
			for (int k = 0; k < 7 * threads; k++)
				assert_int_equal(next_ns(&part[k % threads]), next_ns(&one));
		}
	}
}

static void poisson_gaps_are_exponential(void **state)
{
	(void)state;
	struct arrival a, same;
	struct rng rng = testing_rng("poisson_gaps_are_exponential");
	uint64_t seed = rng_next(&rng) >> 11;
	double sum = 0, squares = 0, long_ones = 0;
	int64_t before = ORIGIN_NS;
	const int n = 200000;
	arrival_poisson(&a, 1000, seed, 0, 1);
	arrival_poisson(&same, 1000, seed, 0, 1);
	a.ops->restart(&a, ORIGIN_NS);
	same.ops->restart(&same, ORIGIN_NS);
	for (int i = 0; i < n; i++) {
		int64_t due = next_ns(&a);
		double gap = (double)(due - before) / NS_PER_MS;
		assert_int_equal(next_ns(&same), due);
		assert_true(due >= before);
		sum += gap;
		squares += gap * gap;
		long_ones += gap > 1;
		before = due;
	}
	double mean = sum / n, variance = squares / n - mean * mean;
	/* Six standard errors: of the mean 1/sqrt(n), of the variance sqrt(8/n), of a share. */
	assert_true(fabs(mean - 1) < 6 / sqrt(n));
	assert_true(fabs(variance - 1) < 6 * sqrt(8.0 / n));
	assert_true(fabs(long_ones / n - exp(-1)) < 6 * 0.5 / sqrt(n));
}

static void poisson_threads_differ_and_add_up(void **state)
{
	(void)state;
	struct arrival a[4];
	int64_t n = 0, first[4];
	for (int i = 0; i < 4; i++) {
		arrival_poisson(&a[i], 10000, 42, i, 4);
		a[i].ops->restart(&a[i], 0);
		first[i] = next_ns(&a[i]);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(first[i], first[k]);
		while (next_ns(&a[i]) <= 10 * NS_PER_S)
			n++;
	}
	assert_in_range(n, 100000 - 1900, 100000 + 1900); /* six times sqrt(n) */
}

static void pause_grows_and_ends(void **state)
{
	(void)state;
	assert_int_equal(arrival_pause_ns(-1), 0);
	assert_int_equal(arrival_pause_ns(0), 0);
	assert_int_equal(arrival_pause_ns(1), 1000000);
	assert_int_equal(arrival_pause_ns(7), 64000000);
	for (int i = 1; i < 100; i++)
		assert_true(arrival_pause_ns(i + 1) >= arrival_pause_ns(i));
	assert_int_equal(arrival_pause_ns(8), ARRIVAL_PAUSE_MAX_NS);
	assert_int_equal(arrival_pause_ns(INT32_MAX), ARRIVAL_PAUSE_MAX_NS);
}

static void slots_are_a_period_apart_and_never_made_up(void **state)
{
	(void)state;
	struct pacer p;
	pacer_init(&p, 100, ORIGIN_NS, 0, 1);
	assert_int_equal(pacer_take(&p, ORIGIN_NS), ORIGIN_NS);
	assert_int_equal(pacer_take(&p, ORIGIN_NS), ORIGIN_NS + 10 * NS_PER_MS);
	assert_int_equal(pacer_take(&p, ORIGIN_NS), ORIGIN_NS + 20 * NS_PER_MS);
	assert_int_equal(pacer_take(&p, ORIGIN_NS + NS_PER_S), ORIGIN_NS + NS_PER_S);
	assert_int_equal(pacer_take(&p, ORIGIN_NS), ORIGIN_NS + NS_PER_S + 10 * NS_PER_MS);
	pacer_init(&p, 0, ORIGIN_NS, 0, 1);
	assert_int_equal(pacer_take(&p, 5), 5);
	assert_int_equal(pacer_take(&p, 5), 5);
	pacer_init(&p, 100, 0, 1, 2); /* the second of two threads */
	assert_int_equal(pacer_take(&p, 0), 10 * NS_PER_MS);
	assert_int_equal(pacer_take(&p, 0), 30 * NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop_follows_its_client),
		cmocka_unit_test(fixed_rate_is_kept_and_never_exceeded),
		cmocka_unit_test(kth_start_is_exact),
		cmocka_unit_test(threads_share_a_schedule),
		cmocka_unit_test(poisson_gaps_are_exponential),
		cmocka_unit_test(poisson_threads_differ_and_add_up),
		cmocka_unit_test(pause_grows_and_ends),
		cmocka_unit_test(slots_are_a_period_apart_and_never_made_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
