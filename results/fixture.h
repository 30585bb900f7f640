/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture - made-up cells and trials with known figures, for tests.
 *
 * Linked into tests only: nothing of the program refers to it.
 */
#ifndef RESULTS_FIXTURE_H
#define RESULTS_FIXTURE_H

#include "results/record.h"

void fixture_campaign(struct campaign *c); /* texts are constants: not to be released */
void fixture_node(struct node *n, const char *role);
/* Named by its suite and encoding. */
void fixture_cell(struct cell *c, const char *suite, int64_t strength_bits, const char *encoding);
/*
 * A valid trial of a window of 2 s: `requests` requests, each of latency_us; the server
 * used cpu_ns a request and the client half of it; modelled, 1 W idle and 3 W under load on
 * both sides. t must be initialised.
 */
void fixture_trial(struct trial *t, int64_t block, int64_t requests, int64_t cpu_ns,
		   int64_t latency_us);

#endif
