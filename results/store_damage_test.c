/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_damage_test - what is not ours, or not whole, is refused in words and left as
 * it was; reading changes nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/path.h"
#include "lib/rng.h"
#include "results/report.h"
#include "results/store_drive.h"

/* A database with one campaign, one cell and `trials` trials, closed again. */
static void make_database(int trials)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct fail f = { 0 };
	int64_t campaign, cell;

	cell = fixture_add_cell(s, &campaign, &f);
	for (int i = 0; i < trials; i++)
		assert_true(fixture_add_trial(s, cell, i, &f) > 0);
	store_close(s);
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
	sql(here.path, "PRAGMA user_version = 7; PRAGMA wal_checkpoint(TRUNCATE)");
	check_refused(here.path, "schema version 7", "up to 1");
}

static void other_databases_are_refused(void **state)
{
	(void)state;
	sql(here.path, "CREATE TABLE t (a); PRAGMA application_id = 0x0f055112");
	check_refused(here.path, "another program", "0x0f055112");
}

static void damaged_files_are_refused(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct buf whole;
	struct rng r;

	(void)state;
	make_database(20);
	read_all(here.path, &whole);
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 50; i++) {
		write_all(here.path, whole.data, 1 + rng_below(&r, whole.len - 1));
		check_refused(here.path, "not a cipherwatt database or damaged", "");
	}
	for (size_t i = 0; i < whole.len; i++)
		whole.data[i] = (char)rng_next(&r);
	write_all(here.path, whole.data, whole.len);
	check_refused(here.path, "not a cipherwatt database or damaged", "");
	write_all(here.path, "name: quick\n", 12);
	check_refused(here.path, "not a cipherwatt database or damaged", "");
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
	read_all(here.path, &whole);
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 200; i++) {
		struct fail f = { 0 };
		struct store *s;
		size_t at = rng_below(&r, whole.len);
		char was = whole.data[at];

		whole.data[at] = (char)rng_next(&r);
		write_all(here.path, whole.data, whole.len);
		whole.data[at] = was;
		s = store_open(here.path, STORE_READ, &f);
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
	assert_null(store_open(here.path, STORE_READ, &f));
	assert_int_equal(f.code, ENOENT);
	assert_false(path_exists(here.path));
	fail_clear(&f);
	assert_null(store_open(here.directory, STORE_WRITE, &f));
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
	write_all(here.path, "", 0);
	assert_null(store_open(here.path, STORE_READ, &f));
	assert_non_null(strstr(f.text, "empty"));
	s = open_or_fail(here.path, STORE_WRITE); /* an empty file is a place for a database */
	store_close(s);
}

static int files_in(const char *path)
{
	DIR *d = opendir(path);
	int count = -2; /* . and .. */

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* The log of a killed writer is read, and stays as it is. */
static void reading_leaves_a_log_alone(void **state)
{
	char log[160];
	struct buf before, after;
	struct fail f = { 0 };
	struct store *s;
	int status;
	pid_t child;

	(void)state;
	make_database(1);
	child = fork();
	if (child == 0) {
		s = store_open(here.path, STORE_WRITE, &f);
		_exit(s && fixture_add_trial(s, 1, 1, &f) > 0 ? 0 : 1); /* without closing */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	snprintf(log, sizeof(log), "%s-wal", here.path);
	read_all(log, &before);
	assert_true(before.len > 0);
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(count_trials(s, 1), 2);
	store_close(s);
	read_all(log, &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, after.len);
	buf_release(&before);
	buf_release(&after);
}

static void reading_changes_nothing(void **state)
{
	struct buf before, after;
	struct fail f = { 0 };
	struct campaign c;
	struct store *s;

	(void)state;
	make_database(5);
	read_all(here.path, &before);
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(count_trials(s, 1), 5);
	fixture_campaign(&c);
	assert_int_equal(store_add_campaign(s, &c, &f), -1);
	assert_int_equal(f.code, EROFS);
	store_close(s);
	assert_int_equal(files_in(here.directory), 1); /* no log is left behind */
	read_all(here.path, &after);
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
	assert_int_equal(chmod(here.path, 0444), 0);
	assert_int_equal(chmod(here.directory, 0555), 0);
	child = fork();
	if (child == 0) {
		struct fail f = { 0 };
		struct store *s;

		if (getuid() == 0 && setuid(65534) < 0)
			_exit(1);
		s = store_open(here.path, STORE_READ, &f);
		if (!s || count_trials(s, 1) != 3)
			_exit(2);
		store_close(s);
		s = store_open(here.path, STORE_WRITE, &f);
		_exit(s || !strstr(f.text, here.path) ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	chmod(here.directory, 0755);
	assert_int_equal(status, 0);
}

/* The file is a database of ours; what a hand has changed in it is not. */
static void what_makes_no_sense_is_refused_or_left_out(void **state)
{
	struct report r;
	struct fail f = { 0 };
	struct store *s;

	(void)state;
	make_database(3);
	sql(here.path, "UPDATE trace SET node = NULL");
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(report_load(s, 1, &r, &f), 0);
	assert_int_equal(r.traces, 0);
	report_release(&r);
	store_close(s);
	sql(here.path, "UPDATE campaign SET blocks = 9223372036854775807");
	s = open_or_fail(here.path, STORE_READ);
	assert_int_equal(report_load(s, 1, &r, &f), -1);
	assert_non_null(strstr(f.text, "9223372036854775807 blocks"));
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(newer_schema_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(other_databases_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(damaged_files_are_refused, enter, leave),
		cmocka_unit_test_setup_teardown(flipped_bytes_do_not_crash, enter, leave),
		cmocka_unit_test_setup_teardown(absent_and_odd_files, enter, leave),
		cmocka_unit_test_setup_teardown(reading_changes_nothing, enter, leave),
		cmocka_unit_test_setup_teardown(reading_leaves_a_log_alone, enter, leave),
		cmocka_unit_test_setup_teardown(read_only_directory, enter, leave),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused_or_left_out, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
