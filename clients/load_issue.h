/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_issue - which client of a thread begins a request, and for when it is due.
 *
 * It follows the plan of arrivals and the phase that the tally is in; it must not know what
 * turns the phases, nor what became of a request.
 */
#ifndef CLIENTS_LOAD_ISSUE_H
#define CLIENTS_LOAD_ISSUE_H

#include "clients/arrival.h"
#include "clients/load_setup.h"
#include "clients/load_tally.h"

struct load_issue {
	const struct load_params *p;
	struct load_setup *setup;
	const struct load_tally *tally;
	struct arrival arrival;
	int index; /* of the thread */
	int64_t started_ns;
	int64_t issued; /* requests begun in the window */
	int open;       /* exchanges begun and not over: who sees one end counts it down */
	int joined;     /* clients, or streams of them, that have started */
	bool over;      /* nothing begins any more */
	struct loop_timer join;
};

/* All that is pointed to is borrowed for as long as the loop runs; tally may be filled later. */
void load_issue_init(struct load_issue *i, const struct load_params *p, struct load_setup *setup,
		     const struct load_tally *tally, int index);
/* The schedule begins here. */
void load_issue_start(struct load_issue *i, int64_t started_ns);
/* The clients begin, at once or over the ramp. */
void load_issue_join(struct load_issue *i);
/* The window has opened, or closed: what waits for its time is taken back, or begun anew. */
void load_issue_window(struct load_issue *i);
void load_issue_drain(struct load_issue *i);
/* A client is free from free_ns on: its next request, if there is to be one. */
void load_issue_next(struct load_issue *i, struct peer *p, int64_t free_ns);
/* The account of p's client; its streams stand side by side. */
struct fairness_client *load_issue_account(const struct load_issue *i, const struct peer *p);
/* At the end: what the schedule still held for the window, for which no client was free. */
void load_issue_count_unstarted(struct load_issue *i);

#endif
