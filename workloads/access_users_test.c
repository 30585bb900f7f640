/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_users_test - records found, kept, and seen to change; files that are no database, or
 * cannot become one.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "lib/clock.h"
#include "workloads/access_people.h"
#include "workloads/access_users.h"

/* What is looked up is what was generated, for many more than are kept. */
static void as_generated(void **state)
{
	const int64_t users = 3 * ACCESS_CACHED_USERS;
	struct fail f = { 0 };
	struct access_users *u = access_users_open(NULL, users, &f);

	(void)state;
	assert_non_null(u);
	for (int64_t i = 0; i < users; i++) {
		const struct access_person_record *r;
		struct access_user want;
		bool revoked;

		access_person(i, &want, &revoked);
		r = access_users_person(u, want.id, 0, &f);
		assert_non_null(r);
		assert_string_equal(r->user.id, want.id);
		assert_string_equal(r->user.role, want.role);
		assert_int_equal(r->user.clearance, want.clearance);
		assert_memory_equal(r->user.key, want.key, sizeof want.key);
		assert_int_equal(r->revoked, revoked);
	}
	assert_int_equal(access_users_misses(u), users);
	for (int64_t i = 0; i < ACCESS_POINTS; i++) {
		const struct access_point_record *r;
		struct access_point want;
		bool disabled;

		access_door(i, &want, &disabled);
		r = access_users_point(u, want.id, 0, &f);
		assert_non_null(r);
		assert_string_equal(r->point.area, want.area);
		assert_int_equal(r->point.floor, want.floor);
		assert_int_equal(r->disabled, disabled);
	}
	access_users_close(u);
}

static void revoke_user(const char *file, const char *id)
{
	char sql[128];
	sqlite3 *db;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	snprintf(sql, sizeof sql, "UPDATE users SET revoked = 1 WHERE id = '%s'", id);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_changes(db), 1);
	sqlite3_close(db);
}

static void revocation_is_seen(void **state)
{
	char dir[] = "/tmp/access_test.XXXXXX", file[64];
	int64_t at_ns = clock_ns();
	const char *id = "U0000042";
	struct access_users *u;
	struct fail f = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/users.db", dir);
	u = access_users_open(file, 300, &f);
	assert_non_null(u);
	assert_false(access_users_person(u, id, at_ns, &f)->revoked);
	assert_null(access_users_person(u, "U0000300", at_ns, &f));
	assert_int_equal(f.code, 0);
	assert_int_equal(access_users_misses(u), 2);
	revoke_user(file, id);
	assert_false(access_users_person(u, id, at_ns + ACCESS_CACHE_NS - 1, &f)->revoked);
	assert_int_equal(access_users_misses(u), 2);
	assert_true(access_users_person(u, id, at_ns + ACCESS_CACHE_NS, &f)->revoked);
	access_users_close(u);
	unlink(file);
	rmdir(dir);
}

static void no_database(void **state)
{
	char name[] = "/tmp/access_test.XXXXXX";
	int fd = mkstemp(name);
	struct fail f = { 0 };

	(void)state;
	assert_true(fd >= 0 && write(fd, "no database, but a text", 23) == 23);
	close(fd);
	assert_null(access_users_open(name, 0, &f));
	assert_non_null(strstr(f.text, name));
	unlink(name);
}

/* The limit stands for a full disk: it is met in the middle of filling. */
static void no_room_leaves_nothing(void **state)
{
	char dir[] = "/tmp/access_test.XXXXXX", file[64];
	struct rlimit before, small;
	struct access_users *u;
	struct fail f = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/users.db", dir);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ .rlim_cur = 65536, .rlim_max = before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	u = access_users_open(file, 20000, &f);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_null(u);
	assert_non_null(strstr(f.text, file));
	assert_int_equal(rmdir(dir), 0); /* it is empty */
}

/* Two that find no file make one each; the one that is second uses what the first has made. */
static void *open_one(void *data)
{
	struct fail f = { 0 };

	*(struct access_users **)data = access_users_open("made_twice.db", 20000, &f);
	return NULL;
}

static void nobody_replaces_what_was_made_meanwhile(void **state)
{
	char dir[] = "/tmp/access_test.XXXXXX", *before = getcwd(NULL, 0);
	struct access_users *u[4] = { 0 };
	struct fail f = { 0 };
	struct stat there;
	pthread_t t[4];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	/* What one that was killed has left. */
	fd = open("made_twice.db.new", O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0 && write(fd, "half of it", 10) == 10);
	close(fd);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, open_one, &u[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	revoke_user("made_twice.db", "U0000042");
	for (int i = 0; i < 4; i++) {
		assert_non_null(u[i]);
		assert_true(access_users_person(u[i], "U0000042", clock_ns(), &f)->revoked);
		access_users_close(u[i]);
	}
	assert_int_not_equal(stat("made_twice.db.new", &there), 0);
	assert_int_equal(unlink("made_twice.db"), 0);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(rmdir(dir), 0);
	free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_generated),
		cmocka_unit_test(revocation_is_seen),
		cmocka_unit_test(no_database),
		cmocka_unit_test(no_room_leaves_nothing),
		cmocka_unit_test(nobody_replaces_what_was_made_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
