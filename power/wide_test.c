/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide_test - against the compiler's 128-bit type where there is one, and by identity.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "power/wide.h"

#define TRIALS 200000

static int64_t any(struct rng *r)
{
	return (int64_t)rng_next(r) >> rng_below(r, 64);
}

static void fixed_cases(void **state)
{
	int64_t q, rest;

	(void)state;
	assert_true(wide_muldiv(INT64_MAX, INT64_MAX, INT64_MAX, &q, &rest));
	assert_int_equal(q, INT64_MAX);
	assert_int_equal(rest, 0);
	assert_true(wide_muldiv(-7, 1, 2, &q, &rest));
	assert_int_equal(q, -3);
	assert_int_equal(rest, -1);
	assert_false(wide_muldiv(INT64_MAX, 2, 1, &q, NULL));
	assert_false(wide_muldiv(1, 1, 0, &q, NULL));
	assert_true(wide_muldiv_round(5, 1, 2, &q));
	assert_int_equal(q, 3);
	assert_true(wide_muldiv_round(-5, 1, 2, &q));
	assert_int_equal(q, -3);
	assert_true(wide_muldiv_round(7, 1, 3, &q));
	assert_int_equal(q, 2);
}

static void random_cases(void **state)
{
	const uint64_t seed = 1;
	struct rng r;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < TRIALS; i++) {
		int64_t a = any(&r), b = any(&r), d = any(&r), q = 0, rest = 0;
		bool fits;

		if (d <= 0)
			d = d == INT64_MIN || d == 0 ? 1 : -d;
		fits = wide_muldiv(a, b, d, &q, &rest);
#ifdef __SIZEOF_INT128__
		__int128 exact = (__int128)a * b;

		assert_int_equal(fits, exact / d <= INT64_MAX && exact / d >= -INT64_MAX);
		if (fits) {
			assert_int_equal(q, (int64_t)(exact / d));
			assert_int_equal(rest, (int64_t)(exact % d));
		}
#endif
		/* Modulo 2^64 the identity holds on every machine. */
		if (fits)
			assert_int_equal((uint64_t)q * (uint64_t)d + (uint64_t)rest,
					 (uint64_t)a * (uint64_t)b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_cases),
		cmocka_unit_test(random_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
