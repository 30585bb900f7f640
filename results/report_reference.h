/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_reference - figures that a study published, each beside the cell of ours that
 * corresponds to it.
 *
 * A cell corresponds where it asks the same of the same kind of server: protocol, clients,
 * requests, rate. Hardware, software and network are others, so a ratio is never a verdict.
 */
#ifndef RESULTS_REPORT_REFERENCE_H
#define RESULTS_REPORT_REFERENCE_H

#include "results/reference.h"
#include "results/report.h"
#include "results/report_tree.h"

struct report_reference {
	const struct reference_study *study;
	const struct reference_row *row;
	size_t cell;
	size_t against;   /* the cell it is compared with; the same one where it is not */
	char figure[64];  /* "mean_ms", "mean_ms at 17 kB/s" */
	const char *unit; /* of both */
	double published;
	struct interval ours; /* n 0: one figure over all trials, no interval */
	const char *energy;   /* "measured", "modelled": what ours is made of; "": needs none */
};

/* By study, then as published; calls visit for each. Returns how many. */
size_t report_references(const struct report *r,
			 void (*visit)(const struct report *, const struct report_reference *,
				       void *),
			 void *data);

/* Sections of the formats; nothing where no figure corresponds. */
void report_references_text(const struct report *r, struct buf *out);
void report_references_markdown(const struct report *r, struct buf *out);
void report_references_html(const struct report *r, struct buf *out);
/* A new list, empty where none corresponds. */
json_t *report_references_json(const struct report *r);

#endif
