/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness - how evenly a run's requests and response times fell on its clients.
 */
#ifndef CLIENTS_FAIRNESS_H
#define CLIENTS_FAIRNESS_H

#include <stddef.h>
#include <stdint.h>

/* One client's part of the window. */
struct fairness_client {
	int64_t succeeded;
	int64_t service_sum_ns;
	int64_t issued;    /* requests begun in the window */
	int64_t responses; /* of the whole run, right or wrong */
};

struct fairness {
	int64_t clients, served; /* of them, that had a success */
	int64_t requests_min, requests_max;
	double requests_jain;            /* of all; NAN where nothing succeeded */
	double mean_min_ns, mean_max_ns; /* service time of those that were served */
	double mean_jain;
};

void fairness_judge(const struct fairness_client *client, size_t n, struct fairness *f);

/*
 * R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", DEC-TR-301 (1984):
 * (sum x)^2 / (n * sum x^2). 1 is even, 1/n is all for one. NAN where the sum is 0.
 */
double fairness_jain(double sum, double sum_of_squares, size_t n);

#endif
