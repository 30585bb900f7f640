/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_report - a trace and its energy as text, JSON and CSV.
 *
 * Where the figures come from (measured, modelled, synthetic) stands in every one of them.
 */
#ifndef POWER_REPORT_H
#define POWER_REPORT_H

#include <stdio.h>

#include "power/energy.h"

struct power_report {
	const struct trace *trace;
	enum gap_policy policy;
	bool has_energy;
	struct energy energy;
	/* Of the whole trace: steps between new values. */
	int64_t step_min_ns, step_median_ns, step_p95_ns, step_max_ns, span_ns;
	int64_t read_median_ns, read_max_ns; /* what one reading took, the bus included */
	int64_t fresh, stale, saturated, absent, retried, torn;
	double achieved_hz, cpu_pct;
	/* Of the time, what the readings are about: a chip polled seldom sees little of it. */
	double duty_pct;
};

/* Borrows the trace. own_period_ns: of the meter, whatever the grid was. -1: no memory. */
int power_report_init(struct power_report *r, const struct trace *t, int64_t own_period_ns);

void power_report_text(const struct power_report *r, FILE *out);
/* -1: no memory, or it could not be written. */
int power_report_json(const struct power_report *r, FILE *out);
/* Header lines that begin with '#', names with units, one row a sample. */
void power_report_csv(const struct power_report *r, FILE *out);

/* "saturated late", "-" when there is none. */
const char *power_flags_text(uint32_t flags, char *dst, size_t len);

#endif
