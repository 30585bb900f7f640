/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_look_test - looking at a database that comes, grows, is claimed and let go, and goes: it
 * is read when it has changed, and nothing of it is held between looks.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "results/fixture_store.h"
#include "results/watch_look.h"

static struct fixture_place here;
static struct watch_look look;
static int64_t now_ns;

static int begin(void **state)
{
	(void)state;
	look = (struct watch_look){ .database = here.path };
	now_ns = clock_ns();
	return fixture_enter(&here);
}

static int end(void **state)
{
	(void)state;
	watch_look_release(&look);
	return fixture_leave(&here);
}

/* A look when it may; whether anything has changed. */
static bool changed(void)
{
	int64_t before = look.version;

	now_ns += 3600 * NS_PER_S;
	watch_look(&look, now_ns);
	return look.version != before;
}

static enum watch_state standing(void)
{
	return watch_state(&look.view, clock_wall_ns());
}

static struct store *open_store(void)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);

	if (!s)
		fail_msg("%s", f.text);
	return s;
}

static void a_file_that_comes_is_seen(void **state)
{
	struct fail f = { 0 };
	struct store *s;
	int64_t campaign, cell;

	(void)state;
	assert_int_equal(watch_look_check(&look, &f), 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_WAITING);
	assert_false(changed());
	s = open_store();
	assert_true(changed());
	assert_int_equal(standing(), WATCH_WAITING); /* no campaign in it */
	cell = fixture_add_cell(s, &campaign, &f);
	assert_true(cell > 0 && store_claim(s, &f) == 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_RUNNING);
	assert_int_equal(look.view.report->trials, 0);
	assert_int_equal(watch_total(&look.view), 5);
	store_close(s);
}

static void each_trial_is_seen(void **state)
{
	struct fail f = { 0 };
	struct store *s = open_store();
	int64_t campaign, cell = fixture_add_cell(s, &campaign, &f);

	(void)state;
	assert_int_equal(store_claim(s, &f), 0);
	for (int block = 0; block < 5; block++) {
		assert_true(fixture_add_trial(s, cell, block, &f) > 0);
		assert_true(changed());
		assert_false(changed());
		assert_int_equal(look.view.report->trials, block + 1);
		assert_int_equal(look.view.trials, block + 1);
		assert_int_equal(look.view.trial[0].block, block); /* the newest first */
		assert_int_equal(look.view.trial[block].block, 0);
		assert_string_equal(look.view.trial[0].cell, "plain identity");
		assert_true(look.view.trial[0].valid);
	}
	assert_int_equal(store_complete_campaign(s, campaign, &f), 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_ENDED);
	store_close(s);
}

static void a_run_that_ends_early_is_seen(void **state)
{
	struct fail f = { 0 };
	struct store *s = open_store();
	int64_t campaign, cell = fixture_add_cell(s, &campaign, &f);

	(void)state;
	assert_true(store_claim(s, &f) == 0 && fixture_add_trial(s, cell, 0, &f) > 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_RUNNING);
	store_close(s);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_INTERRUPTED);
	/* Taken up again. */
	s = open_store();
	assert_int_equal(store_claim(s, &f), 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_RUNNING);
	assert_int_equal(fixture_add_cell(s, &campaign, &f) > 0, true); /* a second campaign */
	assert_true(changed());
	assert_int_equal(look.view.report->id, campaign);
	store_close(s);
}

static int64_t claim(void)
{
	return store_claimed(here.path);
}

static void a_claim_is_seen_and_not_taken(void **state)
{
	struct fail f = { 0 };
	struct store *s, *other;

	(void)state;
	assert_int_equal(claim(), 0); /* no file */
	s = open_store();
	other = open_store();
	assert_int_equal(claim(), 0);
	assert_int_equal(store_claim(s, &f), 0);
	assert_int_equal(claim(), 1);
	assert_int_equal(claim(), 1);
	assert_int_equal(store_claim(other, &f), -1); /* it is held still */
	store_close(s);
	assert_int_equal(claim(), 0);
	assert_int_equal(store_claim(other, &f), 0); /* and free to be had */
	store_close(other);
}

static void a_campaign_is_picked(void **state)
{
	struct fail f = { 0 };
	struct store *s = open_store();
	int64_t first, second;

	(void)state;
	look.campaign = "2";
	assert_true(fixture_add_cell(s, &first, &f) > 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_WAITING);
	assert_non_null(strstr(look.view.fail.text, "no campaign 2"));
	assert_true(fixture_add_cell(s, &second, &f) > 0);
	assert_true(changed());
	assert_int_equal(look.view.report->id, second);
	store_close(s);
	look.campaign = "none";
	look.version = 0; /* as at the beginning */
	changed();
	assert_int_equal(standing(), WATCH_WAITING);
	assert_non_null(strstr(look.view.fail.text, "no campaign \"none\""));
	look.campaign = "1";
	look.version = 0;
	changed();
	assert_int_equal(look.view.report->id, first);
	assert_false(look.view.newest);
}

/* How many descriptors lead to the database or its log. */
static int held(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *d;
	int n = 0;

	assert_non_null(all);
	while ((d = readdir(all))) {
		char to[PATH_BYTES];
		ssize_t len = readlinkat(dirfd(all), d->d_name, to, sizeof(to) - 1);

		to[len < 0 ? 0 : len] = '\0';
		n += strstr(to, here.directory) != NULL;
	}
	closedir(all);
	return n;
}

/* SQLite itself keeps what is closed while its process has the file open: so the writer ends. */
static void nothing_is_held_between_looks(void **state)
{
	struct fail f = { 0 };
	struct store *s = open_store();
	int64_t campaign, cell = fixture_add_cell(s, &campaign, &f);
	char log[160];

	(void)state;
	assert_true(fixture_add_trial(s, cell, 0, &f) > 0);
	store_close(s);
	snprintf(log, sizeof(log), "%s-wal", here.path);
	assert_true(changed());
	assert_int_equal(look.view.report->trials, 1);
	assert_int_equal(held(), 0);
	assert_false(path_exists(log));
	assert_false(changed()); /* by our own reading */
}

static void looks_are_a_second_apart(void **state)
{
	struct store *s;

	(void)state;
	watch_look(&look, now_ns);
	assert_int_equal(look.version, 1);
	s = open_store();
	watch_look(&look, now_ns + NS_PER_S / 2);
	assert_int_equal(look.version, 1);
	watch_look(&look, look.due_ns - 1);
	assert_int_equal(look.version, 1);
	watch_look(&look, look.due_ns);
	assert_int_equal(look.version, 2);
	store_close(s);
}

static void what_is_not_ours_is_refused(void **state)
{
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(path_write(here.path, "hello", 5, 0600, &f), 0);
	assert_int_equal(watch_look_check(&look, &f), -1);
	assert_non_null(strstr(f.text, "does not begin like one"));
	assert_true(changed());
	assert_int_equal(standing(), WATCH_TROUBLE);
	/* Put right meanwhile. */
	assert_int_equal(unlink(here.path), 0);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_WAITING);
}

static void touch(const char *path, int64_t s)
{
	struct timespec t[2] = { { s, 0 }, { s, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* Without a name it is the last one written, but not while a run holds another. */
static void the_last_one_written_is_followed(void **state)
{
	struct fail f = { 0 };
	char path[2][PATH_BYTES];
	struct store *s[2];
	int64_t campaign;

	(void)state;
	look.database = NULL;
	setenv("XDG_DATA_HOME", here.directory, 1);
	assert_true(changed());
	assert_int_equal(standing(), WATCH_WAITING);
	assert_non_null(strstr(look.view.fail.text, "no database in"));
	assert_false(changed());
	for (int i = 0; i < 2; i++) {
		assert_int_equal(path_place(PATH_DATA, i ? "b.db" : "a.db", path[i], &f), 0);
		s[i] = store_open(path[i], STORE_WRITE, &f);
		assert_true(s[i] && fixture_add_cell(s[i], &campaign, &f) > 0);
		store_close(s[i]);
		touch(path[i], 1800000000 - i);
	}
	assert_true(changed());
	assert_string_equal(look.view.database, path[0]);
	touch(path[1], 1800000001);
	assert_true(changed());
	assert_string_equal(look.view.database, path[1]);
	s[1] = store_open(path[1], STORE_WRITE, &f);
	assert_int_equal(store_claim(s[1], &f), 0);
	touch(path[0], 1800000002);
	assert_true(changed());
	assert_string_equal(look.view.database, path[1]);
	store_close(s[1]);
	assert_true(changed());
	assert_string_equal(look.view.database, path[0]);
	unsetenv("XDG_DATA_HOME");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_that_comes_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(each_trial_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(a_run_that_ends_early_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(a_claim_is_seen_and_not_taken, begin, end),
		cmocka_unit_test_setup_teardown(a_campaign_is_picked, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_held_between_looks, begin, end),
		cmocka_unit_test_setup_teardown(looks_are_a_second_apart, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_ours_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(the_last_one_written_is_followed, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
