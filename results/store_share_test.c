/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_share_test - a database among other users of its files: one writer of trials, also where
 * several begin it, copies of the file alone, outputs that must not land on it, places where it
 * cannot be made.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/path.h"
#include "results/store_db.h"
#include "results/store_drive.h"

#define TRIALS 5

/* A writer that is killed with its database open, trials stored. */
static void write_and_die(void)
{
	struct fail f = { 0 };
	pid_t child = fork();
	int64_t campaign;

	if (child == 0) {
		struct store *s = store_open(here.path, STORE_WRITE, &f);
		int64_t cell = s ? fixture_add_cell(s, &campaign, &f) : -1;

		for (int i = 0; i < TRIALS && cell > 0; i++)
			fixture_add_trial(s, cell, i, &f);
		raise(SIGKILL);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void copy(const char *from, const char *to)
{
	struct buf bytes = { 0 };
	struct fail f = { 0 };

	assert_int_equal(path_read(from, 64 << 20, &bytes, &f), 0);
	assert_int_equal(path_write(to, bytes.data, bytes.len, 0600, &f), 0);
	buf_release(&bytes);
}

static void file_alone_has_every_trial(void **state)
{
	struct fail f = { 0 };
	char alone[160];
	struct store *s;

	(void)state;
	write_and_die();
	snprintf(alone, sizeof(alone), "%s.copy", here.path);
	copy(here.path, alone);
	s = open_or_fail(alone, STORE_READ);
	if (fixture_count_trials(s, 1, &f) != TRIALS)
		fail_msg("the copy has not every trial: %s", f.text);
	store_close(s);
	unlink(alone);
}

static void one_writer_at_a_time(void **state)
{
	struct fail f = { 0 };
	struct store *one = open_or_fail(here.path, STORE_WRITE);
	struct store *two = open_or_fail(here.path, STORE_WRITE);

	(void)state;
	assert_int_equal(store_claim(one, &f), 0);
	assert_int_equal(store_claim(one, &f), 0); /* again by the same is the same */
	assert_int_equal(store_claim(two, &f), -1);
	assert_int_equal(f.code, EBUSY);
	assert_non_null(strstr(f.text, "another run is writing to it"));
	store_close(open_or_fail(here.path, STORE_READ)); /* readers are welcome */
	fail_clear(&f);
	store_close(one);
	assert_int_equal(store_claim(two, &f), 0);
	store_close(two);
}

/* Instead of the C library's: some file systems know no RENAME_NOREPLACE. */
static bool knows_no_flags;

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
	if (!knows_no_flags)
		return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
	errno = EINVAL;
	return -1;
}

#define RIVALS 6

struct race {
	int start[2], told[2], end[2]; /* pipes; the first and the last are closed to go on */
};

static void wait_for(const int ends[2])
{
	char byte;

	close(ends[1]);
	if (read(ends[0], &byte, 1) != 0)
		_exit(2);
}

/* Tells 'w' when it has stored a trial, 'r' when it is refused; holds the database till the end. */
static void rival(const struct race *r)
{
	struct fail f = { 0 };
	int64_t campaign, cell;
	struct store *s;
	char how = 'r';

	wait_for(r->start);
	s = store_open(here.path, STORE_WRITE, &f);
	if (s && store_claim(s, &f) == 0) {
		cell = fixture_add_cell(s, &campaign, &f);
		how = cell > 0 && fixture_add_trial(s, cell, 0, &f) > 0 ? 'w' : 'x';
	} else if (f.code != EBUSY || !strstr(f.text, "another run is writing to it")) {
		how = 'x';
	}
	if (how == 'x')
		fprintf(stderr, "a rival: %s\n", f.text);
	if (write(r->told[1], &how, 1) == 1)
		wait_for(r->end);
	store_close(s);
	_exit(0);
}

/* How many stored a trial; all others were refused by the sentence of the lock. */
static int race(void)
{
	struct race r;
	pid_t child[RIVALS];
	int winners = 0;
	char how;

	assert_int_equal(pipe(r.start) | pipe(r.told) | pipe(r.end), 0);
	for (int i = 0; i < RIVALS; i++) {
		child[i] = fork();
		if (child[i] == 0)
			rival(&r);
		assert_true(child[i] > 0);
	}
	close(r.start[1]);
	for (int i = 0; i < RIVALS; i++) {
		assert_int_equal(read(r.told[0], &how, 1), 1);
		assert_int_not_equal(how, 'x');
		winners += how == 'w';
	}
	close(r.end[1]);
	for (int i = 0; i < RIVALS; i++)
		assert_int_equal(waitpid(child[i], NULL, 0), child[i]);
	close(r.start[0]);
	close(r.told[0]);
	close(r.told[1]);
	close(r.end[0]);
	return winners;
}

static void check_winner(int winners)
{
	struct fail f = { 0 };
	struct store *s = open_or_fail(here.path, STORE_READ);

	assert_int_equal(winners, 1);
	assert_int_equal(store_newest_campaign(s, &f), 1);
	assert_int_equal(fixture_count_trials(s, 1, &f), 1);
	store_close(s);
	unlink(here.path);
	/* Of connections that end at once none may be the last, which removes these. */
	for (size_t i = 0; i < 2; i++) {
		char name[200];

		snprintf(name, sizeof(name), "%s%s", here.path, i ? "-shm" : "-wal");
		unlink(name);
	}
}

/* No file, an empty file, and both where a rename may replace anything. */
static void new_database_has_one_writer(void **state)
{
	(void)state;
	for (int round = 0; round < 16; round++) {
		knows_no_flags = round & 2;
		if (round & 1)
			close(open(here.path, O_WRONLY | O_CREAT, 0600));
		check_winner(race());
	}
	knows_no_flags = false;
}

/* SQLite would read it into the new database. */
static void log_of_a_lost_database_is_refused(void **state)
{
	struct fail f = { 0 };
	char log[200];

	(void)state;
	snprintf(log, sizeof(log), "%s-wal", here.path);
	assert_int_equal(path_write(log, "log", 3, 0600, &f), 0);
	assert_null(store_open(here.path, STORE_WRITE, &f));
	assert_int_equal(f.code, EEXIST);
	assert_non_null(strstr(f.text, "the database is gone, but its log "));
	assert_int_not_equal(access(here.path, F_OK), 0);
	fail_clear(&f);
	unlink(log);
	store_close(open_or_fail(here.path, STORE_WRITE));
}

static void its_files_are_its_own(void **state)
{
	char name[200];

	(void)state;
	store_close(open_or_fail(here.path, STORE_WRITE));
	assert_true(store_owns(here.path, here.path));
	snprintf(name, sizeof(name), "%s-wal", here.path); /* none now */
	assert_true(store_owns(here.path, name));
	snprintf(name, sizeof(name), "%s-shm", here.path);
	assert_true(store_owns(here.path, name));
	snprintf(name, sizeof(name), "%s.hard", here.path);
	assert_int_equal(link(here.path, name), 0);
	assert_true(store_owns(here.path, name));
	unlink(name);
	assert_false(store_owns(here.path, name));
}

/* SQLite would say "no such file" of a place that it may not write to. */
static void unwritable_place_is_named(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (access("/sys/kernel", F_OK))
		skip();
	assert_null(store_open("/sys/kernel/a.db", STORE_WRITE, &f));
	assert_true(f.code == EROFS || f.code == EACCES || f.code == EPERM);
	assert_non_null(strstr(f.text, "/sys/kernel/a.db: it cannot be made there: "));
	assert_null(strstr(f.text, "No such file"));
}

#define NOT_ALLOWED 77

/* In a child: a file system that may only be read, in a name space of its own. */
static int open_read_only(void)
{
	struct fail f = { 0 };
	struct store *s;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", here.directory, "tmpfs", 0, NULL) < 0)
		return NOT_ALLOWED;
	s = store_open(here.path, STORE_WRITE, &f);
	store_close(s);
	if (!s || mount(NULL, here.directory, NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0)
		return 2;
	if (store_open(here.path, STORE_WRITE, &f))
		return 3;
	if (f.code != EROFS || !strstr(f.text, "Read-only file system"))
		return 4;
	s = store_open(here.path, STORE_READ, &f);
	store_close(s);
	return s ? 0 : 5;
}

static void read_only_place_is_named(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		_exit(open_read_only());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED)
		skip();
	assert_int_equal(status, 0);
}

/* In a child, because a limit on file sizes cannot be raised again. */
static int make_within(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };
	struct fail f = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 2;
	if (store_open(here.path, STORE_WRITE, &f))
		return 3;
	return f.code == EFBIG || strstr(f.text, "ulimit -f") ? 0 : 4;
}

static void failure_leaves_no_file(void **state)
{
	struct dirent *entry;
	int status;
	DIR *dir;

	(void)state;
	for (rlim_t bytes = 0; bytes <= 16384; bytes += 4096) {
		pid_t child = fork();

		if (child == 0)
			_exit(make_within(bytes));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("a limit of %d bytes: status %x", (int)bytes, status);
	}
	dir = opendir(here.directory);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".db"))
			fail_msg("%s is left", entry->d_name);
	closedir(dir);
}

static void complete_campaigns_are_found(void **state)
{
	struct store *s = open_or_fail(here.path, STORE_WRITE);
	struct fail f = { 0 };
	struct campaign c;
	int64_t one, two;

	(void)state;
	fixture_campaign(&c);
	one = store_add_campaign(s, &c, &f);
	two = store_add_campaign(s, &c, &f);
	assert_int_equal(store_complete_campaign_of(s, c.text, &f), 0);
	assert_int_equal(store_complete_campaign(s, one, &f), 0);
	assert_int_equal(store_complete_campaign_of(s, c.text, &f), one);
	assert_int_equal(store_unfinished_campaign(s, c.text, &f), two);
	assert_int_equal(store_complete_campaign_of(s, "another", &f), 0);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_alone_has_every_trial, enter, leave),
		cmocka_unit_test_setup_teardown(one_writer_at_a_time, enter, leave),
		cmocka_unit_test_setup_teardown(new_database_has_one_writer, enter, leave),
		cmocka_unit_test_setup_teardown(log_of_a_lost_database_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(its_files_are_its_own, enter, leave),
		cmocka_unit_test_setup_teardown(unwritable_place_is_named, enter, leave),
		cmocka_unit_test_setup_teardown(read_only_place_is_named, enter, leave),
		cmocka_unit_test_setup_teardown(failure_leaves_no_file, enter, leave),
		cmocka_unit_test_setup_teardown(complete_campaigns_are_found, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
