/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_until - of a campaign that went on until its figures were known: what was asked, and
 * which cells came there.
 */
#include <inttypes.h>
#include <jansson.h>

#include "results/adaptive.h"
#include "results/report.h"

static void put_cells(const struct report *r, double ci_pct, int64_t most, struct buf *out)
{
	int64_t least_trials = INT64_MAX, most_trials = 0;
	size_t wide = 0;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];

		wide += !adaptive_enough(c, ci_pct);
		least_trials = c->trials < least_trials ? c->trials : least_trials;
		most_trials = c->trials > most_trials ? c->trials : most_trials;
	}
	buf_printf(out,
		   " Blocks were added for the cells not known to %.3g %% to either side, up to "
		   "%" PRId64 " in all; cells have %" PRId64 " to %" PRId64
		   " trials, and %zu of %zu are not known so well. An interval at which one "
		   "stops covers a little less than 95 %%.",
		   ci_pct, most, least_trials, most_trials, wide, r->cells);
}

void report_until(const struct report *r, struct buf *out)
{
	json_error_t bad;
	json_t *options = json_loads(r->campaign.options ? r->campaign.options : "{}", 0, &bad);
	const json_t *until = json_object_get(options, "until");

	if (json_is_object(until) && r->cells)
		put_cells(r, json_number_value(json_object_get(until, "ci_pct")),
			  json_integer_value(json_object_get(until, "max_blocks")), out);
	json_decref(options);
}
