/* SPDX-License-Identifier: Apache-2.0 */
/* figure_test - digits follow the interval, and what is unknown is not a number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/figure.h"

static void is_interval(double mean, double lo, double hi, const char *expected)
{
	const struct interval i = { mean, lo, hi, 5 };
	char text[FIGURE_BYTES];

	figure_interval(&i, text);
	assert_string_equal(text, expected);
}

static void is_range(double mean, double lo, double hi, const char *expected)
{
	const struct interval i = { mean, lo, hi, 5 };
	char text[FIGURE_BYTES];

	figure_range(&i, text);
	assert_string_equal(text, expected);
}

static void digits_follow_the_interval(void **state)
{
	(void)state;
	is_interval(600, 542.7, 657.3, "600 ± 57");
	is_interval(1234.567, 1231.357, 1237.777, "1234.6 ± 3.2");
	is_interval(0.0123, 0.0113, 0.0133, "0.0123 ± 0.0010");
	is_interval(26637, 24644, 28630, "26637 ± 1993");
	is_interval(4, 4, 4, "4.0000 ± 0.0000");
	is_interval(-2.5, -3.5, -1.5, "-2.5 ± 1.0");
	is_interval(720, 690, 850, "720 (690 to 850)"); /* lopsided */
	is_range(2.9, 2.7, 3.1, "2.90 (2.70 to 3.10)");
	is_range(1.004, 0.95, 1.061, "1.004 (0.950 to 1.061)");
}

static void unknown_is_said(void **state)
{
	(void)state;
	is_interval(NAN, NAN, NAN, "-");
	is_interval(INFINITY, NAN, NAN, "-");
	is_interval(600, NAN, NAN, "600 ± ?");
	is_range(2.9, NAN, NAN, "2.90");
	is_range(NAN, NAN, NAN, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_follow_the_interval),
		cmocka_unit_test(unknown_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
