/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_session - what is done with readings as they come: counted, integrated, recorded, written
 * as CSV. In constant memory, however long it goes on.
 */
#ifndef POWER_POWER_SESSION_H
#define POWER_POWER_SESSION_H

#include "power/power_report.h"
#include "power/trace_file.h"

struct power_session {
	/* Set before: */
	bool want_energy;
	enum gap_policy policy;
	double from_s, to_s; /* NAN: the first reading, the last */
	FILE *csv;           /* NULL: none; borrowed, its head is written */
	bool first_known;    /* first_ns is set: seconds count from there */
	int64_t first_ns;

	struct meter_facts facts;
	struct power_report report;
	struct energy_run run;
	struct trace_writer writer;
	bool begun;
	struct sample newest;
	size_t count;
};

/* record: NULL, or the file to make. -1: f. */
int power_session_begin(struct power_session *s, const struct meter_facts *facts,
			int64_t own_period_ns, const char *record, struct fail *f);
int power_session_feed(struct power_session *s, const struct sample *sample, size_t count,
		       struct fail *f);
/*
 * The report is ready to be printed afterwards, whatever is returned. -1: it could not be written
 * or integrated (f: EINVAL no such window, ENODATA no energy there).
 */
int power_session_end(struct power_session *s, int64_t late, int64_t lost, int64_t cpu_ns,
		      struct fail *f);
void power_session_release(struct power_session *s);

#endif
