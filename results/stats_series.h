/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_series - what a sequence of trials says about itself: outliers, drift, warm-up.
 *
 * Nothing here drops a value: an outlier is named and kept, a drift is reported. A trial is
 * invalid only for a cause that was recorded when it ran.
 */
#ifndef RESULTS_STATS_SERIES_H
#define RESULTS_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "results/record.h"

/* By Tukey's fences: 1.5 and 3 times the quartiles' distance (of type 7) beyond them. */
enum stats_outlier { STATS_INSIDE, STATS_MILD_LOW, STATS_MILD_HIGH, STATS_FAR_LOW, STATS_FAR_HIGH };
/* kind[i] of x[i]; all STATS_INSIDE for n < 4. Their number; -1: no memory. */
int stats_outliers(const double *x, size_t n, enum stats_outlier *kind);

/* The q-quantile of sorted values, straight between neighbours (type 7); NAN when empty. */
double stats_quantile(const double *sorted, size_t n, double q);

/*
 * Slope over position as a percentage of the mean for each step, with its 95 % interval; a
 * drift is proven when that does not hold 0. NAN for n < 3.
 */
struct interval stats_drift_pct(const double *x, size_t n);

/*
 * How many values at the start are warm-up: those whose removal makes the standard error of
 * the mean of the rest smallest (White's MSER), at most half of them; 0 for n < 8.
 */
size_t stats_warmup(const double *x, size_t n);

/*
 * The interval's larger arm is at most pct per cent of the mean, of STATS_NARROW_MIN trials
 * or more: what ends an adaptive campaign. Stopping as soon as this holds covers less than
 * an interval of a fixed number of trials: 94 % instead of 95 % (stats_series_test).
 */
#define STATS_NARROW_MIN 5
bool stats_narrow(const struct interval *i, double pct);

#endif
