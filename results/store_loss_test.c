/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_loss_test - nothing that was stored is lost: not by a full disk, not by a
 * process killed while it writes.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "results/fixture_store.h"

static struct fixture_place here;

static int enter(void **state)
{
	(void)state;
	return fixture_enter(&here);
}

static int leave(void **state)
{
	(void)state;
	return fixture_leave(&here);
}

static struct store *open_or_fail(const char *path, enum store_mode mode)
{
	struct fail f = { 0 };
	struct store *s = store_open(path, mode, &f);

	if (!s)
		fail_msg("%s", f.text);
	return s;
}

static int64_t count_trials(struct store *s, int64_t cell)
{
	struct fail f = { 0 };
	int64_t count = fixture_count_trials(s, cell, &f);

	if (count < 0)
		fail_msg("%s", f.text);
	return count;
}

/* In a child, because a limit on file sizes cannot be raised again. */
static int fill_disk(int64_t *stored)
{
	struct rlimit limit = { 400 << 10, 400 << 10 };
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t campaign, cell = s ? fixture_add_cell(s, &campaign, &f) : -1;

	if (cell < 0)
		return 1;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 2;
	for (*stored = 0; *stored < 2000; ++*stored)
		if (fixture_add_trial(s, cell, *stored, &f) < 0)
			break;
	if (*stored == 2000 || !strstr(f.text, here.path) || f.code != EFBIG)
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
	s = open_or_fail(here.path, STORE_WRITE);
	assert_int_equal(count_trials(s, 1), stored);
	store_close(s);
}

static void write_until_killed(int out)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t campaign, cell = s ? fixture_add_cell(s, &campaign, &f) : -1;

	for (int64_t block = 0; cell > 0 && fixture_add_trial(s, cell, block, &f) > 0; block++)
		if (write(out, "", 1) != 1)
			break;
	_exit(1); /* never got this far unless something failed */
}

/* Kill a writer after `trials` trials and a moment more; how many trials it told us of. */
static int kill_writer(int trials, int64_t moment_ns)
{
	int pipes[2], status, told = 0;
	char byte;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0)
		write_until_killed(pipes[1]);
	close(pipes[1]);
	while (told < trials && read(pipes[0], &byte, 1) == 1)
		told++;
	clock_sleep_until(clock_ns() + moment_ns);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	while (read(pipes[0], &byte, 1) == 1)
		told++;
	close(pipes[0]);
	return told;
}

static void check_integrity(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *q;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
	sqlite3_finalize(q);
	sqlite3_close(db);
}

static void killed_writers_lose_one_trial_at_most(void **state)
{
	uint64_t seed = rng_fresh_seed();
	struct fail f = { 0 };
	struct rng r;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 25; i++) {
		int told = kill_writer(1 + (int)rng_below(&r, 20), (int64_t)rng_below(&r, 3000000));
		struct store *s = open_or_fail(here.path, STORE_WRITE);
		int64_t cell = i + 1;
		int64_t found = count_trials(s, cell);

		assert_true(found == told || found == told + 1);
		assert_true(fixture_add_trial(s, cell, found, &f) > 0); /* and it goes on */
		store_close(s);
	}
	check_integrity(here.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full_disk_keeps_what_was_stored, enter, leave),
		cmocka_unit_test_setup_teardown(killed_writers_lose_one_trial_at_most, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
