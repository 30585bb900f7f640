/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness - least, most, and Jain's index.
 */
#include "clients/fairness.h"

#include <math.h>

double fairness_jain(double sum, double sum_of_squares, size_t n)
{
	return sum_of_squares > 0 ? sum * sum / ((double)n * sum_of_squares) : NAN;
}

static void take_requests(const struct fairness_client *c, size_t n, struct fairness *f)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)c[i].succeeded;

		if (!i || c[i].succeeded < f->requests_min)
			f->requests_min = c[i].succeeded;
		if (c[i].succeeded > f->requests_max)
			f->requests_max = c[i].succeeded;
		sum += x;
		squares += x * x;
	}
	f->requests_jain = fairness_jain(sum, squares, n);
}

static void take_means(const struct fairness_client *c, size_t n, struct fairness *f)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double mean_ns;

		if (!c[i].succeeded)
			continue;
		mean_ns = (double)c[i].service_sum_ns / (double)c[i].succeeded;
		if (!f->served || mean_ns < f->mean_min_ns)
			f->mean_min_ns = mean_ns;
		if (mean_ns > f->mean_max_ns)
			f->mean_max_ns = mean_ns;
		f->served++;
		sum += mean_ns;
		squares += mean_ns * mean_ns;
	}
	f->mean_jain = fairness_jain(sum, squares, (size_t)f->served);
}

void fairness_judge(const struct fairness_client *client, size_t n, struct fairness *f)
{
	*f = (struct fairness){ .clients = (int64_t)n };
	take_requests(client, n, f);
	take_means(client, n, f);
}
