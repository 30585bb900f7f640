/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_cells - the live page's table of cells. What people look for stands right behind the
 * suite, for a phone shows no more; then what every reader wants named, then what else tells the
 * cells apart.
 */
#include <inttypes.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/watch_parts.h"

#define VALUE_BYTES 192

/* Columns of their own, whether or not cells differ in them. */
static const char *const named[] = { "engine", "server_under_test", "clients" };

static bool is_named(const struct field *f)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (!strcmp(named[i], f->name))
			return true;
	return false;
}

static bool is_shown(const struct report *r, const struct field *f)
{
	bool varies = false;

	for (int i = 1; r->varying[i]; i++) /* the first is the suite */
		varies |= r->varying[i] == f;
	return is_named(f) || varies;
}

static bool has_energy(const struct report *r)
{
	for (size_t i = 0; i < r->cells; i++)
		if (summary_has_energy(&r->cell[i].server.energy))
			return true;
	return false;
}

static void put_head(struct buf *out, const char *name, bool number)
{
	buf_printf(out, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "", name);
}

static void put_heads(const struct report *r, struct buf *out)
{
	buf_puts(out, "<table><thead><tr>");
	put_head(out, "suite", false);
	put_head(out, "requests/s", true);
	if (has_energy(r))
		put_head(out, "requests / mWh", true);
	put_head(out, "p50 ms", true);
	put_head(out, "p95 ms", true);
	put_head(out, "valid trials", true);
	for (const struct field *f = cell_fields; f->name; f++)
		if (is_shown(r, f))
			put_head(out, report_head(f), f->kind == FIELD_INT);
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_dimensions(const struct report *r, const struct cell *c, struct buf *out)
{
	char value[VALUE_BYTES];

	for (const struct field *f = cell_fields; f->name; f++) {
		if (!is_shown(r, f))
			continue;
		report_difference(r, f, c, value, sizeof(value));
		buf_puts(out, f->kind == FIELD_INT ? "<td class=\"n\">" : "<td>");
		html_suite(out, value);
		buf_puts(out, "</td>");
	}
}

/* Where the columns that tell cells apart are out of sight, it stands below the suite. */
static void put_suite(const struct report *r, const struct cell *c, struct buf *out)
{
	char detail[VALUE_BYTES];

	report_detail(r, c, NULL, detail, sizeof(detail));
	buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
	html_suite(out, c->suite);
	if (*detail) {
		buf_puts(out, "<span class=\"faint narrow\"> ");
		html_text(out, detail);
		buf_puts(out, "</span>");
	}
	buf_puts(out, "</th>");
}

static void put_row(const struct report *r, const struct cell_summary *c, bool energy,
		    struct buf *out)
{
	put_suite(r, &c->cell, out);
	report_html_rate(c, out);
	if (energy)
		report_html_per_mwh(&c->server.energy, out);
	report_html_percentile(c, "p50", c->response.p50, out);
	report_html_percentile(c, "p95", c->response.p95, out);
	buf_printf(out, "<td class=\"n\">%" PRId64 " of %" PRId64 "</td>", c->valid_trials,
		   c->trials);
	put_dimensions(r, &c->cell, out);
	buf_puts(out, "</tr>\n");
}

static bool reaches_zero(const struct report *r)
{
	for (size_t i = 0; i < r->cells; i++)
		if (figure_reaches_zero(&r->cell[i].requests_per_s) ||
		    figure_reaches_zero(&r->cell[i].server.energy.requests_per_mwh))
			return true;
	return false;
}

static void put_legend(const struct report *r, struct buf *out)
{
	buf_puts(out, "<p class=\"faint\">± is a 95 % interval over valid trials; ± ? where they "
		      "are too few for one.");
	if (reaches_zero(r))
		buf_printf(out, " %s", figure_zero);
	if (has_energy(r))
		buf_puts(out, " Energy is the server's, gross.");
	buf_puts(out, "</p>\n");
}

void watch_put_cells(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	const struct report *r = v->report;

	(void)wall_ns;
	if (!r || !r->cells) {
		buf_puts(out, "<p>There are none yet.</p>\n");
		return;
	}
	put_legend(r, out);
	put_heads(r, out);
	for (size_t i = 0; i < r->cells; i++)
		put_row(r, &r->cell[i], has_energy(r), out);
	buf_puts(out, "</tbody></table>\n");
}
