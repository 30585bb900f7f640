/* SPDX-License-Identifier: Apache-2.0 */
/* replay_number_test - times as logs write them, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "power/replay_number.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

static void times_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t s;
	} rows[] = {
		{ "1970-01-01 00:00:00", 0 },
		{ "2024-02-29T12:00:00", 1709208000 }, /* date -u -d TEXT +%s */
		{ "29-02-2024 12:00:00", 1709208000 },
		{ "2024/2/29 12:0:0", 1709208000 },
		{ "2025-09-03 07:05:04Z", 1756883104 },
		{ "2025-09-03 09:05:04+02:00", 1756883104 },
		{ "100:00:01", 360001 },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct stamp s;

		if (!stamp_read(rows[i].text, strlen(rows[i].text), &s))
			fail_msg("\"%s\" is not read", rows[i].text);
		assert_int_equal(stamp_ns(&s, false), rows[i].s * INT64_C(1000000000));
	}
}

static void days_that_there_are_not(void **state)
{
	static const char *const rows[] = {
		"2025-02-29 12:00:00", "31-02-2024 12:00:00", "2024-04-31 12:00:00",
		"2024-13-01 12:00:00", "2024-00-01 12:00:00", "2024-01-00 12:00:00",
		"2024-01-01 24:00:00", "2024-+1-01 12:00:00", "1969-12-31 12:00:00",
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct stamp s;

		if (stamp_read(rows[i], strlen(rows[i]), &s))
			fail_msg("\"%s\" was taken for a time", rows[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(days_that_there_are_not),
	};

	return cmocka_run_group_tests_name("replay_number", tests, NULL, NULL);
}
