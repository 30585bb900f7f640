/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers written for people: three digits, the nearest unit, and never another value than read. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "lib/units.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void durations_for_people(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{ 0, "0 ns" },
		{ 1, "1 ns" },
		{ 999, "999 ns" },
		{ 1000, "1 µs" },
		{ 1234567, "1.23 ms" },
		{ 85000000, "85 ms" },
		{ 999499999, "999 ms" },
		{ 999500000, "1 s" }, /* never "1000 ms" */
		{ 1200000000, "1.2 s" },
		{ 59900000000, "59.9 s" },
		{ 59960000000, "1 min" },
		{ 200000000000, "3 min 20 s" },
		{ 3599700000000, "1 h" },
		{ 7500000000000, "2 h 5 min" },
		{ 7199700000000, "2 h" },
		{ -1200000000, "-1.2 s" },
		{ INT64_MAX, "2562047 h 47 min" },
		{ INT64_MIN, "-2562047 h 47 min" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		units_format_duration(rows[i].ns, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
	units_format_duration(200000000000, text, 6);
	assert_string_equal(text, "3 min");
}

static void sizes_for_people(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0 B" },
		{ 512, "512 B" },
		{ 999, "999 B" },
		{ 1000, "1 kB" },
		{ 1024, "1 KiB" },
		{ 16384, "16 KiB" },
		{ 1500000, "1.5 MB" },
		{ 1 << 20, "1 MiB" },
		{ 999999, "1 MB" },
		{ 1234, "1.23 kB" },
		{ INT64_C(3) << 40, "3 TiB" },
		{ INT64_MAX, "9.22 EB" },
		{ -512, "-512 B" },
		{ -2048, "-2 KiB" },
		{ INT64_MIN, "-9.22 EB" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		units_format_bytes(rows[i].bytes, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void reals_for_people(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 1, "1.00" },
		{ 1234, "1234" },
		{ 56.7, "56.7" },
		{ 0.0123, "0.0123" },
		{ 0.999, "0.999" },
		{ 0.9996, "1.00" },
		{ 9.996, "10.0" },
		{ 99.96, "100" },
		{ 999.6, "1000" },
		{ 123456.7, "123457" },
		{ -2.5, "-2.50" },
		{ 1e-6, "0.00000100" },
		{ 1e-30, "0" },
		{ -1e-30, "0" },
		{ NAN, "-" },
		{ INFINITY, "-" },
		{ 100, "100" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		units_format_real(rows[i].value, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

/* Three significant digits are within half a unit of the third, for any value. */
static void reals_stay_close(void **state)
{
	struct rng r = testing_rng(__func__);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		double value = (rng_below(&r, 2) ? 1 : -1) * pow(10, -12 + 18 * rng_unit(&r)), back;
		struct fail f = { 0 };
		char text[64];

		units_format_real(value, text, sizeof(text));
		if (units_real(text, &back, &f))
			fail_msg("%s", f.text);
		if (fabs(back - value) > fabs(value) * 0.00501)
			fail_msg("%.17g is written %s", value, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_for_people),
		cmocka_unit_test(sizes_for_people),
		cmocka_unit_test(reals_for_people),
		cmocka_unit_test(reals_stay_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
