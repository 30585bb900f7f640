/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar - counts in eras of 400 years that begin in March, so that the leap day is the
 * last of its year.
 */
#include "lib/calendar.h"

#define DAYS_PER_ERA  146097
#define DAYS_TO_EPOCH 719468 /* from 0000-03-01 to 1970-01-01 */

int64_t calendar_days(struct date d)
{
	int64_t y = d.year - (d.month <= 2), era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t month = (d.month + 9) % 12; /* from March */
	int64_t day_of_year = (153 * month + 2) / 5 + d.day - 1;

	return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - DAYS_TO_EPOCH;
}

struct date calendar_date(int64_t days)
{
	int64_t z = days + DAYS_TO_EPOCH,
		era = (z >= 0 ? z : z - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
	int64_t day = z - era * DAYS_PER_ERA;
	int64_t year = (day - day / 1460 + day / 36524 - day / (DAYS_PER_ERA - 1)) / 365;
	int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * day_of_year + 2) / 153;
	struct date d = { .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
			  .month = (int)(month < 10 ? month + 3 : month - 9) };

	d.year = year + era * 400 + (d.month <= 2);
	return d;
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int calendar_month_days(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (month < 1 || month > 12)
		return 0;
	return days[month - 1] + (month == 2 && is_leap(year));
}

bool calendar_valid(struct date d)
{
	return d.day >= 1 && d.day <= calendar_month_days(d.year, d.month);
}

bool calendar_read_digits(const char **at, const char *end, int n, int *value)
{
	*value = 0;
	for (; n > 0; n--, (*at)++) {
		if (*at >= end || **at < '0' || **at > '9')
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static bool eat(const char **at, const char *end, char c)
{
	if (*at >= end || **at != c)
		return false;
	(*at)++;
	return true;
}

bool calendar_read_date(const char **at, const char *end, struct date *d)
{
	int year;

	if (!calendar_read_digits(at, end, 4, &year) || !eat(at, end, '-') ||
	    !calendar_read_digits(at, end, 2, &d->month) || !eat(at, end, '-') ||
	    !calendar_read_digits(at, end, 2, &d->day))
		return false;
	d->year = year;
	return calendar_valid(*d);
}

bool calendar_read_time(const char **at, const char *end, int64_t *s)
{
	struct date d;
	int hour, minute, second;

	if (!calendar_read_date(at, end, &d) || !eat(at, end, 'T') ||
	    !calendar_read_digits(at, end, 2, &hour) || !eat(at, end, ':') ||
	    !calendar_read_digits(at, end, 2, &minute) || !eat(at, end, ':') ||
	    !calendar_read_digits(at, end, 2, &second) || hour > 23 || minute > 59 || second > 60)
		return false;
	*s = ((calendar_days(d) * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}
