/* SPDX-License-Identifier: Apache-2.0 */
/* hist_testing - samples of several shapes, and histograms compared. For hist*_test.c only. */
#ifndef LIB_HIST_TESTING_H
#define LIB_HIST_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/rng.h"

enum shape { TINY, UNIFORM, HEAVY, WIDE, SHAPES };

static inline int64_t draw(struct rng *r, enum shape shape)
{
	switch (shape) {
	case TINY:
		return (int64_t)rng_below(r, 1500);
	case UNIFORM:
		return (int64_t)rng_below(r, 50 * 1000 * 1000);
	case HEAVY: /* Pareto with an infinite mean, cut below HIST_MAX_NS */
		return (int64_t)fmin(1000 / pow(1 - rng_unit(r), 1.2), (double)HIST_MAX_NS - 1);
	default: /* every octave alike */
		return (int64_t)(rng_next(r) >> (22 + rng_below(r, 42)));
	}
}

static inline void assert_same(const struct hist *a, const struct hist *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->above, b->above);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_true(fabs(a->sum_ns - b->sum_ns) <= fabs(b->sum_ns) * 1e-12);
	assert_memory_equal(a->bucket, b->bucket, sizeof(*a->bucket) * (size_t)hist_bucket_count());
}

#endif
