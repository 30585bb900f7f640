/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_reference_write - published figures beside ours, as text, Markdown, HTML and JSON.
 */
#include <stdio.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report_html.h"
#include "results/report_reference.h"

static const char disclaimer[] =
	"Published by others beside ours: other hardware, other software, another\n"
	"network. A ratio says how far apart two figures are; it does not say that either\n"
	"machine is better, or that a study was reproduced.";

/* As lib/table.h has them: '>' is a column of numbers. */
static const char *const heads[] = {
	"table", "of", "figure", "unit", ">published", ">ours", ">ours / published", "cell", NULL
};

struct writing {
	struct buf *out;
	const struct reference_study *study; /* the one whose head was written */
	struct table table;                  /* of text and Markdown: its rows */
	void (*print)(const struct table *t, FILE *out);
	const char *mark, *line; /* before a study's title, and behind a paragraph */
};

struct line {
	char published[FIGURE_BYTES + 16], ours[FIGURE_BYTES], ratio[FIGURE_BYTES], name[480];
};

static void put_name(const struct report *r, const struct report_reference *x, char *dst,
		     size_t len)
{
	const char *ours = r->cell[x->cell].cell.name, *other = r->cell[x->against].cell.name;

	snprintf(dst, len, "%s%s%s", ours, x->against == x->cell ? "" : " against ",
		 x->against == x->cell ? "" : other);
}

static void fill_line(const struct report *r, const struct report_reference *x, struct line *l)
{
	char number[FIGURE_BYTES];

	figure_number(x->published, number);
	snprintf(l->published, sizeof(l->published), "%s%s", reference_mark_text(x->row->mark),
		 number);
	if (x->ours.n && x->row->metric == REFERENCE_ENERGY_SAVING_PCT)
		figure_signed(&x->ours, l->ours);
	else if (x->ours.n)
		figure_interval(&x->ours, l->ours);
	else
		figure_number(x->ours.mean, l->ours);
	figure_number(x->ours.mean / x->published, l->ratio);
	put_name(r, x, l->name, sizeof(l->name));
}

/* --- text and Markdown -------------------------------------------------------- */

static void end_table(struct writing *w)
{
	if (!w->study)
		return;
	table_put(&w->table, w->print, w->out);
	table_release(&w->table);
}

static void begin_table(struct writing *w, const struct reference_study *s)
{
	end_table(w);
	w->study = s;
	buf_printf(w->out, "%s%s%s%s%s", w->mark, s->title, w->line, s->source, w->line);
	w->out->failed |= table_init(&w->table, heads) < 0;
}

static void table_line(const struct report *r, const struct report_reference *x, void *data)
{
	struct writing *w = data;
	struct line l;
	char cell[640];
	const char *const row[] = { x->row->table, x->row->what, x->figure, x->unit,
				    l.published,   l.ours,       l.ratio,   cell };

	if (w->study != x->study)
		begin_table(w, x->study);
	fill_line(r, x, &l);
	snprintf(cell, sizeof(cell), "%s%s%s", l.name,
		 x->energy[0] ? "; ours on energy that is " : "", x->energy);
	if (!w->out->failed)
		w->out->failed |= table_row(&w->table, row) < 0;
}

static void put_tables(const struct report *r, struct writing *w, const char *title)
{
	if (!report_references(r, NULL, NULL))
		return;
	buf_printf(w->out, "%s\n%s\n", title, disclaimer);
	report_references(r, table_line, w);
	end_table(w);
}

void report_references_text(const struct report *r, struct buf *out)
{
	struct writing w = { .out = out, .print = table_print, .mark = "", .line = "\n" };
	size_t before = out->len;

	put_tables(r, &w, "Published beside ours");
	if (out->len > before)
		buf_byte(out, '\n');
}

void report_references_markdown(const struct report *r, struct buf *out)
{
	struct writing w = {
		.out = out, .print = table_print_markdown, .mark = "\n### ", .line = "\n\n"
	};

	put_tables(r, &w, "\n## Published beside ours\n");
}

/* --- HTML --------------------------------------------------------------------- */

static void html_end(struct writing *w)
{
	if (w->study)
		buf_puts(w->out, "</tbody></table></div>\n");
}

static void html_head(struct writing *w, const struct reference_study *s)
{
	html_end(w);
	w->study = s;
	buf_puts(w->out, "<h3>");
	html_text(w->out, s->title);
	buf_puts(w->out, "</h3>\n<p class=\"faint\">");
	html_text(w->out, s->source);
	buf_puts(w->out, "</p>\n<p class=\"faint\">");
	html_text(w->out, s->notes);
	buf_puts(w->out, "</p>\n");
	html_wide(w->out, s->title);
	buf_puts(w->out, "<table><thead><tr>");
	for (int i = 0; heads[i]; i++)
		buf_printf(w->out, "<th scope=\"col\"%s>%s</th>",
			   *heads[i] == '>' ? " class=\"n\"" : "", heads[i] + (*heads[i] == '>'));
	buf_puts(w->out, "</tr></thead>\n<tbody>\n");
}

static void html_row(const struct report *r, const struct report_reference *x, void *data)
{
	struct writing *w = data;
	struct line l;

	if (w->study != x->study)
		html_head(w, x->study);
	fill_line(r, x, &l);
	buf_puts(w->out, "<tr>");
	for (int i = 0; i < 4; i++) {
		const char *const text[] = { x->row->table, x->row->what, x->figure, x->unit };

		buf_puts(w->out, "<td>");
		html_text(w->out, text[i]);
		buf_puts(w->out, "</td>");
	}
	for (int i = 0; i < 3; i++) {
		const char *const text[] = { l.published, l.ours, l.ratio };

		buf_puts(w->out, "<td class=\"n\">");
		html_text(w->out, text[i]);
		if (i == 2 && x->energy[0]) {
			buf_byte(w->out, ' ');
			report_html_badge(x->energy, w->out);
		}
		buf_puts(w->out, "</td>");
	}
	buf_puts(w->out, "<td class=\"suite\">");
	html_suite(w->out, l.name);
	buf_puts(w->out, "</td></tr>\n");
}

void report_references_html(const struct report *r, struct buf *out)
{
	struct writing w = { .out = out };

	if (!report_references(r, NULL, NULL))
		return;
	buf_puts(out, "<section id=\"published\"><h2>Published beside ours</h2>\n<p>");
	html_text(out, disclaimer);
	buf_puts(out, "</p>\n");
	report_references(r, html_row, &w);
	html_end(&w);
	buf_puts(out, "</section>\n");
}

/* --- JSON --------------------------------------------------------------------- */

static void json_row(const struct report *r, const struct report_reference *x, void *data)
{
	static const char *const marks[] = { [REFERENCE_PRINTED] = "printed",
					     [REFERENCE_DERIVED] = "derived",
					     [REFERENCE_AT_LEAST] = "at_least",
					     [REFERENCE_AT_MOST] = "at_most" };
	bool pair = x->against != x->cell;

	json_array_append_new(
		data,
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:o, s:o, s:o, s:o}",
			  "study", x->study->key, "source", x->study->source, "table",
			  x->row->table, "what", x->row->what, "figure", x->figure, "unit", x->unit,
			  "mark", marks[x->row->mark], "published", x->published, "ours",
			  report_tree_interval(&x->ours), "ratio",
			  report_tree_number(x->ours.mean / x->published), "cell",
			  report_tree_text(r->cell[x->cell].cell.name), "against",
			  pair ? report_tree_text(r->cell[x->against].cell.name) : json_null(),
			  "energy", x->energy[0] ? report_tree_text(x->energy) : json_null()));
}

json_t *report_references_json(const struct report *r)
{
	json_t *list = json_array();

	report_references(r, json_row, list);
	return list;
}
