/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_runs - a cell for each rate: a later run may turn the verdict over any of them.
 */
#include "clients/find_runs.h"

double find_runs_figure_ns(enum rate_metric metric, const struct load_params *p,
			   const struct load_result *got)
{
	static const double quantile[RATE_METRICS] = {
		[RATE_P50] = 0.5, [RATE_P95] = 0.95, [RATE_P99] = 0.99
	};

	if (metric == RATE_MEAN)
		return hist_mean(&got->response);
	return load_quantile_ns(p, got, quantile[metric]);
}

static int find(const struct find_runs *f, int64_t bytes_per_s)
{
	int i = 0;

	while (i < f->count && f->bytes_per_s[i] != bytes_per_s)
		i++;
	return i;
}

void find_runs_keep(struct find_runs *f, int64_t bytes_per_s, json_t *cell)
{
	int i = find(f, bytes_per_s);

	if (i == RATE_PROBES_MAX) {
		json_decref(cell);
		return;
	}
	json_decref(f->cell[i]);
	f->bytes_per_s[i] = bytes_per_s;
	f->cell[i] = cell;
	f->count += i == f->count;
}

json_t *find_runs_cell(const struct find_runs *f, int64_t bytes_per_s)
{
	int i = find(f, bytes_per_s);

	return i < f->count ? f->cell[i] : NULL;
}

void find_runs_release(struct find_runs *f)
{
	for (int i = 0; i < f->count; i++)
		json_decref(f->cell[i]);
	*f = (struct find_runs){ 0 };
}
