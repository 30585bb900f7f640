/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threshold - a demand on a report's figures, for gates: "server.requests_per_mwh(tls1.3:*)>500".
 *
 *   FIGURE[(CELLS)] OP NUMBER
 *
 * FIGURE is a name of the field table ("server.energy.gross_mwh"), or its end, or its first part
 * and its end ("client.gross_mwh"). What both sides have means the server's; what fits several
 * else is refused. An interval is its mean; ".lo" and ".hi" behind the
 * name are its ends, so "server.requests_per_mwh.lo > 500" demands that the whole interval is
 * above. CELLS are shell patterns, parted by commas, of cells' names or suites; all
 * cells without them. OP is > >= < <=. A figure that is not known misses.
 */
#ifndef RESULTS_THRESHOLD_H
#define RESULTS_THRESHOLD_H

#include "results/report.h"

enum threshold_part { THRESHOLD_VALUE, THRESHOLD_LOW, THRESHOLD_HIGH };

struct threshold {
	char name[FIELD_NAME_BYTES]; /* in full */
	const struct field *field;
	size_t place; /* of what the field is in, from a struct cell_summary */
	enum threshold_part part;
	char cells[512];   /* patterns; "" all */
	bool above, equal; /* >, >= or <, <= */
	double limit;
};

/* -1: what is wrong, and what would be right. */
int threshold_read(struct threshold *t, const char *text, struct fail *f);

/*
 * How many of the matching cells miss it; a line is appended for each: cell, figure, demand,
 * and how sure the energy is. -1: no cell matches, in f.
 */
int threshold_check(const struct threshold *t, const struct report *r, struct buf *out,
		    struct fail *f);

#endif
