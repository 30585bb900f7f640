/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_timeline - before the first trial: a few associations of every cell, one after another,
 * on the wire and inside the client's engine.
 *
 * What the cell asks of its load is left out but for what an association is made of: one client
 * of our own, and a new connection for each request.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "testbed/runner_trial.h"

/* As the cell's own, but for what is of many clients. */
static json_t *ask_client(const struct plan *p, const struct plan_cell *c, const json_t *server)
{
	static const char *const of_many[] = {
		"driver",          "client_threads", "rate",          "arrivals",
		"arrival_seed",    "think",          "ramp",          "streams",
		"connection_rate", "upload_rate",    "download_rate",
	};
	json_t *request = runner_ask_client(p, c, server);
	json_t *client = json_object_get(request, "client");

	for (size_t i = 0; i < sizeof(of_many) / sizeof(of_many[0]); i++)
		json_object_del(json_object_get(client, "settings"), of_many[i]);
	json_object_set_new(client, "suite", json_string(c->cell.suite));
	json_object_set_new(client, "clients", json_integer(1));
	json_object_set_new(client, "count", json_integer(p->timeline));
	json_object_set_new(client, "warmup_ns", json_integer(0));
	json_object_set_new(client, "duration_ns", json_integer(0));
	if (connection_kind[c->mode].keeps)
		json_object_set_new(client, "connection", json_string("full"));
	return request;
}

static int ask(struct runner *r, enum runner_node who, json_t *request, json_t **reply,
	       struct fail *f)
{
	return r->world.call(r->world.data, who, request, RUNNER_KEY_NS, reply, f);
}

/* 0 the sample is there, 1 the cell cannot be prepared, -1 no sample for another reason. */
static int take(struct runner *r, const struct plan_cell *c, json_t **sample, struct fail *f)
{
	json_t *server = NULL;
	int status = 1;

	if (ask(r, RUNNER_SERVER, runner_ask_server(r->plan, c), &server, f))
		goto out;
	if (ask(r, RUNNER_CLIENT, ask_client(r->plan, c, server), NULL, f))
		goto out;
	status = ask(r, RUNNER_CLIENT,
		     json_pack("{s:s, s:s, s:s, s:s, s:i}", "do", "timeline", "url",
			       runner_text(server, "url"), "interface", "", "engine",
			       c->cell.client_engine, "count", r->plan->timeline),
		     sample, f)
			 ? -1
			 : 0;
out:
	json_decref(server);
	return status;
}

static int stop_both(struct runner *r, struct fail *f)
{
	for (int i = RUNNER_NODES - 1; i >= 0; i--)
		if (ask(r, i, json_pack("{s:s}", "do", "stop"), NULL, f))
			return -1;
	return 0;
}

static int store(struct runner *r, int cell, const json_t *reply, struct fail *f)
{
	char *text = json_dumps(json_object_get(reply, "sample"), JSON_COMPACT);
	int status = text ? store_add_timeline(r->store, r->cell_id[cell], text, f)
			  : fail_set(f, EPROTO, "the client node told no sample");

	free(text);
	return status;
}

/* Who may not capture at all says so at the first cell; *taken counts those that were. */
static int run_cell(struct runner *r, int cell, int *taken, struct fail *f)
{
	const struct plan_cell *c = &r->plan->cell[cell];
	struct fail why = { 0 };
	json_t *reply = NULL;
	int got = take(r, c, &reply, &why), status = 0;

	if (got && (why.code == EPIPE || why.code == EINTR || (got < 0 && !*taken)))
		status = fail_set(f, why.code, "timeline of %s: %s", c->cell.name, why.text);
	else if (got)
		log_say(LOG_WARNING, "no timeline of %s: %s", c->cell.name, why.text);
	else if (!stop_both(r, f))
		status = store(r, cell, reply, f);
	else
		status = -1;
	*taken += !got;
	json_decref(reply);
	if (got && !status)
		status = stop_both(r, f);
	return status;
}

int runner_timelines(struct runner *r, struct fail *f)
{
	struct buf there = { 0 };
	int taken = 0, status = 0;

	for (int i = 0; r->plan->timeline && i < r->plan->cells && !status; i++) {
		if (r->plan->cell[i].unavailable)
			continue;
		status = store_get_timeline(r->store, r->cell_id[i], &there, f);
		if (status > 0)
			status = 0;
		else if (!status && *r->signals)
			status = fail_set(f, EINTR, "stopped before the first trial");
		else if (!status)
			status = run_cell(r, i, &taken, f);
	}
	buf_release(&there);
	return status;
}
