/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_number - digits, units, clocks. It must not know columns or files.
 */
#include "power/replay_number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "lib/calendar.h"
#include "lib/clock.h"

#define DIGITS_MOST   18
#define EXPONENT_MOST 60

const char *const role_name[] = { "-",      "time",   "duration", "power", "voltage", "current",
				  "energy", "charge", "label",    "flags", NULL };

static const struct unit units[] = {
	{ "s", ROLE_TIME, 1, 9 },
	{ "sec", ROLE_TIME, 1, 9 },
	{ "seconds", ROLE_TIME, 1, 9 },
	{ "ms", ROLE_TIME, 1, 6 },
	{ "us", ROLE_TIME, 1, 3 },
	{ "\xC2\xB5s", ROLE_TIME, 1, 3 },
	{ "\xCE\xBCs", ROLE_TIME, 1, 3 },
	{ "ns", ROLE_TIME, 1, 0 },
	{ "min", ROLE_TIME, 60, 9 },
	{ "h", ROLE_TIME, 3600, 9 },
	{ "W", ROLE_POWER, 1, 9 },
	{ "Watts", ROLE_POWER, 1, 9 },
	{ "mW", ROLE_POWER, 1, 6 },
	{ "uW", ROLE_POWER, 1, 3 },
	{ "\xC2\xB5W", ROLE_POWER, 1, 3 },
	{ "\xCE\xBCW", ROLE_POWER, 1, 3 },
	{ "nW", ROLE_POWER, 1, 0 },
	{ "kW", ROLE_POWER, 1, 12 },
	{ "V", ROLE_VOLTAGE, 1, 9 },
	{ "Volts", ROLE_VOLTAGE, 1, 9 },
	{ "mV", ROLE_VOLTAGE, 1, 6 },
	{ "uV", ROLE_VOLTAGE, 1, 3 },
	{ "A", ROLE_CURRENT, 1, 9 },
	{ "Amps", ROLE_CURRENT, 1, 9 },
	{ "mA", ROLE_CURRENT, 1, 6 },
	{ "uA", ROLE_CURRENT, 1, 3 },
	{ "\xC2\xB5"
	  "A",
	  ROLE_CURRENT, 1, 3 },
	{ "\xCE\xBC"
	  "A",
	  ROLE_CURRENT, 1, 3 },
	{ "nA", ROLE_CURRENT, 1, 0 },
	{ "J", ROLE_ENERGY, 1, 9 },
	{ "Joules", ROLE_ENERGY, 1, 9 },
	{ "mJ", ROLE_ENERGY, 1, 6 },
	{ "uJ", ROLE_ENERGY, 1, 3 },
	{ "\xC2\xB5J", ROLE_ENERGY, 1, 3 },
	{ "nJ", ROLE_ENERGY, 1, 0 },
	{ "Ws", ROLE_ENERGY, 1, 9 },
	{ "mWs", ROLE_ENERGY, 1, 6 },
	{ "Wh", ROLE_ENERGY, 3600, 9 },
	{ "mWh", ROLE_ENERGY, 36, 8 },
	{ "uWh", ROLE_ENERGY, 36, 5 },
	{ "kWh", ROLE_ENERGY, 3600, 12 },
	{ "C", ROLE_CHARGE, 1, 9 },
	{ "mC", ROLE_CHARGE, 1, 6 },
	{ "uC", ROLE_CHARGE, 1, 3 },
	{ "Ah", ROLE_CHARGE, 3600, 9 },
	{ "mAh", ROLE_CHARGE, 36, 8 },
	{ "uAh", ROLE_CHARGE, 36, 5 },
	{ NULL, ROLE_NONE, 0, 0 },
};

const struct unit *unit_find(const char *text, size_t len)
{
	for (const struct unit *u = units; u->name != NULL; u++)
		if (strlen(u->name) == len && memcmp(u->name, text, len) == 0)
			return u;
	/* "MW" may be mega: not ours to guess. */
	if (len == 0 || text[0] == 'M')
		return NULL;
	for (const struct unit *u = units; u->name != NULL; u++)
		if (strlen(u->name) == len && strncasecmp(u->name, text, len) == 0)
			return u;
	return NULL;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static void take_digit(struct decimal *d, int *significant, char c, bool behind_point)
{
	if (*significant < DIGITS_MOST) {
		d->digits = d->digits * 10 + (uint64_t)(c - '0');
		*significant += d->digits != 0;
		d->exponent -= behind_point;
	} else if (!behind_point) {
		d->exponent++;
	}
}

static size_t read_exponent(const char *text, size_t len, size_t at, struct decimal *d)
{
	size_t i = at + 1;
	bool negative = false;
	int value = 0;

	if (at >= len || (text[at] != 'e' && text[at] != 'E'))
		return at;
	if (i < len && (text[i] == '-' || text[i] == '+'))
		negative = text[i++] == '-';
	if (i >= len || !digit(text[i]))
		return at;
	for (; i < len && digit(text[i]); i++)
		if (value < 1000)
			value = value * 10 + (text[i] - '0');
	d->exponent += negative ? -value : value;
	return i;
}

size_t decimal_read(const char *text, size_t len, char point, struct decimal *d)
{
	size_t i = 0, digits = 0;
	int significant = 0;

	*d = (struct decimal){ 0 };
	if (i < len && (text[i] == '-' || text[i] == '+'))
		d->negative = text[i++] == '-';
	for (; i < len && digit(text[i]); i++, digits++)
		take_digit(d, &significant, text[i], false);
	if (i < len && text[i] == point && (digits > 0 || (i + 1 < len && digit(text[i + 1])))) {
		i++;
		for (; i < len && digit(text[i]); i++, digits++)
			take_digit(d, &significant, text[i], true);
	}
	return digits ? read_exponent(text, len, i, d) : 0;
}

bool decimal_scale(const struct decimal *d, int multiplier, int power10, int64_t *out)
{
	uint64_t v = d->digits;
	int exponent = d->exponent + power10;

	if (v == 0) {
		*out = 0;
		return true;
	}
	if (__builtin_mul_overflow(v, (uint64_t)multiplier, &v)) {
		/* Nineteen digits and a factor: the last ones are beyond any meter. */
		v = d->digits / 10000 * (uint64_t)multiplier;
		exponent += 4;
	}
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v))
			return false;
	for (; exponent < -1 && v != 0; exponent++)
		v /= 10;
	if (exponent == -1)
		v = (v + 5) / 10;
	if (v > INT64_MAX)
		return false;
	*out = d->negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool decimal_missing(const char *text, size_t len)
{
	static const char *const words[] = { "",  "nan", "inf", "-inf", "+inf", "-nan",
					     "-", "n/a", "na",  "none", "null", NULL };

	for (int i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0)
			return true;
	return false;
}

struct reader {
	const char *at, *end;
	int short_fields; /* of one digit */
};

/* A field of digits; -1: none. */
static int64_t field(struct reader *r, int most_digits)
{
	int64_t v = 0;
	int n = 0;

	for (; r->at < r->end && digit(*r->at) && n < most_digits; n++)
		v = v * 10 + (*r->at++ - '0');
	if (n == 1)
		r->short_fields++;
	return n ? v : -1;
}

static bool eat(struct reader *r, const char *any)
{
	if (r->at >= r->end || *r->at == '\0' || strchr(any, *r->at) == NULL)
		return false;
	r->at++;
	return true;
}

/* "2025-9-3" or "03-09-2025" with its blank or T behind it. */
static bool read_date(struct reader *r, struct stamp *s)
{
	int64_t a = field(r, 4), b, c;
	struct date d;

	if (a < 0 || !eat(r, "-/"))
		return false;
	b = field(r, 2);
	if (b < 1 || b > 12 || !eat(r, "-/"))
		return false;
	c = field(r, 4);
	if (!eat(r, " T"))
		return false;
	d = (struct date){ .year = a > 31 ? a : c, .month = (int)b, .day = (int)(a > 31 ? c : a) };
	if (d.year < 1970 || d.year > 2200 || !calendar_valid(d))
		return false;
	s->dated = true;
	s->whole_ns = calendar_days(d) * 86400 * NS_PER_S;
	return true;
}

/* "Z", "+02:00", "-0500", "+01": what is behind a date and its time, taken off. */
static bool read_zone(struct reader *r, struct stamp *s)
{
	bool west = r->at < r->end && *r->at == '-';
	int64_t h, m = 0;

	if (eat(r, "Z") || !s->dated || !eat(r, "+-"))
		return true;
	h = field(r, 2);
	eat(r, ":");
	if (r->at < r->end)
		m = field(r, 2);
	if (h < 0 || h > 14 || m < 0 || m > 59)
		return false;
	s->whole_ns -= (h * 60 + m) * 60 * NS_PER_S * (west ? -1 : 1);
	return true;
}

bool stamp_read(const char *text, size_t len, struct stamp *s)
{
	struct reader r = { text, text + len, 0 };
	int64_t h, m, sec;

	*s = (struct stamp){ 0 };
	if (memchr(text, ':', len) == NULL)
		return false;
	if ((memchr(text, '-', len) != NULL || memchr(text, '/', len) != NULL) && !read_date(&r, s))
		return false;
	h = field(&r, 6);
	if (h < 0 || !eat(&r, ":"))
		return false;
	if (!s->dated)
		r.short_fields = 0; /* "0:00:01" is how hours are written */
	m = field(&r, 2);
	if (m < 0 || m > 59 || !eat(&r, ":"))
		return false;
	sec = field(&r, 2);
	if (sec < 0 || sec > 60 || (s->dated && h > 23))
		return false;
	s->whole_ns += ((h * 60 + m) * 60 + sec) * NS_PER_S;
	s->unpadded = r.short_fields > 0;
	if (eat(&r, ".,")) {
		const char *begin = r.at;

		while (r.at < r.end && digit(*r.at))
			r.at++;
		s->fraction_digits = (int)(r.at - begin);
		if (s->fraction_digits == 0 || s->fraction_digits > 12 ||
		    decimal_read(begin, (size_t)(r.at - begin), '.', &s->fraction) == 0)
			return false;
	}
	return read_zone(&r, s) && r.at == r.end;
}

int64_t stamp_ns(const struct stamp *s, bool fraction_is_ms)
{
	int64_t ns = 0;

	decimal_scale(&s->fraction, 1, fraction_is_ms ? 6 : 9 - s->fraction_digits, &ns);
	return s->whole_ns + ns;
}
