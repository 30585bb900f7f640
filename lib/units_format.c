/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units_format - quantities written for people.
 *
 * Digits are made with whole numbers, because printf() would ask the locale for
 * its decimal point.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/units.h"

#define DECIMALS_MAX 15

/* How many decimals show three significant digits of a value below 1000. */
static int decimals_for(double magnitude)
{
	int decimals = 2;

	if (magnitude >= 99.95)
		return 0;
	if (magnitude >= 9.995)
		return 1;
	for (double limit = 0.9995; magnitude < limit && decimals < DECIMALS_MAX; limit /= 10)
		decimals++;
	return decimals;
}

/* scaled / 10^decimals, "1234" and 2 giving "12.34". */
static void write_decimal(int64_t scaled, int decimals, char *dst, size_t len)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%0*" PRId64, decimals + 1, scaled);
	int whole = n - decimals;

	if (decimals)
		snprintf(dst, len, "%.*s.%s", whole, digits, digits + whole);
	else
		snprintf(dst, len, "%s", digits);
}

static void drop_zeros(char *text)
{
	char *end = text + strlen(text);

	if (!strchr(text, '.'))
		return;
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

void units_format_real(double value, char *dst, size_t len)
{
	double magnitude = fabs(value);
	char text[48];
	int decimals;

	if (!isfinite(value)) {
		snprintf(dst, len, "-");
		return;
	}
	if (magnitude >= 999.5) {
		snprintf(dst, len, "%.0f", value);
		return;
	}
	decimals = decimals_for(magnitude);
	if (magnitude * pow(10, decimals) < 0.5)
		decimals = 0, magnitude = 0;
	write_decimal(llround(magnitude * pow(10, decimals)), decimals, text, sizeof(text));
	snprintf(dst, len, "%s%s", value < 0 && magnitude > 0 ? "-" : "", text);
}

static void write_short(double value, const char *unit, const char *sign, char *dst, size_t len)
{
	char text[48];

	units_format_real(value, text, sizeof(text));
	drop_zeros(text);
	snprintf(dst, len, "%s%s %s", sign, text, unit);
}

/* "3 min 20 s", "2 h 5 min": whole parts, the second left out when zero. */
static void write_long(uint64_t whole_s, const char *sign, char *dst, size_t len)
{
	uint64_t minutes = (whole_s + 30) / 60;

	if (whole_s < 3600 && whole_s % 60)
		snprintf(dst, len, "%s%" PRIu64 " min %" PRIu64 " s", sign, whole_s / 60,
			 whole_s % 60);
	else if (whole_s < 3600)
		snprintf(dst, len, "%s%" PRIu64 " min", sign, whole_s / 60);
	else if (minutes % 60)
		snprintf(dst, len, "%s%" PRIu64 " h %" PRIu64 " min", sign, minutes / 60,
			 minutes % 60);
	else
		snprintf(dst, len, "%s%" PRIu64 " h", sign, minutes / 60);
}

void units_format_duration(int64_t ns, char *dst, size_t len)
{
	static const struct {
		const char *name;
		double unit_ns, below;
	} units[] = {
		{ "ns", 1, 999.5 },
		{ "µs", 1e3, 999.5 },
		{ "ms", 1e6, 999.5 },
		{ "s", 1e9, 59.95 },
	};
	const char *sign = ns < 0 ? "-" : "";
	uint64_t left_ns = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double value = (double)left_ns / units[i].unit_ns;

		if (value < units[i].below) {
			write_short(value, units[i].name, sign, dst, len);
			return;
		}
	}
	write_long((left_ns + NS_PER_S / 2) / NS_PER_S, sign, dst, len);
}

static void write_decimal_bytes(int64_t bytes, char *dst, size_t len)
{
	static const char *const names[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = fabs((double)bytes);
	int power = 0;

	while (value >= 999.5 && power < 6) {
		value /= 1000;
		power++;
	}
	write_short(value, names[power], bytes < 0 ? "-" : "", dst, len);
}

/* A size that somebody chose as a power of two is shown as such. */
void units_format_bytes(int64_t bytes, char *dst, size_t len)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	int64_t value = bytes;
	int power = 0;

	while (value && value % 1024 == 0 && power < 5) {
		value /= 1024;
		power++;
	}
	if (power && value > -1024 && value < 1024)
		snprintf(dst, len, "%" PRId64 " %s", value, names[power]);
	else
		write_decimal_bytes(bytes, dst, len);
}
