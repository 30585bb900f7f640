/* SPDX-License-Identifier: Apache-2.0 */
/* calendar_test - days that are known, and every day of 800 years, there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/calendar.h"

static void known_days(void **state)
{
	(void)state;
	assert_int_equal(calendar_days((struct date){ 1970, 1, 1 }), 0);
	assert_int_equal(calendar_days((struct date){ 1969, 12, 31 }), -1);
	assert_int_equal(calendar_days((struct date){ 2000, 2, 29 }), 11016);
	assert_int_equal(calendar_days((struct date){ 2026, 12, 1 }), 20788);
}

/* Every day of 800 years follows the one before it, in both directions. */
static void days_follow_each_other(void **state)
{
	struct date d = { 1600, 1, 1 };
	int64_t days = calendar_days(d);

	(void)state;
	for (; d.year < 2400; days++) {
		struct date back = calendar_date(days);

		assert_int_equal(calendar_days(d), days);
		assert_int_equal(back.year, d.year);
		assert_int_equal(back.month, d.month);
		assert_int_equal(back.day, d.day);
		if (++d.day > calendar_month_days(d.year, d.month)) {
			d.day = 1;
			d.year += d.month == 12;
			d.month = d.month % 12 + 1;
		}
	}
}

static void dates_that_do_not_exist(void **state)
{
	(void)state;
	assert_true(calendar_valid((struct date){ 2000, 2, 29 }));
	assert_false(calendar_valid((struct date){ 1900, 2, 29 }));
	assert_false(calendar_valid((struct date){ 2001, 13, 1 }));
	assert_false(calendar_valid((struct date){ 2001, 4, 31 }));
	assert_false(calendar_valid((struct date){ 2001, 4, 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_days),
		cmocka_unit_test(days_follow_each_other),
		cmocka_unit_test(dates_that_do_not_exist),
	};

	return cmocka_run_group_tests_name("calendar", tests, NULL, NULL);
}
