/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng - seeded random numbers that are the same on every machine and version.
 *
 * xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018/2021).  A stored
 * seed must give the same order of trials for ever, so no library is used.
 * Not for keys.
 */
#ifndef LIB_RNG_H
#define LIB_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
/* Uniform in [0, below) without bias; below > 0. */
uint64_t rng_below(struct rng *r, uint64_t below);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* Standard normal. */
double rng_normal(struct rng *r);
/* Fisher-Yates over n elements of size bytes. */
void rng_shuffle(struct rng *r, void *base, size_t n, size_t size);
/* A seed from the kernel, for when none was given. Fits a JSON integer: < 2^53. */
uint64_t rng_fresh_seed(void);

#endif
