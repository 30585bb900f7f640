/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg_plot - points and lines over two numeric axes, as SVG elements inside a page.
 *
 * As in svg.h lengths across are per cent and lengths down are pixels. A series has a colour
 * (class c0 to c7) and a letter at its last point, so that it is known without colours too. An
 * axis whose values reach over a factor of SVG_LOG_FROM is logarithmic, and says so.
 */
#ifndef RESULTS_SVG_PLOT_H
#define RESULTS_SVG_PLOT_H

#include "lib/buf.h"

#define SVG_PLOT_SERIES  26
#define SVG_PLOT_COLOURS 8
#define SVG_PLOT_LEFT    12.0 /* per cent: the plot's own area */
#define SVG_PLOT_RIGHT   96.0
#define SVG_PLOT_TOP     10 /* px */
#define SVG_PLOT_HEIGHT  240

struct svg_point {
	double x, y, lo, hi; /* lo and hi NAN: no whisker */
	char label[24];      /* beside the point; "" none */
};

struct svg_series {
	char name[240];
	const struct svg_point *point; /* by x */
	size_t points;
	bool line, hollow, bare; /* bare: without dots */
};

struct svg_axis {
	const char *title;
	bool bytes;   /* its values are written as sizes */
	bool linear;  /* never logarithmic */
	bool tight;   /* it need not begin at 0: for lines, where no length is a value */
	bool columns; /* its ticks are the points' own values, where they are few */
	/* Set by svg_plot_axes(). */
	bool log;
	double from, to;
};

struct svg_plot {
	const char *id, *title, *description;
	struct svg_axis x, y;
	const struct svg_series *series;
	size_t count;              /* at most SVG_PLOT_SERIES */
	size_t left_out;           /* more than there is room for; the caption says so */
	double band_from, band_to; /* of x, shaded; none where they are equal */
};

/*
 * The series behind the last is filled: it is drawn, or, where there are `room` already, left out,
 * and the next is filled in its place. So p->series has room for one more.
 */
void svg_plot_take(struct svg_plot *p, size_t room);

/* From the points to the axes; svg_plot() and tests place points by them. */
void svg_plot_axes(struct svg_plot *p);
double svg_plot_x_pct(const struct svg_plot *p, double x);
double svg_plot_y_px(const struct svg_plot *p, double y);

/* Points are <circle class="dot cN">, in the order of series and points. */
void svg_plot(const struct svg_plot *p, struct buf *out);

#endif
