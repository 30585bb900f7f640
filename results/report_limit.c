/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_limit - the CPU time of a full handshake on either side beside its limit, the sum of
 * its primitives: how much of it is none of the cryptography's.
 */
#include <math.h>
#include <stdio.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report.h"

#define FIGURES 6

static const char *const heads[] = { ">server us", ">limit us", ">times", ">client us",
				     ">limit us",  ">times",    "cell",   NULL };

const char report_limits_about[] =
	"CPU time of a full handshake with its request, and its limit: the sum of its primitives, "
	"measured before the trials.";

static bool has_limit(const struct cell_summary *c)
{
	return c->valid_trials && (isfinite(c->server.limit_us) || isfinite(c->client.limit_us));
}

bool report_has_limits(const struct report *r)
{
	for (size_t i = 0; i < r->cells; i++)
		if (has_limit(&r->cell[i]))
			return true;
	return false;
}

static void write_side(const struct summary_side *s, char text[3][FIGURE_BYTES])
{
	figure_number(s->handshake_cpu_us, text[0]);
	figure_number(s->limit_us, text[1]);
	figure_number(s->handshake_cpu_us / s->limit_us, text[2]);
}

static void put_name(const struct report *r, const struct cell_summary *c, char *dst, size_t len)
{
	char detail[256];

	report_detail(r, &c->cell, NULL, detail, sizeof(detail));
	snprintf(dst, len, "%s%s%s", c->cell.suite, *detail ? ", " : "", detail);
}

int report_limits_table(const struct report *r, struct table *t)
{
	if (table_init(t, heads) < 0)
		return -1;
	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];
		char text[FIGURES][FIGURE_BYTES], name[400];
		const char *const row[] = { text[0], text[1], text[2], text[3],
					    text[4], text[5], name };

		if (!has_limit(c))
			continue;
		write_side(&c->server, text);
		write_side(&c->client, text + 3);
		put_name(r, c, name, sizeof(name));
		if (table_row(t, row) < 0)
			return -1;
	}
	return 0;
}

static void put_row(const struct report *r, const struct cell_summary *c, struct buf *out)
{
	char text[FIGURES][FIGURE_BYTES], name[400];

	write_side(&c->server, text);
	write_side(&c->client, text + 3);
	put_name(r, c, name, sizeof(name));
	buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
	html_suite(out, name);
	buf_puts(out, "</th>");
	for (int j = 0; j < FIGURES; j++)
		buf_printf(out, "<td class=\"n\">%s</td>", text[j]);
	buf_puts(out, "</tr>\n");
}

void report_limits_html(const struct report *r, struct buf *out)
{
	buf_printf(out, "<p class=\"faint\">%s</p>\n", report_limits_about);
	html_wide(out, "Handshakes and their limits");
	buf_puts(out, "<table><thead><tr><th scope=\"col\">cell</th>");
	for (int i = 0; i < FIGURES; i++)
		buf_printf(out, "<th scope=\"col\" class=\"n\">%s</th>", heads[i] + 1);
	buf_puts(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->cells; i++)
		if (has_limit(&r->cell[i]))
			put_row(r, &r->cell[i], out);
	buf_puts(out, "</tbody></table></div>\n");
}
