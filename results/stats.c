/* SPDX-License-Identifier: Apache-2.0 */
/* stats - means, intervals and ratios over trials. The derivations stand in stats.h. */
#include "results/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/student.h"

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

static double covariance_of(const double *x, const double *y, size_t n)
{
	double mx = mean_of(x, n), my = mean_of(y, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mx) * (y[i] - my);
	return n > 1 ? sum / (double)(n - 1) : NAN;
}

double stats_t95(size_t degrees)
{
	return degrees ? student_t95(degrees) : NAN;
}

double stats_sd(const double *x, size_t n)
{
	return sqrt(covariance_of(x, x, n));
}

struct interval stats_mean(const double *x, size_t n)
{
	struct interval i = { mean_of(x, n), NAN, NAN, (int64_t)n };
	double half;

	if (n < 2)
		return i;
	half = stats_t95(n - 1) * stats_sd(x, n) / sqrt((double)n);
	i.lo = i.mean - half;
	i.hi = i.mean + half;
	return i;
}

struct interval stats_ratio(const double *a, const double *b, size_t n)
{
	double ma = mean_of(a, n), mb = mean_of(b, n);
	struct interval i = { mb > 0 ? ma / mb : NAN, NAN, NAN, (int64_t)n };
	double square, middle, last, root;

	if (n < 2 || !(mb > 0))
		return i;
	root = stats_t95(n - 1);
	root = root * root / (double)n; /* t^2 over n: of variances to t^2 times those of means */
	square = mb * mb - root * covariance_of(b, b, n);
	middle = ma * mb - root * covariance_of(a, b, n);
	last = ma * ma - root * covariance_of(a, a, n);
	if (!(square > 0))
		return i;
	root = sqrt(fmax(0, middle * middle - square * last));
	i.lo = (middle - root) / square;
	i.hi = (middle + root) / square;
	return i;
}

struct interval stats_ratio_paired(const double *a, const double *b, size_t n)
{
	struct interval i = { NAN, NAN, NAN, (int64_t)n };
	double *log_ratio = calloc(n ? n : 1, sizeof(*log_ratio));

	if (!log_ratio)
		return i;
	for (size_t k = 0; k < n; k++)
		log_ratio[k] = a[k] > 0 && b[k] > 0 ? log(a[k] / b[k]) : NAN;
	i = stats_mean(log_ratio, n);
	free(log_ratio);
	i.mean = exp(i.mean);
	i.lo = exp(i.lo);
	i.hi = exp(i.hi);
	return i;
}
