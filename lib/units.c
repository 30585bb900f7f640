/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units - reading numbers with units.
 *
 * Durations and bytes are read as exact decimals (a whole mantissa and a count
 * of decimals), so "0.3s" is 300000000 ns and not the nearest double to it.
 * Nothing here asks the locale.
 */
#include "lib/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit duration_units[] = {
	{ "ns", 1 },
	{ "us", NS_PER_US },
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "min", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
	{ NULL, 0 },
};

static const struct unit byte_units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", 1000 },
	{ "MB", 1000 * 1000 },
	{ "GB", 1000 * 1000 * 1000 },
	{ "KiB", 1 << 10 },
	{ "MiB", 1 << 20 },
	{ "GiB", 1 << 30 },
	{ NULL, 0 },
};

struct decimal {
	uint64_t mantissa;
	int decimals;
	bool too_long;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* Behind DIGITS or DIGITS.DIGITS; text itself when it is neither. */
static const char *skip_decimal(const char *text)
{
	const char *p = skip_digits(text);

	if (p != text && *p == '.')
		return is_digit(p[1]) ? skip_digits(p + 1) : text;
	return p;
}

static struct decimal read_decimal(const char *text, const char *end)
{
	struct decimal d = { 0 };
	bool fraction = false;

	if (memchr(text, '.', (size_t)(end - text)))
		while (end[-1] == '0') /* 1.500 needs no more room than 1.5 */
			end--;
	for (; text < end; text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		if (__builtin_mul_overflow(d.mantissa, 10, &d.mantissa) ||
		    __builtin_add_overflow(d.mantissa, (uint64_t)(*text - '0'), &d.mantissa))
			d.too_long = true;
		d.decimals += fraction;
	}
	return d;
}

static bool divide(uint64_t *a, uint64_t *b, unsigned prime)
{
	uint64_t *divisible = *a % prime ? b : a;

	if (*divisible % prime)
		return false;
	*divisible /= prime;
	return true;
}

/*
 * mantissa x factor / 10^decimals, when that is whole and fits. The tens are taken
 * out before the multiplication, so that nothing wider than 64 bits is needed:
 * 32-bit boards have no such type.
 */
static bool scale(struct decimal d, uint64_t factor, int64_t *value)
{
	uint64_t product;

	for (; d.mantissa && d.decimals; d.decimals--)
		if (!divide(&factor, &d.mantissa, 2) || !divide(&factor, &d.mantissa, 5))
			return false;
	if (__builtin_mul_overflow(d.mantissa, factor, &product) || product > INT64_MAX)
		return false;
	*value = (int64_t)product;
	return true;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (const struct unit *u = units; u->name; u++)
		if (!strcmp(u->name, name))
			return u;
	return NULL;
}

static bool read_scaled(const char *text, const struct unit *units, int64_t *value)
{
	const char *end = skip_decimal(text);
	const struct unit *u = find_unit(units, end);
	struct decimal d;

	if (end == text || !u)
		return false;
	d = read_decimal(text, end);
	return !d.too_long && scale(d, (uint64_t)u->factor, value);
}

int units_duration(const char *text, int64_t *ns, struct fail *f)
{
	if (!strcmp(text, "0"))
		*ns = 0;
	else if (!read_scaled(text, duration_units, ns))
		return fail_set(f, EINVAL,
				"'%s' is not a duration; expected a number and one of ns, us, ms, "
				"s, m, h without a blank, such as 500ms or 1.5s (whole "
				"nanoseconds, at most 292 years)",
				text);
	return 0;
}

int units_bytes(const char *text, int64_t *bytes, struct fail *f)
{
	if (read_scaled(text, byte_units, bytes))
		return 0;
	return fail_set(f, EINVAL,
			"'%s' is not a size; expected whole bytes, with one of B, kB, MB, GB "
			"(thousands) or KiB, MiB, GiB (1024) if any, such as 512 or 16KiB",
			text);
}

static bool read_integer(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	const char *p = text + negative;

	if (!is_digit(*p))
		return false;
	for (*value = 0; is_digit(*p); p++) {
		int digit = negative ? '0' - *p : *p - '0';

		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, digit, value))
			return false;
	}
	return *p == '\0';
}

int units_integer(const char *text, int64_t min, int64_t max, int64_t *value, struct fail *f)
{
	int64_t n;

	if (read_integer(text, &n) && n >= min && n <= max) {
		*value = n;
		return 0;
	}
	if (min == INT64_MIN && max == INT64_MAX)
		return fail_set(f, EINVAL, "'%s' is not a whole number that fits 64 bits", text);
	if (max == INT64_MAX)
		return fail_set(f, EINVAL, "'%s' is not a whole number of at least %lld", text,
				(long long)min);
	return fail_set(f, EINVAL, "'%s' is not a whole number between %lld and %lld", text,
			(long long)min, (long long)max);
}

static const char *skip_exponent(const char *p)
{
	const char *digits = p + 1;

	if (*p != 'e' && *p != 'E')
		return p;
	if (*digits == '+' || *digits == '-')
		digits++;
	return is_digit(*digits) ? skip_digits(digits) : p;
}

/* strtod() in the "C" locale; the grammar has been checked. */
static double to_double(const char *text)
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value = c_locale ? strtod_l(text, NULL, c_locale) : NAN;

	if (c_locale)
		freelocale(c_locale);
	return value;
}

int units_real(const char *text, double *value, struct fail *f)
{
	const char *digits = text + (*text == '-'), *end = skip_decimal(digits);

	if (end != digits && *skip_exponent(end) == '\0') {
		double x = to_double(text);

		if (isfinite(x)) {
			*value = x;
			return 0;
		}
	}
	return fail_set(f, EINVAL, "'%s' is not a finite number; expected one such as 0.5 or 1e-3",
			text);
}

/* value x 10^power3 for a prefix, by division where that is the exact way; NAN for a bad suffix. */
static double apply_suffix(double value, const char *suffix, const char *unit)
{
	static const struct {
		char letter;
		double times, over;
	} prefixes[] = {
		{ 'n', 1, 1e9 }, { 'u', 1, 1e6 }, { 'm', 1, 1e3 }, { 'k', 1e3, 1 }, { 'M', 1e6, 1 },
	};

	if (!*suffix || !strcmp(suffix, unit))
		return value;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (suffix[0] == prefixes[i].letter && !strcmp(suffix + 1, unit))
			return value * prefixes[i].times / prefixes[i].over;
	return NAN;
}

int units_quantity(const char *text, const char *unit, double *value, struct fail *f)
{
	const char *digits = text + (*text == '-'), *end = skip_decimal(digits);
	double x = NAN;
	char number[64];

	if (end != digits && (size_t)(end - text) < sizeof(number)) {
		memcpy(number, text, (size_t)(end - text));
		number[end - text] = '\0';
		x = apply_suffix(to_double(number), end, unit);
	}
	if (isfinite(x)) {
		*value = x;
		return 0;
	}
	return fail_set(f, EINVAL,
			"'%s' is not a quantity in %s; expected a number, and behind it without a "
			"blank the unit with n, u, m, k or M in front if any, such as 500m%s",
			text, unit, unit);
}
