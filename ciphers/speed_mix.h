/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_mix - the handshake-mix score: one number for the primitives of a TLS 1.2 ECDHE-ECDSA
 * handshake with AES-128 on P-256 and its first data, by weight.
 *
 * SUMMARY. score = 1000 / sum(weight / operations per second). Twice the speed in everything
 * is twice the score. Parts and weights are those of a published profile for small devices,
 * measured here by our own code; the figure is ours and no other benchmark's result.
 * DETAILS. The sum is the time of one mix in seconds. With 499.8 agreements, 1209.3 signatures
 * and 344.4 verifications a second these three alone take 8.635 ms of the 8.875 ms that the
 * published example takes: in practice this scores elliptic curves.
 */
#ifndef CIPHERS_SPEED_MIX_H
#define CIPHERS_SPEED_MIX_H

#include "ciphers/speed.h"

struct mix_part {
	enum primitive_op op;
	const char *algorithm; /* NULL ends the table */
	size_t bytes;
	int weight;
};

#define MIX_PARTS 14
extern const struct mix_part mix_parts[MIX_PARTS + 1];

struct operation mix_operation(const struct mix_part *part);

/* Of the rates of mix_parts, in their order; the sum, in seconds, and the score from it. */
double mix_sum_s(const double ops_per_s[MIX_PARTS]);
double mix_score(double sum_s);

struct mix {
	double part_s[MIX_PARTS]; /* weight / operations per second */
	double sum_s, score;
	double cpu_score; /* the same from the processor's time alone: on an idle machine no other
			   */
};

/* Put into the book what the score of an engine needs. -1: no memory. */
int mix_want(struct speed_book *b, const struct engine_ops *engine);
/* -1: the engine has not all of it: f says what is missing. */
int mix_of(const struct speed_book *b, const struct engine_ops *engine, struct mix *m,
	   struct fail *f);

#endif
