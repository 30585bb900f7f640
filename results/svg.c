/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg - charts of bars, or of dots, with interval whiskers, as SVG elements inside a page.
 *
 * A row from top to bottom: label, detail, a bar for each series (or one for all when
 * stacked). Under the rows stands the axis with a handful of round ticks. A bar's length is its
 * value, so on a logarithmic axis, which has no zero, there are dots.
 */
#include "results/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"

#define LINE_PX   17
#define BAR_PX    14
#define BAR_GAP   3
#define ROW_GAP   12
#define AXIS_PX   40
#define TICKS_MAX 5

struct drawing {
	const struct svg_chart *chart;
	struct buf *out;
	double scale; /* per cent of the width per unit, or per decade */
	double from;  /* where a logarithmic axis begins; 0: the axis is linear */
	int series;
	int y; /* of the next thing, px */
};

static double known_or_zero(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

static double place(const struct drawing *d, double value)
{
	if (d->from == 0)
		return known_or_zero(value) * d->scale;
	return isfinite(value) && value > d->from ? log10(value / d->from) * d->scale : 0;
}

/* What of a row reaches furthest. */
static double row_end(const struct drawing *d, const struct svg_row *row)
{
	double end = 0, sum = 0;

	for (int s = 0; s < d->series; s++) {
		end = fmax(end, (d->chart->stacked ? sum : 0) + known_or_zero(row->bar[s].hi));
		sum += known_or_zero(row->bar[s].mean);
		end = fmax(end, known_or_zero(row->bar[s].mean));
	}
	return d->chart->stacked ? fmax(sum, end) : end;
}

static double chart_end(const struct drawing *d)
{
	double end = 0;

	for (size_t i = 0; i < d->chart->rows; i++)
		end = fmax(end, row_end(d, &d->chart->row[i]));
	return end;
}

/* 1, 2 or 5 times a power of ten, so that TICKS_MAX steps reach the end. */
static double tick_step(double end)
{
	double power = pow(10, floor(log10(end / TICKS_MAX)));
	static const double steps[] = { 1, 2, 5, 10 };

	for (int i = 0; i < 4; i++)
		if (steps[i] * power * TICKS_MAX >= end)
			return steps[i] * power;
	return 10 * power;
}

static int rows_px(const struct drawing *d)
{
	int bars = d->chart->stacked ? 1 : d->series, px = 0;

	for (size_t i = 0; i < d->chart->rows; i++)
		px += LINE_PX * (*d->chart->row[i].detail ? 2 : 1) + bars * (BAR_PX + BAR_GAP) +
		      ROW_GAP;
	return px;
}

static double smallest(const struct drawing *d)
{
	double least = INFINITY;

	for (size_t i = 0; i < d->chart->rows; i++)
		for (int s = 0; s < d->series; s++)
			if (known_or_zero(d->chart->row[i].bar[s].mean) > 0)
				least = fmin(least, d->chart->row[i].bar[s].mean);
	return least;
}

/* Ends of whiskers down to a tenth of the smallest value have room; the others go on. */
static double least_end(const struct drawing *d, double least)
{
	double end = least;

	for (size_t i = 0; i < d->chart->rows; i++)
		for (int s = 0; s < d->series; s++)
			if (known_or_zero(d->chart->row[i].bar[s].lo) > 0)
				end = fmin(end, d->chart->row[i].bar[s].lo);
	return fmax(end, least / 10);
}

/* One giant must not make all others look alike; ends of stacked bars need a linear axis. */
static void choose_axis(struct drawing *d, double end)
{
	double least = smallest(d);

	d->scale = SVG_PLOT_PCT / end;
	if (d->chart->stacked || !isfinite(least) || end / least < SVG_LOG_FROM)
		return;
	least = least_end(d, least);
	d->from = pow(10, floor(log10(least)));
	if (least < 2 * d->from)
		d->from /= 10;
	d->scale = SVG_PLOT_PCT / log10(end / d->from);
}

static void put_ticks(const struct drawing *d, double end, int height)
{
	double step = tick_step(end), value = d->from;
	char text[32];

	for (int i = 0; value <= end * 1.0001; i++) {
		double x = place(d, value);

		snprintf(text, sizeof(text), "%.9g", value);
		value = d->from > 0 ? 10 * value : (i + 1) * step;
		buf_printf(d->out,
			   "<line class=\"axis\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
			   "y2=\"%d\"/><text class=\"tick\" x=\"%.3f%%\" y=\"%d\" "
			   "text-anchor=\"%s\">%s</text>\n",
			   x, x, height, x, height + 16, i ? "middle" : "start", text);
	}
}

static void put_bar(const struct drawing *d, int series, double from, double value)
{
	buf_printf(d->out,
		   "<rect class=\"bar s%d\" x=\"%.3f%%\" y=\"%d\" width=\"%.3f%%\" "
		   "height=\"%d\"/>",
		   series, place(d, from), d->y, place(d, value), BAR_PX);
}

static void put_spot(const struct drawing *d, int series, double value)
{
	buf_printf(d->out, "<circle class=\"spot s%d\" cx=\"%.3f%%\" cy=\"%d\" r=\"5\"/>", series,
		   place(d, value), d->y + BAR_PX / 2);
}

static void put_upright(const struct drawing *d, double pct, int middle)
{
	buf_printf(d->out, "<line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"/>", pct, pct,
		   middle - 4, middle + 4);
}

/*
 * Lines, because a path cannot have per cents. An interval that reaches zero has no end there: on a
 * logarithmic axis zero is nowhere, and on a straight one it is where the interval was cut.
 */
static void put_whisker(const struct drawing *d, const struct interval *i)
{
	double lo = place(d, i->lo), hi = place(d, i->hi);
	int middle = d->y + BAR_PX / 2;

	if (!isfinite(i->lo) || !isfinite(i->hi))
		return;
	buf_printf(d->out,
		   "<g class=\"whisker\"><line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"/>",
		   lo, hi, middle, middle);
	if (lo > 0)
		put_upright(d, lo, middle);
	put_upright(d, hi, middle);
	buf_puts(d->out, "</g>");
}

static void put_figure(const struct drawing *d, double end, const char *text)
{
	buf_printf(d->out, "<text class=\"figure\" x=\"%.3f%%\" dx=\"6\" y=\"%d\">", place(d, end),
		   d->y + BAR_PX - 3);
	html_text(d->out, text);
	buf_puts(d->out, "</text>\n");
}

static void put_single(struct drawing *d, const struct svg_row *row, int series)
{
	const struct interval *i = &row->bar[series];
	char text[FIGURE_BYTES];

	if (isfinite(i->lo))
		figure_interval(i, text);
	else
		figure_number(i->mean, text);
	if (isfinite(i->mean) && d->from == 0)
		put_bar(d, series, 0, known_or_zero(i->mean));
	if (isfinite(i->mean))
		put_whisker(d, i);
	if (known_or_zero(i->mean) > 0 && d->from > 0)
		put_spot(d, series, i->mean);
	put_figure(d, fmax(known_or_zero(i->mean), known_or_zero(i->hi)),
		   isfinite(i->mean) ? text : "not known");
	d->y += BAR_PX + BAR_GAP;
}

static void put_stack(struct drawing *d, const struct svg_row *row)
{
	char text[SVG_SERIES * (FIGURE_BYTES + 4)] = "", one[FIGURE_BYTES];
	double sum = 0, reach = 0;

	for (int s = 0; s < d->series; s++) {
		size_t used = strlen(text);

		figure_number(row->bar[s].mean, one);
		snprintf(text + used, sizeof(text) - used, "%s%s", s ? " + " : "", one);
		if (!isfinite(row->bar[s].mean))
			continue;
		put_bar(d, s, sum, known_or_zero(row->bar[s].mean));
		put_whisker(d,
			    &(struct interval){ 0, sum + row->bar[s].lo, sum + row->bar[s].hi, 0 });
		reach = fmax(reach, sum + known_or_zero(row->bar[s].hi));
		sum += known_or_zero(row->bar[s].mean);
	}
	put_figure(d, fmax(sum, reach), text);
	d->y += BAR_PX + BAR_GAP;
}

static void put_line(struct drawing *d, const char *class, const char *text)
{
	if (!*text)
		return;
	buf_printf(d->out, "<text class=\"%s\" x=\"0\" y=\"%d\">", class, d->y + LINE_PX - 4);
	html_text(d->out, text);
	buf_puts(d->out, "</text>\n");
	d->y += LINE_PX;
}

static void put_row(struct drawing *d, const struct svg_row *row)
{
	put_line(d, "label", row->label);
	put_line(d, "detail", row->detail);
	if (d->chart->stacked)
		put_stack(d, row);
	for (int s = 0; s < d->series && !d->chart->stacked; s++)
		put_single(d, row, s);
	d->y += ROW_GAP;
}

static void put_unit(const struct drawing *d, int height)
{
	buf_printf(d->out, "<text class=\"tick\" x=\"0\" y=\"%d\">", height + 33);
	html_printf(d->out, "%s%s", d->chart->unit, d->from > 0 ? " (logarithmic axis)" : "");
	buf_puts(d->out, "</text>\n");
}

static void put_head(const struct drawing *d, int height)
{
	const struct svg_chart *c = d->chart;

	buf_printf(d->out,
		   "<svg role=\"img\" width=\"100%%\" height=\"%d\" aria-labelledby=\"%s-t %s-d\">"
		   "<title id=\"%s-t\">",
		   height + AXIS_PX, c->id, c->id, c->id);
	html_printf(d->out, "%s, %s%s", c->title, c->unit, d->from > 0 ? ", logarithmic axis" : "");
	buf_printf(d->out, "</title><desc id=\"%s-d\">", c->id);
	html_text(d->out, c->description);
	buf_puts(d->out, "</desc>\n");
}

void svg_bars(const struct svg_chart *c, struct buf *out)
{
	struct drawing d = { .chart = c, .out = out };
	double end;
	int height;

	while (d.series < SVG_SERIES && c->series[d.series])
		d.series++;
	end = chart_end(&d);
	end = end > 0 ? end : 1;
	choose_axis(&d, end);
	height = rows_px(&d);
	put_head(&d, height);
	put_ticks(&d, end, height);
	put_unit(&d, height);
	for (size_t i = 0; i < c->rows; i++)
		put_row(&d, &c->row[i]);
	buf_puts(out, "</svg>\n");
}
