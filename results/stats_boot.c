/* SPDX-License-Identifier: Apache-2.0 */
/* stats_boot - BCa bootstrap intervals; the method stands in stats_boot.h. */
#include "results/stats_boot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "results/normal.h"

int stats_boot_init(struct stats_boot *b, size_t n, size_t count, uint64_t seed)
{
	struct rng r;

	*b = (struct stats_boot){ .n = n, .count = count, .seed = seed };
	b->times = calloc(count * n + 1, sizeof(*b->times));
	b->replicate = calloc(count + 1, sizeof(*b->replicate));
	b->left_out = calloc(n + 1, sizeof(*b->left_out));
	if (!b->times || !b->replicate || !b->left_out) {
		stats_boot_release(b);
		return -1;
	}
	rng_seed(&r, seed);
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < n; i++)
			b->times[k * n + rng_below(&r, n)]++;
	return 0;
}

void stats_boot_release(struct stats_boot *b)
{
	free(b->times);
	free(b->replicate);
	free(b->left_out);
	memset(b, 0, sizeof(*b));
}

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

/* The rank-th smallest, from 0; reorders x (Hoare's selection). */
static double pick(double *x, size_t n, size_t rank)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = x[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i >= j)
				break;
			swap(&x[i++], &x[j--]);
		}
		if (rank <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return x[lo];
}

/* The share of replicates below the estimate, those equal to it by half, as a normal quantile. */
static double bias_of(const struct stats_boot *b, double estimate)
{
	double below = 0;

	for (size_t k = 0; k < b->count; k++)
		below += (b->replicate[k] < estimate) + (b->replicate[k] <= estimate);
	return normal_quantile(below / 2 / (double)b->count);
}

/* How fast the spread changes with the value, by leaving out each trial in turn. */
static double acceleration_of(const struct stats_boot *b)
{
	double mean = 0, squares = 0, cubes = 0;

	for (size_t i = 0; i < b->n; i++)
		mean += b->left_out[i] / (double)b->n;
	for (size_t i = 0; i < b->n; i++) {
		double d = mean - b->left_out[i];

		squares += d * d;
		cubes += d * d * d;
	}
	return squares > 0 ? cubes / (6 * squares * sqrt(squares)) : 0;
}

static double bound(struct stats_boot *b, double bias, double acceleration, double z)
{
	double moved = bias + (bias + z) / (1 - acceleration * (bias + z));
	double rank = floor((double)(b->count + 1) * normal_below(moved)) - 1;

	rank = fmin(fmax(rank, 0), (double)b->count - 1);
	return pick(b->replicate, b->count, (size_t)rank);
}

/* b->replicate and b->left_out are filled; all finite, or there is no interval. */
static struct interval interval_of(struct stats_boot *b, double estimate)
{
	const double z = 1.959963984540054;
	struct interval i = { estimate, NAN, NAN, (int64_t)b->n };
	double bias, acceleration, sum = estimate;

	for (size_t k = 0; k < b->count; k++)
		sum += b->replicate[k];
	acceleration = acceleration_of(b);
	if (b->n < 2 || !isfinite(sum) || !isfinite(acceleration))
		return i;
	bias = bias_of(b, estimate);
	if (!isfinite(bias)) /* all replicates on one side: nothing to correct by */
		return i;
	i.lo = bound(b, bias, acceleration, -z);
	i.hi = bound(b, bias, acceleration, z);
	return i;
}

static double weighed(const struct stats_boot *b, size_t k, const double *x)
{
	const uint16_t *times = b->times + k * b->n;
	double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += times[i] * x[i];
	return sum;
}

static double sum_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

struct interval stats_boot_mean(struct stats_boot *b, const double *x)
{
	double sum = sum_of(x, b->n), n = (double)b->n;

	for (size_t k = 0; k < b->count; k++)
		b->replicate[k] = weighed(b, k, x) / n;
	for (size_t i = 0; i < b->n; i++)
		b->left_out[i] = (sum - x[i]) / (n - 1);
	return interval_of(b, sum / n);
}

static double over(double x, double y)
{
	return y > 0 ? x / y : NAN;
}

struct interval stats_boot_ratio(struct stats_boot *b, const double *x, const double *y)
{
	double sx = sum_of(x, b->n), sy = sum_of(y, b->n);

	for (size_t k = 0; k < b->count; k++)
		b->replicate[k] = over(weighed(b, k, x), weighed(b, k, y));
	for (size_t i = 0; i < b->n; i++)
		b->left_out[i] = over(sx - x[i], sy - y[i]);
	return interval_of(b, over(sx, sy));
}

/* The value of this rank, from 0, of a resample. */
static double ranked(const struct stats_boot *b, size_t k, const double *sorted, size_t rank)
{
	const uint16_t *times = b->times + k * b->n;
	size_t seen = 0;

	for (size_t i = 0; i < b->n; i++) {
		seen += times[i];
		if (seen > rank)
			return sorted[i];
	}
	return NAN;
}

/* Of the values but the one at `without`; b->n: of all. */
static double middle(const double *sorted, size_t n, size_t without)
{
	size_t left = without < n ? n - 1 : n;
	size_t low = (left - 1) / 2, high = left / 2;

	return (sorted[low + (low >= without)] + sorted[high + (high >= without)]) / 2;
}

struct interval stats_boot_median(struct stats_boot *b, const double *sorted)
{
	size_t low = (b->n - 1) / 2, high = b->n / 2;

	for (size_t k = 0; k < b->count; k++)
		b->replicate[k] = (ranked(b, k, sorted, low) + ranked(b, k, sorted, high)) / 2;
	for (size_t i = 0; i < b->n && b->n > 1; i++)
		b->left_out[i] = middle(sorted, b->n, i);
	return interval_of(b, middle(sorted, b->n, b->n));
}
