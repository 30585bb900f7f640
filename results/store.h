/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - campaigns, cells, trials and traces in one database file.
 *
 * A trial is committed in one transaction with its traces: what is in the store is
 * whole. SQLite in WAL mode with full synchronisation, so that a process killed at
 * any instant loses at most the trial in flight. Behind each trial the log is copied into the
 * file, so that between trials the file alone has them; what a reader held up follows behind
 * the next trial. Killed while it copies, it needs the log beside it. The file carries an
 * application id and a schema version: a newer schema, another program's database and a
 * damaged file are each refused by a sentence, and never written to.
 */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include "lib/buf.h"
#include "lib/fail.h"
#include "results/record.h"

struct store;

enum store_mode { STORE_READ, STORE_WRITE };

/* STORE_WRITE makes the file where it is missing. NULL: the reason in f. */
struct store *store_open(const char *path, enum store_mode mode, struct fail *f);
void store_close(struct store *s);

/*
 * This process alone writes trials from now on, until the store is closed: another one that asks
 * is refused at once (EBUSY). Readers are not kept out.
 */
int store_claim(struct store *s, struct fail *f);
/*
 * Whether another process of this machine has claimed the database at path; nothing is locked or
 * opened for that. 1: one has; 0: none has, or there is no such file; -1: the system does not tell.
 */
int store_claimed(const char *path);

/* Writing to path would spoil the database: it is the file itself, its log or its index. */
bool store_owns(const char *database, const char *path);

/* Ids are positive; -1 is failure. */
int64_t store_add_campaign(struct store *s, const struct campaign *c, struct fail *f);
int store_complete_campaign(struct store *s, int64_t campaign, struct fail *f);
int64_t store_add_node(struct store *s, int64_t campaign, const struct node *n, struct fail *f);
int64_t store_add_cell(struct store *s, int64_t campaign, const struct cell *c, struct fail *f);

struct store_trace {
	const char *node; /* "server" or "client" */
	const void *data; /* power/trace's encoding, opaque here */
	size_t len;
	int64_t from_ns, to_ns; /* the measure window on the trace's clock */
};

/*
 * One transaction. The pair (cell, block) is unique: a second trial of the same
 * block is refused (EEXIST), so a resumed run cannot count one twice.
 */
int64_t store_add_trial(struct store *s, int64_t cell, const struct trial *t,
			const struct store_trace *traces, int count, struct fail *f);

/* The newest campaign, or the newest not complete with this text; 0: none. -1: failure. */
int64_t store_newest_campaign(struct store *s, struct fail *f);
int64_t store_unfinished_campaign(struct store *s, const char *text, struct fail *f);
/* The newest complete one with this text; 0: none. -1: failure. */
int64_t store_complete_campaign_of(struct store *s, const char *text, struct fail *f);
int store_get_campaign(struct store *s, int64_t id, struct campaign *c, struct fail *f);
void campaign_release(struct campaign *c);

/* Each calls visit for every row in order until it returns non-zero, and returns that; -1: failure.
 */
int store_each_campaign(struct store *s, int (*visit)(int64_t id, const struct campaign *, void *),
			void *data, struct fail *f);
int store_each_node(struct store *s, int64_t campaign, int (*visit)(const struct node *, void *),
		    void *data, struct fail *f);
int store_each_cell(struct store *s, int64_t campaign,
		    int (*visit)(int64_t id, const struct cell *, void *), void *data,
		    struct fail *f);
/*
 * Trials of a cell by block, histograms included; the struct is reused between calls. visit may
 * not ask for trials of the same store (EBUSY). One of an older program, which did not count
 * what was completed in the window, has a note that says so.
 */
int store_each_trial(struct store *s, int64_t cell,
		     int (*visit)(int64_t id, const struct trial *, void *), void *data,
		     struct fail *f);
/* What tells of a trial how the campaign goes; texts are borrowed for the call. */
struct store_news {
	const char *cell, *started, *reason;
	int64_t block;
	bool valid;
};
/* The campaign's last trials, the newest first; of each a few columns are read, no histogram. */
int store_each_news(struct store *s, int64_t campaign, int64_t count,
		    int (*visit)(const struct store_news *, void *), void *data, struct fail *f);
int store_each_trace(struct store *s, int64_t trial,
		     int (*visit)(const struct store_trace *, void *), void *data, struct fail *f);
/*
 * A cell's sample of associations on the wire, as JSON text; one for a cell. Get: 1 and json is
 * appended to, 0 there is none, -1 failure.
 */
int store_add_timeline(struct store *s, int64_t cell, const char *json, struct fail *f);
int store_get_timeline(struct store *s, int64_t cell, struct buf *json, struct fail *f);
/* True when (cell, block) is there already. -1: failure. */
int store_has_trial(struct store *s, int64_t cell, int64_t block, struct fail *f);

#endif
