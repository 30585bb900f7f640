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

/* 95 % of what cannot be negative: never "-112395 to 161049". */
static void what_cannot_be_negative_ends_at_zero(void **state)
{
	struct interval wide = { 54282, -112395, 161049, 3 }, drift = { 0.5, -0.3, 1.3, 3 };
	const struct interval sure = { 600, 543, 657, 3 }, none = { 0, 0, 0, 3 };
	char text[FIGURE_BYTES];

	(void)state;
	is_interval(54282, -112395, 161049, "54282 (0 to 161049)");
	is_interval(2221, 2221 - 10939, 2221 + 10939, "2221 (0 to 13160)");
	is_interval(600, 0.001, 1200, "600 ± 600");   /* as far as it may go */
	is_range(13, 0.14, 1202, "13 (0.1 to 1202)"); /* 0 would be a cut */
	figure_signed(&drift, text);
	assert_string_equal(text, "0.50 ± 0.80");
	assert_true(figure_reaches_zero(&wide) && !figure_reaches_zero(&sure));
	assert_false(figure_reaches_zero(&none));
	assert_true(figure_cut(&wide) && wide.lo == 0 && wide.hi == 161049);
	assert_true(figure_cut(&wide));
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
		cmocka_unit_test(what_cannot_be_negative_ends_at_zero),
		cmocka_unit_test(unknown_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
