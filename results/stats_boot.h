/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_boot - BCa bootstrap intervals of means, medians and ratios, by a stored seed.
 *
 * SUMMARY. 95 % intervals by resampling trials with replacement, bias-corrected and
 * accelerated (Efron 1987). The same data and seed give the same interval for ever. With few
 * trials resampling cannot know the tails: coverage, measured by `make bench-results`:
 *                            n = 5  n = 10  n = 30
 *   mean, normal data         84 %    90 %    94 %   (Student's t: 95 % each)
 *   mean, exponential data    80 %    88 %    93 %   (89, 90, 93 %)
 *   mean, heavy tails (t3)    81 %    86 %    90 %   (96, 96, 96 %)
 *   ratio, both noisy         84 %    90 %    93 %   (Fieller's: 95 % each)
 *   median, any of these      94 %    93 %    94 %
 * So reports show Student's t and Fieller's with the few trials there are, and these
 * beside them: where the two differ much the data are lopsided, and neither is to be trusted
 * to the digit.
 *
 * DETAILS. A set of resamples depends on n alone, so one is drawn for many cells: for each
 * resample how many times each trial is in it. A statistic of a resample is then a weighted
 * sum, and the two bounds are found by selection, not by sorting.
 */
#ifndef RESULTS_STATS_BOOT_H
#define RESULTS_STATS_BOOT_H

#include <stddef.h>
#include <stdint.h>

#include "results/record.h"

#define STATS_RESAMPLES 1999
#define STATS_SEED      1978 /* of reports' intervals; they name it */

struct stats_boot {
	size_t n, count;
	uint64_t seed;
	uint16_t *times;   /* count x n */
	double *replicate; /* count: working space */
	double *left_out;  /* n: working space */
};

/* n from 1 to 65535. -1: no memory. Safe to release when zeroed. */
int stats_boot_init(struct stats_boot *b, size_t n, size_t count, uint64_t seed);
void stats_boot_release(struct stats_boot *b);

/* Of b->n values each. mean is the statistic; lo and hi are NAN for n < 2. */
struct interval stats_boot_mean(struct stats_boot *b, const double *x);
/* sum(x) / sum(y) of pairs; NAN where a sum of y is not positive. */
struct interval stats_boot_ratio(struct stats_boot *b, const double *x, const double *y);
/* Sorted values, ascending. */
struct interval stats_boot_median(struct stats_boot *b, const double *sorted);

#endif
