/* SPDX-License-Identifier: Apache-2.0 */
/* report_tables - the page's tables: figures, nodes, settings, trials that are not valid. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report_html.h"

/* A table of all figures has a column for each cell; more than these are for CSV. */
#define ALL_CELLS_MAX 40

static void put_interval(struct buf *out, const struct interval *i)
{
	char text[FIGURE_BYTES];

	figure_interval(i, text);
	buf_printf(out, "<td class=\"n\">%s</td>", text);
}

void report_html_rate(const struct cell_summary *c, struct buf *out)
{
	const char *limit = report_limit(c);
	char text[FIGURE_BYTES];

	figure_interval(&c->requests_per_s, text);
	buf_printf(out, "<td class=\"n\">%s", text);
	if (*limit)
		buf_printf(out, "<br/><span class=\"badge\">%s</span>", limit);
	buf_puts(out, "</td>");
}

static void put_trials(const struct report *r, const struct cell_summary *c, struct buf *out)
{
	char marks[FIGURE_BYTES];

	report_note_marks(r, (size_t)(c - r->cell), marks, sizeof(marks));
	buf_printf(out, "<td class=\"n\">%" PRId64 " of %" PRId64, c->valid_trials, c->trials);
	if (*marks)
		buf_printf(out, " <a href=\"#notes\">%s</a>", marks);
	buf_puts(out, "</td>");
}

static void put_count(struct buf *out, int64_t value)
{
	if (value == FIELD_UNKNOWN_INT)
		buf_puts(out, "<td class=\"n\">-</td>");
	else
		buf_printf(out, "<td class=\"n\">%" PRId64 "</td>", value);
}

static void put_heads(struct buf *out, const char *const *names)
{
	for (; *names; names++)
		buf_printf(out, "<th scope=\"col\" class=\"n\">%s</th>", *names);
}

/* The two figures that people come for are right behind the suite: a phone shows no more. */
static void put_overview_head(const struct report *r, struct buf *out)
{
	static const char *const first[] = { "requests/s", "requests / mWh", "mJ / request", NULL };
	static const char *const then[] = {
		"per server CPU s", "p50 ms",       "p99 ms", "full handshakes",
		"resumed",          "valid trials", NULL
	};

	buf_puts(out, "<thead><tr>");
	for (int i = 0; r->varying[i]; i++) {
		buf_puts(out, "<th scope=\"col\">");
		html_text(out, report_head(r->varying[i]));
		buf_puts(out, "</th>");
		if (i == 0)
			put_heads(out, first);
	}
	put_heads(out, then);
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_energy(struct buf *out, const struct summary_energy *e, const char *text)
{
	buf_printf(out, "<td class=\"n\">%s", text);
	if (summary_is_modelled(e))
		buf_puts(out, "<br/>");
	report_html_badge(e->source, out);
	buf_puts(out, "</td>");
}

void report_html_per_mwh(const struct summary_energy *e, struct buf *out)
{
	char text[FIGURE_BYTES];

	figure_interval(&e->requests_per_mwh, text);
	put_energy(out, e, text);
}

static void put_per_request(struct buf *out, const struct summary_energy *e)
{
	char text[FIGURE_BYTES];

	figure_number(e->mj_per_request, text);
	put_energy(out, e, text);
}

void report_html_percentile(const struct cell_summary *c, const char *percentile, double own_us,
			    struct buf *out)
{
	char text[2 * FIGURE_BYTES];

	report_percentile(c, percentile, own_us, text, sizeof(text));
	buf_puts(out, "<td class=\"n\">");
	html_text(out, text);
	buf_puts(out, "</td>");
}

static void put_overview_row(const struct report *r, const struct cell_summary *c, struct buf *out)
{
	char value[192];

	buf_puts(out, "<tr>");
	for (int i = 0; r->varying[i]; i++) {
		report_difference(r, r->varying[i], &c->cell, value, sizeof(value));
		buf_puts(out, i ? "<td>" : "<th scope=\"row\" class=\"suite\">");
		html_suite(out, value);
		buf_puts(out, i ? "</td>" : "</th>");
		if (i)
			continue;
		report_html_rate(c, out);
		report_html_per_mwh(&c->server.energy, out);
		put_per_request(out, &c->server.energy);
	}
	put_interval(out, &c->server.requests_per_cpu_s);
	report_html_percentile(c, "p50", c->response.p50, out);
	report_html_percentile(c, "p99", c->response.p99, out);
	put_count(out, c->handshakes_full);
	put_count(out, c->handshakes_resumed);
	put_trials(r, c, out);
	buf_puts(out, "</tr>\n");
}

void report_html_overview(const struct report *r, struct buf *out)
{
	html_wide(out, "Figures of every cell");
	buf_puts(out, "<table>");
	put_overview_head(r, out);
	for (size_t i = 0; i < r->cells; i++)
		put_overview_row(r, &r->cell[i], out);
	buf_puts(out, "</tbody></table></div>\n");
}

void report_html_nodes(const struct report *r, struct buf *out)
{
	char text[2100];

	html_wide(out, "Machines");
	buf_puts(out, "<table><tbody>\n");
	for (const struct field *f = node_fields; f->name && r->nodes; f++) {
		buf_printf(out, "<tr><th scope=\"row\" title=\"%s\">%s</th>", f->help, f->name);
		for (size_t i = 0; i < r->nodes; i++) {
			figure_field(f, &r->node[i], text, sizeof(text));
			buf_puts(out, "<td class=\"suite\">");
			html_text(out, text);
			buf_puts(out, "</td>");
		}
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n");
}

static void put_fold(struct buf *out, const char *title, const char *text)
{
	if (!*text)
		return;
	buf_printf(out, "<details><summary>%s</summary><pre>", title);
	html_text(out, text);
	buf_puts(out, "</pre></details>\n");
}

void report_html_settings(const struct report *r, struct buf *out)
{
	char common[1024];

	report_common(r, common, sizeof(common));
	if (*common) {
		buf_puts(out, "<p>");
		html_text(out, common);
		buf_puts(out, ".</p>\n");
	}
	put_fold(out, "The campaign file", r->campaign.text);
	put_fold(out, "Every setting, defaults included", r->campaign.options);
}

void report_html_invalid(const struct report *r, struct buf *out)
{
	if (!r->invalids) {
		buf_puts(out, "<p>Every stored trial is valid.</p>\n");
		return;
	}
	buf_puts(out, "<p>They are stored and listed, and enter no figure.</p>");
	html_wide(out, "Trials that are not valid");
	buf_puts(out, "<table><thead><tr><th scope=\"col\">cell</th><th scope=\"col\" "
		      "class=\"n\">block</th>"
		      "<th scope=\"col\">reason</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < r->invalids; i++) {
		buf_puts(out, "<tr><td class=\"suite\">");
		html_suite(out, r->cell[r->invalid[i].cell].cell.name);
		buf_printf(out, "</td><td class=\"n\">%" PRId64 "</td><td>",
			   r->invalid[i].block + 1);
		html_text(out, r->invalid[i].reason);
		buf_puts(out, "</td></tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n");
}

void report_html_notes(const struct report *r, struct buf *out)
{
	struct buf line = { 0 };

	if (!r->kinds)
		buf_puts(out, "<p>There are none.</p>\n");
	for (size_t i = 0; i < r->kinds; i++) {
		buf_clear(&line);
		report_note_text(r, i, &line);
		buf_puts(out, "<p>");
		html_suite(out, buf_text(&line));
		buf_puts(out, "</p>\n");
	}
	out->failed |= line.failed;
	buf_release(&line);
}

struct all {
	const struct report *report;
	struct buf *out;
};

static void put_all_row(const char *name, const struct field *f, const void *base, void *data)
{
	struct all *a = data;
	/* base is within the first cell; the same place in the others is as far from theirs. */
	size_t place = (size_t)((const char *)base - (const char *)&a->report->cell[0]);
	char text[256];

	buf_printf(a->out, "<tr><th scope=\"row\">%s</th><td>", name);
	html_text(a->out, f->help);
	buf_puts(a->out, "</td>");
	for (size_t i = 0; i < a->report->cells; i++) {
		figure_field(f, (const char *)&a->report->cell[i] + place, text, sizeof(text));
		buf_puts(a->out,
			 f->kind == FIELD_TEXT ? "<td class=\"suite\">" : "<td class=\"n\">");
		html_suite(a->out, text);
		buf_puts(a->out, "</td>");
	}
	buf_puts(a->out, "</tr>\n");
}

void report_html_all(const struct report *r, struct buf *out)
{
	struct all a = { r, out };

	if (r->cells > ALL_CELLS_MAX) {
		buf_puts(out, "<p>The campaign has too many cells for this table: --format csv or "
			      "json has every figure.</p>\n");
		return;
	}
	if (!r->cells)
		return;
	buf_puts(out, "<details><summary>Every figure of every cell, with its meaning</summary>");
	html_wide(out, "Every figure of every cell");
	buf_puts(out,
		 "<table><thead><tr><th scope=\"col\">figure</th><th scope=\"col\">meaning</th>");
	for (size_t i = 0; i < r->cells; i++) {
		buf_puts(out, "<th scope=\"col\" class=\"suite\">");
		html_suite(out, r->cell[i].cell.name);
		buf_puts(out, "</th>");
	}
	buf_puts(out, "</tr></thead><tbody>\n");
	field_each(summary_parts, &r->cell[0], put_all_row, &a);
	buf_puts(out, "</tbody></table></div></details>\n");
}
