/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_until - blocks that are added until every cell is known well enough.
 *
 * A cell's own earlier trials decide whether it has a trial in a block, and nothing else does:
 * so it does not matter in how many runs the campaign was made.
 */
#include <errno.h>
#include <stdlib.h>

#include "results/adaptive.h"
#include "testbed/runner.h"

/* 1: it has a trial in this block, *stored or not; 0: none; -1: failure. */
static int has_trial(struct runner *r, int cell, int block, bool *stored, struct fail *f)
{
	int there = store_has_trial(r->store, r->cell_id[cell], block, f), enough;

	*stored = there > 0;
	if (there)
		return there;
	enough = adaptive_stored(r->store, r->cell_id[cell], r->plan->until.ci_pct, f);
	return enough < 0 ? -1 : !enough;
}

static void announce(struct runner *r, int block, int missing)
{
	const struct plan_until *u = &r->plan->until;

	if (missing)
		progress_say(&r->progress,
			     "block %d, of %d at most: %d cells are not known to %.3g %% yet",
			     block + 1, u->blocks_max, missing, u->ci_pct);
	progress_add(&r->progress, missing);
	r->progress.may_grow = block + 1 < u->blocks_max;
}

int runner_until(struct runner *r, int block, int *missing, struct fail *f)
{
	int trials = 0, has;
	bool stored;

	*missing = 0;
	if (!r->enough)
		r->enough = calloc((size_t)r->plan->cells, sizeof(*r->enough));
	if (!r->enough)
		return fail_set(f, ENOMEM, "no memory for the cells");
	for (int i = 0; i < r->plan->cells; i++) {
		if (r->plan->cell[i].unavailable)
			continue;
		has = has_trial(r, i, block, &stored, f);
		if (has < 0)
			return -1;
		r->enough[i] = !has;
		trials += has;
		*missing += has && !stored;
	}
	announce(r, block, *missing);
	return trials;
}
