/* SPDX-License-Identifier: Apache-2.0 */
/* calendar_test - days that are known, every day of 800 years there and back, and times as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static bool reads(const char *text, int64_t *s)
{
	const char *at = text, *end = text + strlen(text);

	return calendar_read_time(&at, end, s) && at == end;
}

static void times_are_read(void **state)
{
	int64_t s;

	(void)state;
	assert_true(reads("1970-01-01T00:00:00", &s));
	assert_int_equal(s, 0);
	assert_true(reads("2026-11-30T22:15:17", &s)); /* date -u -d 2026-11-30T22:15:17Z +%s */
	assert_int_equal(s, 1796076917);
	assert_true(reads("2016-12-31T23:59:60", &s));
	assert_int_equal(s, 1483228800);
	assert_true(reads("2024-02-29T00:00:00", &s));
}

static void times_that_are_none(void **state)
{
	static const char *const wrong[] = {
		"2026-02-31T00:00:00",
		"2026-13-01T00:00:00",
		"2026-00-01T00:00:00",
		"2026-01-00T00:00:00",
		"2026-01-01T24:00:00",
		"2026-01-01T00:60:00",
		"2026-01-01T00:00:61",
		"2026-+1-01T00:00:00",
		"2026- 1-01T00:00:00",
		"+026-01-01T00:00:00",
		"2026-01-01 00:00:00",
		"2026-1-01T00:00:00",
		"2026-01-01T00:00:-1",
		"2026-01-01T00:00:0",
		"2026-01-01",
		"-001-01-01T00:00:00",
		"2025-02-29T00:00:00",
		"\xd9\xa2"
		"026-01-01T00:00:00",
		"",
		"2026-01-01T00:00:00Z",
	};
	int64_t s;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (reads(wrong[i], &s))
			fail_msg("\"%s\" was taken for a time", wrong[i]);
}

/* What is behind end is not read, whatever stands there. */
static void reading_stops_at_the_end(void **state)
{
	const char *text = "2026-11-30", *at = text;
	struct date d;

	(void)state;
	assert_true(calendar_read_date(&at, text + 10, &d));
	assert_ptr_equal(at, text + 10);
	at = text;
	assert_false(calendar_read_date(&at, text + 9, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_days),
		cmocka_unit_test(days_follow_each_other),
		cmocka_unit_test(dates_that_do_not_exist),
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(times_that_are_none),
		cmocka_unit_test(reading_stops_at_the_end),
	};

	return cmocka_run_group_tests_name("calendar", tests, NULL, NULL);
}
