/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_store - a database in a directory of its own, for tests. */
#include "results/fixture_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report.h"

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

static const struct scene {
	const char *suite, *encoding;
	int64_t strength_bits, requests, cpu_ns, latency_us;
} scenes[] = {
	{ "plain", "identity", 0, 2000, 50000, 500 },
	{ FIXTURE_RSA, "identity", 112, 100, 1000000, 10000 },
	{ FIXTURE_ECDSA, "identity", 128, 300, 250000, 3000 },
	{ FIXTURE_ECDSA, "gzip:6", 128, 300, 250000, 3000 },
};

/* On the fast trials of an odd block, and a second one in the last of them. */
static void note(struct trial *t)
{
	if (t->requests_completed < 1000 || t->block % 2 == 0)
		return;
	t->load_limited = true;
	strcpy(t->notes, FIXTURE_NOTE ": it used 97 % of a CPU");
	if (t->block == 3)
		strcat(t->notes, "\nthe idle power moved: by 6 %");
}

static int fill_cell(struct store *s, int64_t campaign, const struct scene *scene, struct trial *t,
		     struct fail *f)
{
	struct cell c;
	int64_t cell;

	fixture_cell(&c, scene->suite, scene->strength_bits, scene->encoding);
	cell = store_add_cell(s, campaign, &c, f);
	for (int64_t block = 0; block < 4 && cell > 0; block++) {
		fixture_trial(t, block, scene->requests * (100 + block) / 100, scene->cpu_ns,
			      scene->latency_us);
		t->valid = strcmp(scene->suite, FIXTURE_RSA) == 0   ? block != 2
			   : strcmp(scene->encoding, "gzip:6") == 0 ? block != 3
								    : true;
		strcpy(t->reason, t->valid ? "" : FIXTURE_REASON);
		note(t);
		if (store_add_trial(s, cell, t, NULL, 0, f) < 0)
			return -1;
	}
	return cell < 0 ? -1 : 0;
}

int64_t fixture_fill(struct store *s, const char *name, struct fail *f)
{
	struct campaign c;
	struct node n;
	struct trial t;
	int64_t id;

	fixture_campaign(&c);
	c.blocks = 4;
	snprintf(c.name, sizeof(c.name), "%s", name);
	id = store_add_campaign(s, &c, f);
	fixture_node(&n, "server");
	if (id < 0 || store_add_node(s, id, &n, f) < 0)
		return -1;
	fixture_node(&n, "client");
	if (store_add_node(s, id, &n, f) < 0 || trial_init(&t) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes) && id > 0; i++)
		if (fill_cell(s, id, &scenes[i], &t, f) < 0)
			id = -1;
	trial_release(&t);
	return id;
}

char *fixture_report(const char *path, int64_t campaign, const char *format, struct fail *f)
{
	struct store *s = store_open(path, STORE_READ, f);
	const struct report_format *way = report_formats;
	struct buf out = { 0 };
	struct report r;
	char *text = NULL;

	while (way->name && strcmp(way->name, format) != 0)
		way++;
	if (s && way->name && report_load(s, campaign, &r, f) == 0) {
		if (way->write(&r, false, &out) == 0)
			text = strdup(buf_text(&out));
		report_release(&r);
	}
	buf_release(&out);
	store_close(s);
	return text;
}
