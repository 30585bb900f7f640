/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_runs - what the runs of a search came to: a figure, and the cell of each rate, until it is
 * known which of them the search ends with. It does not search: that is rate_finder.
 */
#ifndef CLIENTS_FIND_RUNS_H
#define CLIENTS_FIND_RUNS_H

#include <jansson.h>

#include "clients/load.h"
#include "clients/rate_finder.h"

struct find_runs {
	int64_t bytes_per_s[RATE_PROBES_MAX];
	json_t *cell[RATE_PROBES_MAX];
	int count;
};

/* Of a run; a percentile that is among its time-outs is NAN, and meets nothing. */
double find_runs_figure_ns(enum rate_metric metric, const struct load_params *p,
			   const struct load_result *got);

/* Takes the cell of a run at this rate, in place of that of an earlier run at it. */
void find_runs_keep(struct find_runs *f, int64_t bytes_per_s, json_t *cell);
/* Borrowed until the next keep(); NULL: there was no run at this rate. */
json_t *find_runs_cell(const struct find_runs *f, int64_t bytes_per_s);
void find_runs_release(struct find_runs *f);

#endif
