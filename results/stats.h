/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - means, intervals and ratios over trials. Pure functions.
 *
 * The unit is the trial (block), never the request.
 *
 * SUMMARY. Intervals are of 95 % and rest on Student's t with the few trials there
 * are; no resampling. Coverage, measured by stats_test with seeded sets of n = 5:
 *   stats_mean, normal data                                   95.0 % +- 1
 *   stats_ratio, both noisy by 3 % or 10 %, correlated or not 95.0 % +- 1
 *   stats_ratio, log-normal by 20 %                           95.0 % +- 1
 *   stats_ratio_paired, log-normal blocks                     95.0 % +- 1
 * Skewed data are covered less: stats_mean of exponential data with n = 5 covers 88 %.
 *
 * DETAILS. Why no bootstrap for ratios: of five trials there are only 126 different
 * resamples, and their percentile interval covers 83 % instead of 95 % (measured on the
 * sets of "both noisy by 10 %"). Fieller's interval of a ratio of means is exact for normal
 * pairs of any n and needs no seed. R lies inside when the mean of a - R b differs from
 * 0 by less than t standard errors, a quadratic in R:
 *   R^2 (mb^2 - t^2 vb) - 2 R (ma mb - t^2 cab) + (ma^2 - t^2 va) <= 0
 * with m means, v variances and c the covariance of means. Where mb differs from 0 by
 * less than t standard errors the set is not an interval, and there is none.
 */
#ifndef RESULTS_STATS_H
#define RESULTS_STATS_H

#include <stddef.h>

#include "results/record.h"

/* Mean with the interval of Student's t; lo and hi are NAN for n < 2. */
struct interval stats_mean(const double *x, size_t n);

/*
 * A ratio metric such as requests per mWh: sum(a) / sum(b), pairs of one trial, with
 * Fieller's interval. mean is NAN where sum(b) <= 0; lo and hi are NAN for n < 2 and
 * where b is too uncertain for there to be an interval.
 */
struct interval stats_ratio(const double *a, const double *b, size_t n);

/*
 * How many times b is a, block by block: geometric mean of a[i] / b[i] with the interval
 * of its logarithm, so that what a block has in common cancels. All values must be
 * positive, else mean is NAN.
 */
struct interval stats_ratio_paired(const double *a, const double *b, size_t n);

/* Two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom. */
double stats_t95(size_t degrees);

double stats_sd(const double *x, size_t n); /* of a sample, n - 1; NAN for n < 2 */

#endif
