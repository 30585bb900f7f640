/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_budget - where the figures' uncertainty comes from, part by part: what more trials
 * would shrink, and what they would not. The parts are never added up, and a part that is of energy
 * has a row for each source of it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report_html.h"

struct part {
	const char *name, *help;
	bool of_energy;
	double (*value)(const struct cell_summary *, const struct summary_energy *);
};

static double half_width(const struct interval *i)
{
	return 100 * fmax(i->hi - i->mean, i->mean - i->lo) / fabs(i->mean);
}

static double of_rate(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)e;
	return half_width(&c->requests_per_s);
}

static double of_energy(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)c;
	return half_width(&e->requests_per_mwh);
}

static double of_bootstrap(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)c;
	return half_width(&e->requests_per_mwh_bca);
}

static double of_instrument(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)c;
	return e->uncertainty_pct;
}

static double of_idle(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)c;
	return fabs(e->idle_drift_pct);
}

static double of_coverage(const struct cell_summary *c, const struct summary_energy *e)
{
	(void)c;
	return 100 * (1 - e->coverage);
}

static const struct part parts[] = {
	{ "requests per second: half width of the 95 % interval",
	  "statistical, Student's t; more blocks shrink it", false, of_rate },
	{ "requests per mWh: half width of the 95 % interval",
	  "statistical, Fieller's; more blocks shrink it", true, of_energy },
	{ "the same by bootstrap",
	  "BCa; narrower where trials are few, because it cannot know the tails", true,
	  of_bootstrap },
	{ "gross energy: standard uncertainty of instrument or model",
	  "the same in every trial: more blocks do not shrink it", true, of_instrument },
	{ "idle power: largest change from before to after a trial",
	  "systematic in net figures; gross ones do not rest on idle", true, of_idle },
	{ "window not covered by samples", "systematic; bridged by no assumption", true,
	  of_coverage },
};

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static void put_value(double value, struct buf *out)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "<td class=\"n\">%s</td>", text);
}

/* source: of the cells' energy; "": it does not matter. */
static void put_row(const struct report *r, const struct part *p, bool client, const char *source,
		    double *x, struct buf *out)
{
	size_t n = 0, worst = 0;
	double most = -1;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];
		const struct summary_energy *e = client ? &c->client.energy : &c->server.energy;
		double value = p->value(c, e);

		if (!isfinite(value) || (*source && strcmp(e->source, source) != 0))
			continue;
		x[n++] = value;
		if (value > most) {
			most = value;
			worst = i;
		}
	}
	if (!n)
		return;
	qsort(x, n, sizeof(*x), ascending);
	buf_printf(out, "<tr><td>%s</td><td>%s", client ? "client" : "server", p->name);
	report_html_badge(source, out);
	buf_puts(out, "</td>");
	put_value(x[n / 2], out);
	put_value(most, out);
	buf_puts(out, "<td class=\"suite\">");
	html_suite(out, r->cell[worst].cell.name);
	buf_printf(out, "</td><td>%s</td></tr>\n", p->help);
}

static void put_part(const struct report *r, const struct part *p, bool client, double *x,
		     struct buf *out)
{
	if (!p->of_energy)
		put_row(r, p, client, "", x, out);
	for (int s = 0; p->of_energy && energy_sources[s]; s++)
		put_row(r, p, client, energy_sources[s], x, out);
}

static void put_steadiness(const struct report *r, struct buf *out)
{
	int64_t outliers = 0, drifts = 0, warmups = 0;

	for (size_t i = 0; i < r->cells; i++) {
		const struct interval *drift = &r->cell[i].drift_pct_per_block;

		outliers += r->cell[i].outliers;
		drifts += drift->lo > 0 || drift->hi < 0;
		warmups += r->cell[i].warmup_blocks > 0;
	}
	buf_printf(out,
		   "<p>%" PRId64 " valid trials stand apart from the others of their cell (Tukey's "
		   "fences); they are kept. Requests per second drift from block to block, beyond "
		   "what chance would do once in twenty cells, in %" PRId64
		   " of %zu cells; in %" PRId64
		   " the first blocks look like warm-up. Of clocks, nodes on one kernel share one; "
		   "else the offset's uncertainty stands in each trial's record.</p>\n",
		   outliers, drifts, r->cells, warmups);
}

void report_html_budget(const struct report *r, struct buf *out)
{
	double *x = calloc(r->cells + 1, sizeof(*x));

	out->failed |= !x;
	html_wide(out, "Uncertainty by part");
	buf_puts(out, "<table><thead><tr><th scope=\"col\">node</th><th scope=\"col\">part</th>"
		      "<th scope=\"col\" class=\"n\">median, %</th><th scope=\"col\" "
		      "class=\"n\">worst, %</th><th scope=\"col\">worst cell"
		      "</th><th scope=\"col\">what it is</th></tr></thead><tbody>\n");
	for (int side = 0; side < 2 && x; side++)
		for (size_t i = side ? 1 : 0; i < sizeof(parts) / sizeof(*parts); i++)
			put_part(r, &parts[i], side, x, out);
	buf_puts(out, "</tbody></table></div>\n");
	put_steadiness(r, out);
	free(x);
}
