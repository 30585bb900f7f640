/* SPDX-License-Identifier: Apache-2.0 */
/* access_db - schema and filling. It must not know what is looked up. */
#include "workloads/access_db.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/path.h"

#define BUSY_MS 5000

static const char schema[] =
	"CREATE TABLE users(id TEXT PRIMARY KEY, role TEXT NOT NULL, department TEXT NOT NULL, "
	"employment TEXT NOT NULL, issuer TEXT NOT NULL, clearance INTEGER NOT NULL, "
	"key_valid_from INTEGER NOT NULL, key_valid_until INTEGER NOT NULL, "
	"key_thumbprint BLOB NOT NULL, revoked INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE TABLE points(id TEXT PRIMARY KEY, area TEXT NOT NULL, building TEXT NOT NULL, "
	"kind TEXT NOT NULL, floor INTEGER NOT NULL, security INTEGER NOT NULL, "
	"disabled INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;";

static int complain(sqlite3 *db, const char *what, struct fail *f)
{
	return fail_set(f, EIO, "%s: %s", what, db ? sqlite3_errmsg(db) : "no memory");
}

static int run(sqlite3 *db, const char *sql, struct fail *f)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return complain(db, "the database of users cannot be made", f);
}

static void bind_user(sqlite3_stmt *s, const struct access_user *u, bool revoked)
{
	sqlite3_bind_text(s, 1, u->id, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, u->role, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, u->department, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 4, u->employment, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 5, u->issuer, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 6, u->clearance);
	sqlite3_bind_int64(s, 7, u->valid_from_ms);
	sqlite3_bind_int64(s, 8, u->valid_until_ms);
	sqlite3_bind_blob(s, 9, u->key, sizeof u->key, SQLITE_STATIC);
	sqlite3_bind_int(s, 10, revoked);
}

static void bind_point(sqlite3_stmt *s, const struct access_point *p, bool disabled)
{
	sqlite3_bind_text(s, 1, p->id, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, p->area, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, p->building, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 4, p->kind, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 5, p->floor);
	sqlite3_bind_int64(s, 6, p->security);
	sqlite3_bind_int(s, 7, disabled);
}

static int insert(sqlite3 *db, const char *sql, int64_t count, bool points, struct fail *f)
{
	sqlite3_stmt *s = NULL;
	int status = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK ? 0 : -1;

	for (int64_t i = 0; i < count && status == 0; i++) {
		struct access_point p;
		struct access_user u;
		bool off;

		if (points) {
			access_door(i, &p, &off);
			bind_point(s, &p, off);
		} else {
			access_person(i, &u, &off);
			bind_user(s, &u, off);
		}
		status = sqlite3_step(s) == SQLITE_DONE ? 0 : -1;
		sqlite3_reset(s);
	}
	if (status != 0)
		complain(db, "the database of users cannot be filled", f);
	sqlite3_finalize(s);
	return status;
}

/* No journal: what cannot be filled is thrown away whole. */
static int fill(sqlite3 *db, int64_t users, struct fail *f)
{
	if (run(db, "PRAGMA journal_mode = OFF", f) != 0 || run(db, "BEGIN IMMEDIATE", f) != 0 ||
	    run(db, schema, f) != 0)
		return -1;
	if (insert(db, "INSERT INTO users VALUES(?,?,?,?,?,?,?,?,?,?)", users, false, f) != 0 ||
	    insert(db, "INSERT INTO points VALUES(?,?,?,?,?,?,?)", ACCESS_POINTS, true, f) != 0)
		return -1;
	return run(db, "COMMIT", f);
}

static int open_db(const char *file, int flags, sqlite3 **db, struct fail *f)
{
	if (sqlite3_open_v2(file, db, SQLITE_OPEN_NOMUTEX | flags, NULL) != SQLITE_OK)
		return complain(*db, "cannot open the database of users", f);
	sqlite3_busy_timeout(*db, BUSY_MS);
	return 0;
}

static int make_db(const char *file, int64_t users, sqlite3 **db, struct fail *f)
{
	if (open_db(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, db, f) != 0)
		return -1;
	return fill(*db, users ? users : ACCESS_USERS, f);
}

/* Never over what somebody else has put there meanwhile. -1: errno. */
static int move_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!path_exists(to)) /* a file system that cannot do better */
		return rename(from, to);
	errno = EEXIST;
	return -1;
}

static int put(const char *beside, const char *file, int64_t users, struct fail *f)
{
	sqlite3 *db = NULL;
	int status = make_db(beside, users, &db, f);

	sqlite3_close(db);
	if (status == 0 && move_new(beside, file) != 0)
		status = fail_set(f, errno, "%s: the database of users cannot be put there: %s",
				  file, strerror(errno));
	if (status != 0)
		unlink(beside);
	return status;
}

static bool is_still(int fd, const char *path)
{
	struct stat held, there;

	return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
	       held.st_dev == there.st_dev;
}

/*
 * Beside its place, under a lock, and moved there when it is whole. One that was killed leaves
 * a file beside it, which the next one takes over.
 */
static int make_file(const char *file, int64_t users, struct fail *f)
{
	char beside[PATH_BYTES];
	int fd, status = 0;

	if (snprintf(beside, sizeof beside, "%s.new", file) >= (int)sizeof beside)
		return fail_set(f, ENAMETOOLONG, "the database of users has too long a name");
	for (;;) {
		fd = open(beside, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0 || flock(fd, LOCK_EX) != 0)
			status = fail_set(f, errno, "%s: the database of users cannot be made: %s",
					  beside, strerror(errno));
		if (status != 0 || is_still(fd, beside))
			break;
		close(fd); /* who held it has moved it to its place, or away */
	}
	if (status == 0 && path_exists(file))
		unlink(beside);
	else if (status == 0 && ftruncate(fd, 0) != 0)
		status = fail_set(f, errno, "%s: %s", beside, strerror(errno));
	else if (status == 0)
		status = put(beside, file, users, f);
	if (fd >= 0)
		close(fd);
	return status;
}

/* Who wanted to make it may have found one that was made meanwhile. */
static int check_count(sqlite3 *db, const char *file, int64_t users, struct fail *f)
{
	sqlite3_stmt *s = NULL;
	int64_t there;

	if (sqlite3_prepare_v2(db, "SELECT count(*) FROM users", -1, &s, NULL) != SQLITE_OK ||
	    sqlite3_step(s) != SQLITE_ROW) {
		sqlite3_finalize(s);
		return complain(db, "the database of users cannot be read", f);
	}
	there = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	if (there == users)
		return 0;
	return fail_set(f, EEXIST,
			"%s: another process has just made it, with %" PRId64 " users instead of "
			"%" PRId64 "; to use it as it is, do not say how many",
			file, there, users);
}

int access_db_open(const char *file, int64_t users, sqlite3 **db, struct fail *f)
{
	if (users < 0 || users > ACCESS_USERS_MAX)
		return fail_set(f, EINVAL, "%" PRId64 " users: expected at most %d", users,
				ACCESS_USERS_MAX);
	if (!file)
		return make_db(":memory:", users, db, f);
	if (path_exists(file))
		return open_db(file, SQLITE_OPEN_READONLY, db, f);
	if (make_file(file, users, f) != 0 || open_db(file, SQLITE_OPEN_READONLY, db, f) != 0)
		return -1;
	return users ? check_count(*db, file, users, f) : 0;
}
