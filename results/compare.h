/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - two cells against each other, figure by figure. Pure but for memory.
 *
 * SUMMARY. Trials are values; a figure's ratio A / B is of geometric means, with the 95 %
 * interval of its logarithm: over pairs of blocks where both cells ran in the same blocks
 * (what a block has in common cancels), else Welch's. A difference is proven when its
 * p-value is at most 5 % after Holm's correction over all figures and pairs of cells that were
 * compared at once. Mann-Whitney's exact p and the other test's stand beside it as second
 * opinions, Cliff's delta says how large the difference is against the spread.
 */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include "lib/fail.h"
#include "results/summary.h"

/* requests/s, per server CPU s, per mWh of server and client, p50 and p99 of the response. */
#define COMPARE_FIGURES 6

struct compare_row {
	const char *name, *unit; /* a path of the JSON report */
	const char *words;       /* for people, the unit in them */
	bool more_is_better;
	char reason[96];            /* why it is not compared; "" when it is */
	struct interval a, b;       /* means over trials */
	struct interval difference; /* a less b */
	struct interval ratio;      /* a / b */
	double p, p_holm, p_other, p_rank;
	double delta;          /* Cliff's */
	double detectable_pct; /* smallest difference that these trials would prove, 4 times in 5 */
	const char *source;    /* of energy: "modelled"; "" for the others */
};

struct compare_pair {
	const struct cell_summary *a, *b;
	bool paired;
	int64_t blocks; /* pairs of blocks; unpaired: the smaller number of trials */
	struct compare_row row[COMPARE_FIGURES];
};

/* -1: no memory. */
int compare_cells(const struct cell_summary *a, const struct cell_summary *b, bool paired,
		  struct compare_pair *p);
/* Fills p_holm of all rows at once. -1: no memory. */
int compare_holm(struct compare_pair *pairs, size_t count);

bool compare_proven(const struct compare_row *r);
/*
 * "A is 5.2 % (3.1 to 7.3 %) higher: better", "no difference proven: ...". Beyond a factor of three
 * per cent say little: "A is 13.4 times B (8.10 to 22.0): better".
 */
void compare_verdict(const struct compare_row *r, char *dst, size_t len);

/* Figures of one cell's valid trials, for a control; NULL: no memory. To be freed. */
double *compare_values(const struct cell_summary *c, int figure, size_t *n);

#endif
