/* SPDX-License-Identifier: Apache-2.0 */
/* report_plot - a plot with its legend, and the table of what it shows behind it. */
#include "results/report_plot.h"

#include <math.h>
#include <stdio.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report_html.h"

static void put_legend(const struct svg_plot *p, struct buf *out)
{
	buf_puts(out, "<p class=\"legend\">");
	for (size_t s = 0; s < p->count; s++) {
		buf_printf(out, "<span class=\"entry\"><span class=\"key k%zu\"></span>",
			   s % SVG_PLOT_COLOURS);
		buf_printf(out, "<b>%c</b> ", (char)('a' + s));
		html_suite(out, p->series[s].name);
		buf_puts(out, "</span> ");
	}
	buf_printf(out, "</p><p>Up: ");
	html_printf(out, "%s%s.", p->y.title, p->y.log ? " (logarithmic axis)" : "");
	buf_puts(out, "</p>\n");
}

static bool has_whiskers(const struct svg_plot *p)
{
	for (size_t s = 0; s < p->count; s++)
		for (size_t i = 0; i < p->series[s].points; i++)
			if (isfinite(p->series[s].point[i].lo))
				return true;
	return false;
}

static void put_cell(double value, struct buf *out)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "<td class=\"n\">%s</td>", text);
}

static void put_row(const struct svg_series *s, const struct svg_point *at, bool exact,
		    bool whiskers, struct buf *out)
{
	buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
	html_suite(out, s->name);
	buf_puts(out, "</th>");
	/* Clients, bytes and percentiles are what they are. */
	if (exact || at->x == floor(at->x))
		buf_printf(out, "<td class=\"n\">%.9g</td>", at->x);
	else
		put_cell(at->x, out);
	put_cell(at->y, out);
	if (whiskers) {
		put_cell(at->lo, out);
		put_cell(at->hi, out);
	}
	buf_puts(out, "</tr>\n");
}

static void put_table(const struct svg_plot *p, const char *source, struct buf *out)
{
	bool whiskers = has_whiskers(p);
	char name[2100];

	snprintf(name, sizeof(name), "Table: %s%s%s%s", p->title, *source ? " (" : "", source,
		 *source ? ")" : "");

	buf_puts(out, "<details><summary>");
	html_text(out, name);
	buf_puts(out, "</summary>");
	html_wide(out, name);
	buf_puts(out, "<table><thead><tr><th scope=\"col\">of what</th>"
		      "<th scope=\"col\" class=\"n\">");
	html_text(out, p->x.title);
	buf_puts(out, "</th><th scope=\"col\" class=\"n\">");
	html_text(out, p->y.title);
	buf_puts(out, whiskers ? "</th><th scope=\"col\" class=\"n\">from</th><th scope=\"col\" "
				 "class=\"n\">to</th>"
			       : "</th>");
	buf_puts(out, "</tr></thead><tbody>\n");
	for (size_t s = 0; s < p->count; s++)
		for (size_t i = 0; i < p->series[s].points; i++)
			put_row(&p->series[s], &p->series[s].point[i], p->x.linear, whiskers, out);
	buf_puts(out, "</tbody></table></div></details>\n");
}

/* What lies behind a line without dots is a range of readings, no interval. */
static bool reaches_zero(const struct svg_plot *p)
{
	for (size_t s = 0; s < p->count; s++)
		for (size_t i = 0; i < p->series[s].points && !p->series[s].bare; i++) {
			const struct svg_point *at = &p->series[s].point[i];

			if (figure_reaches_zero(&(struct interval){ at->y, at->lo, at->hi, 0 }))
				return true;
		}
	return false;
}

void report_plot(struct svg_plot *p, const char *source, struct buf *out)
{
	svg_plot_axes(p);
	buf_printf(out, "<figure id=\"%s\"><figcaption><h3>", p->id);
	html_text(out, p->title);
	report_html_badge(source, out);
	buf_puts(out, "</h3><p>");
	html_text(out, p->description);
	if (p->left_out)
		buf_printf(out, " Not drawn: %zu more; there is room for %zu.", p->left_out,
			   p->count);
	if (reaches_zero(p))
		buf_printf(out, " %s", figure_zero);
	buf_puts(out, "</p>\n");
	put_legend(p, out);
	buf_puts(out, "</figcaption>\n");
	svg_plot(p, out);
	put_table(p, source, out);
	buf_puts(out, "</figure>\n");
}
