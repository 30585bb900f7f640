/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats_rank - rank statistics of two samples: they assume no shape of the data.
 *
 * SUMMARY. The Mann-Whitney probability is exact, ties included, while the two sizes multiply
 * to at most STATS_EXACT_MAX; beyond that it is the normal approximation with the
 * corrections for ties and continuity.
 *
 * DETAILS. Under "no difference" every choice of nx among the pooled values is as likely.
 * Mid-ranks doubled are whole numbers, so the number of choices for each rank sum follows by
 * adding one value at a time. The two-sided probability is that of rank sums at least as far from
 * their mean as the one seen.
 */
#ifndef RESULTS_STATS_RANK_H
#define RESULTS_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "results/record.h"

#define STATS_EXACT_MAX 2500

struct stats_rank {
	double u; /* of x: pairs with x above y, ties by half */
	double p; /* two-sided; NAN when a sample is empty or memory is short */
	bool exact;
};
struct stats_rank stats_mann_whitney(const double *x, size_t nx, const double *y, size_t ny);

/* Share of pairs with x above y less share with x below: -1 to 1; NAN when a sample is empty. */
double stats_cliff(const double *x, size_t nx, const double *y, size_t ny);
/* "negligible", "small", "medium", "large" (0.147, 0.33, 0.474: Romano 2006); "" for NAN. */
const char *stats_cliff_word(double delta);

/*
 * The median with the interval of two order statistics that covers at least 95 % whatever the
 * distribution; none for n < 6, where no two of them do. Sorted values.
 */
struct interval stats_median_exact(const double *sorted, size_t n);

#endif
