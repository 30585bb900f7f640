/* SPDX-License-Identifier: Apache-2.0 */
/* compare_print - comparisons as text and as JSON. */
#include "results/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "results/figure.h"
#include "results/report_tree.h"
#include "results/stats_compare.h"
#include "results/stats_rank.h"

#define LINE_BYTES 256
/* Of the figures: what a server does with its CPU is steadiest. */
#define CONTROL_FIGURE 1

static const struct node *node_of(const struct report *r, const char *role)
{
	for (size_t i = 0; i < r->nodes; i++)
		if (!strcmp(r->node[i].role, role))
			return &r->node[i];
	return NULL;
}

/* The environment is of the moment, and a name only a name. */
static bool is_moment(const struct field *f)
{
	return !strcmp(f->name, "environment") || !strcmp(f->name, "name") ||
	       !strcmp(f->name, "role");
}

void compare_machines(const struct comparison *c, struct buf *out)
{
	static const char *const roles[] = { "server", "client" };

	for (int i = 0; i < 2; i++) {
		const struct node *a = node_of(c->a, roles[i]), *b = node_of(c->b, roles[i]);

		for (const struct field *f = node_fields; f->name && a && b; f++) {
			char left[1100], right[1100];

			figure_field(f, a, left, sizeof(left));
			figure_field(f, b, right, sizeof(right));
			if (!is_moment(f) && strcmp(left, right))
				buf_printf(out, "%s %s: A %s, B %s\n", roles[i], f->name, left,
					   right);
		}
	}
}

static void put_p(double p, char *dst, size_t len)
{
	if (!isfinite(p))
		snprintf(dst, len, "-");
	else
		snprintf(dst, len, p < 0.0001 ? "<0.0001" : "%.2g", p);
}

static int add_row(struct table *t, const struct compare_row *r)
{
	char a[FIGURE_BYTES], b[FIGURE_BYTES], p[16], rank[16], delta[48], verdict[LINE_BYTES];
	const char *cells[] = { r->words, a, b, verdict, p, rank, delta };

	figure_interval(&r->a, a);
	figure_interval(&r->b, b);
	put_p(r->p_holm, p, sizeof(p));
	put_p(r->p_rank, rank, sizeof(rank));
	snprintf(delta, sizeof(delta), "-");
	if (isfinite(r->delta))
		snprintf(delta, sizeof(delta), "%+.2f %s", r->delta, stats_cliff_word(r->delta));
	compare_verdict(r, verdict, sizeof(verdict));
	if (*r->source && strcmp(r->source, "measured")) {
		size_t used = strlen(verdict);

		snprintf(verdict + used, sizeof(verdict) - used, " (%s)", r->source);
	}
	return table_row(t, cells);
}

static int fill(struct table *t, const struct compare_pair *p)
{
	static const char *const heads[] = { "figure",        ">A",        ">B",
					     "verdict",       ">p (Holm)", ">p (ranks)",
					     "Cliff's delta", NULL };

	if (table_init(t, heads) < 0)
		return -1;
	for (int i = 0; i < COMPARE_FIGURES; i++)
		if (add_row(t, &p->row[i]) < 0)
			return -1;
	return 0;
}

/* Never "+1.2e+02". */
static void put_pct(double value, bool sign, struct buf *out)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "%s%s", sign && value >= 0 ? "+" : "", text);
}

static void put_control(const char *which, const struct cell_summary *c, struct buf *out)
{
	size_t n;
	double *x = compare_values(c, CONTROL_FIGURE, &n);
	struct stats_aa aa = { .detectable_pct = NAN };

	if (x)
		aa = stats_aa(x, n);
	out->failed |= !x;
	if (isfinite(aa.detectable_pct)) {
		const struct interval *i = &aa.difference_pct;

		buf_printf(out, "A/A control within %s (every other block against its neighbour): ",
			   which);
		put_pct(i->mean, true, out);
		buf_puts(out, " % (");
		put_pct(i->lo, true, out);
		buf_puts(out, " to ");
		put_pct(i->hi, true, out);
		buf_printf(out, " %%), %s.\n",
			   i->lo > 0 || i->hi < 0
				   ? "which should not be: the machine was not steady"
				   : "no difference proven, as it should be");
	}
	free(x);
}

static void put_table(const struct compare_pair *p, struct buf *out)
{
	struct table t = { 0 };

	if (fill(&t, p) < 0)
		out->failed = true;
	else
		table_put(&t, table_print, out);
	table_release(&t);
}

static void put_pair(const struct comparison *c, const struct compare_pair *p, struct buf *out)
{
	const struct compare_row *control = &p->row[CONTROL_FIGURE];

	if (c->a == c->b)
		buf_printf(out, "A %s\nB %s\n", p->a->cell.name, p->b->cell.name);
	else
		buf_printf(out, "%s\n", p->a->cell.name);
	put_table(p, out);
	if (isfinite(control->detectable_pct)) {
		buf_printf(out, "With %" PRId64 " %s a difference of ", p->blocks,
			   p->paired ? "pairs of blocks" : "trials of each");
		put_pct(control->detectable_pct, false, out);
		buf_printf(out, " %% in %s would be proven in four of five such campaigns.\n",
			   control->words);
	}
	if (c->a == c->b) {
		put_control("A", p->a, out);
		put_control("B", p->b, out);
	}
	buf_byte(out, '\n');
}

static bool reaches_zero(const struct comparison *c)
{
	for (size_t i = 0; i < c->pairs; i++)
		for (int k = 0; k < COMPARE_FIGURES; k++)
			if (figure_reaches_zero(&c->pair[i].row[k].a) ||
			    figure_reaches_zero(&c->pair[i].row[k].b))
				return true;
	return false;
}

static void put_method(const struct comparison *c, struct buf *out)
{
	if (reaches_zero(c))
		buf_printf(out, "%s\n", figure_zero);
	buf_printf(
		out,
		"A and B are means over trials: a report's figures per CPU second and per mWh are "
		"ratios of sums, in which a trial with more requests counts more, and its "
		"percentiles those of all trials' requests together. Where trials are alike they "
		"differ little from these; where trials are unequal, perhaps by much. "
		"Ratios are of geometric means with 95 %% intervals, %s. A difference is "
		"proven "
		"where p is at most 0.05 after Holm's correction over all %zu comparisons here. "
		"Second opinions: Mann-Whitney's exact test by ranks; Cliff's delta is the share "
		"of pairs in which A is above B less the share in which it is below.\n",
		c->paired ? "over pairs of blocks" : "by Welch's t",
		c->pairs * (size_t)COMPARE_FIGURES);
}

void compare_print_text(const struct comparison *c, struct buf *out)
{
	size_t before;

	if (c->a != c->b) {
		buf_printf(out, "A campaign %s, %s\nB campaign %s, %s\n", c->a->campaign.name,
			   c->a->campaign.started, c->b->campaign.name, c->b->campaign.started);
		before = out->len;
		compare_machines(c, out);
		if (out->len == before)
			buf_puts(out, "The machines, boards and versions are the same.\n");
		if (c->only_a || c->only_b)
			buf_printf(out, "Cells without a partner: %zu of A, %zu of B.\n", c->only_a,
				   c->only_b);
		buf_byte(out, '\n');
	}
	for (size_t i = 0; i < c->pairs; i++)
		put_pair(c, &c->pair[i], out);
	put_method(c, out);
}

static json_t *row_tree(const struct compare_row *r)
{
	char verdict[LINE_BYTES];

	compare_verdict(r, verdict, sizeof(verdict));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:b, "
			 "s:s, s:s}",
			 "figure", r->name, "unit", r->unit, "a", report_tree_interval(&r->a), "b",
			 report_tree_interval(&r->b), "difference",
			 report_tree_interval(&r->difference), "ratio",
			 report_tree_interval(&r->ratio), "p", report_tree_number(r->p), "p_holm",
			 report_tree_number(r->p_holm), "p_other_test",
			 report_tree_number(r->p_other), "p_mann_whitney",
			 report_tree_number(r->p_rank), "cliffs_delta",
			 report_tree_number(r->delta), "effect", stats_cliff_word(r->delta),
			 "detectable_pct", report_tree_number(r->detectable_pct), "proven",
			 (int)compare_proven(r), "energy", r->source, "verdict", verdict);
}

static json_t *aa_tree(const struct cell_summary *c)
{
	size_t n = 0;
	double *x = compare_values(c, CONTROL_FIGURE, &n);
	struct stats_aa aa = { { NAN, NAN, NAN, 0 }, NAN };

	if (x)
		aa = stats_aa(x, n);
	free(x);
	return json_pack("{s:o, s:o}", "difference_pct", report_tree_interval(&aa.difference_pct),
			 "detectable_pct", report_tree_number(aa.detectable_pct));
}

static json_t *pair_tree(const struct compare_pair *p)
{
	json_t *rows = json_array();

	for (int i = 0; i < COMPARE_FIGURES; i++)
		json_array_append_new(rows, row_tree(&p->row[i]));
	return json_pack("{s:o, s:o, s:b, s:I, s:o, s:o, s:o}", "a",
			 report_tree_text(p->a->cell.name), "b", report_tree_text(p->b->cell.name),
			 "paired", (int)p->paired, "blocks", (json_int_t)p->blocks, "figures", rows,
			 "aa_control_a", aa_tree(p->a), "aa_control_b", aa_tree(p->b));
}

static json_t *side_tree(const struct report *r)
{
	return json_pack("{s:o, s:o, s:I}", "campaign", report_tree_text(r->campaign.name),
			 "started", report_tree_text(r->campaign.started), "id", (json_int_t)r->id);
}

void compare_print_json(const struct comparison *c, struct buf *out)
{
	json_t *pairs = json_array();
	struct buf machines = { 0 };

	compare_machines(c, &machines);
	for (size_t i = 0; i < c->pairs; i++)
		json_array_append_new(pairs, pair_tree(&c->pair[i]));
	report_tree_put(
		out,
		json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:o}", "schema", "cipherwatt/1",
			  "values", "means over trials", "a", side_tree(c->a), "b", side_tree(c->b),
			  "machines", report_tree_text(buf_text(&machines)), "only_a",
			  (json_int_t)c->only_a, "only_b", (json_int_t)c->only_b, "pairs", pairs),
		false);
	buf_byte(out, '\n');
	buf_release(&machines);
}
