/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_charts - the page's charts, each with the table of what it shows behind it.
 *
 * An energy chart shows cells of one source only: modelled and measured figures never
 * stand side by side on one axis.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report_html.h"
#include "results/svg.h"

/* More bars than these nobody looks at; the table of figures has them all. */
#define CHART_ROWS_MAX 120
/* More than these are behind a fold: what is behind them on the page shall be found too. */
#define CHART_ROWS_OPEN 24

struct picture {
	const char *id, *title, *unit, *description;
	const char *series[SVG_SERIES + 1];
	bool stacked, of_energy;
	/* Fills the row's bars; false: the cell is not in this chart. */
	bool (*fill)(const struct cell_summary *, const char *source, struct svg_row *);
};

static bool fill_rate(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	size_t used = strlen(row->detail);
	const char *limit = report_limit(c);

	(void)source;
	snprintf(row->detail + used, sizeof(row->detail) - used, "%s%s", used && *limit ? ", " : "",
		 limit);
	row->bar[0] = c->requests_per_s;
	return true;
}

static bool fill_cpu(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	(void)source;
	row->bar[0] = c->server.requests_per_cpu_s;
	return true;
}

/* Of all requests, in ms, with the interval of the trials' own percentiles. */
static struct interval percentile(double us, const struct interval *trials)
{
	return (struct interval){ us / 1000, trials->lo / 1000, trials->hi / 1000, trials->n };
}

/*
 * Where every request has a handshake of its own. Service time begins behind it; only with early
 * data would it be in it, and those handshakes are resumed ones.
 */
static bool fill_times(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	(void)source;
	row->bar[0] = percentile(c->handshake.p50, &c->handshake.p50_trials);
	row->bar[1] = percentile(c->service.p50, &c->service.p50_trials);
	return strcmp(c->cell.connection, "full") == 0 && isfinite(c->handshake.p50) &&
	       isfinite(c->service.p50);
}

static bool fill_latency(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	(void)source;
	row->bar[0] = percentile(c->response.p50, &c->response.p50_trials);
	row->bar[1] = percentile(c->response.p95, &c->response.p95_trials);
	row->bar[2] = percentile(c->response.p99, &c->response.p99_trials);
	return true;
}

static bool is_of(const struct summary_energy *e, const char *source)
{
	return summary_has_energy(e) && strcmp(e->source, source) == 0;
}

static bool fill_energy(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	row->bar[0] = c->server.energy.requests_per_mwh;
	return is_of(&c->server.energy, source);
}

static bool fill_stack(const struct cell_summary *c, const char *source, struct svg_row *row)
{
	row->bar[0] = c->server.energy.mj_trials;
	row->bar[1] = c->client.energy.mj_trials;
	return is_of(&c->server.energy, source) && is_of(&c->client.energy, source);
}

static const struct picture pictures[] = {
	{ .id = "rate",
	  .title = "Requests per second",
	  .unit = "requests/s",
	  .description =
		  "Requests answered per second. A whisker is the 95 % interval over trials.",
	  .series = { "requests per second" },
	  .fill = fill_rate },
	{ .id = "cpu",
	  .title = "Requests per server CPU second",
	  .unit = "requests per second of the server's CPU time",
	  .description = "What a suite costs the server, whatever the load generator could send.",
	  .series = { "requests per server CPU second" },
	  .fill = fill_cpu },
	{ .id = "mwh",
	  .title = "Requests per mWh of the server",
	  .unit = "requests per mWh of gross energy",
	  .description = "More is better. Gross: the board's idle energy is in it.",
	  .series = { "requests per mWh" },
	  .of_energy = true,
	  .fill = fill_energy },
	{ .id = "mj",
	  .title = "Energy of a request, server and client",
	  .unit = "mJ of gross energy per request",
	  .description = "Less is better. Both boards' gross energy, end to end.",
	  .series = { "server", "client" },
	  .stacked = true,
	  .of_energy = true,
	  .fill = fill_stack },
	{ .id = "latency",
	  .title = "Response time",
	  .unit = "ms",
	  .description =
		  "Less is better. From when a request was due to its last byte. Whiskers are "
		  "of the trials' own percentiles.",
	  .series = { "p50", "p95", "p99" },
	  .fill = fill_latency },
	{ .id = "times",
	  .title = "Handshake, then request",
	  .unit = "ms, medians",
	  .description =
		  "Less is better. The median handshake, connecting included, and behind it the "
		  "median service time: from when the request was sent to its last byte. The two "
		  "medians end to end are about, not exactly, the median of both.",
	  .series = { "handshake", "request, from sent to answered" },
	  .stacked = true,
	  .fill = fill_times },
};

void report_html_badge(const char *source, struct buf *out)
{
	if (!*source || strcmp(source, "measured") == 0 || strcmp(source, "none") == 0)
		return;
	buf_puts(out, " <span class=\"badge\">");
	html_text(out, source);
	buf_puts(out, "</span>");
}

static void put_legend(const struct svg_chart *c, struct buf *out)
{
	if (!c->series[1])
		return;
	buf_puts(out, "<p>");
	for (int s = 0; c->series[s]; s++) {
		buf_printf(out, "<span class=\"key s%d\"></span>", s);
		html_text(out, c->series[s]);
	}
	buf_puts(out, "</p>\n");
}

static void put_bound(struct buf *out, double value)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "<td class=\"n\">%s</td>", text);
}

static bool has_intervals(const struct svg_chart *c, int series)
{
	for (size_t i = 0; i < c->rows; i++)
		if (isfinite(c->row[i].bar[series].lo))
			return true;
	return false;
}

static void put_table_head(const struct svg_chart *c, struct buf *out)
{
	buf_puts(out, "<thead><tr><th scope=\"col\">suite</th><th scope=\"col\">of the cell</th>");
	for (int s = 0; c->series[s]; s++) {
		buf_puts(out, "<th scope=\"col\" class=\"n\">");
		html_text(out, c->series[s]);
		buf_puts(out, has_intervals(c, s)
				      ? "</th><th scope=\"col\" class=\"n\">from</th><th "
					"scope=\"col\" class=\"n\">to</th>"
				      : "</th>");
	}
	buf_puts(out, "</tr></thead>\n");
}

static void put_table(const struct svg_chart *c, struct buf *out)
{
	char name[192];

	snprintf(name, sizeof(name), "Table: %s", c->title);
	buf_puts(out, "<details><summary>");
	html_text(out, name);
	buf_puts(out, "</summary>");
	html_wide(out, name);
	buf_puts(out, "<table>");
	put_table_head(c, out);
	buf_puts(out, "<tbody>\n");
	for (size_t i = 0; i < c->rows; i++) {
		buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
		html_suite(out, c->row[i].label);
		buf_puts(out, "</th><td>");
		html_text(out, c->row[i].detail);
		buf_puts(out, "</td>");
		for (int s = 0; c->series[s]; s++) {
			put_bound(out, c->row[i].bar[s].mean);
			if (!has_intervals(c, s))
				continue;
			put_bound(out, c->row[i].bar[s].lo);
			put_bound(out, c->row[i].bar[s].hi);
		}
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, "</tbody></table></div></details>\n");
}

static size_t fill_rows(const struct report *r, const struct picture *p, const char *source,
			struct svg_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cells && n < CHART_ROWS_MAX; i++) {
		const struct cell *c = &r->cell[i].cell;
		struct svg_row *row = &rows[n];

		snprintf(row->label, sizeof(row->label), "%s", c->suite);
		report_detail(r, c, NULL, row->detail, sizeof(row->detail));
		if (!p->fill(&r->cell[i], source, row))
			continue;
		for (int s = 0; s < SVG_SERIES; s++)
			figure_cut(&row->bar[s]);
		n++;
	}
	return n;
}

static bool reaches_zero(const struct svg_chart *c)
{
	for (size_t i = 0; i < c->rows; i++)
		for (int s = 0; c->series[s]; s++)
			if (figure_reaches_zero(&c->row[i].bar[s]))
				return true;
	return false;
}

void report_html_bars(const struct svg_chart *c, const char *title, const char *source,
		      struct buf *out)
{
	buf_printf(out, "<figure id=\"%s\"><figcaption><h3>%s", c->id, title);
	report_html_badge(source, out);
	buf_printf(out, "</h3><p>%s", c->description);
	if (c->rows == CHART_ROWS_MAX)
		buf_printf(out, " The first %d cells are drawn.", CHART_ROWS_MAX);
	if (reaches_zero(c))
		buf_printf(out, " %s", figure_zero);
	buf_puts(out, "</p>\n");
	put_legend(c, out);
	buf_puts(out, "</figcaption>\n");
	if (c->rows > CHART_ROWS_OPEN)
		buf_printf(out, "<details><summary>%s: %zu cells</summary>\n", title, c->rows);
	svg_bars(c, out);
	put_table(c, out);
	if (c->rows > CHART_ROWS_OPEN)
		buf_puts(out, "</details>\n");
	buf_puts(out, "</figure>\n");
}

static void put_picture(const struct report *r, const struct picture *p, const char *source,
			struct buf *out)
{
	struct svg_row *rows = calloc(CHART_ROWS_MAX, sizeof(*rows));
	char id[48], title[128];
	struct svg_chart c = { .id = id,
			       .title = title,
			       .unit = p->unit,
			       .description = p->description,
			       .stacked = p->stacked,
			       .row = rows };

	if (!rows) {
		out->failed = true;
		return;
	}
	memcpy(c.series, p->series, sizeof(c.series));
	snprintf(id, sizeof(id), "%s%s%s", p->id, *source ? "-" : "", source);
	snprintf(title, sizeof(title), "%s%s%s%s", p->title, *source ? " (" : "", source,
		 *source ? ")" : "");
	c.rows = fill_rows(r, p, source, rows);
	if (c.rows)
		report_html_bars(&c, p->title, source, out);
	free(rows);
}

void report_html_charts(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
		const struct picture *p = &pictures[i];

		if (!p->of_energy)
			put_picture(r, p, "", out);
		for (int s = 0; energy_sources[s] && p->of_energy; s++)
			put_picture(r, p, energy_sources[s], out);
	}
}
