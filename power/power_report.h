/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_report - readings and their energy as text and JSON.
 *
 * Where the figures come from (measured, modelled, synthetic) stands in every one of them.
 */
#ifndef POWER_REPORT_H
#define POWER_REPORT_H

#include <stdio.h>

#include "lib/hist.h"
#include "power/energy.h"

struct power_report {
	const struct meter_facts *facts; /* of what was sampled; borrowed */
	enum gap_policy policy;
	bool has_energy;
	struct energy energy;
	int64_t late, lost, cpu_ns; /* of the sampler */
	bool stored;                /* stamps are a log's own: nothing was waited for */
	/* Of all samples: steps between new values. */
	int64_t step_min_ns, step_median_ns, step_p95_ns, step_max_ns, span_ns;
	int64_t read_median_ns, read_max_ns; /* what one reading took, the bus included */
	int64_t fresh, stale, saturated, absent, retried, torn;
	double achieved_hz, cpu_pct;
	/* Of the time, what the readings are about: a chip polled seldom sees little of it. */
	double duty_pct;
	/* While adding: */
	struct hist steps, reads;
	int64_t first_ns, last_ns;
};

/* own_period_ns: of the meter, whatever the grid was. -1: no memory. */
int power_report_begin(struct power_report *r, const struct meter_facts *facts,
		       int64_t own_period_ns);
void power_report_add(struct power_report *r, const struct sample *s, size_t count);
/* Late, lost, cpu_ns and the energy are set by the caller before. */
void power_report_end(struct power_report *r);
void power_report_release(struct power_report *r);

void power_report_text(const struct power_report *r, FILE *out);
/* -1: no memory, or it could not be written. */
int power_report_json(const struct power_report *r, FILE *out);

/* "saturated late", "-" when there is none. */
const char *power_flags_text(uint32_t flags, char *dst, size_t len);

#endif
