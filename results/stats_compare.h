/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_compare - two samples against each other, and many comparisons at once.
 *
 * SUMMARY. Paired differences are over blocks, so that what a block has in common cancels;
 * Welch's needs no pairs and no equal spread. Coverage, measured by stats_compare_test
 * with n = 5 and 8: normal data of unlike spread 95 % +- 1.5.
 */
#ifndef RESULTS_STATS_COMPARE_H
#define RESULTS_STATS_COMPARE_H

#include <stddef.h>

#include "results/record.h"

struct stats_test {
	struct interval difference; /* x less y, 95 %; lo and hi NAN where there is none */
	double t, degrees, p;       /* two-sided; NAN where there is none */
};

/* Means of two samples, n of each at least 2. */
struct stats_test stats_welch(const double *x, size_t nx, const double *y, size_t ny);
/* x[i] - y[i] of n blocks, n at least 2. */
struct stats_test stats_paired(const double *x, const double *y, size_t n);

/*
 * Holm's step-down: p becomes the least level at which that comparison is rejected with all
 * m at once held to that level. NAN stays, and is not counted.
 */
void stats_holm(double *p, size_t m);

/*
 * The smallest difference of means that n pairs (or blocks) whose differences have this
 * standard deviation would prove at 95 % in four of five campaigns; NAN for n < 2. The measured
 * power is 80 % +- 2 from n = 5 on.
 */
double stats_detectable(double sd, size_t n);

/*
 * A/A control of one sample: values next to each other in order are called A and B by turns
 * (swapped from pair to pair), so their difference is 0 by construction unless the
 * measurement itself makes one. Needs 6 values.
 */
struct stats_aa {
	struct interval difference_pct; /* of the mean of all */
	double detectable_pct;          /* by a comparison of n blocks with this noise */
};
struct stats_aa stats_aa(const double *x, size_t n);

#endif
