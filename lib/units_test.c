/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units_test - tables of what is read and what is refused, and texts for people.
 */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define UNTOUCHED INT64_C(-77)

/* What no reader takes, whatever its unit. */
static const char *const never[] = {
	"",    " ",    "-",   ".",     "+",     "nan", "inf", "-inf", "infinity", "0x10",
	"0b1", "1,5",  "1 ",  " 1",    "\t1",   "1\n", "+1",  "1..5", "1.2.3",    "--1",
	"1e",  "1.e3", "1_0", "1'000", "1 000", ".5",  "5.",  "one",  "NaN",      "\xc2\xb2",
};

struct whole {
	const char *text;
	int64_t value; /* UNTOUCHED: refused */
};

static void check_whole(const struct whole *rows, size_t n,
			int (*read)(const char *, int64_t *, struct fail *))
{
	for (size_t i = 0; i < n; i++) {
		bool good = rows[i].value != UNTOUCHED;
		int64_t value = UNTOUCHED;
		struct fail f = { 0 };
		int status = read(rows[i].text, &value, &f);

		if (value != rows[i].value || status != (good ? 0 : -1))
			fail_msg("'%s': status %d, value %lld", rows[i].text, status,
				 (long long)value);
		if (good)
			continue;
		assert_int_not_equal(f.code, 0);
		assert_non_null(
			strstr(f.text, rows[i].text)); /* the value given is in the reason */
		assert_non_null(strstr(f.text, "expected"));
	}
}

static void check_never(int (*read)(const char *, int64_t *, struct fail *))
{
	for (size_t i = 0; i < COUNT(never); i++) {
		struct whole row = { never[i], UNTOUCHED };

		check_whole(&row, 1, read);
	}
}

static void durations(void **state)
{
	static const struct whole rows[] = {
		{ "500ms", 500000000 },
		{ "5s", 5000000000 },
		{ "1.5s", 1500000000 },
		{ "2m", 120000000000 },
		{ "2min", 120000000000 },
		{ "1h", 3600000000000 },
		{ "30us", 30000 },
		{ "100ns", 100 },
		{ "0", 0 },
		{ "0s", 0 },
		{ "007s", 7000000000 },
		{ "0.3s", 300000000 }, /* 0.3 has no exact double */
		{ "0.000000001s", 1 },
		{ "1.50000000000000000000000000000000000s", 1500000000 },
		{ "9223372036854775807ns", INT64_MAX },
		{ "9223372036854775808ns", UNTOUCHED },
		{ "9223372036s", 9223372036000000000 },
		{ "9223372037s", UNTOUCHED },
		{ "2562048h", UNTOUCHED },
		{ "99999999999999999999999999999999999999999999s", UNTOUCHED },
		{ "340282366920938463463374607431768211457ns", UNTOUCHED }, /* 2^128 + 1 */
		{ "0.0000000001s", UNTOUCHED },
		{ "0.1ns", UNTOUCHED },
		{ "0.0000ns", 0 },
		{ "9223372036.854775807s", INT64_MAX },
		{ "9223372036.854775808s", UNTOUCHED },
		{ "0.00000000000025h", UNTOUCHED }, /* 0.9 ns */
		{ "0.0000000000025h", 9 },
		{ "5", UNTOUCHED },
		{ "5 s", UNTOUCHED },
		{ "-1s", UNTOUCHED },
		{ "-0", UNTOUCHED },
		{ "1e3s", UNTOUCHED },
		{ "0x10s", UNTOUCHED },
		{ "5S", UNTOUCHED },
		{ "5sec", UNTOUCHED },
		{ "5s ", UNTOUCHED },
		{ "1,5s", UNTOUCHED },
		{ ".5s", UNTOUCHED },
		{ "5.s", UNTOUCHED },
		{ "s", UNTOUCHED },
		{ "infs", UNTOUCHED },
		{ "1h30m", UNTOUCHED },
	};

	(void)state;
	check_whole(rows, COUNT(rows), units_duration);
	check_never(units_duration);
}

static void sizes(void **state)
{
	static const struct whole rows[] = {
		{ "512", 512 },
		{ "512B", 512 },
		{ "16KiB", 16384 },
		{ "128kB", 128000 },
		{ "1MiB", 1048576 },
		{ "1MB", 1000000 },
		{ "2GB", 2000000000 },
		{ "2GiB", INT64_C(2) << 30 },
		{ "1.5KiB", 1536 },
		{ "0.5kB", 500 },
		{ "1.0B", 1 },
		{ "0", 0 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", UNTOUCHED },
		{ "8589934592GiB", UNTOUCHED },
		{ "8589934591.999999999GiB", UNTOUCHED },
		{ "0.0009765625MiB", 1024 },
		{ "18446744073709551616", UNTOUCHED }, /* 2^64 */
		{ "18446744073709551617", UNTOUCHED },
		{ "0.3B", UNTOUCHED },
		{ "0.0001kB", UNTOUCHED },
		{ "-1", UNTOUCHED },
		{ "-1KiB", UNTOUCHED },
		{ "5 KiB", UNTOUCHED },
		{ "5kb", UNTOUCHED },
		{ "5K", UNTOUCHED },
		{ "5KB", UNTOUCHED }, /* 1000 or 1024? ask */
		{ "1e3", UNTOUCHED },
		{ "0x10", UNTOUCHED },
		{ "0x10B", UNTOUCHED },
	};

	(void)state;
	check_whole(rows, COUNT(rows), units_bytes);
	for (size_t i = 0; i < COUNT(never); i++) {
		struct whole row = { never[i], UNTOUCHED };

		check_whole(&row, 1, units_bytes);
	}
}

static void integers(void **state)
{
	int64_t v = UNTOUCHED;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(units_integer("-9223372036854775808", INT64_MIN, INT64_MAX, &v, &f), 0);
	assert_true(v == INT64_MIN);
	assert_int_equal(units_integer("9223372036854775807", INT64_MIN, INT64_MAX, &v, &f), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(units_integer("5", 5, 5, &v, &f), 0);
	assert_int_equal(v, 5);
	v = UNTOUCHED;
	assert_int_equal(units_integer("9223372036854775808", INT64_MIN, INT64_MAX, &v, &f), -1);
	fail_clear(&f);
	assert_int_equal(units_integer("-9223372036854775809", INT64_MIN, INT64_MAX, &v, &f), -1);
	fail_clear(&f);
	assert_int_equal(units_integer("4", 5, 9, &v, &f), -1);
	assert_non_null(strstr(f.text, "'4' is not a whole number between 5 and 9"));
	fail_clear(&f);
	assert_int_equal(units_integer("10", 5, 9, &v, &f), -1);
	fail_clear(&f);
	assert_int_equal(units_integer("1.0", 0, 9, &v, &f), -1);
	fail_clear(&f);
	assert_int_equal(units_integer("1e0", 0, 9, &v, &f), -1);
	for (size_t i = 0; i < COUNT(never); i++) {
		fail_clear(&f);
		assert_int_equal(units_integer(never[i], INT64_MIN, INT64_MAX, &v, &f), -1);
	}
	assert_int_equal(v, UNTOUCHED);
}

static void check_real(const char *text, double expected)
{
	struct fail f = { 0 };
	double v = -77;

	if (units_real(text, &v, &f))
		fail_msg("%s", f.text);
	if (v != expected)
		fail_msg("'%s' gives %.17g", text, v);
}

static void reals(void **state)
{
	static const char *const bad[] = { "1e999", "-1e999", "1e5x", "1e+",
					   "0x1p3", "1e5 ",   "1e1.5" };
	struct fail f = { 0 };
	double v = -77;

	(void)state;
	check_real("0", 0);
	check_real("-0.5", -0.5);
	check_real("0.1", 0.1);
	check_real("1e-3", 1e-3);
	check_real("2.5E+3", 2500);
	check_real("1e-999", 0);
	check_real("179769313486231570000000000000000000000", 1.7976931348623157e38);
	for (size_t i = 0; i < COUNT(bad) + COUNT(never); i++) {
		fail_clear(&f);
		assert_int_equal(
			units_real(i < COUNT(bad) ? bad[i] : never[i - COUNT(bad)], &v, &f), -1);
	}
	assert_true(v == -77);
}

static void check_quantity(const char *text, const char *unit, double expected)
{
	struct fail f = { 0 };
	double v = -77;

	if (units_quantity(text, unit, &v, &f))
		fail_msg("%s", f.text);
	if (v != expected)
		fail_msg("'%s' gives %.17g", text, v);
}

static void quantities(void **state)
{
	static const char *const bad[] = { "2V", "2 A", "2AA",  "2GA",  "2mm",  "2m",   "A",
					   "mA", "2ma", "1e3A", "infA", "0x1A", "2mA ", "2a" };
	struct fail f = { 0 };
	double v = -77;

	(void)state;
	check_quantity("2A", "A", 2);
	check_quantity("2", "A", 2);
	check_quantity("500mA", "A", 0.5);
	check_quantity("0.1Ohm", "Ohm", 0.1);
	check_quantity("100mOhm", "Ohm", 0.1); /* the same double: divided, not multiplied */
	check_quantity("-3.3V", "V", -3.3);
	check_quantity("7uV", "V", 7e-6);
	check_quantity("9nA", "A", 9e-9);
	check_quantity("1.5kHz", "Hz", 1500);
	check_quantity("2MHz", "Hz", 2e6);
	for (size_t i = 0; i < COUNT(bad) + COUNT(never); i++) {
		fail_clear(&f);
		assert_int_equal(units_quantity(i < COUNT(bad) ? bad[i] : never[i - COUNT(bad)],
						"A", &v, &f),
				 -1);
		assert_non_null(strstr(f.text, " in A;"));
	}
	assert_true(v == -77);
}

/* Needs a locale with a decimal comma; plain systems have none. */
static void comma_locales_change_nothing(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
					     "nb_NO.UTF-8", "da_DK.UTF-8", "ru_RU.UTF-8",
					     "de_DE" };
	const char *found = NULL;
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(names) && !found; i++)
		found = setlocale(LC_ALL, names[i]);
	if (!found || *localeconv()->decimal_point != ',') {
		setlocale(LC_ALL, "C");
		printf("no locale with a decimal comma is installed\n");
		skip();
	}
	check_real("0.5", 0.5);
	check_quantity("1.5kHz", "Hz", 1500);
	units_format_real(56.7, text, sizeof(text));
	setlocale(LC_ALL, "C");
	assert_string_equal(text, "56.7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(integers),
		cmocka_unit_test(reals),
		cmocka_unit_test(quantities),

		cmocka_unit_test(comma_locales_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
