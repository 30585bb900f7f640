/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_session - hands each part of the readings to everybody who wants them.
 * It must not know where they come from.
 */
#include "power/power_session.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "power/convert.h"
#include "power/power_csv.h"

int power_session_begin(struct power_session *s, const struct meter_facts *facts,
			int64_t own_period_ns, const char *record, struct fail *f)
{
	s->facts = *facts;
	s->writer = (struct trace_writer){ .fd = -1 };
	if (power_report_begin(&s->report, &s->facts, own_period_ns) != 0)
		return fail_set(f, ENOMEM, "no memory");
	s->report.policy = s->policy;
	if (record != NULL && trace_writer_open(&s->writer, record, &s->facts, f) != 0) {
		power_report_release(&s->report);
		return -1;
	}
	return 0;
}

static int64_t window_edge(const struct power_session *s, double seconds, int64_t otherwise_ns)
{
	return isnan(seconds) ? otherwise_ns : s->first_ns + llround(seconds * 1e9);
}

static int begin_energy(struct power_session *s, struct fail *f)
{
	s->begun = true;
	return energy_begin(&s->run, &s->facts, window_edge(s, s->from_s, s->first_ns),
			    window_edge(s, s->to_s, ENERGY_OPEN), s->policy, 0, f);
}

int power_session_feed(struct power_session *s, const struct sample *sample, size_t count,
		       struct fail *f)
{
	if (count == 0)
		return 0;
	if (!s->first_known)
		s->first_ns = sample_time_ns(&sample[0]);
	s->first_known = true;
	if (s->want_energy && !s->begun && begin_energy(s, f) != 0)
		return -1;
	power_report_add(&s->report, sample, count);
	if (s->want_energy)
		energy_add(&s->run, sample, count);
	if (s->csv != NULL)
		power_csv_rows(&s->facts, sample, count, s->first_ns, s->csv);
	s->newest = sample[count - 1];
	s->count += count;
	return s->writer.fd >= 0 ? trace_writer_add(&s->writer, sample, count, f) : 0;
}

static int end_energy(struct power_session *s, struct fail *f)
{
	if (!s->begun)
		return fail_set(f, ENODATA, "fewer than two readings: no energy");
	if (energy_end(&s->run, &s->report.energy, f) != 0)
		return -1;
	s->report.has_energy = true;
	return 0;
}

int power_session_end(struct power_session *s, int64_t late, int64_t lost, int64_t cpu_ns,
		      struct fail *f)
{
	int status = 0;

	s->report.late = late;
	s->report.lost = lost;
	s->report.cpu_ns = cpu_ns;
	power_report_end(&s->report);
	if (s->csv != NULL)
		power_csv_tail(late, lost, s->csv);
	status |= trace_writer_close(&s->writer, late, lost, cpu_ns, f);
	if (s->want_energy)
		status |= end_energy(s, f);
	return status ? -1 : 0;
}

void power_session_release(struct power_session *s)
{
	struct fail ignored = { 0 };

	trace_writer_close(&s->writer, s->report.late, s->report.lost, s->report.cpu_ns, &ignored);
	power_report_release(&s->report);
}
