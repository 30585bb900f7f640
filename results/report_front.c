/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_front - strength, latency and energy at once: which cells nobody beats in all three;
 * and how latencies are distributed.
 *
 * Cells of the same task only are set against each other: the same page, clients and
 * connections.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/html_text.h"
#include "results/report_html.h"
#include "results/report_plot.h"

/* Of a plot of distributions; the others are in --format json. */
#define CURVES_MAX 12

struct place {
	char task[1600];
	const struct cell_summary *cell;
	double ms, mj, bits;
	bool front;
};

static int by_task(const void *left, const void *right)
{
	const struct place *l = left, *r = right;
	int order = strcmp(l->task, r->task);

	return order ? order : (l->ms > r->ms) - (l->ms < r->ms);
}

static bool beats(const struct place *a, const struct place *b)
{
	return a->ms <= b->ms && a->mj <= b->mj && a->bits >= b->bits &&
	       (a->ms < b->ms || a->mj < b->mj || a->bits > b->bits);
}

static void find_front(struct place *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		p[i].front = true;
		for (size_t k = 0; k < n; k++)
			p[i].front &= !beats(&p[k], &p[i]);
	}
}

static size_t gather(const struct report *r, const char *source, struct place *p)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];

		if (strcmp(c->server.energy.source, source) || !c->cell.strength_bits ||
		    !isfinite(c->response.p99) || !isfinite(c->server.energy.mj_per_request))
			continue;
		p[n] = (struct place){ .cell = c,
				       .ms = c->response.p99 / 1000,
				       .mj = c->server.energy.mj_per_request,
				       .bits = (double)c->cell.strength_bits };
		report_task_name(r, &c->cell, "", p[n].task, sizeof(p[n].task));
		n++;
	}
	qsort(p, n, sizeof(*p), by_task);
	return n;
}

static void take_point(const struct place *p, char letter, struct svg_point *point)
{
	*point = (struct svg_point){ p->ms, p->mj, NAN, NAN, "" };
	snprintf(point->label, sizeof(point->label), "%c, %.0f bits", letter, p->bits);
}

/* Those on the front first, as a line would be a claim about what lies between. */
static void put_front(const struct report *r, const struct place *p, size_t n, const char *source,
		      int number, struct buf *out)
{
	struct svg_series series[SVG_PLOT_SERIES + 1] = { 0 };
	struct svg_point point[SVG_PLOT_SERIES + 1];
	char id[64], title[1800];
	struct svg_plot plot = {
		.id = id,
		.title = title,
		.description =
			"Left and down is better, and more bits. Filled: no other cell is as "
			"good in all three and better in one (the Pareto front).",
		.x = { .title = "99th percentile of the response time, ms" },
		.y = { .title = "mJ of gross server energy per request" },
		.series = series,
	};

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			struct svg_series *one = &series[plot.count];
			char name[220];

			if (p[i].front == (pass == 1))
				continue;
			take_point(&p[i], (char)('a' + plot.count), &point[plot.count]);
			report_line_name(r, &p[i].cell->cell, name, sizeof(name));
			snprintf(one->name, sizeof(one->name), "%s%s", name,
				 p[i].front ? " (front)" : "");
			one->point = &point[plot.count];
			one->points = 1;
			one->hollow = !p[i].front;
			svg_plot_take(&plot, SVG_PLOT_SERIES);
		}
	snprintf(id, sizeof(id), "front-%s-%d", source, number);
	snprintf(title, sizeof(title), "Strength, latency and energy%s%s", *p->task ? ": " : "",
		 p->task);
	report_plot(&plot, source, out);
}

void report_html_fronts(const struct report *r, struct buf *out)
{
	struct place *p = calloc(r->cells + 1, sizeof(*p));

	out->failed |= !p;
	for (int s = 0; energy_sources[s] && p; s++) {
		size_t n = gather(r, energy_sources[s], p);
		int number = 1;

		for (size_t from = 0, to; from < n; from = to) {
			for (to = from; to < n && !strcmp(p[to].task, p[from].task); to++)
				;
			if (to - from < 3) /* two are compared in words */
				continue;
			find_front(p + from, to - from);
			put_front(r, p + from, to - from, energy_sources[s], number++, out);
		}
	}
	free(p);
}

static size_t fill_curve(const struct summary_latency *l, struct svg_point *point)
{
	size_t n = 0;

	for (int i = 0; i < SUMMARY_CURVE; i++)
		if (isfinite(l->curve[i]) && summary_curve[i] < 1)
			point[n++] = (struct svg_point){ 100 * summary_curve[i], l->curve[i] / 1000,
							 NAN, NAN, "" };
	return n;
}

void report_html_curves(const struct report *r, struct buf *out)
{
	struct svg_series series[CURVES_MAX + 1] = { 0 };
	struct svg_point(*point)[SUMMARY_CURVE] = calloc(CURVES_MAX + 1, sizeof(*point));
	struct svg_plot p = {
		.id = "distribution",
		.title = "Response time by percentile",
		.description =
			"So many per cent of the requests took at most so long, by all valid "
			"trials' merged histograms. --format json has the percentiles of all "
			"cells.",
		.x = { .title = "percentile", .linear = true },
		.y = { .title = "response time, ms" },
		.series = series,
	};

	out->failed |= !point;
	for (size_t i = 0; i < r->cells && point; i++) {
		struct svg_series *one = &series[p.count];
		char detail[300];

		one->point = point[p.count];
		one->points = fill_curve(&r->cell[i].response, point[p.count]);
		one->line = true;
		report_detail(r, &r->cell[i].cell, NULL, detail, sizeof(detail));
		snprintf(one->name, sizeof(one->name), "%.120s%s%.100s", r->cell[i].cell.suite,
			 *detail ? ", " : "", detail);
		if (one->points > 1)
			svg_plot_take(&p, CURVES_MAX);
	}
	if (p.count)
		report_plot(&p, "", out);
	free(point);
}
