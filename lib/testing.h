/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testing - what random unit tests share: a seed that is printed, so that a
 * failure can be had again.  For *_test.c only.
 */
#ifndef LIB_TESTING_H
#define LIB_TESTING_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/rng.h"

/* CIPHERWATT_TEST_SEED=N repeats a run; otherwise every run has a seed of its own. */
static inline struct rng testing_rng(const char *what)
{
	const char *given = getenv("CIPHERWATT_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : rng_fresh_seed();
	struct rng r;

	printf("%s: CIPHERWATT_TEST_SEED=%" PRIu64 "\n", what, seed);
	rng_seed(&r, seed);
	return r;
}

#endif
