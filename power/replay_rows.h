/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_rows - rows in time order become samples: the clock, runs, spans, counts of what was odd.
 *
 * What every text reader shares. It must not know cells or separators.
 */
#ifndef POWER_REPLAY_ROWS_H
#define POWER_REPLAY_ROWS_H

#include "power/replay_plan.h"

/* Figures of a row, in nano units; known says which. */
struct replay_row {
	int line;
	bool known[ROLES];
	int64_t value[ROLES];
	bool of_day; /* the time counts from midnight: it may pass it */
	uint32_t flags;
};

struct replay_rows {
	const struct replay_options *options;
	struct replay_plan plan;
	struct trace *trace;
	struct fail *fail;
	int64_t step_ns;  /* untimed rows */
	int64_t shift_ns; /* added to every stamp: midnights, re-based clocks */
	int64_t last_raw_ns, last_ns, last_step_ns, span_end_ns;
	int64_t rows;
	/* What was odd, for the basis. */
	int64_t skipped, comments, repeated, same_time, rebased, dropped, midnights, unwrapped;
	int64_t zero_volts, straddling, missing;
	bool cut_dropped, range_assumed, whole_steps;
	double power_sum, vi_sum; /* of rows that tell both: they should agree */
	char assumed[48];         /* what the text itself said or lacked */
};

int replay_rows_begin(struct replay_rows *r, const struct replay_plan *plan);
/* -1: r->fail has the line. */
int replay_rows_add(struct replay_rows *r, const struct replay_row *row);
/* Facts, and the checks that need all rows. */
int replay_rows_end(struct replay_rows *r);

/* Zeros in the step of interleaved channels: -1 with the reason, unless they are declared data. */
int replay_check_zeros(const struct trace *t, const struct replay_options *o, struct fail *f);

#endif
