/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_view - what a look at a campaign found, and what follows from it: how it stands, and how
 * long it still takes. Pure functions; the time is the caller's.
 */
#ifndef RESULTS_WATCH_VIEW_H
#define RESULTS_WATCH_VIEW_H

#include "lib/path.h"
#include "results/report.h"

#define WATCH_TRIALS 64 /* the last ones that are kept: what a trial takes is told from them */

struct watch_trial {
	char cell[sizeof(((struct cell *)0)->name)];
	char started[sizeof(((struct trial *)0)->started)]; /* UTC, as stored */
	char reason[REASON_BYTES];
	int64_t block; /* as stored, from 0 */
	bool valid;
};

struct watch_view {
	char database[PATH_BYTES]; /* "": there is none yet */
	struct fail fail;          /* code 0: there is a report; else why not */
	int claimed;               /* as store_claimed() */
	int64_t written_ns;        /* the files' last change, wall clock; 0: not known */
	const struct report *report;
	bool newest;   /* the report's campaign is the newest of the database */
	bool may_grow; /* blocks may be added behind those asked for */
	struct watch_trial trial[WATCH_TRIALS]; /* the newest first */
	int trials;
};

enum watch_state {
	WATCH_WAITING, /* no database yet, or no campaign in it: fail says which */
	WATCH_TROUBLE, /* it cannot be read: fail says why */
	WATCH_RUNNING,
	WATCH_OTHER,       /* unfinished, and a run writes to the database, perhaps a newer one */
	WATCH_INTERRUPTED, /* unfinished, and nobody writes */
	WATCH_ENDED,
};

/* A reason that time may cure: no file, an empty one, no such campaign yet, a busy one. */
bool watch_may_come(const struct fail *f);

/* Where the system does not tell who writes, a run is one that wrote a while ago at most. */
enum watch_state watch_state(const struct watch_view *v, int64_t wall_ns);

/*
 * From one trial's start to the next: the median over what is kept, so that an interruption
 * does not count. 0: not known, too few or too short for stamps of whole seconds.
 */
int64_t watch_trial_ns(const struct watch_view *v);

/* Trials that will be there in the end; more when may_grow. */
int64_t watch_total(const struct watch_view *v);

/* -1: not known. */
int64_t watch_left_ns(const struct watch_view *v);

/* Since anything was written; -1: not known. */
int64_t watch_silent_ns(const struct watch_view *v, int64_t wall_ns);

#endif
