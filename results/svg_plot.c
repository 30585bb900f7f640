/* SPDX-License-Identifier: Apache-2.0 */
/* svg_plot - points and lines over two numeric axes, as SVG elements inside a page. */
#include "results/svg_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "results/html_text.h"
#include "results/svg.h"

#define TICKS_MAX   6
#define BELOW_PX    44
#define BOTTOM_PX   (SVG_PLOT_TOP + SVG_PLOT_HEIGHT)
#define LABEL_BYTES 40
/* Labels are so high and, of words and of a letter, so wide; further right words turn round. */
#define LABEL_PX         12.0
#define LABEL_WORDS_PCT  22.0
#define LABEL_LETTER_PCT 4.0
#define LABEL_RIGHT_PCT  74.0

static void reach(struct svg_axis *a, double value, double *least)
{
	if (!isfinite(value))
		return;
	a->to = fmax(a->to, value);
	a->from = fmin(a->from, value);
	if (value > 0)
		*least = fmin(*least, value);
}

static void choose(struct svg_axis *a, double least)
{
	if (!(a->to > 0)) {
		a->to = a->from + 1;
		a->log = false;
		return;
	}
	a->log = !a->linear && a->from == 0 && isfinite(least) && a->to / least >= SVG_LOG_FROM;
	if (a->log)
		a->from = least / 1.15;
	else if (a->tight && a->from == 0 && least < a->to)
		a->from = fmax(0, least - (a->to - least) / 2);
	a->to *= a->log ? 1.15 : 1.05;
}

void svg_plot_take(struct svg_plot *p, size_t room)
{
	if (p->count < room)
		p->count++;
	else
		p->left_out++;
}

void svg_plot_axes(struct svg_plot *p)
{
	double least_x = INFINITY, least_y = INFINITY;

	p->x.from = p->x.to = p->y.from = p->y.to = 0;
	for (size_t s = 0; s < p->count; s++)
		for (size_t i = 0; i < p->series[s].points; i++) {
			const struct svg_point *at = &p->series[s].point[i];

			reach(&p->x, at->x, &least_x);
			reach(&p->y, at->y, &least_y);
			reach(&p->y, at->hi, &least_y);
		}
	choose(&p->x, least_x);
	choose(&p->y, least_y);
}

/* 0 at the axis' begin, 1 at its end; what is outside goes to the edge. */
static double share(const struct svg_axis *a, double value)
{
	double s = a->log ? log(fmax(value, a->from) / a->from) / log(a->to / a->from)
			  : (value - a->from) / (a->to - a->from);

	return fmin(fmax(s, 0), 1);
}

double svg_plot_x_pct(const struct svg_plot *p, double x)
{
	return SVG_PLOT_LEFT + share(&p->x, x) * (SVG_PLOT_RIGHT - SVG_PLOT_LEFT);
}

double svg_plot_y_px(const struct svg_plot *p, double y)
{
	return BOTTOM_PX - share(&p->y, y) * SVG_PLOT_HEIGHT;
}

static void write_value(const struct svg_axis *a, double value, char *dst)
{
	if (a->bytes)
		units_format_bytes((int64_t)value, dst, LABEL_BYTES);
	else
		snprintf(dst, LABEL_BYTES, "%.6g", value);
}

static double step_of(const struct svg_axis *a)
{
	double reach = a->to - a->from, power = pow(10, floor(log10(reach / TICKS_MAX)));
	static const double steps[] = { 1, 2, 5 };

	for (int i = 0; i < 3; i++)
		if (steps[i] * power * TICKS_MAX >= reach)
			return steps[i] * power;
	return 10 * power;
}

/* Round values on an axis, in order; their number. */
static int ticks_of(const struct svg_axis *a, double tick[2 * TICKS_MAX])
{
	static const double steps[] = { 1, 2, 5 };
	double decades = a->log ? log10(a->to / a->from) : 0, step = step_of(a);
	int n = 0, each = decades < 1.5 ? 3 : 1;

	for (double v = ceil(a->from / step); !a->log && v * step <= a->to && n < 2 * TICKS_MAX;
	     v++)
		tick[n++] = v * step + 0.0; /* not -0 */
	for (int e = (int)floor(log10(a->log ? a->from : 1)); a->log && n < 2 * TICKS_MAX; e++) {
		if (pow(10, e) > a->to)
			break;
		for (int i = 0; i < each && n < 2 * TICKS_MAX; i++) {
			double v = steps[i] * pow(10, e);

			if (v >= a->from && v <= a->to)
				tick[n++] = v;
		}
	}
	return n;
}

/* Where the points are few columns, as many clients or page sizes, those are the ticks. */
static int columns_of(const struct svg_plot *p, double tick[2 * TICKS_MAX])
{
	int n = 0;

	for (size_t s = 0; s < p->count; s++)
		for (size_t i = 0; i < p->series[s].points; i++) {
			double x = p->series[s].point[i].x;
			int at = 0;

			while (at < n && tick[at] != x)
				at++;
			if (at < n)
				continue;
			if (n == 2 * TICKS_MAX)
				return -1;
			tick[n++] = x;
		}
	return n <= 8 ? n : -1;
}

static void put_x_ticks(const struct svg_plot *p, struct buf *out)
{
	double tick[2 * TICKS_MAX];
	int n = p->x.columns ? columns_of(p, tick) : -1;
	char text[LABEL_BYTES];

	if (n < 0)
		n = ticks_of(&p->x, tick);
	for (int i = 0; i < n; i++) {
		double x = svg_plot_x_pct(p, tick[i]);

		write_value(&p->x, tick[i], text);
		buf_printf(out,
			   "<line class=\"axis\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>"
			   "<text class=\"tick\" x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">%s"
			   "</text>\n",
			   x, x, SVG_PLOT_TOP, BOTTOM_PX, x, BOTTOM_PX + 16, text);
	}
}

static void put_y_ticks(const struct svg_plot *p, struct buf *out)
{
	double tick[2 * TICKS_MAX];
	int n = ticks_of(&p->y, tick);
	char text[LABEL_BYTES];

	for (int i = 0; i < n; i++) {
		double y = svg_plot_y_px(p, tick[i]);

		write_value(&p->y, tick[i], text);
		buf_printf(out,
			   "<line class=\"axis\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" "
			   "y2=\"%.1f\"/><text class=\"tick\" x=\"%.2f%%\" dx=\"-4\" y=\"%.1f\" "
			   "text-anchor=\"end\">%s</text>\n",
			   SVG_PLOT_LEFT, SVG_PLOT_RIGHT, y, y, SVG_PLOT_LEFT, y + 4, text);
	}
}

static void put_segment(const struct svg_plot *p, size_t series, const struct svg_point *a,
			const struct svg_point *b, struct buf *out)
{
	buf_printf(out,
		   "<line class=\"line c%zu\" x1=\"%.3f%%\" y1=\"%.2f\" x2=\"%.3f%%\" "
		   "y2=\"%.2f\"/>",
		   series % SVG_PLOT_COLOURS, svg_plot_x_pct(p, a->x), svg_plot_y_px(p, a->y),
		   svg_plot_x_pct(p, b->x), svg_plot_y_px(p, b->y));
}

/* Of a line without dots it is the range behind the line, in its colour. */
static void put_whisker(const struct svg_plot *p, size_t series, const struct svg_point *at,
			struct buf *out)
{
	double x = svg_plot_x_pct(p, at->x);

	if (!isfinite(at->lo) || !isfinite(at->hi))
		return;
	if (p->series[series].bare)
		buf_printf(out, "<g class=\"range c%zu\">", series % SVG_PLOT_COLOURS);
	else
		buf_puts(out, "<g class=\"whisker\">");
	buf_printf(out, "<line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%.2f\" y2=\"%.2f\"/></g>", x, x,
		   svg_plot_y_px(p, at->lo), svg_plot_y_px(p, at->hi));
}

/* A label beside a point: a point's own words, or the letter at the end of a line. */
struct label {
	const char *text;
	double x_pct, y_px;
	bool left; /* of the point: on the right it would run over the edge */
};

/* On a phone; wider pages leave more room. */
static double from_pct(const struct label *l)
{
	return l->left ? l->x_pct - LABEL_WORDS_PCT : l->x_pct;
}

static double to_pct(const struct label *l)
{
	if (l->left)
		return l->x_pct;
	return l->x_pct + (strlen(l->text) > 1 ? LABEL_WORDS_PCT : LABEL_LETTER_PCT);
}

static bool near(const struct label *a, const struct label *b)
{
	return fabs(a->y_px - b->y_px) < LABEL_PX && from_pct(a) < to_pct(b) &&
	       from_pct(b) < to_pct(a);
}

static int downwards(const void *left, const void *right)
{
	const struct label *l = left, *r = right;

	return (l->y_px > r->y_px) - (l->y_px < r->y_px);
}

/* From the top: what would be written over another goes below it; then back from the bottom. */
static void spread(struct label *label, size_t n)
{
	qsort(label, n, sizeof(*label), downwards);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (near(&label[i], &label[k]))
				label[i].y_px = label[k].y_px + LABEL_PX;
	for (size_t i = n; i-- > 0;) {
		label[i].y_px = fmin(label[i].y_px, BOTTOM_PX);
		for (size_t k = i + 1; k < n; k++)
			if (near(&label[i], &label[k]))
				label[i].y_px = label[k].y_px - LABEL_PX;
	}
}

static void put_label(const struct label *l, struct buf *out)
{
	buf_printf(out, "<text class=\"letter\" x=\"%.3f%%\" dx=\"%d\" y=\"%.2f\"%s>", l->x_pct,
		   l->left ? -7 : 7, l->y_px + 4, l->left ? " text-anchor=\"end\"" : "");
	html_text(out, l->text);
	buf_puts(out, "</text>");
}

static void take_label(const struct svg_plot *p, const struct svg_point *at, const char *text,
		       struct label *l)
{
	*l = (struct label){ text, svg_plot_x_pct(p, at->x), svg_plot_y_px(p, at->y), false };
	l->left = strlen(text) > 1 && l->x_pct > LABEL_RIGHT_PCT;
}

/* The last point of a series that is known; NULL: none is. */
static const struct svg_point *last_of(const struct svg_series *s)
{
	for (size_t i = s->points; i-- > 0;)
		if (isfinite(s->point[i].y))
			return &s->point[i];
	return NULL;
}

/* All at once, for they must not lie upon each other; where there is no memory there are none. */
static void put_labels(const struct svg_plot *p, struct buf *out)
{
	static const char letters[SVG_PLOT_SERIES][2] = { "a", "b", "c", "d", "e", "f", "g",
							  "h", "i", "j", "k", "l", "m", "n",
							  "o", "p", "q", "r", "s", "t", "u",
							  "v", "w", "x", "y", "z" };
	size_t most = p->count, n = 0;
	struct label *label;

	for (size_t s = 0; s < p->count; s++)
		most += p->series[s].points;
	label = calloc(most + 1, sizeof(*label));
	out->failed |= !label;
	for (size_t s = 0; s < p->count && label; s++) {
		const struct svg_series *series = &p->series[s];
		const struct svg_point *last = last_of(series);

		for (size_t i = 0; i < series->points; i++)
			if (*series->point[i].label && isfinite(series->point[i].y))
				take_label(p, &series->point[i], series->point[i].label,
					   &label[n++]);
		if (last && series->line)
			take_label(p, last, letters[s], &label[n++]);
	}
	if (label)
		spread(label, n);
	for (size_t i = 0; i < n; i++)
		put_label(&label[i], out);
	buf_byte(out, '\n');
	free(label);
}

static void put_band(const struct svg_plot *p, struct buf *out)
{
	double from = svg_plot_x_pct(p, p->band_from), to = svg_plot_x_pct(p, p->band_to);

	if (p->band_from != p->band_to)
		buf_printf(out,
			   "<rect class=\"band\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" "
			   "height=\"%d\"/>\n",
			   from, to - from, SVG_PLOT_TOP, SVG_PLOT_HEIGHT);
}

static void put_series(const struct svg_plot *p, size_t s, struct buf *out)
{
	const struct svg_series *series = &p->series[s];
	const struct svg_point *last = NULL;

	for (size_t i = 0; i < series->points; i++) {
		const struct svg_point *at = &series->point[i];

		if (!isfinite(at->y))
			continue;
		if (last && series->line)
			put_segment(p, s, last, at, out);
		put_whisker(p, s, at, out);
		if (!series->bare)
			buf_printf(
				out,
				"<circle class=\"dot c%zu%s\" cx=\"%.3f%%\" cy=\"%.2f\" r=\"4\"/>",
				s % SVG_PLOT_COLOURS, series->hollow ? " hollow" : "",
				svg_plot_x_pct(p, at->x), svg_plot_y_px(p, at->y));
		last = at;
	}
	buf_byte(out, '\n');
}

static void put_head(const struct svg_plot *p, struct buf *out)
{
	buf_printf(out,
		   "<svg role=\"img\" class=\"plot\" width=\"100%%\" height=\"%d\" "
		   "aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
		   BOTTOM_PX + BELOW_PX, p->id, p->id, p->id);
	html_printf(out, "%s: %s over %s", p->title, p->y.title, p->x.title);
	buf_printf(out, "</title><desc id=\"%s-d\">", p->id);
	html_text(out, p->description);
	buf_puts(out, "</desc>\n");
}

void svg_plot(const struct svg_plot *p, struct buf *out)
{
	put_head(p, out);
	put_band(p, out);
	put_x_ticks(p, out);
	put_y_ticks(p, out);
	buf_printf(out, "<text class=\"tick\" x=\"%.0f%%\" y=\"%d\" text-anchor=\"middle\">",
		   (SVG_PLOT_LEFT + SVG_PLOT_RIGHT) / 2, BOTTOM_PX + 36);
	html_printf(out, "%s%s", p->x.title, p->x.log ? " (logarithmic)" : "");
	buf_puts(out, "</text>\n");
	for (size_t s = 0; s < p->count; s++)
		put_series(p, s, out);
	put_labels(p, out);
	buf_puts(out, "</svg>\n");
}
