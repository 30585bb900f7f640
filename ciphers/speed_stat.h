/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_stat - mean and 95 % interval of a growing number of values, in constant memory.
 *
 * SUMMARY. The interval is Student's t of n - 1 degrees over the values given; it is about
 * their mean, and right only if they are about equally long and do not depend on each
 * other. speed_stat_t95() is exact to 2e-4 of its value for every n.
 * DETAILS. Sums by Welford's recurrence. Up to nine degrees the quantile is tabulated (A. and S.,
 * table 26.10); beyond them it is the normal quantile with its expansion in 1/n (26.7.5).
 */
#ifndef CIPHERS_SPEED_STAT_H
#define CIPHERS_SPEED_STAT_H

#include <stdint.h>

struct speed_stat {
	int64_t count;
	double mean, squares; /* squares: of the distances from the mean, summed */
};

void speed_stat_add(struct speed_stat *s, double value);
/* Half the width of the interval; infinite for fewer than two values. */
double speed_stat_half(const struct speed_stat *s);
/* Two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom. */
double speed_stat_t95(int64_t degrees);

#endif
