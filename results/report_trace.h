/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_trace - a meter's trace made small enough to be drawn: power over time in a fixed number
 * of steps, with what was lowest and highest in each. The one file of results that reads
 * power's traces.
 */
#ifndef RESULTS_REPORT_TRACE_H
#define RESULTS_REPORT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"
#include "results/store.h"

#define REPORT_TRACES      4    /* of a report: the first cell of each of so many suites */
#define REPORT_TRACE_STEPS 1200 /* what a zoom can show */

struct report_step {
	double low_w, mean_w, high_w; /* NAN: no usable sample in it */
};

struct report_trace {
	size_t cell; /* in the report */
	int64_t block, samples;
	double from_s, to_s; /* of the trace; 0 is where the measure window begins */
	double window_s;
	struct report_step step[REPORT_TRACE_STEPS]; /* of equal length */
};

/* Every byte is checked. -1: damaged, or without a usable sample. */
int report_trace_read(struct report_trace *t, const struct store_trace *stored, struct fail *f);
/* The steps merged to `count`, which divides REPORT_TRACE_STEPS. */
void report_trace_merge(const struct report_trace *t, size_t count, struct report_step *dst);
double report_trace_time_s(const struct report_trace *t, size_t step, size_t count);

#endif
