/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_speed_meter - a meter beside `cipherwatt speed`: read all the time, idle before and
 * after, energy of each window from the trace when all is over.
 */
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "power/idle.h"
#include "testbed/cmd_speed.h"

#define NJ_PER_MJ 1e6
#define NW_PER_MW 1e6

static void idle(struct speed_meter *m, int which)
{
	m->idle_from_ns[which] = clock_ns();
	clock_sleep_until(m->idle_from_ns[which] + m->idle_ns);
	m->idle_to_ns[which] = clock_ns();
}

int speed_meter_start(struct speed_meter *m, const struct speed_settings *set, int64_t expected_ns,
		      struct fail *f)
{
	pid_t self = getpid();

	if (meter_open(&m->meter, set->meter)) {
		*f = m->meter.fail;
		return -1;
	}
	m->open = true;
	m->idle_ns = set->idle_ns;
	if (m->meter.ops->watch(&m->meter, &self, 1)) {
		*f = m->meter.fail;
		return -1;
	}
	m->sampler = sampler_start(&m->meter, 0, expected_ns + 2 * m->idle_ns, f);
	if (!m->sampler)
		return -1;
	idle(m, 0);
	return 0;
}

static void find_idle_power(struct speed_meter *m)
{
	struct fail ignored = { 0 };
	struct energy e;

	if (energy_window(&m->trace, m->idle_from_ns[0], m->idle_to_ns[0], GAP_EXCLUDE, 0, &e,
			  &ignored))
		return;
	m->idle_known = true;
	m->idle_mw = (double)e.mean_nw / NW_PER_MW;
}

int speed_meter_stop(struct speed_meter *m, struct fail *f)
{
	int ret;

	idle(m, 1);
	ret = sampler_stop(m->sampler, &m->trace, f);
	m->sampler = NULL;
	find_idle_power(m);
	return ret;
}

static bool idle_energy(const struct speed_meter *m, int which, struct energy *e)
{
	struct fail ignored = { 0 };

	return !energy_window(&m->trace, m->idle_from_ns[which], m->idle_to_ns[which], GAP_EXCLUDE,
			      0, e, &ignored) &&
	       e->covered_ns > 0;
}

/* What was read covers nearly all of a window or it says little: gross is about all of it. */
void speed_meter_energy(struct speed_meter *m, const struct speed_figure *figure,
			struct speed_energy *e)
{
	struct energy busy, before, after;
	struct energy_net net;
	struct fail why = { 0 };
	bool has_before, has_after;
	double about;

	*e = (struct speed_energy){ .why = "not measured" };
	if (!figure->measured)
		return;
	e->why = "no reading in the window";
	if (energy_window(&m->trace, figure->from_ns, figure->to_ns, GAP_EXCLUDE, 0, &busy, &why) ||
	    !busy.covered_ns)
		return;
	e->why = "too few readings";
	if (busy.insufficient)
		return;
	/* Operations done in the time that the energy is about. */
	about = (double)figure->ops * (double)busy.about_ns /
		(double)(figure->to_ns - figure->from_ns);
	e->coverage = (double)busy.covered_ns / (double)(figure->to_ns - figure->from_ns);
	e->gross_mj = (double)busy.energy_nj / NJ_PER_MJ / about;
	e->known = true;
	has_before = idle_energy(m, 0, &before);
	has_after = idle_energy(m, 1, &after);
	if (energy_net(&busy, has_before ? &before : NULL, has_after ? &after : NULL, &net))
		return;
	e->net_mj = (double)net.net_nj / NJ_PER_MJ / about;
	e->net_known = true;
}

const char *speed_meter_source(const struct speed_meter *m)
{
	return provenance_name[m->trace.facts.provenance];
}

void speed_meter_release(struct speed_meter *m)
{
	struct fail ignored = { 0 };

	if (m->sampler)
		sampler_stop(m->sampler, &m->trace, &ignored);
	m->sampler = NULL;
	if (m->open)
		meter_close(&m->meter);
	m->open = false;
	trace_release(&m->trace);
}
