/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timebase - the real clock and a counted one behind one struct.
 * It must not know who sleeps, or why.
 */
#include "power/timebase.h"

#include <stddef.h>

#include "lib/clock.h"

static int64_t real_now(void *data)
{
	(void)data;
	return clock_ns();
}

static void real_sleep(void *data, int64_t due_ns)
{
	(void)data;
	clock_sleep_until(due_ns);
}

const struct timebase timebase_monotonic = { real_now, real_sleep, NULL };

static int64_t counter_now(void *data)
{
	return *(int64_t *)data;
}

static void counter_sleep(void *data, int64_t due_ns)
{
	*(int64_t *)data = due_ns;
}

struct timebase timebase_counter(int64_t *now_ns)
{
	return (struct timebase){ counter_now, counter_sleep, now_ns };
}

int64_t timebase_now(const struct timebase *t)
{
	return t->now_ns(t->data);
}

void timebase_sleep_until(const struct timebase *t, int64_t due_ns)
{
	if (due_ns > t->now_ns(t->data))
		t->sleep_until(t->data, due_ns);
}
