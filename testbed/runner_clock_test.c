/* SPDX-License-Identifier: Apache-2.0 */
/* runner_clock_test - estimates against clocks whose offset is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "testbed/runner_clock.h"

static void test_table(void **state)
{
	const struct clock_exchange x[] = { { 100, 140, 620 }, { 200, 210, 704 } };
	struct clock_estimate e = clock_estimate(x, 2);

	(void)state;
	assert_int_equal(e.offset_ns, 499);
	assert_int_equal(e.uncertainty_ns, 5);
	e = clock_estimate(x, 1);
	assert_int_equal(e.offset_ns, 500);
	assert_int_equal(e.uncertainty_ns, 20);
}

/* However lopsided the two ways are, the truth is inside the uncertainty. */
static void test_truth_is_inside(void **state)
{
	struct rng rng = testing_rng("runner_clock");

	(void)state;
	for (int round = 0; round < 5000; round++) {
		int64_t truth = (int64_t)rng_below(&rng, 2000000000) - 1000000000, now = 5000000000;
		struct clock_exchange x[16];
		struct clock_estimate e;
		int64_t shortest = INT64_MAX;

		for (int i = 0; i < 16; i++) {
			int64_t there = (int64_t)rng_below(&rng, 1000000);
			int64_t back = (int64_t)rng_below(&rng, 1000000);

			x[i] = (struct clock_exchange){ now, now + there + back,
							now + there + truth };
			now += there + back + 1000;
			shortest = there + back < shortest ? there + back : shortest;
		}
		e = clock_estimate(x, 16);
		assert_true(llabs(e.offset_ns - truth) <= e.uncertainty_ns);
		assert_true(e.uncertainty_ns <= shortest / 2 + 1);
	}
}

static void test_drift_is_covered(void **state)
{
	const struct clock_estimate before = { 1000, 10 }, after = { 1100, 4 };
	struct clock_estimate e = clock_between(&before, &after);

	(void)state;
	assert_int_equal(e.offset_ns, 1050);
	assert_int_equal(e.uncertainty_ns, 60);
	e = clock_between(&after, &before);
	assert_int_equal(e.offset_ns, 1050);
	assert_int_equal(e.uncertainty_ns, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_truth_is_inside),
		cmocka_unit_test(test_drift_is_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
