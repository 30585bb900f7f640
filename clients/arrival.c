/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrival - closed loop, fixed and Poisson schedules, the pause that keeps a refused client from
 * spinning, and the limit on new connections.
 */
#include "clients/arrival.h"

#include <math.h>
#include <stddef.h>

#include "lib/clock.h"

const char *const arrival_kind_name[ARRIVAL_KINDS + 1] = {
	[ARRIVAL_FIXED] = "fixed",
	[ARRIVAL_POISSON] = "poisson",
};

/* --- closed --------------------------------------------------------------- */

static int64_t closed_next_ns(struct arrival *a, int64_t free_ns)
{
	return free_ns + a->think_ns;
}

static void closed_restart(struct arrival *a, int64_t origin_ns)
{
	(void)a;
	(void)origin_ns;
}

static const struct arrival_ops closed = { "closed", false, closed_next_ns, closed_restart };

void arrival_closed(struct arrival *a, int64_t think_ns)
{
	*a = (struct arrival){ .ops = &closed, .think_ns = think_ns };
}

/* --- fixed ---------------------------------------------------------------- */

static int64_t fixed_next_ns(struct arrival *a, int64_t free_ns)
{
	int64_t due_ns = a->origin_ns + a->k * a->period_ns;

	(void)free_ns;
	a->k += a->step;
	return due_ns;
}

static void fixed_restart(struct arrival *a, int64_t origin_ns)
{
	a->k = (a->k - 1) % a->step + 1;
	a->origin_ns = origin_ns;
}

static const struct arrival_ops fixed = { "fixed", true, fixed_next_ns, fixed_restart };

static int64_t period_ns(double rate_per_s)
{
	return (int64_t)ceil((double)NS_PER_S / rate_per_s);
}

void arrival_fixed(struct arrival *a, double rate_per_s, int index, int step)
{
	*a = (struct arrival){
		.ops = &fixed, .period_ns = period_ns(rate_per_s), .k = index + 1, .step = step
	};
}

/* --- poisson -------------------------------------------------------------- */

static int64_t poisson_next_ns(struct arrival *a, int64_t free_ns)
{
	(void)free_ns;
	a->last_ns += (int64_t)ceil(-log1p(-rng_unit(&a->rng)) * a->gap_ns);
	return a->last_ns;
}

static void poisson_restart(struct arrival *a, int64_t origin_ns)
{
	a->last_ns = origin_ns;
}

static const struct arrival_ops poisson = { "poisson", true, poisson_next_ns, poisson_restart };

void arrival_poisson(struct arrival *a, double rate_per_s, uint64_t seed, int index, int step)
{
	*a = (struct arrival){ .ops = &poisson, .gap_ns = step * (double)NS_PER_S / rate_per_s };
	/* splitmix64 inside rng_seed() makes neighbouring seeds unlike. */
	rng_seed(&a->rng, seed * 1024 + (uint64_t)index);
}

/* --- pauses --------------------------------------------------------------- */

int64_t arrival_pause_ns(int failures)
{
	if (failures <= 0)
		return 0;
	if (failures > 7)
		return ARRIVAL_PAUSE_MAX_NS;
	int64_t pause_ns = NS_PER_MS << (failures - 1);
	return pause_ns < ARRIVAL_PAUSE_MAX_NS ? pause_ns : ARRIVAL_PAUSE_MAX_NS;
}

void pacer_init(struct pacer *p, double rate_per_s, int64_t origin_ns, int index, int step)
{
	int64_t one_ns = rate_per_s > 0 ? period_ns(rate_per_s) : 0;

	*p = (struct pacer){ .period_ns = one_ns * step, .next_ns = origin_ns + one_ns * index };
}

int64_t pacer_take(struct pacer *p, int64_t from_ns)
{
	int64_t slot_ns = from_ns > p->next_ns ? from_ns : p->next_ns;

	if (!p->period_ns)
		return from_ns;
	p->next_ns = slot_ns + p->period_ns;
	return slot_ns;
}
