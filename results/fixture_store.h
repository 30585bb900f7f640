/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture_store - a database in a directory of its own, for tests of the store and of
 * what reads it. Linked into tests only.
 */
#ifndef RESULTS_FIXTURE_STORE_H
#define RESULTS_FIXTURE_STORE_H

#include "results/fixture.h"
#include "results/store.h"

struct fixture_place {
	char directory[64];
	char path[128]; /* of the database, not there yet; an awkward name */
};

int fixture_enter(struct fixture_place *p);
int fixture_leave(struct fixture_place *p);

/* A campaign "made-up" and one cell "plain identity" in it; the cell's id, -1: failure. */
int64_t fixture_add_cell(struct store *s, int64_t *campaign, struct fail *f);
/* Block `block` with 100 + block requests and one trace. The trial's id, -1: failure. */
int64_t fixture_add_trial(struct store *s, int64_t cell, int64_t block, struct fail *f);
/* How many of them are there, each whole and in order; -1: failure, or one is not. */
int64_t fixture_count_trials(struct store *s, int64_t cell, struct fail *f);

/*
 * A whole campaign of four blocks, not marked complete; its id, -1: failure. Cells, with
 * requests of block 0, server CPU and response time of a request:
 *   plain identity 2000, 50 us, 0.5 ms    RSA identity   100, 1000 us, 10 ms
 *   P-256 identity  300, 250 us, 3 ms     P-256 gzip:6   300,  250 us,  3 ms
 * Block b has b more requests in a hundred. Block 2 of RSA and block 3 of gzip are
 * not valid. Blocks 1 and 3 of plain carry a note each, block 3 a second one.
 */
int64_t fixture_fill(struct store *s, const char *name, struct fail *f);
#define FIXTURE_RSA    "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048"
#define FIXTURE_ECDSA  "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"
#define FIXTURE_NOTE   "the load generator <may> have been the limit"
#define FIXTURE_REASON "throttled, at 80 \"C\" <b>&"

/* Load and write one format as text, to be freed; NULL: failure. */
char *fixture_report(const char *path, int64_t campaign, const char *format, struct fail *f);

#endif
