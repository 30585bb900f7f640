/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_test - what goes in comes out, what is not ours is refused and left alone,
 * and nothing that was stored is lost by a full disk.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/buf.h"
#include "lib/path.h"
#include "lib/rng.h"
#include "results/fixture.h"
#include "results/store.h"

static char directory[64];
static char place[128];

static int enter(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/cipherwatt-store-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(place, sizeof(place), "%s/a?b #1%%.db", directory); /* no name is special */
	return 0;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return system(command);
}

static void read_all(const char *path, struct buf *out)
{
	struct fail f = { 0 };

	buf_init(out, 0);
	assert_int_equal(path_read(path, 64 << 20, out, &f), 0);
}

static void write_all(const char *path, const void *src, size_t len)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(src, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static void sql(const char *path, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static struct store *open_or_fail(const char *path, enum store_mode mode)
{
	struct fail f = { 0 };
	struct store *s = store_open(path, mode, &f);

	if (!s)
		fail_msg("%s", f.text);
	return s;
}

static void add_cell(struct store *s, int64_t *campaign, int64_t *cell)
{
	struct fail f = { 0 };
	struct campaign c;
	struct cell made;

	fixture_campaign(&c);
	fixture_cell(&made, "plain", 0, "identity");
	*campaign = store_add_campaign(s, &c, &f);
	*cell = store_add_cell(s, *campaign, &made, &f);
	if (*cell < 0)
		fail_msg("%s", f.text);
}

static int64_t add_trial(struct store *s, int64_t cell, int64_t block, struct fail *f)
{
	static const char bytes[] = "a trace\0with a zero";
	struct store_trace trace = { "server", bytes, sizeof(bytes), 5, INT64_MAX };
	struct trial t;
	int64_t id;

	assert_int_equal(trial_init(&t), 0);
	fixture_trial(&t, block, 100 + block, 50000, 700);
	id = store_add_trial(s, cell, &t, &trace, 1, f);
	trial_release(&t);
	return id;
}

/* A database with one campaign, one cell and `trials` trials, closed again. */
static void make_database(int trials)
{
	struct store *s = open_or_fail(place, STORE_WRITE);
	struct fail f = { 0 };
	int64_t campaign, cell;

	add_cell(s, &campaign, &cell);
	for (int i = 0; i < trials; i++)
		assert_true(add_trial(s, cell, i, &f) > 0);
	store_close(s);
}

struct expected {
	const struct trial *trial;
	int64_t next;
	int64_t id;
};

static int see_trial(int64_t id, const struct trial *t, void *data)
{
	struct expected *e = data;

	assert_int_equal(t->block, e->next++);
	assert_int_equal(t->requests_succeeded, 100 + t->block);
	assert_int_equal(t->response.count, 100 + t->block);
	assert_int_equal(t->handshake.count, 100 + t->block);
	assert_string_equal(t->client.energy_source, "modelled");
	e->id = id;
	return 0;
}

static int64_t count_trials(struct store *s, int64_t cell)
{
	struct expected e = { 0 };
	struct fail f = { 0 };

	if (store_each_trial(s, cell, see_trial, &e, &f) < 0)
		fail_msg("%s", f.text);
	return e.next;
}

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
	struct store *s = open_or_fail(place, STORE_WRITE);
	struct store_trace trace = { "client", "\0\1\2\3", 4, -1, 9 };
	struct fail f = { 0 };
	struct trial t;
	struct expected e = { .trial = &t };
	int64_t campaign, cell;
	int traces = 0;

	(void)state;
	add_cell(s, &campaign, &cell);
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
	s = open_or_fail(place, STORE_READ);
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
	struct store *s = open_or_fail(place, STORE_WRITE);
	struct fail f = { 0 };
	struct campaign c, back;
	struct cell tls;
	struct node n;
	int64_t first, second, cell;
	int cells = 0, nodes = 0, campaigns = 0;

	(void)state;
	assert_int_equal(store_newest_campaign(s, &f), 0);
	add_cell(s, &first, &cell);
	add_cell(s, &second, &cell);
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
	struct store *s = open_or_fail(place, STORE_WRITE);
	struct fail f = { 0 };
	int64_t campaign, cell;
	struct cell again;

	(void)state;
	add_cell(s, &campaign, &cell);
	assert_int_equal(store_has_trial(s, cell, 0, &f), 0);
	assert_true(add_trial(s, cell, 0, &f) > 0);
	assert_int_equal(store_has_trial(s, cell, 0, &f), 1);
	assert_int_equal(add_trial(s, cell, 0, &f), -1);
	assert_int_equal(f.code, EEXIST);
	fail_clear(&f);
	fixture_cell(&again, "plain", 0, "identity");
	assert_int_equal(store_add_cell(s, campaign, &again, &f), -1);
	assert_int_equal(f.code, EEXIST);
	assert_non_null(strstr(f.text, "plain identity"));
	fail_clear(&f);
	assert_int_equal(add_trial(s, cell + 1, 0, &f), -1); /* no such cell */
	fail_clear(&f);
	assert_true(add_trial(s, cell, 1, &f) > 0); /* the store goes on */
	assert_int_equal(count_trials(s, cell), 2);
	store_close(s);
}

/* Refused in both modes with the words, and not a byte changed. */
static void check_refused(const char *path, const char *words, const char *more)
{
	struct buf before, after;

	read_all(path, &before);
	for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
		struct fail f = { 0 };
		struct store *s = store_open(path, mode, &f);

		assert_null(s);
		assert_true(f.code != 0);
		if (!strstr(f.text, words) || !strstr(f.text, more) || !strstr(f.text, path))
			fail_msg("\"%s\" lacks \"%s\" or \"%s\"", f.text, words, more);
	}
	read_all(path, &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, after.len);
	buf_release(&before);
	buf_release(&after);
}

static void newer_schema_is_refused(void **state)
{
	(void)state;
	make_database(1);
	sql(place, "PRAGMA user_version = 7; PRAGMA wal_checkpoint(TRUNCATE)");
	check_refused(place, "schema version 7", "up to 1");
}

static void other_databases_are_refused(void **state)
{
	(void)state;
	sql(place, "CREATE TABLE t (a); PRAGMA application_id = 0x0f055112");
	check_refused(place, "another program", "0x0f055112");
}

static void damaged_files_are_refused(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct buf whole;
	struct rng r;

	(void)state;
	make_database(20);
	read_all(place, &whole);
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 50; i++) {
		write_all(place, whole.data, 1 + rng_below(&r, whole.len - 1));
		check_refused(place, "not a cipherwatt database or damaged", "");
	}
	for (size_t i = 0; i < whole.len; i++)
		whole.data[i] = (char)rng_next(&r);
	write_all(place, whole.data, whole.len);
	check_refused(place, "not a cipherwatt database or damaged", "");
	write_all(place, "name: quick\n", 12);
	check_refused(place, "not a cipherwatt database or damaged", "");
	buf_release(&whole);
}

static int ignore_trial(int64_t id, const struct trial *t, void *data)
{
	(void)id;
	(void)t;
	(void)data;
	return 0;
}

/* Any byte may be wrong: an error or other figures, never a crash. */
static void flipped_bytes_do_not_crash(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct buf whole;
	struct rng r;

	(void)state;
	make_database(5);
	read_all(place, &whole);
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 200; i++) {
		struct fail f = { 0 };
		struct store *s;
		size_t at = rng_below(&r, whole.len);
		char was = whole.data[at];

		whole.data[at] = (char)rng_next(&r);
		write_all(place, whole.data, whole.len);
		whole.data[at] = was;
		s = store_open(place, STORE_READ, &f);
		if (s)
			store_each_trial(s, 1, ignore_trial, NULL, &f);
		store_close(s);
		assert_true(f.code == 0 || *f.text);
	}
	buf_release(&whole);
}

static void absent_and_odd_files(void **state)
{
	struct fail f = { 0 };
	struct store *s;

	(void)state;
	assert_null(store_open(place, STORE_READ, &f));
	assert_int_equal(f.code, ENOENT);
	assert_false(path_exists(place));
	fail_clear(&f);
	assert_null(store_open(directory, STORE_WRITE, &f));
	assert_non_null(strstr(f.text, "not a regular file"));
	fail_clear(&f);
	assert_null(store_open("/dev/full", STORE_WRITE, &f));
	assert_non_null(strstr(f.text, "not a regular file"));
	fail_clear(&f);
	assert_null(store_open("/nowhere/at/all.db", STORE_WRITE, &f));
	assert_int_equal(f.code, ENOENT);
	fail_clear(&f);
	assert_null(store_open("", STORE_WRITE, &f));
	fail_clear(&f);
	write_all(place, "", 0);
	assert_null(store_open(place, STORE_READ, &f));
	assert_non_null(strstr(f.text, "empty"));
	s = open_or_fail(place, STORE_WRITE); /* an empty file is a place for a database */
	store_close(s);
}

static void reading_changes_nothing(void **state)
{
	struct buf before, after;
	struct fail f = { 0 };
	struct campaign c;
	struct store *s;

	(void)state;
	make_database(5);
	read_all(place, &before);
	s = open_or_fail(place, STORE_READ);
	assert_int_equal(count_trials(s, 1), 5);
	fixture_campaign(&c);
	assert_int_equal(store_add_campaign(s, &c, &f), -1);
	assert_int_equal(f.code, EROFS);
	store_close(s);
	read_all(place, &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, after.len);
	buf_release(&before);
	buf_release(&after);
}

/* As an ordinary user in a child, since root may write anywhere. */
static void read_only_directory(void **state)
{
	int status;
	pid_t child;

	(void)state;
	make_database(3);
	assert_int_equal(chmod(place, 0444), 0);
	assert_int_equal(chmod(directory, 0555), 0);
	child = fork();
	if (child == 0) {
		struct fail f = { 0 };
		struct store *s;

		if (getuid() == 0 && setuid(65534) < 0)
			_exit(1);
		s = store_open(place, STORE_READ, &f);
		if (!s || count_trials(s, 1) != 3)
			_exit(2);
		store_close(s);
		s = store_open(place, STORE_WRITE, &f);
		_exit(s || !strstr(f.text, place) ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	chmod(directory, 0755);
	assert_int_equal(status, 0);
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
	sql(place, "ALTER TABLE trial DROP COLUMN client_meter; "
		   "ALTER TABLE trial DROP COLUMN requests_in_flight");
	s = open_or_fail(place, STORE_READ);
	assert_int_equal(count_trials(s, 1), 3);
	store_close(s);
	s = open_or_fail(place, STORE_WRITE);
	assert_true(add_trial(s, 1, 3, &f) > 0);
	fixture_node(&n, "server");
	assert_true(store_add_node(s, 1, &n, &f) > 0);
	store_close(s);
	s = open_or_fail(place, STORE_READ);
	assert_int_equal(count_trials(s, 1), 4);
	assert_int_equal(store_each_node(s, 1, see_node, &nodes, &f), 0);
	assert_int_equal(nodes, 1);
	store_close(s);
}

/* In a child, because a limit on file sizes cannot be raised again. */
static int fill_disk(int64_t *stored)
{
	struct rlimit limit = { 400 << 10, 400 << 10 };
	struct fail f = { 0 };
	struct store *s = store_open(place, STORE_WRITE, &f);
	int64_t campaign, cell;

	if (!s)
		return 1;
	add_cell(s, &campaign, &cell);
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 2;
	for (*stored = 0; *stored < 2000; ++*stored)
		if (add_trial(s, cell, *stored, &f) < 0)
			break;
	if (*stored == 2000 || !strstr(f.text, place))
		return 3;
	/* The same store still reads, and refuses again in words. */
	if (count_trials(s, cell) != *stored)
		return 4;
	store_close(s);
	return 0;
}

static void full_disk_keeps_what_was_stored(void **state)
{
	int pipes[2], status;
	int64_t stored = -1;
	struct store *s;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		status = fill_disk(&stored);
		_exit(write(pipes[1], &stored, sizeof(stored)) < 0 ? 9 : status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(read(pipes[0], &stored, sizeof(stored)), sizeof(stored));
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(status, 0);
	assert_true(stored > 5);
	s = open_or_fail(place, STORE_WRITE);
	assert_int_equal(count_trials(s, 1), stored);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(trials_come_back, enter, leave),
		cmocka_unit_test_setup_teardown(campaigns_come_back, enter, leave),
		cmocka_unit_test_setup_teardown(duplicates_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(newer_schema_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(other_databases_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(damaged_files_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(flipped_bytes_do_not_crash, enter, leave),
		cmocka_unit_test_setup_teardown(absent_and_odd_files, enter, leave),
		cmocka_unit_test_setup_teardown(reading_changes_nothing, enter, leave),
		cmocka_unit_test_setup_teardown(read_only_directory, enter, leave),
		cmocka_unit_test_setup_teardown(missing_columns, enter, leave),
		cmocka_unit_test_setup_teardown(full_disk_keeps_what_was_stored, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
