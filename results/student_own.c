/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student_own - Student's t without a library.
 *
 * Up to EXACT_MAX degrees: bisection on P(|T| <= t), which for whole degrees is a
 * finite sum in the angle atan(t / sqrt(n)) (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4). Beyond: the normal quantile with its expansion in 1/n (26.7.5), whose first
 * term left out is below 1e-9 of the value there. Degrees that are not whole: the
 * incomplete beta function by its continued fraction (26.5.8), and bisection on it.
 */
#include <math.h>

#include "results/student.h"

#define EXACT_MAX    200
#define NORMAL_975   1.959963984540054
#define FRACTION_MAX 500

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

/* The continued fraction of I_x(a, b), by Lentz's method. */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / fmax(1e-300, 1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < FRACTION_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		h *= d * c;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

/* I_x(a, b), the regularised incomplete beta function. */
static double beta_below(double a, double b, double x)
{
	double front;

	if (!(x > 0) || !(x < 1))
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(a, b, x) / a;
	return 1 - front * fraction(b, a, 1 - x) / b;
}

double student_beyond(double t, double degrees)
{
	return beta_below(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_t95_real(double degrees)
{
	double lo = 0, hi = 1;

	if (degrees > EXACT_MAX)
		return by_expansion(degrees);
	while (student_beyond(hi, degrees) > 0.05)
		hi *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (lo + hi) / 2;

		if (student_beyond(middle, degrees) > 0.05)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}
