/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_energy - a node's trace and the trial's windows into gross, idle and net energy.
 *
 * All arithmetic on samples is power's. Here stands only which windows there are, on which
 * clock, and what not knowing that clock exactly costs: a window shifted by u takes in idle
 * at one edge and misses load at the other, so at most 2 u (P_load - P_idle); u is the bound
 * of an equally likely interval, hence the standard uncertainty is u / sqrt(3) of it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "power/convert.h"
#include "power/energy.h"
#include "power/idle.h"
#include "testbed/runner_trial.h"

void runner_energy_unknown(struct side *s)
{
	snprintf(s->energy_source, sizeof(s->energy_source), "none");
	s->gross_nj = s->idle_nj = s->net_nj = FIELD_UNKNOWN_INT;
	s->idle_before_nw = s->idle_after_nw = FIELD_UNKNOWN_INT;
	s->idle_drift_pct = s->instrument_pct = s->coverage = NAN;
	s->meter_samples = s->meter_late = s->meter_lost = s->meter_gaps = FIELD_UNKNOWN_INT;
	s->meter_cpu_ns = FIELD_UNKNOWN_INT;
}

static void describe_meter(const struct trace *trace, struct side *s)
{
	snprintf(s->energy_source, sizeof(s->energy_source), "%s",
		 provenance_name[trace->facts.provenance]);
	snprintf(s->energy_basis, sizeof(s->energy_basis), "%s", trace->facts.basis);
	snprintf(s->meter, sizeof(s->meter), "%.*s", (int)sizeof(s->meter) - 1,
		 trace->facts.source);
	s->meter_late = trace->late;
	s->meter_lost = trace->lost;
	s->meter_cpu_ns = trace->cpu_ns;
}

/* The same window between two samples, a period or more from its edges. False: too short. */
static bool inset(const struct trace *trace, int64_t *from_ns, int64_t *to_ns)
{
	int64_t period_ns = trace->facts.period_ns, first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t i = 0; i < trace->count; i++) {
		int64_t at_ns = sample_time_ns(&trace->sample[i]);

		if (trace->sample[i].flags & (SAMPLE_STALE | SAMPLE_ABSENT))
			continue;
		if (at_ns >= *from_ns + period_ns && at_ns < first_ns)
			first_ns = at_ns;
		if (at_ns <= *to_ns - period_ns && at_ns > last_ns)
			last_ns = at_ns;
	}
	if (first_ns >= last_ns)
		return false;
	*from_ns = first_ns;
	*to_ns = last_ns;
	return true;
}

/*
 * An idle window on the node's clock; false where there is none or nothing was read in it. clear:
 * of what happened at its edges. A sample is about the time before its stamp, and a chip that
 * converts by itself was done up to a period before it was read: what straddles an edge holds some
 * of the load, or of the start of a process.
 */
static bool idle_window(const struct trace *trace, int64_t from_ns, int64_t to_ns,
			int64_t offset_ns, bool clear, struct energy *e)
{
	struct fail ignored = { 0 };

	if (to_ns <= from_ns)
		return false;
	from_ns += offset_ns;
	to_ns += offset_ns;
	if (clear && !inset(trace, &from_ns, &to_ns))
		return false;
	return !energy_window(trace, from_ns, to_ns, GAP_EXCLUDE, 0, e, &ignored) &&
	       e->covered_ns > 0;
}

static void fill_net(struct side *s, const struct energy *busy, const struct energy *before,
		     const struct energy *after)
{
	struct energy_net net;

	s->idle_before_nw = before ? before->mean_nw : FIELD_UNKNOWN_INT;
	s->idle_after_nw = after ? after->mean_nw : FIELD_UNKNOWN_INT;
	if ((!before && !after) || energy_net(busy, before, after, &net))
		return;
	s->idle_nj = net.idle_nj;
	s->net_nj = net.net_nj;
	if (net.drift_known && before->mean_nw > 0)
		s->idle_drift_pct = 100.0 * (double)net.drift_nw / (double)before->mean_nw;
}

static void fill_uncertainty(struct side *s, const struct energy *busy, int64_t clock_ns)
{
	double idle_nw = s->idle_before_nw != FIELD_UNKNOWN_INT ? (double)s->idle_before_nw : 0;
	double step_nw = fabs((double)busy->mean_nw - idle_nw);
	double shift_nj = 2 * (double)clock_ns / (double)NS_PER_S * step_nw / sqrt(3);

	if (busy->energy_nj > 0)
		s->instrument_pct = 100 * hypot((double)busy->instrument_nj, shift_nj) /
				    (double)busy->energy_nj;
}

static void integrate(struct runner_trial *t, enum runner_node who, const struct trace *trace,
		      struct side *s)
{
	const struct phase_machine *m = &t->phase;
	int64_t offset_ns = t->clock[who].offset_ns, after_from_ns = m->idle_after_from_ns;
	int64_t window_ns = t->to_ns[who] - t->from_ns[who];
	struct energy busy, before, after;
	struct fail why = { 0 };
	bool has_before = false, has_after = false;

	s->coverage = 0;
	if (energy_window(trace, t->from_ns[who], t->to_ns[who], GAP_EXCLUDE, 0, &busy, &why))
		return; /* no sample in the window: the coverage says it */
	/* Requests in flight were awaited after the window: idle begins behind that. */
	if (after_from_ns < t->load_over_ns)
		after_from_ns = t->load_over_ns;
	/* One window that is clear of the load says more than two that are not. */
	for (int clear = 1; clear >= 0 && !has_before && !has_after; clear--) {
		has_before = idle_window(trace, m->idle_before_from_ns, m->idle_before_to_ns,
					 offset_ns, clear, &before);
		has_after = idle_window(trace, after_from_ns, m->idle_after_to_ns, offset_ns, clear,
					&after);
		t->short_idle[who] |= m->times.idle_ns && !(has_before && has_after);
	}
	s->gross_nj = busy.energy_nj;
	s->coverage = (double)busy.covered_ns / (double)window_ns;
	s->meter_samples = busy.samples;
	s->meter_gaps = busy.gaps;
	t->insufficient[who] = busy.insufficient;
	fill_net(s, &busy, has_before ? &before : NULL, has_after ? &after : NULL);
	if (!trace->facts.error_unknown)
		fill_uncertainty(s, &busy,
				 who == RUNNER_SERVER ? t->record.clock_uncertainty_ns : 0);
}

int runner_energy(struct runner_trial *t, enum runner_node who, struct fail *f)
{
	const char *text = json_string_value(json_object_get(t->collected[who], "trace"));
	struct side *s = who == RUNNER_SERVER ? &t->record.server : &t->record.client;
	struct trace trace = { 0 };
	int status = -1;

	runner_energy_unknown(s);
	if (!text)
		return 0;
	if (base64_decode(text, strlen(text), &t->trace[who], f) ||
	    trace_decode(&trace, t->trace[who].data, t->trace[who].len, f))
		goto out;
	describe_meter(&trace, s);
	integrate(t, who, &trace, s);
	status = 0;
out:
	trace_release(&trace);
	return status;
}
