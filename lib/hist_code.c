/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist_code - a histogram as bytes: a version, the totals, then the non-empty
 * buckets as (distance from the last one, count).
 *
 * Numbers are LEB128 varints in their shortest form; the sum is an IEEE double,
 * least significant byte first.  The reader trusts nothing: whatever it accepts
 * is a histogram that hist_add() could have made.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/hist.h"

#define CODE_VERSION 1

_Static_assert(sizeof(double) == sizeof(uint64_t), "a double is an IEEE binary64");

static void put_varint(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_byte(out, (uint8_t)(value | 0x80));
	buf_byte(out, (uint8_t)value);
}

static void put_double(struct buf *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (int i = 0; i < 8; i++)
		buf_byte(out, (uint8_t)(bits >> (8 * i)));
}

struct writer {
	struct buf *out;
	int last;
};

static void put_bucket(void *data, int64_t low_ns, int64_t high_ns, uint64_t count)
{
	struct writer *w = data;
	int index = hist_bucket_of(low_ns);

	(void)high_ns;
	put_varint(w->out, (uint64_t)(index - w->last));
	put_varint(w->out, count);
	w->last = index;
}

void hist_encode(const struct hist *h, struct buf *out)
{
	struct writer w = { .out = out, .last = -1 };

	buf_byte(out, CODE_VERSION);
	buf_byte(out, HIST_BITS);
	put_varint(out, h->count);
	put_varint(out, h->above);
	put_varint(out, (uint64_t)h->min_ns);
	put_varint(out, (uint64_t)h->max_ns);
	put_double(out, h->sum_ns);
	hist_each(h, put_bucket, &w);
}

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t get_varint(struct reader *r)
{
	uint64_t value = 0;

	for (int shift = 0; r->at < r->end && shift < 64; shift += 7) {
		uint8_t byte = *r->at++;

		if ((shift == 63 && byte > 1) || (shift && !byte))
			break; /* too large, or longer than need be */
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	r->bad = true;
	return 0;
}

static int64_t get_time(struct reader *r)
{
	uint64_t value = get_varint(r);

	if (value > INT64_MAX)
		r->bad = true;
	return r->bad ? 0 : (int64_t)value;
}

static double get_double(struct reader *r)
{
	uint64_t bits = 0;
	double value;

	if (r->end - r->at < 8) {
		r->bad = true;
		return 0;
	}
	for (int i = 0; i < 8; i++)
		bits |= (uint64_t)*r->at++ << (8 * i);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The buckets up to the end; their range in *first and *last, -1 when there is none. */
static void get_buckets(struct reader *r, struct hist *h, int *first, int *last)
{
	uint64_t total = h->above;

	*first = *last = -1;
	while (r->at < r->end) {
		uint64_t step = get_varint(r), count = get_varint(r);

		if (r->bad || !step || !count || step >= (uint64_t)(hist_bucket_count() - *last) ||
		    __builtin_add_overflow(total, count, &total)) {
			r->bad = true;
			return;
		}
		*last += (int)step;
		if (*first < 0)
			*first = *last;
		h->bucket[*last] = count;
	}
	if (total != h->count)
		r->bad = true;
}

/* Minimum and maximum lie in the outermost buckets; the sum lies between count times each. */
static bool totals_agree(const struct hist *h, int first, int last)
{
	const double slack = 1e-9, n = (double)h->count;

	if (!h->count)
		return !h->min_ns && !h->max_ns && h->sum_ns == 0;
	if (h->min_ns > h->max_ns || h->above > h->count)
		return false;
	if (first < 0 ? h->min_ns < HIST_MAX_NS
		      : h->min_ns >= HIST_MAX_NS || hist_bucket_of(h->min_ns) != first)
		return false;
	if (h->above ? h->max_ns < HIST_MAX_NS
		     : h->max_ns >= HIST_MAX_NS || hist_bucket_of(h->max_ns) != last)
		return false;
	return h->sum_ns >= n * (double)h->min_ns * (1 - slack) &&
	       h->sum_ns <= n * (double)h->max_ns * (1 + slack);
}

static bool read_all(struct reader *r, struct hist *h)
{
	int first, last;

	h->count = get_varint(r);
	h->above = get_varint(r);
	h->min_ns = get_time(r);
	h->max_ns = get_time(r);
	h->sum_ns = get_double(r);
	if (!r->bad)
		get_buckets(r, h, &first, &last);
	return !r->bad && totals_agree(h, first, last);
}

int hist_decode(struct hist *h, const void *src, size_t len, struct fail *f)
{
	struct reader r = { .at = src };

	hist_clear(h);
	if (len < 2 || r.at[0] != CODE_VERSION || r.at[1] != HIST_BITS)
		return fail_set(f, EBADMSG,
				"not a histogram of this version: expected bytes %d and %d first",
				CODE_VERSION, HIST_BITS);
	r.end = r.at + len;
	r.at += 2;
	if (read_all(&r, h))
		return 0;
	hist_clear(h);
	return fail_set(f, EBADMSG, "a damaged histogram: its %zu bytes do not add up", len);
}
