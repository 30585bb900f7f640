/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the kernel's clocks as int64_t nanoseconds.
 *
 * Knows nothing of what is timed.  clock_gettime() cannot fail for these two
 * clocks on Linux, so its result is not looked at.
 */
#include "lib/clock.h"

#include <errno.h>
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
