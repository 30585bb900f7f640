/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_print - a plan as people read it, before anything runs.
 *
 * Pure: a plan in, text out.
 */
#include <inttypes.h>

#include "lib/units.h"
#include "testbed/plan.h"

static void put_duration(struct buf *out, const char *name, int64_t ns)
{
	char text[48] = "none";

	if (ns)
		units_format_duration(ns, text, sizeof(text));
	buf_printf(out, "%s %s", name, text);
}

static void put_setting(struct buf *out, const char *name, const char *value, const char *otherwise)
{
	if (*value)
		buf_printf(out, ", %s %s", name, value);
	else if (*otherwise)
		buf_printf(out, ", %s", otherwise);
}

static void print_node(struct buf *out, const char *role, const struct plan_node *n)
{
	buf_printf(out, "%-9s %s", role, n->name);
	put_setting(out, "by", n->command, "on this machine");
	put_setting(out, "address", n->address, "");
	put_setting(out, "board", n->board, "");
	put_setting(out, "meter", n->meter, "no meter");
	if (n->rate_hz)
		buf_printf(out, " at %" PRId64 " Hz", n->rate_hz);
	put_setting(out, "CPUs", n->cpus, "not pinned");
	buf_puts(out, "\n");
}

static void print_phases(struct buf *out, const struct plan *p)
{
	const struct phase_times *t = &p->times;

	put_duration(out, "phases    settle", t->settle_ns);
	put_duration(out, ", idle", t->idle_ns);
	put_duration(out, ", warm-up", t->warmup_ns);
	if (t->count)
		buf_printf(out, ", measure %" PRId64 " requests", t->count);
	else
		put_duration(out, ", measure", t->measure_ns);
	put_duration(out, ", idle", t->idle_ns);
	put_duration(out, ", cool", t->cool_ns);
	put_duration(out, "; given up after", t->overtime_ns);
	buf_puts(out, " more\n");
}

static int print_cells(struct buf *out, const struct plan *p)
{
	int available = 0;

	for (int i = 0; i < p->cells; i++) {
		const struct plan_cell *c = &p->cell[i];

		buf_printf(out, "%5d  %s\n", i + 1, c->cell.name);
		if (c->unavailable)
			buf_printf(out, "       not run: %s\n", c->unavailable);
		available += !c->unavailable;
	}
	return available;
}

static void print_order(struct buf *out, const struct plan *p)
{
	for (int b = 0; b < p->blocks; b++) { /* which cells come behind them is not known yet */
		buf_printf(out, "block %d:", b + 1);
		for (int i = 0; i < p->cells; i++) {
			int cell = p->order[b * p->cells + i];

			if (!p->cell[cell].unavailable)
				buf_printf(out, " %d", cell + 1);
		}
		buf_puts(out, "\n");
	}
}

static bool counts_any(const struct plan *p)
{
	for (int i = 0; i < p->cells; i++)
		if (!p->cell[i].unavailable && plan_times(p, &p->cell[i]).count)
			return true;
	return false;
}

void plan_print(const struct plan *p, struct buf *out)
{
	int available;

	buf_printf(out, "campaign  %s, seed %" PRId64 "%s\n", p->name, p->seed,
		   p->seed_given ? "" : " (drawn)");
	print_node(out, "server", &p->server);
	print_node(out, "client", &p->client);
	print_phases(out, p);
	put_duration(out, "request   time-out", p->timeout_ns);
	for (int i = 0; i < settings_count(); i++)
		put_setting(out, setting_rows[i].key, p->usual[i] ? p->usual[i] : "", "");
	buf_puts(out, "\ncells\n");
	available = print_cells(out, p);
	print_order(out, p);
	buf_printf(out, "%d trials (%d blocks of %d cells)", available * p->blocks, p->blocks,
		   available);
	put_duration(out, counts_any(p) ? ", besides counted windows at least" : ", at least",
		     plan_duration_ns(p));
	buf_puts(out, "\n");
	if (p->timeline)
		buf_printf(out, "before them %d associations of each cell are captured\n",
			   p->timeline);
	if (p->until.blocks_max)
		buf_printf(out,
			   "then more blocks, %d in all at most, of cells whose interval is wider "
			   "than %.3g %% to either side\n",
			   p->until.blocks_max, p->until.ci_pct);
}
