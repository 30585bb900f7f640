/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist - log-linear histogram of durations, mergeable, with a proven bound.
 *
 * SUMMARY.  Any quantile lies within 1/1024 (0.098 %) of the true sample of
 * that rank, for samples below HIST_MAX_NS (about 73 minutes); count, minimum
 * and maximum are exact, and so is the sum up to 2^53 ns (104 days).  Longer
 * samples are counted in `above`, and a quantile that falls among them is max.
 *
 * DETAILS stand in hist.c.
 */
#ifndef LIB_HIST_H
#define LIB_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"

#define HIST_BITS   9
#define HIST_MAX_NS (INT64_C(1) << 42)

struct hist {
	uint64_t *bucket; /* NULL until hist_init() */
	uint64_t count, above;
	int64_t min_ns, max_ns; /* of all samples; 0 when there is none */
	double sum_ns;
};

int hist_init(struct hist *h); /* -1: no memory */
void hist_release(struct hist *h);
void hist_clear(struct hist *h);
/* Never allocates. A negative sample counts as 0. */
void hist_add(struct hist *h, int64_t ns);
void hist_merge(struct hist *into, const struct hist *from);
/*
 * Smallest value v such that at least q of the samples are <= v; -1 when empty. 0 <= q <= 1;
 * q = 0 gives the minimum, q = 1 the maximum.
 */
int64_t hist_quantile(const struct hist *h, double q);
/* The same of n shares in ascending order, in one pass. */
void hist_quantiles(const struct hist *h, const double *q, size_t n, int64_t *ns);
double hist_mean(const struct hist *h); /* NAN when empty */

/* Visit the non-empty buckets in order: [low_ns, high_ns), how many. */
void hist_each(const struct hist *h,
	       void (*visit)(void *data, int64_t low_ns, int64_t high_ns, uint64_t count),
	       void *data);

/* A compact portable form (varints), for the store and for the wire between nodes. */
void hist_encode(const struct hist *h, struct buf *out);
/*
 * Every byte is checked; h must be initialised, and what it held is replaced. On
 * -1 h is empty. Accepted counts add up to h->count.
 */
int hist_decode(struct hist *h, const void *src, size_t len, struct fail *f);

/* For hist_code.c: buckets by number, 0 to hist_bucket_count() - 1; 0 <= ns < HIST_MAX_NS. */
int hist_bucket_count(void);
int hist_bucket_of(int64_t ns);

#endif
