/* SPDX-License-Identifier: Apache-2.0 */
/* figure - numbers and intervals written for people; unknown is "-". */
#ifndef RESULTS_FIGURE_H
#define RESULTS_FIGURE_H

#include "results/record.h"

#define FIGURE_BYTES 96

/* Three or four significant digits. */
void figure_number(double value, char dst[FIGURE_BYTES]);

/*
 * What cannot be negative has an interval that ends at 0: it reaches zero where it would go
 * below, because the trials are too few. figure_cut() cuts it there, and returns whether it did
 * now or before; figure_zero is the sentence for readers.
 */
bool figure_reaches_zero(const struct interval *i);
bool figure_cut(struct interval *i);
extern const char figure_zero[];

/*
 * "1234.6 ± 3.2", digits as the interval allows; "720 (650 to 810)" where it is lopsided by
 * more than a tenth; "600 ± ?" where there is none. Of what cannot be negative: "720 (0 to
 * 1810)" where the interval reaches zero.
 */
void figure_interval(const struct interval *i, char dst[FIGURE_BYTES]);
/* The same of what may be negative: a drift, a saving. */
void figure_signed(const struct interval *i, char dst[FIGURE_BYTES]);

/* "2.9 (2.7 to 3.1)": for ratios; the mean alone where there is no interval. */
void figure_range(const struct interval *i, char dst[FIGURE_BYTES]);

/* A field's value as a report's cell shows it: text, number or interval. */
void figure_field(const struct field *f, const void *base, char *dst, size_t len);

#endif
