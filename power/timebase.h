/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timebase - the clock that a reader and a simulated chip live by.
 *
 * Live use is the monotonic clock. Tests and the self-test use a counter that moves
 * only when somebody sleeps, so hours pass in milliseconds and every run is the same.
 */
#ifndef POWER_TIMEBASE_H
#define POWER_TIMEBASE_H

#include <stdint.h>

struct timebase {
	int64_t (*now_ns)(void *data);
	void (*sleep_until)(void *data, int64_t due_ns);
	void *data;
};

/* CLOCK_MONOTONIC and real sleeps. */
extern const struct timebase timebase_monotonic;

/* Time is *now_ns (borrowed); sleeping moves it. */
struct timebase timebase_counter(int64_t *now_ns);

int64_t timebase_now(const struct timebase *t);
/* A due time in the past returns at once. */
void timebase_sleep_until(const struct timebase *t, int64_t due_ns);

#endif
