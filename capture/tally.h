/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally - over all connections: how they ended, and median and p95 of each step.
 *
 * Only complete handshakes are in the durations; the others are counted by outcome. Memory
 * does not grow with the number of connections. Does not print.
 */
#ifndef CAPTURE_TALLY_H
#define CAPTURE_TALLY_H

#include "capture/connection.h"
#include "lib/hist.h"

#define TALLY_STEPS_MAX    192
#define TALLY_OUTCOMES_MAX 64

struct tally_step {
	char version[16];
	char step[64]; /* a message's name, or handshake, first_data, ... */
	struct hist hist;
};

struct tally_outcome {
	char outcome[32];
	uint64_t count;
};

struct tally {
	struct tally_step step[TALLY_STEPS_MAX];
	int step_count;
	struct tally_outcome outcome[TALLY_OUTCOMES_MAX];
	int outcome_count;
	uint64_t connections, complete;
	uint64_t left_out; /* durations for which there was no room or no memory */
};

void tally_add(struct tally *s, const struct connection *c);
void tally_release(struct tally *s);

#endif
