/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng - xoshiro256** and what is drawn from it.
 *
 * Source: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47 (2021); the seeding by splitmix64 is the authors'
 * advice.  Any change here changes the order of stored campaigns.
 */
#include "lib/rng.h"

#include <math.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/clock.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&seed);
}

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

uint64_t rng_next(struct rng *r)
{
	uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *r, uint64_t below)
{
	uint64_t incomplete = -below % below; /* 2^64 mod below: too few for every remainder */
	uint64_t x;

	do
		x = rng_next(r);
	while (x < incomplete);
	return x % below;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; the second number of the pair is not kept, so that
 * the struct is the whole state. */
double rng_normal(struct rng *r)
{
	double u, v, s;

	do {
		u = 2 * rng_unit(r) - 1;
		v = 2 * rng_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char kept = a[i];

		a[i] = b[i];
		b[i] = kept;
	}
}

void rng_shuffle(struct rng *r, void *base, size_t n, size_t size)
{
	unsigned char *at = base;

	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(r, i);

		if (j != i - 1)
			swap_bytes(at + j * size, at + (i - 1) * size, size);
	}
}

uint64_t rng_fresh_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed)) {
		seed = (uint64_t)clock_wall_ns() ^ (uint64_t)getpid() << 32;
		seed = splitmix64(&seed);
	}
	return seed >> 11;
}
