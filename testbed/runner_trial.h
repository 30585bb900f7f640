/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_trial - one trial while it runs, and the steps that make a record of it. For
 * runner*.c only.
 */
#ifndef TESTBED_RUNNER_TRIAL_H
#define TESTBED_RUNNER_TRIAL_H

#include "lib/buf.h"
#include "lib/clock.h"
#include "testbed/runner.h"

/* How long a node may be silent while it makes a client's key: a long one on a slow board. */
#define RUNNER_KEY_NS (70 * NS_PER_S)

struct runner_trial {
	const struct plan_cell *cell;
	struct trial record;
	struct phase_machine phase;
	struct clock_estimate before[RUNNER_NODES], clock[RUNNER_NODES];
	json_t *collected[RUNNER_NODES];   /* answers to collect; NULL where there is none */
	json_t *environment[RUNNER_NODES]; /* as the trial began */
	struct buf trace[RUNNER_NODES];    /* as encoded by the node */
	int64_t from_ns[RUNNER_NODES], to_ns[RUNNER_NODES]; /* the window on the node's clock */
	int64_t load_over_ns;       /* when the runner heard that the load generator had ended */
	char problem[REASON_BYTES]; /* why there is no measurement; "" when there is one */
	char first_failure[160];    /* of a request, as the load generator told it */
	char verdict[160];          /* the load generator's own: why not valid; "" when it is */
	/* Over the whole trial, warm-up included. */
	int64_t server_requests;         /* answered 2xx, by the server's count; -1 not counted */
	int64_t client_succeeded;        /* by the client's */
	int64_t client_unfinished;       /* failed, timed out or cut at an end */
	bool real_time[RUNNER_NODES];    /* the meter is read before the load runs */
	bool insufficient[RUNNER_NODES]; /* too few samples in the window for a figure */
	bool short_idle[RUNNER_NODES];   /* an idle window is not clear of the load, or not there */
};

int runner_trial_init(struct runner_trial *t, const struct plan_cell *cell, int block,
		      int position);
void runner_trial_release(struct runner_trial *t);

/*
 * From prepare to stop. 0: the record is filled, valid or not. -1: a node is lost (EPIPE; *lost
 * says which) or a second signal came (EINTR).
 */
int runner_trial_run(struct runner *r, struct runner_trial *t, enum runner_node *lost,
		     struct fail *f);

/* Requests of a trial, new objects. */
json_t *runner_ask_server(const struct plan *p, const struct plan_cell *c);
/* A text of a node's answer; "" where there is none. */
const char *runner_text(const json_t *reply, const char *key);
/* server: what its node answered to `prepare`. */
json_t *runner_ask_client(const struct plan *p, const struct plan_cell *c, const json_t *server);
json_t *runner_ask_meter(const struct plan *p, const struct plan_cell *c, enum runner_node who);

/* What was collected, into the record. -1: it is not what a node should say. */
int runner_fill(struct runner_trial *t, struct fail *f);
/* Of another load generator than ours. */
int runner_fill_driver(struct runner_trial *t, json_t *result, struct fail *f);
/* One side's energy out of its trace. -1: the trace cannot be read. */
int runner_energy(struct runner_trial *t, enum runner_node who, struct fail *f);
/* A side without a meter. */
void runner_energy_unknown(struct side *s);
/* Whether the record may be used: sets valid, reason, notes and load_limited. Pure. */
void runner_judge(const struct plan *p, struct runner_trial *t);

#endif
