/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrival - the closed loop, and the pause that keeps a refused client from spinning.
 */
#include "clients/arrival.h"

#include "lib/clock.h"

static int64_t closed_next_ns(struct arrival *a, int64_t free_ns)
{
	(void)a;
	return free_ns;
}

const struct arrival_ops arrival_closed = {
	.name = "closed",
	.next_ns = closed_next_ns,
};

int64_t arrival_pause_ns(int failures)
{
	if (failures <= 0)
		return 0;
	if (failures > 7)
		return ARRIVAL_PAUSE_MAX_NS;
	int64_t pause_ns = NS_PER_MS << (failures - 1);
	return pause_ns < ARRIVAL_PAUSE_MAX_NS ? pause_ns : ARRIVAL_PAUSE_MAX_NS;
}
