/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng_test - the published recurrences again, known answers, and shapes of what is
 * drawn, with fixed seeds so that wide limits never fail by chance.
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

/* First outputs of splitmix64 for seed 1234567, as its authors' reference program gives them. */
static const uint64_t splitmix_vector[] = {
	UINT64_C(6457827717110365317),
	UINT64_C(3203168211198807973),
	UINT64_C(9817491932198370423),
	UINT64_C(4593380528125082431),
};

static void seeding_is_splitmix64(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 1234567);
	for (int i = 0; i < 4; i++)
		assert_true(r.s[i] == splitmix_vector[i]);
}

/* xoshiro256** with the state words by name, in the paper's matrix form: no code shared. */
static uint64_t step(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d)
{
	uint64_t five = *b + (*b << 2), turned = (five << 7) + (five >> 57);
	uint64_t next_a = *a ^ *b ^ *d, next_b = *a ^ *b ^ *c;
	uint64_t next_c = *a ^ *c ^ (*b << 17), mixed = *b ^ *d;

	*a = next_a;
	*b = next_b;
	*c = next_c;
	*d = (mixed << 45) + (mixed >> 19);
	return turned + (turned << 3);
}

static void outputs_follow_the_recurrence(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct rng r;
		uint64_t s[4];

		rng_seed(&r, seed * UINT64_C(0x123456789abcdef));
		memcpy(s, r.s, sizeof(s));
		for (int i = 0; i < 1000; i++)
			assert_true(rng_next(&r) == step(&s[0], &s[1], &s[2], &s[3]));
	}
}

/* From state 1, 2, 3, 4; the first three can be done by hand. */
static void known_answers(void **state)
{
	static const uint64_t expected[] = { 11520, 0, 1509978240, UINT64_C(1215971899390074240) };
	struct rng r = { { 1, 2, 3, 4 } };

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(rng_next(&r) == expected[i]);
}

/* Chi-square over `below` cells; its mean is below - 1, its deviation sqrt(2 (below - 1)). */
static void check_uniform(uint64_t seed, uint64_t below)
{
	const int draws = 100000;
	double expected = (double)draws / (double)below, chi2 = 0;
	double freedom = (double)below - 1;
	int cell[64] = { 0 };
	struct rng r;

	rng_seed(&r, seed);
	for (int i = 0; i < draws; i++) {
		uint64_t x = rng_below(&r, below);

		assert_true(x < below);
		cell[x]++;
	}
	for (uint64_t i = 0; i < below; i++)
		chi2 += (cell[i] - expected) * (cell[i] - expected) / expected;
	assert_true(fabs(chi2 - freedom) <= 5 * sqrt(2 * freedom));
}

static void below_is_uniform(void **state)
{
	(void)state;
	for (uint64_t below = 1; below <= 64; below++)
		check_uniform(2026 + below, below);
}

/*
 * Of 3 x 2^62 a plain remainder would give the lowest third twice as often as it
 * should: 1/2 instead of 1/3.
 */
static void large_bounds_have_no_bias(void **state)
{
	const uint64_t third = UINT64_C(1) << 62;
	int low = 0, draws = 30000;
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < draws; i++) {
		uint64_t x = rng_below(&r, 3 * third);

		assert_true(x < 3 * third);
		low += x < third;
	}
	assert_true(abs(low - draws / 3) < 500); /* six deviations */
}

static void unit_and_normal_have_their_moments(void **state)
{
	const int n = 200000;
	double sum = 0, squares = 0, fourth = 0, unit = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int i = 0; i < n; i++) {
		double u = rng_unit(&r), z = rng_normal(&r);

		assert_true(u >= 0 && u < 1);
		unit += u;
		sum += z;
		squares += z * z;
		fourth += z * z * z * z;
	}
	assert_true(fabs(unit / n - 0.5) < 0.004);
	assert_true(fabs(sum / n) < 0.015);
	assert_true(fabs(squares / n - 1) < 0.02);
	assert_true(fabs(fourth / n - 3) < 0.15);
}

/* The state whose output is all ones, by undoing the scrambler: x 9, turn by 7, x 5. */
static void unit_stays_below_one(void **state)
{
	const uint64_t ninth = UINT64_C(0x8e38e38e38e38e39), fifth = UINT64_C(0xcccccccccccccccd);
	uint64_t x = ninth * UINT64_MAX;
	struct rng r = { { 0, fifth * (x >> 7 | x << 57), 0, 0 } }, same = r;

	(void)state;
	assert_true(rng_next(&same) == UINT64_MAX);
	assert_true(rng_unit(&r) < 1);
}

static void shuffles_are_fair_and_keep_all(void **state)
{
	int seen[24] = { 0 };
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int i = 0; i < 24000; i++) {
		char order[4][3] = { "a0", "b1", "c2", "d3" }; /* three bytes: no machine word */
		int code = 0, all = 0;

		rng_shuffle(&r, order, 4, sizeof(order[0]));
		for (int j = 0; j < 4; j++) {
			int behind = 0;

			assert_int_equal(order[j][0] - 'a', order[j][1] - '0');
			all |= 1 << (order[j][0] - 'a');
			for (int k = j + 1; k < 4; k++)
				behind += order[k][0] < order[j][0];
			code = code * (4 - j) + behind;
		}
		assert_int_equal(all, 15);
		seen[code]++;
	}
	for (int i = 0; i < 24; i++)
		assert_true(seen[i] > 1000 - 200 && seen[i] < 1000 + 200);
	rng_shuffle(&r, NULL, 0, 8);
}

static void same_seed_same_order(void **state)
{
	int a[50], b[50];
	struct rng r;

	(void)state;
	for (int i = 0; i < 50; i++)
		a[i] = b[i] = i;
	rng_seed(&r, 99);
	rng_shuffle(&r, a, 50, sizeof(a[0]));
	rng_seed(&r, 99);
	rng_shuffle(&r, b, 50, sizeof(b[0]));
	assert_memory_equal(a, b, sizeof(a));
	rng_seed(&r, 100);
	rng_shuffle(&r, b, 50, sizeof(b[0]));
	assert_memory_not_equal(a, b, sizeof(a));
}

static void fresh_seeds_fit_json(void **state)
{
	uint64_t seen[20];

	(void)state;
	for (int i = 0; i < 20; i++) {
		seen[i] = rng_fresh_seed();
		assert_true(seen[i] < UINT64_C(1) << 53);
		for (int j = 0; j < i; j++)
			assert_true(seen[i] != seen[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeding_is_splitmix64),
		cmocka_unit_test(outputs_follow_the_recurrence),
		cmocka_unit_test(known_answers),
		cmocka_unit_test(below_is_uniform),
		cmocka_unit_test(large_bounds_have_no_bias),
		cmocka_unit_test(unit_and_normal_have_their_moments),
		cmocka_unit_test(unit_stays_below_one),
		cmocka_unit_test(shuffles_are_fair_and_keep_all),
		cmocka_unit_test(same_seed_same_order),
		cmocka_unit_test(fresh_seeds_fit_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
