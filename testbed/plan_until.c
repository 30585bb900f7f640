/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_until - the blocks that may be added to a campaign until its figures are known: how they
 * are asked for, and how many blocks there are with them.
 */
#include <stdlib.h>

#include "testbed/plan_read.h"

#define CI_PCT_MIN 0.1
#define CI_PCT_MAX 100.0

int plan_blocks(const struct plan *p)
{
	return p->until.blocks_max > p->blocks ? p->until.blocks_max : p->blocks;
}

void plan_check_until(struct plan *p, struct yaml *y, const char *ci_pct, int blocks_max)
{
	const struct yaml_node *until = yaml_find(y->root, "until");
	char *end;

	if (!*ci_pct || !blocks_max)
		return;
	p->until.ci_pct = strtod(ci_pct, &end);
	p->until.blocks_max = blocks_max;
	if (*end || !(p->until.ci_pct >= CI_PCT_MIN && p->until.ci_pct <= CI_PCT_MAX))
		yaml_error(y, yaml_find(until, "ci_pct"),
			   "ci_pct: \"%s\" is not a percentage from %.1f to %.0f", ci_pct,
			   CI_PCT_MIN, CI_PCT_MAX);
	if (p->blocks > blocks_max)
		yaml_error(y, yaml_find(until, "max_blocks"),
			   "max_blocks: %d is less than the %d blocks that are asked for",
			   blocks_max, p->blocks);
}
