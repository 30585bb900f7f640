/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_sweep - figures against the number of clients and against the size of the page, a
 * line for each suite, server and coding: figures 8 to 19 of the gateway study.
 *
 * Cells that differ in what a line stands for share a plot; what else differs makes another.
 * A line has two points at least, so a campaign without a sweep has none of these.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"
#include "results/report_html.h"
#include "results/report_plot.h"

#define KEY_BYTES 1600
/* More lines than these are parted by server. */
#define LINES_MAX 9

struct item {
	char panel[KEY_BYTES]; /* what all of a plot have in common */
	char line[512];        /* suite, engine, server, coding */
	double x;
	const struct cell_summary *cell;
};

struct measure {
	const char *id, *title, *y;
	int side; /* of energy; -1: none */
	struct interval (*value)(const struct cell_summary *);
};

struct sweep {
	const char *field, *id, *over;
	bool bytes;
	const struct measure *measure;
	size_t measures;
};

static struct interval rate(const struct cell_summary *c)
{
	return c->requests_per_s;
}

static struct interval server_mwh(const struct cell_summary *c)
{
	return c->server.energy.requests_per_mwh;
}

static struct interval client_mwh(const struct cell_summary *c)
{
	return c->client.energy.requests_per_mwh;
}

static struct interval server_mj(const struct cell_summary *c)
{
	return c->server.energy.mj_trials;
}

static struct interval client_mj(const struct cell_summary *c)
{
	return c->client.energy.mj_trials;
}

static struct interval p99_ms(const struct cell_summary *c)
{
	const struct interval *i = &c->response.p99_trials;

	return (struct interval){ i->mean / 1000, i->lo / 1000, i->hi / 1000, i->n };
}

static const struct measure by_clients[] = {
	{ "rate", "Requests per second by clients", "requests/s", -1, rate },
	{ "server-mwh", "Requests per mWh of the server by clients", "requests/mWh, gross", 0,
	  server_mwh },
	{ "client-mwh", "Requests per mWh of the client by clients", "requests/mWh, gross", 1,
	  client_mwh },
	{ "p99", "Response time by clients", "99th percentile, ms, mean over trials", -1, p99_ms },
};

static const struct measure by_size[] = {
	{ "server-mj", "Energy of a request by page size, server", "mJ per request, gross", 0,
	  server_mj },
	{ "client-mj", "Energy of a request by page size, client", "mJ per request, gross", 1,
	  client_mj },
	{ "rate", "Requests per second by page size", "requests/s", -1, rate },
};

static const struct sweep sweeps[] = {
	{ "clients", "clients", "clients", false, by_clients,
	  sizeof(by_clients) / sizeof(*by_clients) },
	{ "payload_bytes", "size", "page size", true, by_size, sizeof(by_size) / sizeof(*by_size) },
};

static void make_item(const struct report *r, const struct sweep *s, const struct cell_summary *c,
		      struct item *i)
{
	memset(i, 0, sizeof(*i));
	i->cell = c;
	i->x = s->bytes ? (double)c->cell.payload_bytes : (double)c->cell.clients;
	report_task_name(r, &c->cell, s->field, i->panel, sizeof(i->panel));
	report_line_name(r, &c->cell, i->line, sizeof(i->line));
}

static int by_place(const void *left, const void *right)
{
	const struct item *l = left, *r = right;
	int order = strcmp(l->panel, r->panel);

	if (!order)
		order = strcmp(l->line, r->line);
	return order ? order : (l->x > r->x) - (l->x < r->x);
}

/* The end of the run of items that begins at `from` and has its panel, or panel and line. */
static size_t run_end(const struct item *i, size_t from, size_t n, bool line)
{
	size_t to = from + 1;

	while (to < n && !strcmp(i[to].panel, i[from].panel) &&
	       (!line || !strcmp(i[to].line, i[from].line)))
		to++;
	return to;
}

static size_t count_lines(const struct item *i, size_t from, size_t to)
{
	size_t lines = 0;

	for (size_t end; from < to; from = end, lines++)
		end = run_end(i, from, to, true);
	return lines;
}

static void part_by_server(struct item *i, size_t from, size_t to)
{
	for (; from < to; from++) {
		size_t used = strlen(i[from].panel);

		snprintf(i[from].panel + used, sizeof(i[from].panel) - used, "%s%s",
			 used ? ", " : "", i[from].cell->cell.server);
	}
}

static const struct summary_energy *energy_of(const struct cell_summary *c, int side)
{
	return side ? &c->client.energy : &c->server.energy;
}

static size_t fill_points(const struct item *i, size_t from, size_t to, const struct measure *m,
			  const char *source, struct svg_point *point)
{
	size_t n = 0;

	for (; from < to; from++) {
		const struct cell_summary *c = i[from].cell;
		struct interval v = m->value(c);

		if (!isfinite(v.mean) ||
		    (m->side >= 0 && strcmp(energy_of(c, m->side)->source, source)))
			continue;
		figure_cut(&v);
		point[n++] = (struct svg_point){ i[from].x, v.mean, v.lo, v.hi, "" };
	}
	return n;
}

static void put_plot(const struct sweep *s, const struct measure *m, const char *source,
		     const struct item *i, size_t from, size_t to, int number, struct buf *out)
{
	struct svg_point *point = calloc(to - from, sizeof(*point)), *at = point;
	struct svg_series series[SVG_PLOT_SERIES + 1] = { 0 };
	char id[64], title[2000];
	struct svg_plot p = {
		.id = id,
		.title = title,
		.description = "A whisker is the 95 % interval over trials.",
		.x = { .title = s->over, .bytes = s->bytes, .columns = true },
		.y = { .title = m->y },
		.series = series,
	};

	for (size_t begin = from, end; point && begin < to; begin = end) {
		struct svg_series *one = &series[p.count];

		end = run_end(i, begin, to, true);
		one->point = at;
		one->points = fill_points(i, begin, end, m, source, at);
		one->line = true;
		snprintf(one->name, sizeof(one->name), "%.239s", i[begin].line);
		at += one->points;
		if (one->points >= 2)
			svg_plot_take(&p, SVG_PLOT_SERIES);
	}
	snprintf(id, sizeof(id), "by-%s-%s%s%s-%d", s->id, m->id, *source ? "-" : "", source,
		 number);
	snprintf(title, sizeof(title), "%s%s%s", m->title, *i[from].panel ? ": " : "",
		 i[from].panel);
	if (p.count)
		report_plot(&p, source, out);
	out->failed |= !point;
	free(point);
}

static void put_panel(const struct sweep *s, const struct item *i, size_t from, size_t to,
		      int number, struct buf *out)
{
	for (size_t m = 0; m < s->measures; m++) {
		if (s->measure[m].side < 0)
			put_plot(s, &s->measure[m], "", i, from, to, number, out);
		for (int k = 0; energy_sources[k] && s->measure[m].side >= 0; k++)
			put_plot(s, &s->measure[m], energy_sources[k], i, from, to, number, out);
	}
}

static void put_sweep(const struct report *r, const struct sweep *s, struct buf *out)
{
	struct item *i = calloc(r->cells + 1, sizeof(*i));
	int number = 1;

	if (!i) {
		out->failed = true;
		return;
	}
	for (size_t c = 0; c < r->cells; c++)
		make_item(r, s, &r->cell[c], &i[c]);
	qsort(i, r->cells, sizeof(*i), by_place);
	for (size_t from = 0, to; from < r->cells; from = to) {
		to = run_end(i, from, r->cells, false);
		if (count_lines(i, from, to) > LINES_MAX)
			part_by_server(i, from, to);
	}
	qsort(i, r->cells, sizeof(*i), by_place);
	for (size_t from = 0, to; from < r->cells; from = to) {
		to = run_end(i, from, r->cells, false);
		put_panel(s, i, from, to, number++, out);
	}
	free(i);
}

void report_html_sweeps(const struct report *r, struct buf *out)
{
	for (size_t s = 0; s < sizeof(sweeps) / sizeof(*sweeps); s++)
		for (int d = 0; r->varying[d]; d++)
			if (!strcmp(r->varying[d]->name, sweeps[s].field))
				put_sweep(r, &sweeps[s], out);
}
