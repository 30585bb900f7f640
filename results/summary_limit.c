/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary_limit - a full handshake's CPU time on either side, and the least that its primitives
 * alone would take there.
 *
 * Only where each request has a full handshake of its own, its request included: elsewhere
 * a handshake's share of the CPU time is not known.
 */
#include <math.h>
#include <string.h>

#include "results/summary.h"

/* The last one counts: all trials of a run have the same. */
static void add_limit(struct summary_side *s, const struct side *side)
{
	if (side->limit_us > 0)
		s->limit_us = side->limit_us;
}

void summary_limit_add(struct cell_summary *s, const struct trial *t)
{
	add_limit(&s->server, &t->server);
	add_limit(&s->client, &t->client);
}

static void finish(const struct cell_summary *s, struct summary_side *side)
{
	bool each = !strcmp(s->cell.connection, "full") && strcmp(s->cell.suite, "plain") &&
		    s->requests_completed > 0;

	side->handshake_cpu_us = each ? side->cpu_s * 1e6 / (double)s->requests_completed : NAN;
	if (!each || !(side->limit_us > 0))
		side->limit_us = NAN;
}

void summary_limit_finish(struct cell_summary *s)
{
	finish(s, &s->server);
	finish(s, &s->client);
}
