/* SPDX-License-Identifier: Apache-2.0 */
/* Known values of the t table (NIST/SEMATECH e-handbook, 1.3.6.7.2), whichever file was built. */
#include "results/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void tabled(void **state)
{
	static const struct {
		size_t degrees;
		double t;
	} row[] = {
		{ 1, 12.7062047362 },  { 2, 4.3026527297 },   { 3, 3.1824463053 },
		{ 4, 2.7764451052 },   { 5, 2.5705818356 },   { 9, 2.2621571628 },
		{ 29, 2.0452296421 },  { 30, 2.0422724563 },  { 100, 1.9839715185 },
		{ 200, 1.9718962236 }, { 201, 1.9718366019 }, { 1000, 1.9623390808 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_true(fabs(student_t95(row[i].degrees) / row[i].t - 1) < 1e-6);
}

static void falls_towards_normal(void **state)
{
	(void)state;
	for (size_t n = 1; n < 1000; n++)
		assert_true(student_t95(n + 1) < student_t95(n));
	assert_true(fabs(student_t95(100000000) - 1.959963984540054) < 1e-7);
}

/* R: 2 * pt(-2.5, 3.7), qt(0.975, 3.7), qt(0.975, 0.8), 2 * pt(-1.2, 250.5), 2 * pt(-40, 4) */
static void any_degrees(void **state)
{
	(void)state;
	assert_true(fabs(student_beyond(2.5, 3.7) / 7.18220229118e-02 - 1) < 1e-9);
	assert_true(fabs(student_beyond(-1.2, 250.5) / 2.31273004683e-01 - 1) < 1e-9);
	assert_true(fabs(student_beyond(40, 4) / 2.33401632260e-06 - 1) < 1e-8);
	assert_true(student_beyond(0, 4) == 1);
	assert_true(student_beyond(INFINITY, 4) == 0);
	assert_true(fabs(student_t95_real(3.7) / 2.86752070719 - 1) < 1e-9);
	assert_true(fabs(student_t95_real(0.8) / 23.327935796 - 1) < 1e-8);
	assert_true(fabs(student_t95_real(5) / student_t95(5) - 1) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tabled),
		cmocka_unit_test(any_degrees),
		cmocka_unit_test(falls_towards_normal),
	};

	return cmocka_run_group_tests_name("student", tests, NULL, NULL);
}
