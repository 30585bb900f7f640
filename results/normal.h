/* SPDX-License-Identifier: Apache-2.0 */
/* normal - the standard normal distribution, to 1e-12 of itself where it matters. */
#ifndef RESULTS_NORMAL_H
#define RESULTS_NORMAL_H

/* P(Z <= z). */
double normal_below(double z);

/* z with P(Z <= z) = p; -INFINITY and INFINITY at 0 and 1. */
double normal_quantile(double p);

#endif
