/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - means, intervals and ratios over trials. Pure functions.
 *
 * The unit is the trial (block), never the request.
 */
#ifndef RESULTS_STATS_H
#define RESULTS_STATS_H

#include <stddef.h>

#include "results/record.h"

/* Mean with the 95 % interval of Student's t; lo and hi are NAN for n < 2. */
struct interval stats_mean(const double *x, size_t n);

/*
 * A ratio metric such as requests per mWh: sum(a) / sum(b), with a 95 % interval from
 * resampling the trials (pairs stay together), seeded. NAN where sum(b) <= 0.
 */
struct interval stats_ratio(const double *a, const double *b, size_t n, uint64_t seed);

double stats_sd(const double *x, size_t n);
double stats_median(const double *x, size_t n); /* does not reorder x */

#endif
