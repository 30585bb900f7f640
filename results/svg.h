/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg - charts of bars, or of dots, with interval whiskers, as SVG elements inside a page.
 *
 * Lengths across are per cent of the element's width and lengths down are pixels, so
 * that a chart fills a phone or a desk without its text growing or shrinking. Colours
 * are classes (s0, s1, ... and axis, whisker); the page's style gives them.
 */
#ifndef RESULTS_SVG_H
#define RESULTS_SVG_H

#include "lib/buf.h"
#include "results/record.h"

#define SVG_SERIES 3

struct svg_row {
	char label[160], detail[240];    /* detail: a second, fainter line; "" for none */
	struct interval bar[SVG_SERIES]; /* mean NAN: not known; lo and hi NAN: no whisker */
};

struct svg_chart {
	const char *id; /* unique in the page: a word */
	const char *title, *unit;
	const char *description;            /* for who cannot see it */
	const char *series[SVG_SERIES + 1]; /* names; one without a legend; ends with NULL */
	bool stacked;                       /* series end to end, values not negative */
	const struct svg_row *row;
	size_t rows;
};

/*
 * Bars are <rect class="bar ...">, dots <circle class="spot ...">, whiskers <g class="whisker">,
 * in the rows' order.
 */
void svg_bars(const struct svg_chart *c, struct buf *out);

/*
 * Where the largest is so many times the smallest the axis is logarithmic, and says so. A length
 * means nothing on it: values are dots there.
 */
#define SVG_LOG_FROM 15.0

/* The largest end of a bar or whisker gets this share of the width; the rest is for figures. */
#define SVG_PLOT_PCT 68.0

#endif
