/* SPDX-License-Identifier: Apache-2.0 */
/* stats_series - what a sequence of trials says about itself: outliers, drift, warm-up. */
#include "results/stats_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats.h"

#define MILD      1.5
#define FAR       3.0
#define WARMUP_OF 8

double stats_quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1), low = floor(at);
	size_t i = (size_t)low;

	if (!n)
		return NAN;
	return i + 1 < n ? sorted[i] + (at - low) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static enum stats_outlier kind_of(double x, double low, double high)
{
	double reach = high - low;

	if (x < low - FAR * reach)
		return STATS_FAR_LOW;
	if (x > high + FAR * reach)
		return STATS_FAR_HIGH;
	if (x < low - MILD * reach)
		return STATS_MILD_LOW;
	return x > high + MILD * reach ? STATS_MILD_HIGH : STATS_INSIDE;
}

int stats_outliers(const double *x, size_t n, enum stats_outlier *kind)
{
	double *sorted = calloc(n + 1, sizeof(*sorted));
	double low, high;
	int found = 0;

	if (!sorted)
		return -1;
	memcpy(sorted, x, n * sizeof(*x));
	qsort(sorted, n, sizeof(*sorted), ascending);
	low = n ? stats_quantile(sorted, n, 0.25) : NAN;
	high = n ? stats_quantile(sorted, n, 0.75) : NAN;
	free(sorted);
	for (size_t i = 0; i < n; i++) {
		kind[i] = n < 4 ? STATS_INSIDE : kind_of(x[i], low, high);
		found += kind[i] != STATS_INSIDE;
	}
	return found;
}

/* Least squares over 0, 1, ..., n - 1. */
struct interval stats_drift_pct(const double *x, size_t n)
{
	double mean = stats_mean(x, n).mean, centre = ((double)n - 1) / 2;
	struct interval i = { NAN, NAN, NAN, (int64_t)n };
	double cross = 0, squares = 0, left = 0, half;

	if (n < 3)
		return i;
	for (size_t k = 0; k < n; k++) {
		cross += ((double)k - centre) * (x[k] - mean);
		squares += ((double)k - centre) * ((double)k - centre);
	}
	i.mean = cross / squares;
	for (size_t k = 0; k < n; k++) {
		double off = x[k] - mean - i.mean * ((double)k - centre);

		left += off * off;
	}
	half = stats_t95(n - 2) * sqrt(left / (double)(n - 2) / squares);
	i.lo = 100 * (i.mean - half) / fabs(mean);
	i.hi = 100 * (i.mean + half) / fabs(mean);
	i.mean *= 100 / fabs(mean);
	return i;
}

size_t stats_warmup(const double *x, size_t n)
{
	double best = INFINITY;
	size_t cut = 0;

	for (size_t from = 0; n >= WARMUP_OF && from <= n / 2; from++) {
		double left = (double)(n - from), sd = stats_sd(x + from, n - from);
		double error = sd * sd * (left - 1) / (left * left);

		if (error < best) {
			best = error;
			cut = from;
		}
	}
	return cut;
}

bool stats_narrow(const struct interval *i, double pct)
{
	double arm = fmax(i->hi - i->mean, i->mean - i->lo);

	return i->n >= STATS_NARROW_MIN && isfinite(arm) && arm <= pct / 100 * fabs(i->mean);
}
