/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup - what on this machine would spoil a measurement, and the cure.
 *
 * Each row looks at one thing: files below a root directory ("" for this machine, another in
 * tests) and what was seen while the machine was watched. A row judges and never changes
 * anything. Thresholds stand beside the rows with their reasons.
 */
#ifndef TESTBED_CHECKUP_H
#define TESTBED_CHECKUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/fail.h"
#include "lib/hist.h"

enum checkup_verdict {
	CHECKUP_SPOILS,  /* a figure taken now is wrong, or not the same tomorrow */
	CHECKUP_NOTE,    /* limits how far a figure reaches, or what can be measured */
	CHECKUP_UNKNOWN, /* this machine does not tell */
	CHECKUP_GOOD,
	CHECKUP_VERDICTS
};
extern const char *const checkup_verdict_name[]; /* "spoils", "note", "unknown", "good"; NULL */

#define CHECKUP_BUSIEST 3

struct checkup_process {
	pid_t pid;
	char name[32];
	double cpus; /* 0.5: half of one CPU, while it was watched */
};

/* What the rows look at. */
struct checkup_view {
	const char *root;       /* borrowed */
	json_t *before, *after; /* environment_state() at both ends; owned */
	int64_t watched_ns;
	double own_cpus; /* of this process meanwhile */
	struct checkup_process busiest[CHECKUP_BUSIEST];
	int processes;             /* of busiest that are set */
	int64_t pages_swapped;     /* in and out, meanwhile; -1 unknown */
	struct hist late;          /* how late a sleep of a millisecond ended */
	int64_t clock_read_ns;     /* what reading the monotonic clock takes */
	int64_t files_max;         /* open files that this user may have */
	bool realtime;             /* this user may ask for real-time priority */
	const char *const *builds; /* "wolfssl: plain C", one for each engine; NULL at the end */
};

#define CHECKUP_TEXT 320

struct checkup_finding {
	enum checkup_verdict verdict;
	char found[CHECKUP_TEXT];
	char cure[CHECKUP_TEXT]; /* a command or a setting; "" where there is none */
};

struct checkup {
	const char *name;  /* one word */
	const char *about; /* what is looked at, a few words */
	void (*look)(const struct checkup_view *v, struct checkup_finding *found);
};

/* Lists of rows by what they look at; each ends with a row without a name. */
extern const struct checkup checkup_cpu[], checkup_load[], checkup_system[], checkup_power[];
extern const struct checkup *const checkups[]; /* all of them; NULL at the end */

/* Watch this machine for a while. 0, or -1 with the reason in f; release v in both cases. */
int checkup_watch(struct checkup_view *v, int64_t for_ns, struct fail *f);
void checkup_release(struct checkup_view *v);

/* For the rows. A verdict with what was found, then, where there is one, the cure. */
void checkup_say(struct checkup_finding *found, enum checkup_verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void checkup_cure(struct checkup_finding *found, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A file below the root, its first line; false where it cannot be read. path begins with "/". */
bool checkup_text(const struct checkup_view *v, const char *path, char *dst, size_t len);
bool checkup_integer(const struct checkup_view *v, const char *path, int64_t *value);

#endif
