/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student_own - Student's t without a library.
 *
 * Up to EXACT_MAX degrees: bisection on P(|T| <= t), which for whole degrees is a
 * finite sum in the angle atan(t / sqrt(n)) (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4). Beyond: the normal quantile with its expansion in 1/n (26.7.5), whose first
 * term left out is below 1e-9 of the value there.
 */
#include <math.h>

#include "results/student.h"

#define EXACT_MAX  200
#define NORMAL_975 1.959963984540054

/* P(|T| <= t) for n degrees. */
static double within(double t, int n)
{
	double angle = atan(t / sqrt((double)n)), c = cos(angle), s = sin(angle);
	double term = n % 2 ? c : 1, sum = 0;

	for (int k = n % 2 ? 3 : 2; k <= n; k += 2) {
		sum += term;
		term *= c * c * (double)(k - 1) / (double)k;
	}
	return n % 2 ? (angle + s * sum) * M_2_PI : s * sum;
}

static double by_bisection(int n)
{
	double lo = 1, hi = 13;

	for (int i = 0; i < 60; i++) {
		double middle = (lo + hi) / 2;

		if (within(middle, n) < 0.95)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

static double by_expansion(double n)
{
	double x = NORMAL_975, x2 = x * x;
	double first = x * (x2 + 1) / 4;
	double second = x * ((5 * x2 + 16) * x2 + 3) / 96;
	double third = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;

	return x + first / n + second / (n * n) + third / (n * n * n);
}

double student_t95(size_t degrees)
{
	return degrees <= EXACT_MAX ? by_bisection((int)degrees) : by_expansion((double)degrees);
}
