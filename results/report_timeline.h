/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_timeline - a cell's sample of associations on the wire, as the report keeps it, and what
 * is shown of it: figures 21 to 23 of the gateway study.
 */
#ifndef RESULTS_REPORT_TIMELINE_H
#define RESULTS_REPORT_TIMELINE_H

#include <jansson.h>

#include "lib/buf.h"

struct report;

struct report_timeline {
	size_t cell;
	json_t *sample; /* as testbed/wire_sample.h says it */
};

/* A new list, empty where no cell has one. */
json_t *report_timelines_json(const struct report *r);
/* Nothing where no cell has one. */
void report_html_timelines(const struct report *r, struct buf *out);

/* One number of a sample: "median" of its "handshake_us"; NAN where it is not there. */
double report_timeline_us(const json_t *sample, const char *what, const char *which);
/* The time axis with a lane for each cell, and the table of every step. */
void report_timeline_lanes(const struct report *r, struct buf *out);

#endif
