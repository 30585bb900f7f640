/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar - days of the proleptic Gregorian calendar as numbers, and back; and read from text.
 *
 * No time zones, no clock: a date is what a file says.
 */
#ifndef LIB_CALENDAR_H
#define LIB_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

struct date {
	int64_t year;
	int month, day; /* from 1 */
};

/* Days since 1970-01-01. The date must exist. */
int64_t calendar_days(struct date d);
struct date calendar_date(int64_t days);

/* 28 to 31; 0 for a month that does not exist. */
int calendar_month_days(int64_t year, int month);
bool calendar_valid(struct date d);

/*
 * What stands at *at, before end, to the letter: no sign, no blank, no digit less. True: *at is
 * behind it. False: there is no such thing, and *at is where it stopped being one.
 */
bool calendar_read_digits(const char **at, const char *end, int n, int *value);
/* "2026-11-30", and the day exists. */
bool calendar_read_date(const char **at, const char *end, struct date *d);
/* "2026-11-30T22:15:17" in seconds since 1970; second 60, a leap second, is the next minute's. */
bool calendar_read_time(const char **at, const char *end, int64_t *s);

#endif
