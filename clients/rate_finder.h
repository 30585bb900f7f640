/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_finder - the lowest data rate at which a response time meets its target, in few runs.
 *
 * It runs nothing itself: it says which rate to try and is told what came. Where the link is what
 * limits, time is near to inverse to rate, so the next rate lies on a straight line between the
 * logarithms of what is known, kept away from the ends of the bracket. Runs are noisy: a rate
 * that decides (an end of the last bracket) and came within the tolerance of the target is run
 * again, three times at most, and the mean of its runs counts.
 */
#ifndef CLIENTS_RATE_FINDER_H
#define CLIENTS_RATE_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

#define RATE_PROBES_MAX 24 /* different rates */
#define RATE_RUNS_MAX   3  /* of each */

enum rate_metric { RATE_MEAN, RATE_P50, RATE_P95, RATE_P99, RATE_METRICS };
extern const char *const rate_metric_name[RATE_METRICS + 1]; /* ends with NULL */

struct rate_probe {
	int64_t bytes_per_s;
	int runs, met; /* of them, that met the target on their own */
	int invalid;   /* of them, whose figures may not be used: they count as not met */
	double sum_ns; /* of the valid ones */
};

enum rate_state {
	RATE_SEARCHING,
	RATE_FOUND,
	RATE_HIGH_FAILS, /* not even the highest rate meets it: the bracket does not hold */
	RATE_LOW_MEETS,  /* the lowest one does already: the same */
	RATE_CROSSED,    /* a rate meets it and a higher one does not: noise, or no such rate */
	RATE_EXHAUSTED   /* of probes: what is known is a wider bracket than asked for */
};
extern const char *const rate_state_name[]; /* "found", "high_fails", .. */

struct rate_finder {
	enum rate_metric metric;
	int64_t target_ns;
	double tolerance;  /* 0.05: the bracket's ends are within 5 % of each other */
	int64_t low, high; /* where to search */
	struct rate_probe probe[RATE_PROBES_MAX]; /* by rate, the lowest first */
	int probes;
	/* The answer so far: the highest rate that fails, the lowest above it that meets; 0: none.
	 */
	int64_t fails, meets;
};

/* "mean<=1s", "p95<=300ms". */
int rate_target_parse(const char *text, struct rate_finder *r, struct fail *f);
/* "100B/s..1MB/s". */
int rate_range_parse(const char *text, struct rate_finder *r, struct fail *f);

/* The next rate to run; 0: it is over, rate_finder_state() says how. */
int64_t rate_finder_next(struct rate_finder *r);
/* What a run at the rate that next() gave came to; valid: the figure may be used. */
void rate_finder_tell(struct rate_finder *r, int64_t bytes_per_s, double figure_ns, bool valid);
enum rate_state rate_finder_state(const struct rate_finder *r);
/* The mean of a probe's runs meets the target, and all of them are valid. */
bool rate_probe_meets(const struct rate_finder *r, const struct rate_probe *p);
/* NAN where no run was valid. */
double rate_probe_ns(const struct rate_probe *p);

#endif
