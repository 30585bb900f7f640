/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide - schoolbook multiplication in 32-bit halves and binary long division.
 * The slow way on purpose: callers try 64 bits first. It must not know any unit.
 */
#include "power/wide.h"

#include <stddef.h>

struct product {
	uint64_t high, low;
};

static struct product multiply(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	uint64_t carry = ((low >> 32) + (uint32_t)mid1 + (uint32_t)mid2) >> 32;

	return (struct product){ ah * bh + (mid1 >> 32) + (mid2 >> 32) + carry, a * b };
}

/* d < 2^63 and p.high < d, so that the remainder never loses its top bit. */
static uint64_t divide(struct product p, uint64_t d, uint64_t *rest)
{
	uint64_t r = p.high, q = 0;

	for (int bit = 63; bit >= 0; bit--) {
		r = r << 1 | (p.low >> bit & 1);
		q <<= 1;
		if (r >= d) {
			r -= d;
			q |= 1;
		}
	}
	*rest = r;
	return q;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

bool wide_muldiv(int64_t a, int64_t b, int64_t d, int64_t *quotient, int64_t *rest)
{
	bool negative = (a < 0) != (b < 0);
	struct product p = multiply(magnitude(a), magnitude(b));
	uint64_t q, r;

	if (d <= 0 || p.high >= (uint64_t)d)
		return false;
	q = divide(p, (uint64_t)d, &r);
	if (q > INT64_MAX)
		return false;
	*quotient = negative ? -(int64_t)q : (int64_t)q;
	if (rest != NULL)
		*rest = negative ? -(int64_t)r : (int64_t)r;
	return true;
}

bool wide_muldiv_round(int64_t a, int64_t b, int64_t d, int64_t *quotient)
{
	int64_t q, r;

	if (!wide_muldiv(a, b, d, &q, &r))
		return false;
	if (r >= d - r)
		return !__builtin_add_overflow(q, 1, quotient);
	if (-r >= d + r)
		return !__builtin_sub_overflow(q, 1, quotient);
	*quotient = q;
	return true;
}
