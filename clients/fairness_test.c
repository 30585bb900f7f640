/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness_test - known answers: even, all for one, and the published example in between.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/fairness.h"

static void even_is_one(void **state)
{
	(void)state;
	struct fairness_client c[120];
	struct fairness f;
	for (int i = 0; i < 120; i++)
		c[i] = (struct fairness_client){ 17, 17 * 3000000, 17, 17 };
	fairness_judge(c, 120, &f);
	assert_int_equal(f.clients, 120);
	assert_int_equal(f.served, 120);
	assert_int_equal(f.requests_min, 17);
	assert_int_equal(f.requests_max, 17);
	assert_true(fabs(f.requests_jain - 1) < 1e-12);
	assert_true(fabs(f.mean_jain - 1) < 1e-12);
	assert_true(f.mean_min_ns == 3000000 && f.mean_max_ns == 3000000);
}

/* 10 get 10 dollars each of 100 people who should get a dollar: the index is 0.1. */
static void a_tenth_is_a_tenth(void **state)
{
	(void)state;
	struct fairness_client c[100] = { 0 };
	struct fairness f;
	for (int i = 0; i < 10; i++)
		c[i * 7] = (struct fairness_client){ 10, 10 * (i + 1) * 1000000, 10, 10 };
	fairness_judge(c, 100, &f);
	assert_true(fabs(f.requests_jain - 0.1) < 1e-12);
	assert_int_equal(f.requests_min, 0);
	assert_int_equal(f.served, 10);
	assert_true(f.mean_min_ns == 1e6 && f.mean_max_ns == 1e7);
	assert_true(fabs(f.mean_jain - 55.0 * 55 / (10 * 385)) < 1e-12);
}

static void nothing_has_no_index(void **state)
{
	(void)state;
	struct fairness_client c[3] = { 0 };
	struct fairness f;
	fairness_judge(c, 3, &f);
	assert_true(isnan(f.requests_jain) && isnan(f.mean_jain));
	assert_int_equal(f.served, 0);
	fairness_judge(c, 0, &f);
	assert_true(isnan(f.requests_jain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_is_one),
		cmocka_unit_test(a_tenth_is_a_tenth),
		cmocka_unit_test(nothing_has_no_index),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
