/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist - the log-linear histogram.
 *
 * SUMMARY.  A quantile differs from the true sample of that rank by less than
 * 1/1024 of it.  Samples below 1024 ns are kept exactly; so are count, minimum
 * and maximum, and the sum as long as it is below 2^53 ns (104 days).  Memory is
 * 17408 counters, 136 KiB, whatever is added.
 *
 * DETAILS.  Let S = 2^HIST_BITS = 512.  A sample v below 2S has a bucket of its
 * own.  Above, every octave [2^k, 2^(k+1)), k >= 10, is cut into S buckets of
 * w = 2^(k-9) ns.  With shift = k - 9 the bucket of v is
 *
 *	index = S * shift + (v >> shift),	where S <= v >> shift < 2S,
 *
 * and one formula serves all v when shift = max(0, k - 9): the indices join
 * without a hole, since the last of octave k is S*shift + 2S - 1 and the first
 * of octave k + 1 is S*(shift + 1) + S.
 *
 * A bucket [low, low + w) answers m = low + w/2 - 1.  For a sample s in it
 * |m - s| <= w/2 with equality only at s = low + w - 1 > low, so
 * |m - s| / s < (w/2) / low <= 2^(k-10) / 2^k = 1/1024.
 * The answer is then moved into [min, max], which cannot take it further from s.
 *
 *	sample          k   shift     w   index   [low, high)          m    worst
 *	1000            9       0     1    1000   [1000, 1001)      1000    0
 *	1025           10       1     2    1024   [1024, 1026)      1024    0.098 %
 *	5000           12       3     8    2161   [5000, 5008)      5003    0.080 %
 *	1000000        19      10  1024    6096   [999424, 1000448) 999935  0.051 %
 *	2^42 - 1       41      32  2^32   17407   [1023 * 2^32, 2^42)       0.049 %
 */
#include "lib/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_OCTAVE (1 << HIST_BITS)
#define TOP_OCTAVE 41
#define BUCKETS    (PER_OCTAVE * (TOP_OCTAVE - HIST_BITS) + 2 * PER_OCTAVE)

_Static_assert(HIST_MAX_NS == INT64_C(1) << (TOP_OCTAVE + 1), "the top octave ends at HIST_MAX_NS");

int hist_init(struct hist *h)
{
	*h = (struct hist){ .bucket = calloc(BUCKETS, sizeof(*h->bucket)) };
	return h->bucket ? 0 : -1;
}

void hist_release(struct hist *h)
{
	free(h->bucket);
	*h = (struct hist){ 0 };
}

void hist_clear(struct hist *h)
{
	memset(h->bucket, 0, BUCKETS * sizeof(*h->bucket));
	*h = (struct hist){ .bucket = h->bucket };
}

static int bucket_of(int64_t ns)
{
	int octave = 63 - __builtin_clzll((uint64_t)ns | 1);
	int shift = octave > HIST_BITS ? octave - HIST_BITS : 0;

	return PER_OCTAVE * shift + (int)(ns >> shift);
}

static int shift_of(int index)
{
	return index < 2 * PER_OCTAVE ? 0 : index / PER_OCTAVE - 1;
}

static int64_t low_of(int index)
{
	int shift = shift_of(index);

	return (int64_t)(index - PER_OCTAVE * shift) << shift;
}

static int64_t high_of(int index)
{
	return low_of(index) + (INT64_C(1) << shift_of(index));
}

static int64_t answer_of(int index)
{
	return (low_of(index) + high_of(index) - 1) / 2;
}

void hist_add(struct hist *h, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (ns < HIST_MAX_NS)
		h->bucket[bucket_of(ns)]++;
	else
		h->above++;
	if (!h->count || ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->count++;
	h->sum_ns += (double)ns;
}

static int64_t within(int64_t ns)
{
	return ns < HIST_MAX_NS ? ns : HIST_MAX_NS - 1;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	/* Outside the range of its samples every bucket is empty, and that is most of them. */
	for (int i = hist_bucket_of(within(from->min_ns));
	     i <= hist_bucket_of(within(from->max_ns)); i++)
		into->bucket[i] += from->bucket[i];
	into->count += from->count;
	into->above += from->above;
	into->sum_ns += from->sum_ns;
}

/* The smallest rank, from 1, that at least q of the samples reach. */
static uint64_t rank_of(uint64_t count, double q)
{
	double rank = ceil(q * (double)count);

	if (rank <= 1)
		return 1;
	/* 0.07 * 100 is a little over 7: the division, rounded once, decides. */
	if ((rank - 1) / (double)count >= q)
		rank--;
	return rank >= (double)count ? count : (uint64_t)rank;
}

static int64_t clamp(int64_t ns, int64_t low_ns, int64_t high_ns)
{
	if (ns < low_ns)
		return low_ns;
	return ns > high_ns ? high_ns : ns;
}

void hist_quantiles(const struct hist *h, const double *q, size_t n, int64_t *ns)
{
	int i = bucket_of(within(h->min_ns)), last = bucket_of(within(h->max_ns));
	uint64_t seen = 0;

	for (size_t k = 0; k < n; k++) {
		uint64_t rank = rank_of(h->count, q[k]);

		while (i <= last && seen + h->bucket[i] < rank)
			seen += h->bucket[i++];
		if (!h->count)
			ns[k] = -1;
		else if (rank == 1)
			ns[k] = h->min_ns;
		else if (rank == h->count || i > last)
			ns[k] = h->max_ns;
		else
			ns[k] = clamp(answer_of(i), h->min_ns, h->max_ns);
	}
}

int64_t hist_quantile(const struct hist *h, double q)
{
	int64_t ns;

	hist_quantiles(h, &q, 1, &ns);
	return ns;
}

double hist_mean(const struct hist *h)
{
	return h->count ? h->sum_ns / (double)h->count : NAN;
}

void hist_each(const struct hist *h,
	       void (*visit)(void *data, int64_t low_ns, int64_t high_ns, uint64_t count),
	       void *data)
{
	for (int i = 0; i < BUCKETS; i++)
		if (h->bucket[i])
			visit(data, low_of(i), high_of(i), h->bucket[i]);
}

int hist_bucket_count(void)
{
	return BUCKETS;
}

int hist_bucket_of(int64_t ns)
{
	return bucket_of(ns);
}
