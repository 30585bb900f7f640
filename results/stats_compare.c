/* SPDX-License-Identifier: Apache-2.0 */
/* stats_compare - two samples against each other, and many comparisons at once. */
#include "results/stats_compare.h"

#include <math.h>
#include <stdlib.h>

#include "results/stats.h"
#include "results/student.h"

static struct stats_test nothing(double difference, size_t n)
{
	return (struct stats_test){ { difference, NAN, NAN, (int64_t)n }, NAN, NAN, NAN };
}

/* What follows from a difference, its standard error and its degrees of freedom. */
static void judge(struct stats_test *r, double error, double degrees)
{
	double half = student_t95_real(degrees) * error;

	r->degrees = degrees;
	r->t = error > 0 ? r->difference.mean / error : r->difference.mean == 0 ? 0 : INFINITY;
	r->p = student_beyond(r->t, degrees);
	r->difference.lo = r->difference.mean - half;
	r->difference.hi = r->difference.mean + half;
}

struct stats_test stats_welch(const double *x, size_t nx, const double *y, size_t ny)
{
	struct stats_test r =
		nothing(stats_mean(x, nx).mean - stats_mean(y, ny).mean, nx < ny ? nx : ny);
	double vx, vy, degrees;

	if (nx < 2 || ny < 2)
		return r;
	vx = stats_sd(x, nx) * stats_sd(x, nx) / (double)nx;
	vy = stats_sd(y, ny) * stats_sd(y, ny) / (double)ny;
	degrees = (vx + vy) * (vx + vy) / (vx * vx / (double)(nx - 1) + vy * vy / (double)(ny - 1));
	if (!isfinite(degrees)) /* neither varies at all */
		degrees = (double)(nx + ny - 2);
	judge(&r, sqrt(vx + vy), degrees);
	return r;
}

struct stats_test stats_paired(const double *x, const double *y, size_t n)
{
	double *difference = calloc(n + 1, sizeof(*difference));
	struct stats_test r = nothing(NAN, n);

	if (!difference)
		return r;
	for (size_t i = 0; i < n; i++)
		difference[i] = x[i] - y[i];
	r.difference.mean = stats_mean(difference, n).mean;
	if (n > 1)
		judge(&r, stats_sd(difference, n) / sqrt((double)n), (double)(n - 1));
	free(difference);
	return r;
}

struct ordered {
	double p;
	size_t index;
};

static int by_p(const void *left, const void *right)
{
	const struct ordered *l = left, *r = right;

	return (l->p > r->p) - (l->p < r->p);
}

void stats_holm(double *p, size_t m)
{
	struct ordered *known = calloc(m + 1, sizeof(*known));
	double least = 0;
	size_t n = 0;

	for (size_t i = 0; i < m && known; i++)
		if (!isnan(p[i]))
			known[n++] = (struct ordered){ p[i], i };
	if (known)
		qsort(known, n, sizeof(*known), by_p);
	for (size_t i = 0; i < m && !known; i++)
		p[i] = NAN; /* without memory nothing is claimed */
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, known[i].p * (double)(n - i)));
		p[known[i].index] = least;
	}
	free(known);
}

/* t with P(T <= t) = 0.8. */
static double t80(double degrees)
{
	double lo = 0, hi = 2;

	for (int i = 0; i < 60; i++) {
		double middle = (lo + hi) / 2;

		if (student_beyond(middle, degrees) > 0.4)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

double stats_detectable(double sd, size_t n)
{
	if (n < 2)
		return NAN;
	return (stats_t95(n - 1) + t80((double)(n - 1))) * sd / sqrt((double)n);
}

struct stats_aa stats_aa(const double *x, size_t n)
{
	double mean = stats_mean(x, n).mean, per_cent = 100 / fabs(mean);
	double *difference = calloc(n / 2 + 1, sizeof(*difference));
	struct stats_aa r = { { NAN, NAN, NAN, (int64_t)(n / 2) }, NAN };

	for (size_t i = 0; i < n / 2 && difference; i++)
		difference[i] = (x[2 * i] - x[2 * i + 1]) * (i % 2 ? -per_cent : per_cent);
	if (difference && n >= 6) {
		r.difference_pct = stats_mean(difference, n / 2);
		r.detectable_pct = stats_detectable(stats_sd(x, n) * sqrt(2) * per_cent, n);
	}
	free(difference);
	return r;
}
