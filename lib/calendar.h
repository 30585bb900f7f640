/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar - days of the proleptic Gregorian calendar as numbers, and back.
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

#endif
