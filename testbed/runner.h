/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - a plan carried out: every cell of every block on two nodes, each trial stored
 * when it is over.
 *
 * It sees nodes and time through struct runner_world only, so that tests run campaigns of
 * hours in milliseconds against simulated nodes. It measures nothing itself: children of
 * the nodes do the work that is measured.
 */
#ifndef TESTBED_RUNNER_H
#define TESTBED_RUNNER_H

#include <jansson.h>
#include <signal.h>

#include "results/store.h"
#include "testbed/plan.h"
#include "testbed/progress.h"
#include "testbed/runner_clock.h"

enum runner_node { RUNNER_SERVER, RUNNER_CLIENT, RUNNER_NODES };
extern const char *const runner_node_name[RUNNER_NODES]; /* "server", "client" */

/* What the runner needs of the world. A failure with code EPIPE means that the node is lost. */
struct runner_world {
	void *data;
	int64_t (*now_ns)(void *data);
	/* One question to a node; request is taken over, *reply is the caller's. As rpc_call(). */
	int (*call)(void *data, enum runner_node who, json_t *request, int64_t silence_ns,
		    json_t **reply, struct fail *f);
	/* 1 an event of node *who, 0 due_ns came or a signal did, -1 node *who is lost. */
	int (*wait)(void *data, int64_t due_ns, enum runner_node *who, json_t **event,
		    struct fail *f);
	/* Start the node anew; the old one is gone or is ended. */
	int (*restart)(void *data, enum runner_node who, struct fail *f);
};

struct runner {
	struct plan *plan;
	struct store *store;
	struct runner_world world;
	struct progress progress;
	const volatile sig_atomic_t *signals; /* 1: stop after the trial in flight; 2: at once */
	int64_t *cell_id;                     /* in the store, by the plan's numbers */
	struct node node[RUNNER_NODES];       /* as they greeted */
	bool node_local[RUNNER_NODES];        /* shares this machine's clock */
	int valid, invalid;                   /* trials of this run */
	bool interrupted, announced;          /* by a signal; and it has been said */
	bool *enough;                         /* of an added block, by cell: it needs none */
};

/* Ask both nodes who they are. Their version must be this program's own. */
int runner_greet(struct runner *r, struct fail *f);

/*
 * Open each node's meter and close it again: what cannot be read now would be told of every trial
 * of a night. -1: f says which and why.
 */
int runner_try_meters(struct runner *r, struct fail *f);

/*
 * The limits of handshakes into the plan's cells, by both nodes one after the other; nothing
 * where the plan has them off.
 */
int runner_limits(struct runner *r, struct fail *f);

/*
 * Where the plan has it: a sample of each cell's associations on the wire (wire_sample.h) into the
 * store, but of those that have one; outside any trial. A cell whose server cannot be started
 * is left to its trials. -1: capturing is not possible or not permitted, a node was lost, the
 * store failed, or a signal came (EINTR).
 */
int runner_timelines(struct runner *r, struct fail *f);

/*
 * Every trial that is not stored yet, in the plan's order; then, where the plan says until when,
 * one more of each cell that is not known well enough, block by block: what is stored decides,
 * so a run that is taken up again goes on as it would have. 0: all are there, or a signal asked
 * to stop (interrupted). -1: a node was lost twice in one trial, the store failed, or a
 * second signal came (EINTR); what was stored stays.
 */
int runner_run(struct runner *r, struct fail *f);

/*
 * Which cells have no trial in an added block, into r->enough: they are known well enough. Returns
 * how many it has, stored ones too; *missing of them are not stored. -1: failure.
 */
int runner_until(struct runner *r, int block, int *missing, struct fail *f);

/*
 * A new campaign in the store, with the nodes as they greeted and every cell that can run.
 * options: JSON of every setting. Returns its id, -1: failure.
 */
int64_t runner_begin(struct runner *r, const char *options, struct fail *f);

/*
 * Take up a stored campaign: the plan's cells must be its cells, and the nodes what they
 * were (version, engines, processor), else the figures would not belong together.
 */
int runner_resume(struct runner *r, int64_t campaign, struct fail *f);

/* Every setting of a run as a new JSON object; only: patterns or NULL. */
json_t *runner_options(const struct plan *p, const char *only);
/* For --dry-run --json: what plan_print() says, with every setting. NULL: no memory. */
json_t *plan_json(const struct plan *p, const char *only);
/* 0 when a stored campaign was begun with these nodes and settings. */
int runner_same_options(const char *stored, const json_t *now, struct fail *f);

/* Real nodes: processes behind pipes, by the plan's commands. */
struct runner_nodes;
struct runner_nodes *runner_nodes_start(const struct plan *p, const volatile sig_atomic_t *signals,
					struct runner_world *w, struct fail *f);
/* hasty: kill them, they are not waited for. Accepts NULL. */
void runner_nodes_stop(struct runner_nodes *n, bool hasty);

#endif
