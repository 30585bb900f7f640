/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - the loop over blocks and cells, and what to do when a node is gone.
 */
#include "testbed/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/version.h"
#include "testbed/environment.h"
#include "testbed/rpc.h"
#include "testbed/runner_trial.h"

#define GREET_NS  (60 * NS_PER_S) /* ssh may have to find its way first */
#define STOP_NS   (10 * NS_PER_S) /* a node gives its own children two seconds each */
#define ATTEMPTS  2
#define TEXT(dst) (dst), sizeof(dst)

const char *const runner_node_name[RUNNER_NODES] = { "server", "client" };

static void take_text(const json_t *reply, const char *key, char *dst, size_t len)
{
	const json_t *value = json_object_get(reply, key);
	char *text;

	if (!json_is_object(value)) {
		snprintf(dst, len, "%s", json_is_string(value) ? json_string_value(value) : "");
		return;
	}
	text = json_dumps(value, JSON_COMPACT);
	snprintf(dst, len, "%s", text && strlen(text) < len ? text : "{}");
	free(text);
}

static void take_node(const struct runner *r, enum runner_node who, const json_t *reply,
		      struct node *n)
{
	const struct plan_node *planned =
		who == RUNNER_SERVER ? &r->plan->server : &r->plan->client;

	memset(n, 0, sizeof(*n));
	snprintf(n->name, sizeof(n->name), "%s",
		 planned->name[0] ? planned->name : runner_node_name[who]);
	snprintf(n->role, sizeof(n->role), "%s", runner_node_name[who]);
	snprintf(n->board, sizeof(n->board), "%s", planned->board);
	take_text(reply, "version", TEXT(n->version));
	take_text(reply, "kernel", TEXT(n->kernel));
	take_text(reply, "machine", TEXT(n->machine));
	take_text(reply, "cpu", TEXT(n->cpu));
	take_text(reply, "governor", TEXT(n->governor));
	take_text(reply, "os", TEXT(n->os));
	take_text(reply, "engines", TEXT(n->engines));
	take_text(reply, "builds", TEXT(n->builds));
	take_text(reply, "environment", TEXT(n->environment));
	n->cpus = json_integer_value(json_object_get(reply, "cpus"));
}

static int greet(struct runner *r, enum runner_node who, struct fail *f)
{
	json_t *hello = json_pack("{s:s, s:i, s:s}", "do", "hello", "protocol", RPC_PROTOCOL,
				  "version", cipherwatt_version);
	char ours[64], theirs[64] = "";
	struct node *n = &r->node[who];
	json_t *reply = NULL;

	if (r->world.call(r->world.data, who, hello, GREET_NS, &reply, f))
		return -1;
	take_node(r, who, reply, n);
	take_text(reply, "boot_id", TEXT(theirs));
	environment_boot_id("", ours, sizeof(ours));
	r->node_local[who] = theirs[0] && !strcmp(ours, theirs);
	json_decref(reply);
	if (!strcmp(n->version, cipherwatt_version))
		return 0;
	return fail_set(f, EPROTO, "the %s node is version %s, this runner is %s: install the same",
			runner_node_name[who], n->version, cipherwatt_version);
}

int runner_greet(struct runner *r, struct fail *f)
{
	return greet(r, RUNNER_SERVER, f) || greet(r, RUNNER_CLIENT, f) ? -1 : 0;
}

int runner_try_meters(struct runner *r, struct fail *f)
{
	int status = 0;

	for (int who = 0; who < RUNNER_NODES && status == 0; who++) {
		json_t *ask = runner_ask_meter(r->plan, &r->plan->cell[0], who), *reply = NULL;
		json_t *stop = json_pack("{s:s}", "do", "stop");

		status = r->world.call(r->world.data, who, ask, GREET_NS, &reply, f);
		json_decref(reply);
		if (status == 0)
			status = r->world.call(r->world.data, who, stop, STOP_NS, NULL, f);
		else
			json_decref(stop);
	}
	return status ? -1 : 0;
}

/* A new node in place of the lost one, and the other one without the trial. */
static int replace_node(struct runner *r, enum runner_node lost, struct fail *f)
{
	enum runner_node other = lost == RUNNER_SERVER ? RUNNER_CLIENT : RUNNER_SERVER;
	struct fail why = { 0 };

	if (r->world.restart(r->world.data, lost, f) || greet(r, lost, f))
		return -1;
	if (!r->world.call(r->world.data, other, json_pack("{s:s}", "do", "stop"), STOP_NS, NULL,
			   &why))
		return 0;
	/* It may be gone for the same reason. */
	return r->world.restart(r->world.data, other, f) || greet(r, other, f) ? -1 : 0;
}

static int store_trial(struct runner *r, int cell, struct runner_trial *t, struct fail *f)
{
	struct store_trace traces[RUNNER_NODES];
	int count = 0;

	for (int i = 0; i < RUNNER_NODES; i++)
		if (t->trace[i].len)
			traces[count++] =
				(struct store_trace){ runner_node_name[i], t->trace[i].data,
						      t->trace[i].len, t->from_ns[i], t->to_ns[i] };
	if (store_add_trial(r->store, r->cell_id[cell], &t->record, traces, count, f) < 0)
		return -1;
	r->valid += t->record.valid;
	r->invalid += !t->record.valid;
	progress_end_trial(&r->progress, t->cell->cell.name,
			   t->record.valid ? NULL : t->record.reason,
			   r->world.now_ns(r->world.data));
	return 0;
}

/* 0 stored, 1 lost a node (replaced: try again), -1 no use. */
static int attempt(struct runner *r, int cell, int block, int position, struct fail *f)
{
	enum runner_node lost = RUNNER_SERVER;
	struct fail why = { 0 };
	struct runner_trial t;
	int status = 1;

	if (runner_trial_init(&t, &r->plan->cell[cell], block, position)) {
		runner_trial_release(&t);
		return fail_set(f, ENOMEM, "no memory for a trial");
	}
	if (!runner_trial_run(r, &t, &lost, &why))
		status = store_trial(r, cell, &t, f);
	else if (why.code != EPIPE)
		status = fail_set(f, why.code, "%s", why.text);
	else
		progress_say(&r->progress, "%s", why.text);
	runner_trial_release(&t);
	if (status == 1 && *r->signals) { /* the trial in flight is gone, and no other begins */
		r->interrupted = true;
		return 0;
	}
	return status == 1 && replace_node(r, lost, f) ? -1 : status;
}

static int run_cell(struct runner *r, int cell, int block, int position, struct fail *f)
{
	const char *name = r->plan->cell[cell].cell.name;
	int status = 1;

	progress_begin_trial(&r->progress, block, r->plan->blocks, name,
			     r->world.now_ns(r->world.data));
	for (int i = 0; i < ATTEMPTS && status == 1; i++)
		status = attempt(r, cell, block, position, f);
	if (status == 1)
		return fail_set(f, EPIPE, "a node was lost twice in one trial (%s, block %d)", name,
				block + 1);
	return status;
}

/* 0: stored, or there already; *stop: a signal came. */
static int run_missing(struct runner *r, int cell, int block, int position, bool *stop,
		       struct fail *f)
{
	int there = store_has_trial(r->store, r->cell_id[cell], block, f);

	if (there)
		return there < 0 ? -1 : 0;
	*stop = *r->signals != 0;
	if (!*stop)
		return run_cell(r, cell, block, position, f);
	r->interrupted = true;
	return 0;
}

static int run_block(struct runner *r, int block, bool *stop, struct fail *f)
{
	const struct plan *p = r->plan;
	bool added = block >= p->blocks;

	for (int i = 0; i < p->cells && !*stop; i++) {
		int cell = p->order[block * p->cells + i];

		if (p->cell[cell].unavailable || (added && r->enough[cell]))
			continue;
		if (run_missing(r, cell, block, i, stop, f))
			return -1;
	}
	return 0;
}

int runner_run(struct runner *r, struct fail *f)
{
	const struct plan *p = r->plan;
	bool stop = false;
	int has, missing;

	for (int block = 0; block < plan_blocks(p) && !stop; block++) {
		has = block < p->blocks ? 1 : runner_until(r, block, &missing, f);
		if (has <= 0)
			return has;
		if (run_block(r, block, &stop, f))
			return -1;
	}
	return 0;
}
