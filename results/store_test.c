/* SPDX-License-Identifier: Apache-2.0 */
/* store_test - what goes in comes out, once, in order and whole. */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "results/store_drive.h"

static int64_t add_cell(struct store *s, int64_t *campaign)
{
	struct fail f = { 0 };
	int64_t cell = fixture_add_cell(s, campaign, &f);

	if (cell < 0)
		fail_msg("%s", f.text);
	return cell;
}

struct expected {
	const struct trial *trial;
	int64_t id;
};

static int compare_trial(int64_t id, const struct trial *t, void *data)
{
	const struct trial *w = ((struct expected *)data)->trial;

	((struct expected *)data)->id = id;
	assert_int_equal(t->valid, w->valid);
	assert_string_equal(t->reason, w->reason);
	assert_int_equal(t->requests_failed, FIELD_UNKNOWN_INT);
	assert_true(isnan(t->client_busy));
	assert_true(t->server.instrument_pct == w->server.instrument_pct);
	assert_int_equal(t->client.net_nj, -5);
	assert_int_equal(t->wire_bytes_received, INT64_MAX);
	assert_int_equal(hist_quantile(&t->response, 0.5), hist_quantile(&w->response, 0.5));
	assert_true(t->response.sum_ns == w->response.sum_ns);
	return 7; /* what the visitor returns is what the caller gets */
}

static int compare_trace(const struct store_trace *t, void *data)
{
	assert_string_equal(t->node, "client");
	assert_int_equal(t->len, 4);
	assert_memory_equal(t->data, "\0\1\2\3", 4);
	assert_int_equal(t->from_ns, -1);
	assert_int_equal(t->to_ns, 9);
	++*(int *)data;
	return 0;
}

static void trials_come_back(void **state)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct store_trace trace = { "client", "\0\1\2\3", 4, -1, 9 };
	struct fail f = { 0 };
	struct trial t;
	struct expected e = { .trial = &t };
	int64_t campaign, cell;
	int traces = 0;

	(void)state;
	cell = add_cell(s, &campaign);
	assert_int_equal(trial_init(&t), 0);
	fixture_trial(&t, 3, 1000, 123, 456);
	t.valid = false;
	strcpy(t.reason, "the governor's frequency moved; \"1.5 GHz\"");
	t.requests_failed = FIELD_UNKNOWN_INT;
	t.client_busy = NAN;
	t.client.net_nj = -5;
	t.wire_bytes_received = INT64_MAX;
	assert_true(store_add_trial(s, cell, &t, &trace, 1, &f) > 0);
	store_close(s);
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(store_each_trial(s, cell, compare_trial, &e, &f), 7);
	assert_int_equal(store_each_trace(s, e.id, compare_trace, &traces, &f), 0);
	assert_int_equal(traces, 1);
	store_close(s);
	trial_release(&t);
}

static int see_cell(int64_t id, const struct cell *c, void *data)
{
	int *count = data;

	assert_true(id > 0);
	assert_string_equal(c->suite, (*count)++ == 0 ? "plain" : "tls");
	assert_string_equal(c->server, "builtin");
	assert_int_equal(c->payload_bytes, 512);
	return 0;
}

static int see_node(const struct node *n, void *data)
{
	assert_string_equal(n->name, "server");
	assert_non_null(strstr(n->engines, "5.5.4"));
	assert_int_equal(n->cpus, 4);
	++*(int *)data;
	return 0;
}

static int see_campaign(int64_t id, const struct campaign *c, void *data)
{
	assert_int_equal(id, ++*(int *)data);
	assert_string_equal(c->name, "made-up");
	return 0;
}

static void campaigns_come_back(void **state)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct fail f = { 0 };
	struct campaign c, back;
	struct cell tls;
	struct node n;
	int64_t first, second, cell;
	int cells = 0, nodes = 0, campaigns = 0;

	(void)state;
	assert_int_equal(store_newest_campaign(s, &f), 0);
	cell = add_cell(s, &first);
	cell = add_cell(s, &second);
	fixture_cell(&tls, "tls", 112, "gzip:6");
	assert_true(store_add_cell(s, second, &tls, &f) > cell);
	fixture_node(&n, "server");
	assert_true(store_add_node(s, second, &n, &f) > 0);
	fixture_campaign(&c);
	assert_int_equal(store_newest_campaign(s, &f), second);
	assert_int_equal(store_unfinished_campaign(s, c.text, &f), second);
	assert_int_equal(store_complete_campaign(s, second, &f), 0);
	assert_int_equal(store_unfinished_campaign(s, c.text, &f), first);
	assert_int_equal(store_unfinished_campaign(s, "other", &f), 0);
	assert_int_equal(store_get_campaign(s, second, &back, &f), 0);
	assert_string_equal(back.text, c.text);
	assert_string_equal(back.options, c.options);
	assert_int_equal(back.seed, 42);
	assert_true(back.complete);
	campaign_release(&back);
	assert_int_equal(store_each_cell(s, second, see_cell, &cells, &f), 0);
	assert_int_equal(store_each_node(s, second, see_node, &nodes, &f), 0);
	assert_int_equal(store_each_campaign(s, see_campaign, &campaigns, &f), 0);
	assert_true(cells == 2 && nodes == 1 && campaigns == 2);
	assert_int_equal(store_get_campaign(s, 99, &back, &f), -1);
	assert_int_equal(f.code, ENOENT);
	store_close(s);
}

static void duplicates_are_refused(void **state)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct fail f = { 0 };
	int64_t campaign, cell;
	struct cell again;

	(void)state;
	cell = add_cell(s, &campaign);
	assert_int_equal(store_has_trial(s, cell, 0, &f), 0);
	assert_true(fixture_add_trial(s, cell, 0, &f) > 0);
	assert_int_equal(store_has_trial(s, cell, 0, &f), 1);
	assert_int_equal(fixture_add_trial(s, cell, 0, &f), -1);
	assert_int_equal(f.code, EEXIST);
	fail_clear(&f);
	fixture_cell(&again, "plain", 0, "identity");
	assert_int_equal(store_add_cell(s, campaign, &again, &f), -1);
	assert_int_equal(f.code, EEXIST);
	assert_non_null(strstr(f.text, "plain identity"));
	fail_clear(&f);
	assert_int_equal(fixture_add_trial(s, cell + 1, 0, &f), -1); /* no such cell */
	fail_clear(&f);
	assert_true(fixture_add_trial(s, cell, 1, &f) > 0); /* the store goes on */
	assert_int_equal(count_trials(s, cell), 2);
	store_close(s);
}

/* A database with one campaign, one cell and `trials` trials, closed again. */
static void make_database(int trials)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct fail f = { 0 };
	int64_t campaign, cell;

	cell = add_cell(s, &campaign);
	for (int i = 0; i < trials; i++)
		assert_true(fixture_add_trial(s, cell, i, &f) > 0);
	store_close(s);
}

static void sql(const char *path, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A file of an older program lacks columns: read as unknown, added when writing. */
static void missing_columns(void **state)
{
	struct fail f = { 0 };
	struct store *s;
	struct node n;
	int nodes = 0;

	(void)state;
	make_database(3);
	sql(here.path, "ALTER TABLE trial DROP COLUMN client_meter; "
		       "ALTER TABLE trial DROP COLUMN requests_in_flight");
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(count_trials(s, 1), 3);
	store_close(s);
	s = open_or_fail(here.path, STORE_WRITE);
	assert_true(fixture_add_trial(s, 1, 3, &f) > 0);
	fixture_node(&n, "server");
	assert_true(store_add_node(s, 1, &n, &f) > 0);
	store_close(s);
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(count_trials(s, 1), 4);
	assert_int_equal(store_each_node(s, 1, see_node, &nodes, &f), 0);
	assert_int_equal(nodes, 1);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(trials_come_back, enter, leave),
		cmocka_unit_test_setup_teardown(campaigns_come_back, enter, leave),
		cmocka_unit_test_setup_teardown(duplicates_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(missing_columns, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
