/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress - how far a campaign is and how long it will take, on standard error.
 *
 * Speaks before and after a trial, never within one: a terminal that scrolls is work for
 * the machine that is being measured.
 */
#ifndef TESTBED_PROGRESS_H
#define TESTBED_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_NONE };
extern const char *const progress_mode_name[]; /* ends with NULL */

struct progress {
	enum progress_mode mode;
	int total, skipped, done, invalid; /* trials; skipped: stored by an earlier run */
	int64_t each_ns;                   /* as planned, until one was seen */
	bool may_grow;                     /* more may be added: what is left is the least */
	int64_t started_ns, spoken_ns;
	bool open; /* a bar stands on the terminal's last line */
};

/* auto becomes bar on a terminal, else plain. */
void progress_start(struct progress *p, enum progress_mode mode, int total, int skipped,
		    int64_t each_ns, int64_t now_ns);
/* So many trials more than were thought of. */
void progress_add(struct progress *p, int trials);
void progress_begin_trial(struct progress *p, int block, int blocks, const char *cell,
			  int64_t now_ns);
/* reason: why the trial is not valid; NULL when it is. */
void progress_end_trial(struct progress *p, const char *cell, const char *reason, int64_t now_ns);
/* A line above the bar. */
void progress_say(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p, int64_t now_ns);

/* Time left by what the trials so far took; as planned before the first. Pure. */
int64_t progress_left_ns(const struct progress *p, int64_t now_ns);
/* "12/40 trials, 1 not valid, 3 min 20 s left"; where it may grow "at least 3 min left". Pure. */
void progress_format(const struct progress *p, int64_t now_ns, struct buf *out);

#endif
