/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_store - a database in a directory of its own, for tests. */
#include "results/fixture_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trace_bytes[] = "a trace\0with a zero";

int fixture_enter(struct fixture_place *p)
{
	strcpy(p->directory, "/tmp/cipherwatt-store-XXXXXX");
	if (!mkdtemp(p->directory))
		return -1;
	snprintf(p->path, sizeof(p->path), "%s/a?b #1%%.db", p->directory);
	return 0;
}

int fixture_leave(struct fixture_place *p)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", p->directory);
	return system(command);
}

int64_t fixture_add_cell(struct store *s, int64_t *campaign, struct fail *f)
{
	struct campaign c;
	struct cell cell;

	fixture_campaign(&c);
	fixture_cell(&cell, "plain", 0, "identity");
	*campaign = store_add_campaign(s, &c, f);
	return *campaign < 0 ? -1 : store_add_cell(s, *campaign, &cell, f);
}

int64_t fixture_add_trial(struct store *s, int64_t cell, int64_t block, struct fail *f)
{
	struct store_trace trace = { "server", trace_bytes, sizeof(trace_bytes), 5, INT64_MAX };
	struct trial t;
	int64_t id;

	if (trial_init(&t) < 0)
		return fail_set(f, ENOMEM, "no memory");
	fixture_trial(&t, block, 100 + block, 50000, 700);
	id = store_add_trial(s, cell, &t, &trace, 1, f);
	trial_release(&t);
	return id;
}

struct count {
	struct store *store;
	struct fail *fail;
	int64_t trials;
};

static int check_trace(const struct store_trace *t, void *data)
{
	++*(int *)data;
	return t->len == sizeof(trace_bytes) && memcmp(t->data, trace_bytes, t->len) == 0 ? 0 : -1;
}

static int check_trial(int64_t id, const struct trial *t, void *data)
{
	struct count *c = data;
	uint64_t requests = 100 + (uint64_t)c->trials;
	int traces = 0;

	if (t->block != c->trials++ || t->requests_succeeded != (int64_t)requests ||
	    t->response.count != requests || t->handshake.count != requests ||
	    strcmp(t->client.energy_source, "modelled") != 0)
		return fail_set(c->fail, EBADMSG, "trial %lld is not whole", (long long)id);
	if (store_each_trace(c->store, id, check_trace, &traces, c->fail) < 0 || traces != 1)
		return fail_set(c->fail, EBADMSG, "trial %lld lacks its trace", (long long)id);
	return 0;
}

int64_t fixture_count_trials(struct store *s, int64_t cell, struct fail *f)
{
	struct count c = { s, f, 0 };

	return store_each_trial(s, cell, check_trial, &c, f) < 0 ? -1 : c.trials;
}
