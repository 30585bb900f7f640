/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the kernel's clocks as int64_t nanoseconds.
 *
 * Knows nothing of what is timed.  clock_gettime() cannot fail for these two
 * clocks on Linux, so its result is not looked at.
 */
#include "lib/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec t = { 0 };

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

void clock_utc(int64_t wall_ns, char dst[CLOCK_UTC_BYTES])
{
	time_t whole_s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&whole_s, &tm) || !strftime(dst, CLOCK_UTC_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm))
		dst[0] = '\0';
}

void clock_http(int64_t wall_ns, char dst[CLOCK_HTTP_BYTES])
{
	/* Not strftime()'s names: those follow the locale. */
	static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t whole_s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm = { 0 };
	char text[48], time[24];

	if (!gmtime_r(&whole_s, &tm) || !strftime(time, sizeof(time), "%Y %H:%M:%S", &tm))
		time[0] = '\0';
	snprintf(text, sizeof(text), "%s, %02d %s %s GMT", days[tm.tm_wday], tm.tm_mday % 100,
		 months[tm.tm_mon], time);
	memcpy(dst, text, CLOCK_HTTP_BYTES - 1);
	dst[CLOCK_HTTP_BYTES - 1] = '\0';
}

void clock_sleep_until(int64_t due_ns)
{
	struct timespec due;

	if (due_ns <= 0)
		return;
	due.tv_sec = (time_t)(due_ns / NS_PER_S);
	due.tv_nsec = (long)(due_ns % NS_PER_S);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}
