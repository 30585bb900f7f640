/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive - is a cell known well enough? */
#include "results/adaptive.h"

#include <errno.h>
#include <string.h>

#include "results/stats_series.h"

bool adaptive_enough(const struct cell_summary *s, double ci_pct)
{
	if (!stats_narrow(&s->requests_per_s, ci_pct))
		return false;
	return !summary_has_energy(&s->server.energy) ||
	       stats_narrow(&s->server.energy.requests_per_mwh, ci_pct);
}

static int take_trial(int64_t id, const struct trial *t, void *data)
{
	(void)id;
	return summary_add(data, t);
}

int adaptive_stored(struct store *s, int64_t cell, double ci_pct, struct fail *f)
{
	struct summary_tools tools = { 0 };
	struct cell_summary summary;
	struct cell none = { 0 };
	int status;

	if (summary_init(&summary, &none, &tools) < 0)
		return fail_set(f, ENOMEM, "no memory for the summary");
	status = store_each_trial(s, cell, take_trial, &summary, f);
	if (status == 0)
		status = summary_finish(&summary);
	if (status < 0)
		fail_set(f, ENOMEM, "no memory for the summary"); /* the first reason stays */
	else
		status = adaptive_enough(&summary, ci_pct);
	summary_release(&summary);
	summary_tools_release(&tools);
	return status;
}
