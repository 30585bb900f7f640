/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_loss_test - nothing that was stored is lost: not by a full disk, not by a
 * process killed while it writes.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "results/store_drive.h"

/* Trials until one does not fit; then the store still reads, and refuses again in words. */
static int fill_until(int code, int64_t *stored)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);

	if (!s)
		return 1;
	for (*stored = 0; *stored < 2000; ++*stored)
		if (fixture_add_trial(s, 1, *stored, &f) < 0)
			break;
	if (*stored == 2000 || !strstr(f.text, here.path) || f.code != code)
		return 3;
	if (count_trials(s, 1) != *stored)
		return 4;
	fail_clear(&f);
	if (fixture_add_trial(s, 1, *stored, &f) > 0 || f.code != code)
		return 5;
	store_close(s);
	return 0;
}

static int make_cell(void)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t campaign, cell = s ? fixture_add_cell(s, &campaign, &f) : -1;

	store_close(s);
	return cell == 1 ? 0 : 1;
}

/* In a child, because a limit on file sizes cannot be raised again. */
static int fill_to_limit(int64_t *stored)
{
	struct rlimit limit = { 400 << 10, 400 << 10 };

	signal(SIGXFSZ, SIG_IGN);
	if (make_cell() != 0 || setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 2;
	return fill_until(EFBIG, stored);
}

#define NOT_ALLOWED 77

/* In a child too: a small file system that only it can see, in a name space of its own. */
static int fill_file_system(int64_t *stored)
{
	struct fail f = { 0 };
	struct store *s;
	int status;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", here.directory, "tmpfs", 0, "size=600k") < 0)
		return NOT_ALLOWED;
	if (make_cell() != 0)
		return 2;
	status = fill_until(ENOSPC, stored);
	s = store_open(here.path, STORE_READ, &f);
	if (status == 0 && (!s || fixture_count_trials(s, 1, &f) != *stored))
		status = 6;
	store_close(s);
	return status;
}

/* The child's verdict; what it stored goes through a pipe. */
static int in_child(int (*fill)(int64_t *stored), int64_t *stored)
{
	int pipes[2], status;
	pid_t child;

	*stored = -1;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		status = fill(stored);
		_exit(write(pipes[1], stored, sizeof(*stored)) < 0 ? 9 : status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(read(pipes[0], stored, sizeof(*stored)), sizeof(*stored));
	close(pipes[0]);
	close(pipes[1]);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void largest_file_keeps_what_was_stored(void **state)
{
	struct store *s;
	int64_t stored;

	(void)state;
	assert_int_equal(in_child(fill_to_limit, &stored), 0);
	assert_true(stored > 5);
	s = open_or_fail(here.path, STORE_WRITE);
	assert_int_equal(count_trials(s, 1), stored);
	store_close(s);
}

static void full_disk_keeps_what_was_stored(void **state)
{
	int64_t stored;
	int status = in_child(fill_file_system, &stored);

	(void)state;
	if (status == NOT_ALLOWED) {
		print_message("mounting a file system of one's own needs root\n");
		skip();
	}
	assert_int_equal(status, 0);
	assert_true(stored > 5);
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
		cmocka_unit_test_setup_teardown(largest_file_keeps_what_was_stored, enter, leave),
		cmocka_unit_test_setup_teardown(full_disk_keeps_what_was_stored, enter, leave),
		cmocka_unit_test_setup_teardown(killed_writers_lose_one_trial_at_most, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
