/* SPDX-License-Identifier: Apache-2.0 */
/* normal - the standard normal distribution, by the C library's erfc. */
#include "results/normal.h"

#include <math.h>

#define STEPS 64
#define FAR   40.0 /* beyond it a double's probability is 0 */

double normal_below(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

double normal_quantile(double p)
{
	double lo = -FAR, hi = FAR;

	if (!(p > 0))
		return -INFINITY;
	if (!(p < 1))
		return INFINITY;
	if (p > 0.5) /* the lower tail keeps its digits */
		return -normal_quantile(1 - p);
	for (int i = 0; i < STEPS; i++) {
		double middle = (lo + hi) / 2;

		if (normal_below(middle) < p)
			lo = middle;
		else
			hi = middle;
	}
	return (lo + hi) / 2;
}
