/* SPDX-License-Identifier: Apache-2.0 */
/* stats_rank - rank statistics of two samples; the method stands in stats_rank.h. */
#include "results/stats_rank.h"

#include <math.h>
#include <stdlib.h>

#include "results/normal.h"

struct ranking {
	double *pooled; /* sorted */
	size_t *rank;   /* doubled mid-rank of each */
	size_t n;
	double ties; /* sum of t^3 - t over groups of equal values */
};

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static void release(struct ranking *r)
{
	free(r->pooled);
	free(r->rank);
}

static int rank_all(struct ranking *r, const double *x, size_t nx, const double *y, size_t ny)
{
	r->n = nx + ny;
	r->ties = 0;
	r->pooled = calloc(r->n, sizeof(*r->pooled));
	r->rank = calloc(r->n, sizeof(*r->rank));
	if (!r->pooled || !r->rank)
		return -1;
	for (size_t i = 0; i < r->n; i++)
		r->pooled[i] = i < nx ? x[i] : y[i - nx];
	qsort(r->pooled, r->n, sizeof(*r->pooled), ascending);
	for (size_t from = 0, to; from < r->n; from = to) {
		double equal;

		for (to = from; to < r->n && r->pooled[to] == r->pooled[from]; to++)
			;
		for (size_t i = from; i < to; i++)
			r->rank[i] = from + to + 1; /* twice the mean of from + 1 to `to` */
		equal = (double)(to - from);
		r->ties += equal * equal * equal - equal;
	}
	return 0;
}

static double u_of(const double *x, size_t nx, const double *y, size_t ny)
{
	double u = 0;

	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			u += (x[i] > y[j]) + 0.5 * (x[i] == y[j]);
	return u;
}

/* ways[k * width + s]: choices of k values whose doubled ranks sum to s. */
static double *count_ways(const struct ranking *r, size_t chosen, size_t width)
{
	double *ways = calloc((chosen + 1) * width, sizeof(*ways));

	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = i + 1 < chosen ? i + 1 : chosen; k >= 1; k--)
			for (size_t s = width - 1; s >= r->rank[i]; s--)
				ways[k * width + s] += ways[(k - 1) * width + s - r->rank[i]];
	return ways;
}

/* Doubled rank sums: twice U plus nx (nx + 1); their mean is nx (N + 1). */
static double exact_p(const struct ranking *r, size_t nx, double u)
{
	size_t width = r->n * (r->n + 1) + 1;
	double mean = (double)nx * (double)(r->n + 1), all = 0, far = 0;
	double seen = fabs(2 * u + (double)nx * (double)(nx + 1) - mean);
	double *ways = count_ways(r, nx, width);

	if (!ways)
		return NAN;
	for (size_t s = 0; s < width; s++) {
		double n = ways[nx * width + s];

		all += n;
		if (fabs((double)s - mean) >= seen - 0.25)
			far += n;
	}
	free(ways);
	return far / all;
}

static double normal_p(const struct ranking *r, size_t nx, size_t ny, double u)
{
	double n = (double)r->n, pairs = (double)nx * (double)ny;
	double variance = pairs / 12 * (n + 1 - r->ties / (n * (n - 1)));
	double away = fmax(0, fabs(u - pairs / 2) - 0.5);

	return variance > 0 ? fmin(1, 2 * normal_below(-away / sqrt(variance))) : 1;
}

struct stats_rank stats_mann_whitney(const double *x, size_t nx, const double *y, size_t ny)
{
	struct stats_rank result = { NAN, NAN, nx * ny <= STATS_EXACT_MAX };
	struct ranking r = { 0 };

	if (!nx || !ny)
		return result;
	result.u = u_of(x, nx, y, ny);
	if (rank_all(&r, x, nx, y, ny) == 0)
		result.p =
			result.exact ? exact_p(&r, nx, result.u) : normal_p(&r, nx, ny, result.u);
	release(&r);
	return result;
}

double stats_cliff(const double *x, size_t nx, const double *y, size_t ny)
{
	return nx && ny ? 2 * u_of(x, nx, y, ny) / ((double)nx * (double)ny) - 1 : NAN;
}

const char *stats_cliff_word(double delta)
{
	double size = fabs(delta);

	if (isnan(delta))
		return "";
	return size < 0.147   ? "negligible"
	       : size < 0.33  ? "small"
	       : size < 0.474 ? "medium"
			      : "large";
}

/* The largest k with P(Binomial(n, 1/2) < k) <= 0.025; 0: there is none. */
static size_t rank_of_bound(size_t n)
{
	double log_half = -(double)n * M_LN2, below = 0;

	for (size_t k = 0; k <= n / 2; k++) {
		below += exp(log_half + lgamma((double)n + 1) - lgamma((double)k + 1) -
			     lgamma((double)(n - k) + 1));
		if (below > 0.025 + 1e-12)
			return k;
	}
	return 0;
}

struct interval stats_median_exact(const double *sorted, size_t n)
{
	struct interval i = { NAN, NAN, NAN, (int64_t)n };
	size_t k = rank_of_bound(n);

	if (!n)
		return i;
	i.mean = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	if (k) {
		i.lo = sorted[k - 1];
		i.hi = sorted[n - k];
	}
	return i;
}
