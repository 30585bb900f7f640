/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_store - how a campaign begins in the store, and what must hold before an unfinished
 * one is taken up again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/version.h"
#include "testbed/runner.h"

static json_t *pack_node(const struct plan_node *n)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "name", n->name,
			 "command", n->command, "program", n->program, "address", n->address,
			 "listen", n->listen, "board", n->board, "meter", n->meter, "cpus", n->cpus,
			 "rate_hz", (json_int_t)n->rate_hz);
}

/* Settings that hold for every cell that does not say otherwise. */
static json_t *pack_usual(const struct plan *p)
{
	json_t *all = json_object();

	for (int i = 0; i < settings_count(); i++)
		if (p->usual[i])
			json_object_set_new(all, setting_rows[i].field,
					    setting_json(&setting_rows[i], p->usual[i]));
	return all;
}

/* NULL, no key, where no blocks are added. */
static json_t *pack_until(const struct plan *p)
{
	return p->until.blocks_max ? json_pack("{s:f, s:i}", "ci_pct", p->until.ci_pct,
					       "max_blocks", p->until.blocks_max)
				   : NULL;
}

json_t *runner_options(const struct plan *p, const char *only)
{
	const struct phase_times *t = &p->times;

	return json_pack("{s:s?, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:s, s:o, s:o*, s:o*, s:{s:o, s:o}}",
			 "only", only, "blocks", p->blocks, "seed", (json_int_t)p->seed,
			 "settle_ns", (json_int_t)t->settle_ns, "idle_ns", (json_int_t)t->idle_ns,
			 "warmup_ns", (json_int_t)t->warmup_ns, "measure_ns",
			 (json_int_t)t->measure_ns, "cool_ns", (json_int_t)t->cool_ns, "count",
			 (json_int_t)t->count, "overtime_ns", (json_int_t)t->overtime_ns,
			 "timeout_ns", (json_int_t)p->timeout_ns, "limits", p->limits, "settings",
			 pack_usual(p), "until", pack_until(p), "timeline",
			 p->timeline ? json_integer(p->timeline) : NULL, "nodes", "server",
			 pack_node(&p->server), "client", pack_node(&p->client));
}

int runner_same_options(const char *stored, const json_t *now, struct fail *f)
{
	json_error_t bad;
	json_t *then = json_loads(stored, 0, &bad);
	const char *key;
	json_t *value;
	int status = 0;

	if (!json_is_object(then))
		status = fail_set(f, EINVAL, "the stored campaign's settings cannot be read");
	json_object_foreach((json_t *)now, key, value)
	{
		if (!status && !json_equal(value, json_object_get(then, key)))
			status = fail_set(f, EINVAL,
					  "\"%s\" is not what the campaign was begun with; start a "
					  "new one without --resume",
					  key);
	}
	json_decref(then);
	return status;
}

static int make_ids(struct runner *r, struct fail *f)
{
	r->cell_id = calloc((size_t)r->plan->cells, sizeof(*r->cell_id));
	return r->cell_id ? 0 : fail_set(f, ENOMEM, "no memory for the cells");
}

static int add_parts(struct runner *r, int64_t campaign, struct fail *f)
{
	for (int i = 0; i < RUNNER_NODES; i++)
		if (store_add_node(r->store, campaign, &r->node[i], f) < 0)
			return -1;
	for (int i = 0; i < r->plan->cells; i++) {
		if (r->plan->cell[i].unavailable)
			continue;
		r->cell_id[i] = store_add_cell(r->store, campaign, &r->plan->cell[i].cell, f);
		if (r->cell_id[i] < 0)
			return -1;
	}
	return 0;
}

int64_t runner_begin(struct runner *r, const char *options, struct fail *f)
{
	struct campaign c = { .seed = r->plan->seed, .blocks = r->plan->blocks };
	int64_t id;

	snprintf(c.name, sizeof(c.name), "%s", r->plan->name);
	snprintf(c.version, sizeof(c.version), "%s", cipherwatt_version);
	clock_utc(clock_wall_ns(), c.started);
	c.text = (char *)buf_text(&r->plan->text);
	c.options = (char *)options;
	if (make_ids(r, f))
		return -1;
	id = store_add_campaign(r->store, &c, f);
	return id < 0 || add_parts(r, id, f) ? -1 : id;
}

struct finding {
	struct runner *r;
	struct fail *f;
	bool seen[RUNNER_NODES];
};

static int find_cell(int64_t id, const struct cell *c, void *data)
{
	struct finding *x = data;

	for (int i = 0; i < x->r->plan->cells; i++) {
		if (strcmp(x->r->plan->cell[i].cell.name, c->name))
			continue;
		x->r->cell_id[i] = id;
		return 0;
	}
	fail_set(x->f, EINVAL, "the stored cell %s is not in this plan", c->name);
	return 1;
}

static int compare_node(const struct node *then, void *data)
{
	struct finding *x = data;

	for (int i = 0; i < RUNNER_NODES; i++) {
		const struct node *now = &x->r->node[i];

		if (strcmp(then->role, now->role))
			continue;
		x->seen[i] = true;
		if (strcmp(then->version, now->version) || strcmp(then->engines, now->engines) ||
		    strcmp(then->cpu, now->cpu)) {
			fail_set(
				x->f, EINVAL,
				"the %s node is not what it was when the campaign began (then "
				"version %s on %s, now %s on %s); start a new one without --resume",
				then->role, then->version, then->cpu, now->version, now->cpu);
			return 1;
		}
	}
	return 0;
}

int runner_resume(struct runner *r, int64_t campaign, struct fail *f)
{
	struct finding x = { .r = r, .f = f };

	if (make_ids(r, f) || store_each_node(r->store, campaign, compare_node, &x, f) ||
	    store_each_cell(r->store, campaign, find_cell, &x, f))
		return -1;
	/* A run killed while it began may have left some out. */
	for (int i = 0; i < RUNNER_NODES; i++)
		if (!x.seen[i] && store_add_node(r->store, campaign, &r->node[i], f) < 0)
			return -1;
	for (int i = 0; i < r->plan->cells; i++) {
		if (r->plan->cell[i].unavailable || r->cell_id[i])
			continue;
		r->cell_id[i] = store_add_cell(r->store, campaign, &r->plan->cell[i].cell, f);
		if (r->cell_id[i] < 0)
			return -1;
	}
	return 0;
}
