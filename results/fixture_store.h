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

#endif
