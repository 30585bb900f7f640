/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_results - what share of ten thousand random data sets each 95 % interval covers, of
 * normal, skewed and heavy-tailed data; and `bench_results run PROGRAM...`, what a program takes.
 * Not part of cipherwatt.
 *
 * Where an interval does not hold its 95 % a line says so: that is why reports show the one
 * they show.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/rng.h"
#include "lib/version.h"
#include "results/stats.h"
#include "results/stats_boot.h"
#include "results/stats_rank.h"

#define SETS  10000
#define N_MAX 50

static double normal(struct rng *r)
{
	return rng_normal(r);
}

static double exponential(struct rng *r)
{
	return -log(1 - rng_unit(r)) - 1;
}

/* Student's t of three degrees: its variance is there, its fourth moment is not. */
static double heavy(struct rng *r)
{
	double z = rng_normal(r), square = 0;

	for (int i = 0; i < 3; i++) {
		double g = rng_normal(r);

		square += g * g;
	}
	return z / sqrt(square / 3);
}

static const struct shape {
	const char *name;
	double (*draw)(struct rng *); /* of mean 0 */
	double median;
} shapes[] = {
	{ "normal", normal, 0 },
	{ "exponential", exponential, M_LN2 - 1 },
	{ "heavy_tailed", heavy, 0 },
};

static bool holds(const struct interval *i, double truth)
{
	return i->lo <= truth && truth <= i->hi;
}

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static void say(const char *what, const struct shape *shape, size_t n, int inside)
{
	double pct = 100.0 * inside / SETS;

	printf("bench results.coverage.%s.%s.n%zu %.2f pct 95+-1 %s\n", what, shape->name, n, pct,
	       fabs(pct - 95) <= 1 ? "met" : "short");
	fflush(stdout);
}

enum { MEAN_T, MEAN_BCA, MEDIAN_BCA, MEDIAN_EXACT, RATIO_FIELLER, RATIO_BCA, RATIO_PAIRED, WAYS };
static const char *const ways[WAYS] = { "mean_t",        "mean_bca",  "median_bca",  "median_exact",
					"ratio_fieller", "ratio_bca", "ratio_paired" };

/* Values spread by a tenth about 10 and 2; a quarter of the ratio's noise is common to both. */
static void try_once(const struct shape *shape, size_t n, struct rng *r, struct stats_boot *b,
		     int inside[WAYS])
{
	double x[N_MAX], a[N_MAX], d[N_MAX];
	struct interval i[WAYS];

	for (size_t k = 0; k < n; k++) {
		double shared = 0.05 * rng_normal(r);

		x[k] = 10 + shape->draw(r);
		a[k] = 10 * (1 + 0.1 * shape->draw(r) + shared);
		d[k] = 2 * (1 + 0.1 * shape->draw(r) + shared);
	}
	i[MEAN_T] = stats_mean(x, n);
	i[MEAN_BCA] = stats_boot_mean(b, x);
	i[RATIO_FIELLER] = stats_ratio(a, d, n);
	i[RATIO_BCA] = stats_boot_ratio(b, a, d);
	i[RATIO_PAIRED] = stats_ratio_paired(a, d, n);
	qsort(x, n, sizeof(*x), ascending);
	i[MEDIAN_BCA] = stats_boot_median(b, x);
	i[MEDIAN_EXACT] = stats_median_exact(x, n);
	for (int w = 0; w < WAYS; w++) {
		bool median = w == MEDIAN_BCA || w == MEDIAN_EXACT;
		/* The paired one is of geometric means, alike in both: 5 as well. */
		double truth = w >= RATIO_FIELLER ? 5 : 10 + (median ? shape->median : 0);

		inside[w] += holds(&i[w], truth);
	}
}

static int try_all(const struct shape *shape, size_t n)
{
	int inside[WAYS] = { 0 };
	struct stats_boot b;
	struct rng r;

	rng_seed(&r, 77 + n);
	if (stats_boot_init(&b, n, STATS_RESAMPLES, STATS_SEED) < 0)
		return -1;
	for (int set = 0; set < SETS; set++)
		try_once(shape, n, &r, &b, inside);
	stats_boot_release(&b);
	for (int w = 0; w < WAYS; w++)
		if (w != MEDIAN_EXACT || n >= 6)
			say(ways[w], shape, n, inside[w]);
	return 0;
}

static int cover_all(void)
{
	static const size_t sizes[] = { 5, 10, 30 };

	printf("# cipherwatt %s, %d data sets each, %d resamples of seed %d\n", cipherwatt_version,
	       SETS, STATS_RESAMPLES, STATS_SEED);
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (size_t n = 0; n < sizeof(sizes) / sizeof(*sizes); n++)
			if (try_all(&shapes[s], sizes[n]) < 0)
				return 1;
	return 0;
}

/* For scripts/bench-results: CPU seconds and peak KiB of a program, on standard output. */
static int measure(char **argv)
{
	struct rusage usage;
	double cpu_s;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status))
		return 1;
	cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	printf("%.3f %ld\n", cpu_s, usage.ru_maxrss);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "run"))
		return measure(argv + 2);
	return cover_all();
}
