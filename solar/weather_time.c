/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_time - dates and times as weather files write them. It knows no time zone: a label is
 * what the file's own clock showed.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/calendar.h"
#include "solar/weather_reader.h"

int weather_label(int64_t year, int month, int day, int64_t minutes, int64_t *label_s,
		  struct fail *f)
{
	struct date d = { year, month, day };

	if (year < 1900 || year > 2200 || !calendar_valid(d))
		return fail_set(f, EINVAL, "%lld-%02d-%02d is no day", (long long)year, month, day);
	if (minutes < 0 || minutes > 24 * 60)
		return fail_set(f, EINVAL, "minute %lld of the day; expected 0 to 1440",
				(long long)minutes);
	*label_s = calendar_days(d) * 86400 + minutes * 60;
	return 0;
}

int weather_label_of(double year, double month, double day, double minutes, int64_t *label_s,
		     struct fail *f)
{
	/* The comparisons are false of NAN, and what they let through fits an int. */
	if (!(year >= 1900 && year <= 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
	      minutes >= 0 && minutes <= 24 * 60) ||
	    floor(year) != year || floor(month) != month || floor(day) != day)
		return fail_set(f, EINVAL, "year %g, month %g, day %g, minute %g: there is no such",
				year, month, day, minutes);
	return weather_label((int64_t)year, (int)month, (int)day, (int64_t)minutes, label_s, f);
}

static bool eat(const char **at, const char *end, const char *any)
{
	if (*at >= end || !**at || !strchr(any, **at))
		return false;
	(*at)++;
	return true;
}

struct moment {
	int year, month, day, hour, minute;
};

/* "20180101:0010" */
static bool compact(const char *at, const char *end, struct moment *m)
{
	return calendar_read_digits(&at, end, 4, &m->year) &&
	       calendar_read_digits(&at, end, 2, &m->month) &&
	       calendar_read_digits(&at, end, 2, &m->day) && eat(&at, end, ":T ") &&
	       calendar_read_digits(&at, end, 2, &m->hour) &&
	       (eat(&at, end, ":"), calendar_read_digits(&at, end, 2, &m->minute)) && at == end;
}

/* Behind hours and minutes: seconds, a fraction, and no other zone than UTC. */
static bool rest(const char *at, const char *end)
{
	int second;

	if (eat(&at, end, ":") && !calendar_read_digits(&at, end, 2, &second))
		return false;
	if (eat(&at, end, "."))
		while (at < end && *at >= '0' && *at <= '9')
			at++;
	if (eat(&at, end, "Z"))
		return at == end;
	return at == end || (end - at == 6 && (strncmp(at, "+00:00", 6) == 0));
}

/* "2018-01-01 00:10", "2018-01-01T00:10:00Z" */
static bool iso(const char *at, const char *end, struct moment *m)
{
	return calendar_read_digits(&at, end, 4, &m->year) && eat(&at, end, "-") &&
	       calendar_read_digits(&at, end, 2, &m->month) && eat(&at, end, "-") &&
	       calendar_read_digits(&at, end, 2, &m->day) && eat(&at, end, " T") &&
	       calendar_read_digits(&at, end, 2, &m->hour) && eat(&at, end, ":") &&
	       calendar_read_digits(&at, end, 2, &m->minute) && rest(at, end);
}

/* "01/31/2018 00:10" */
static bool american(const char *at, const char *end, struct moment *m)
{
	return calendar_read_digits(&at, end, 2, &m->month) && eat(&at, end, "/") &&
	       calendar_read_digits(&at, end, 2, &m->day) && eat(&at, end, "/") &&
	       calendar_read_digits(&at, end, 4, &m->year) && eat(&at, end, " ") &&
	       calendar_read_digits(&at, end, 2, &m->hour) && eat(&at, end, ":") &&
	       calendar_read_digits(&at, end, 2, &m->minute) && rest(at, end);
}

int weather_stamp(struct slice text, int64_t *year, int64_t *label_s, struct fail *f)
{
	const char *at = text.at, *end = text.at + text.len;
	struct moment m = { 0 };

	if (!compact(at, end, &m) && !iso(at, end, &m) && !american(at, end, &m))
		return fail_set(f, EINVAL,
				"\"%.*s\" is no time that is known; expected 20180101:0010, "
				"2018-01-01 00:10, 2018-01-01T00:10:00Z or 01/31/2018 00:10",
				(int)(text.len < 40 ? text.len : 40), text.at);
	*year = m.year;
	if (m.minute > 59)
		return fail_set(f, EINVAL, "minute %d; expected 0 to 59", m.minute);
	return weather_label(m.year, m.month, m.day, m.hour * 60 + m.minute, label_s, f);
}

int weather_zone(struct slice text, int *minutes, struct fail *f)
{
	double hours;

	if (weather_number(text, "time zone", &hours, f) < 0)
		return -1;
	if (!(fabs(hours) <= 14))
		return fail_set(f, EINVAL,
				"time zone \"%.*s\"; expected hours east of UTC, -14 to 14",
				(int)(text.len < 20 ? text.len : 20), text.at);
	*minutes = (int)lround(hours * 60);
	return 0;
}
