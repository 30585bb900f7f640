/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - open, create and close the database, and say what went wrong with it.
 *
 * A new database is made beside its place and moved there whole, so a file at the
 * path is either ours with all its tables or was there before.
 */
#include "results/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/store_db.h"

/* Others write for milliseconds; a report may copy the log for longer. */
#define BUSY_WAIT_MS 10000

/* A failing COMMIT leaves its errno with the log's file only. */
static int log_errno(struct store *s)
{
	sqlite3_file *log = NULL;
	int code = 0;

	sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code);
	return code;
}

/*
 * A write that fits in part looks the same to SQLite, whatever stopped it; so does a
 * log's index that could not grow.
 */
static const char *size_hint(void)
{
	struct rlimit limit;

	bool limited = !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY;

	return limited ? ", or the limit on the size of files (ulimit -f) reached" : "";
}

static int fail_system(struct store *s, struct fail *f, const char *doing)
{
	int code = sqlite3_system_errno(s->db);

	code = code ? code : log_errno(s);
	return fail_set(f, code ? code : EIO, "%s: %s: %s%s", s->path, doing,
			code ? strerror(code) : sqlite3_errmsg(s->db), code ? "" : size_hint());
}

int store_fail(struct store *s, struct fail *f, const char *doing)
{
	if (!s->db)
		return fail_set(f, ENOMEM, "%s: no memory", s->path);
	if (sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_UNIQUE)
		return fail_set(f, EEXIST, "%s: %s: it is stored already", s->path, doing);
	switch (sqlite3_errcode(s->db) & 0xff) {
	case SQLITE_FULL:
		return fail_set(f, ENOSPC,
				"%s: %s: the disk is full%s; what was stored before is "
				"whole",
				s->path, doing, size_hint());
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return fail_system(s, f, doing);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return fail_set(f, EBADMSG, "%s: not a cipherwatt database or damaged: %s", s->path,
				sqlite3_errmsg(s->db));
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail_set(f, EBUSY, "%s: %s: another process is writing to it", s->path,
				doing);
	case SQLITE_READONLY:
		return fail_set(f, EROFS, "%s: %s: it may not be written to", s->path, doing);
	default:
		return fail_set(f, EIO, "%s: %s: %s", s->path, doing, sqlite3_errmsg(s->db));
	}
}

int store_exec(struct store *s, const char *sql, struct fail *f)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return store_fail(s, f, "changing the database");
	return 0;
}

struct sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct fail *f)
{
	struct sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
		store_fail(s, f, "asking the database");
	return q;
}

int64_t store_integer(struct store *s, const char *sql, struct fail *f)
{
	struct sqlite3_stmt *q = store_prepare(s, sql, f);
	int64_t value = -1;

	if (!q)
		return -1;
	if (sqlite3_step(q) == SQLITE_ROW)
		value = sqlite3_column_int64(q, 0);
	else
		store_fail(s, f, "asking the database");
	sqlite3_finalize(q);
	return value;
}

int store_begin(struct store *s, struct fail *f)
{
	return store_exec(s, "BEGIN IMMEDIATE", f);
}

int64_t store_end(struct store *s, int64_t status, struct fail *f)
{
	if (status >= 0 && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		status = store_fail(s, f, "writing to the database");
	/* Some failures have rolled back by themselves. */
	if (status < 0 && !sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

void store_checkpoint(struct store *s)
{
	sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static int lock(int fd, const char *path, struct fail *f)
{
	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return fail_set(f, EBUSY,
				"%s: another run is writing to it; wait for its end, or name "
				"another database with --db",
				path);
	return fail_set(f, errno, "%s: it cannot be locked: %s", path, strerror(errno));
}

int store_claim(struct store *s, struct fail *f)
{
	if (s->claim_fd < 0)
		s->claim_fd = open(s->path, O_RDONLY | O_CLOEXEC);
	return lock(s->claim_fd, s->path, f);
}

bool store_owns(const char *database, const char *path)
{
	static const char *const endings[] = { "", "-wal", "-shm", "-journal" };
	char name[PATH_BYTES + 16];

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		snprintf(name, sizeof(name), "%s%s", database, endings[i]);
		if (path_same(name, path))
			return true;
	}
	return false;
}

static bool directory_is_writable(const char *path)
{
	char name[PATH_BYTES];
	char *slash;

	snprintf(name, sizeof(name), "%s", path);
	slash = strrchr(name, '/');
	if (slash)
		slash[1] = '\0';
	return access(slash ? name : ".", W_OK) == 0;
}

/*
 * How to open for reading. A log with something in it is a writer's, alive or killed: nothing of
 * it is touched. Without one SQLite makes an empty log, which only a connection that could
 * write takes away again. Where no log can be made nobody can be writing, so the file is
 * constant.
 */
static int read_flags(const char *path, bool *constant)
{
	if (store_has_log(path))
		return SQLITE_OPEN_READONLY;
	if (directory_is_writable(path) && access(path, W_OK) == 0)
		return SQLITE_OPEN_READWRITE;
	*constant = !directory_is_writable(path);
	return SQLITE_OPEN_READONLY;
}

static void put_uri(struct buf *uri, const char *path, bool constant)
{
	buf_puts(uri, "file:");
	for (const char *c = path; *c; c++)
		if (strchr("%?#", *c))
			buf_printf(uri, "%%%02X", (unsigned char)*c);
		else
			buf_byte(uri, (uint8_t)*c);
	if (constant)
		buf_puts(uri, "?immutable=1");
}

static int connect_file(struct store *s, const char *path, int flags, struct fail *f)
{
	struct buf uri = { 0 };
	bool constant = false;
	int code;

	if (s->mode == STORE_READ)
		flags = read_flags(path, &constant);
	put_uri(&uri, path, constant);
	code = sqlite3_open_v2(buf_text(&uri), &s->db, flags | SQLITE_OPEN_URI, NULL);
	buf_release(&uri);
	if (code != SQLITE_OK)
		return store_fail(s, f, "opening the database");
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_WAIT_MS);
	return store_exec(s,
			  s->mode == STORE_READ
				  ? "PRAGMA query_only = ON"
				  : "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL",
			  f);
}

/*
 * Only an empty file is ever replaced, and only by the one that holds it: who waits for its
 * place must not take a database for the empty file that was seen there before.
 */
static int replace_empty(const char *from, const char *to, int flags, struct fail *f)
{
	int fd = open(to, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags, 0644);
	struct stat held, there;
	int status = lock(fd, to, f);

	if (status == 0 && (fstat(fd, &held) < 0 || stat(to, &there) < 0))
		status = fail_set(f, errno, "%s: %s", to, strerror(errno));
	else if (status == 0 &&
		 (held.st_size > 0 || there.st_ino != held.st_ino || there.st_dev != held.st_dev))
		unlink(from); /* another process was first */
	else if (status == 0 && rename(from, to) < 0)
		status = fail_set(f, errno, "%s: %s", to, strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

static int move_new(const char *from, const char *to, struct fail *f)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno == EEXIST)
		return replace_empty(from, to, 0, f);
	if (errno == EINVAL || errno == ENOSYS) /* a file system that cannot */
		return replace_empty(from, to, O_CREAT, f);
	return fail_set(f, errno, "%s: %s", to, strerror(errno));
}

/* SQLite's own files, too: a failure may leave them. */
static void remove_new(const char *place)
{
	static const char *const endings[] = { "", "-journal", "-wal", "-shm" };
	char name[PATH_BYTES + 16];

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		snprintf(name, sizeof(name), "%s%s", place, endings[i]);
		unlink(name);
	}
}

/* SQLite forgets why it could not make a file. */
static int make_empty(const char *place, const char *path, struct fail *f)
{
	int fd = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return fail_set(f, errno, "%s: it cannot be made there: %s", path, strerror(errno));
	close(fd);
	return 0;
}

static int make_file(const char *path, struct fail *f)
{
	struct store fresh = { .mode = STORE_WRITE, .claim_fd = -1 };
	char place[PATH_BYTES];
	int status;

	if (snprintf(place, sizeof(place), "%s.new-%d", path, (int)getpid()) >=
	    (int)sizeof(place) - 16)
		return fail_set(f, ENAMETOOLONG, "%s: the name is too long", path);
	remove_new(place);
	snprintf(fresh.path, sizeof(fresh.path), "%s", path);
	status = make_empty(place, path, f);
	if (status == 0)
		status = connect_file(&fresh, place, SQLITE_OPEN_READWRITE, f);
	if (status == 0)
		status = store_create_tables(&fresh, f);
	if (status == 0)
		status = store_exec(&fresh, "PRAGMA journal_mode = WAL", f);
	sqlite3_close(fresh.db);
	if (status == 0)
		status = move_new(place, path, f);
	if (status < 0)
		remove_new(place);
	return status;
}

/*
 * 1: it is to be made, 0: it is there, -1: refused. The log of a database that was taken away
 * would be read into a new one of its name; a log whose database another process has made since
 * we looked belongs to that.
 */
static int find_file(struct store *s, struct fail *f)
{
	int found = store_inspect(s->path, s->mode, f);

	if (found != 1 || !store_has_log(s->path))
		return found;
	found = store_inspect(s->path, s->mode, f);
	if (found == 1)
		return fail_set(f, EEXIST,
				"%s: the database is gone, but its log %s-wal is there: put the "
				"database back, remove the log, or name another with --db",
				s->path, s->path);
	return found;
}

static int open_file(struct store *s, struct fail *f)
{
	int found = find_file(s, f);
	int64_t version;

	if (found == 0 && s->mode == STORE_WRITE && !directory_is_writable(s->path))
		return fail_set(f, errno, "%s: a log cannot be made beside it: %s", s->path,
				strerror(errno));
	if (found < 0 || (found == 1 && make_file(s->path, f) < 0))
		return -1;
	if (connect_file(s, s->path, SQLITE_OPEN_READWRITE, f) < 0)
		return -1;
	version = store_integer(s, "PRAGMA user_version", f);
	if (version < 0 || store_check_version(s->path, version, f) < 0)
		return -1;
	if (s->mode == STORE_WRITE && sqlite3_db_readonly(s->db, "main"))
		return fail_set(f, EROFS, "%s: it may not be written to", s->path);
	return store_list_columns(s, f);
}

struct store *store_open(const char *path, enum store_mode mode, struct fail *f)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s) {
		fail_set(f, ENOMEM, "%s: no memory", path);
		return NULL;
	}
	s->mode = mode;
	s->claim_fd = -1;
	if (strlen(path) >= sizeof(s->path) - 32)
		fail_set(f, ENAMETOOLONG, "%s: the name is too long", path);
	else
		strcpy(s->path, path);
	if (!*s->path || open_file(s, f) < 0) {
		if (!*path)
			fail_set(f, EINVAL, "the database's name is empty");
		store_close(s);
		return NULL;
	}
	return s;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->trials);
	trial_release(&s->trial);
	sqlite3_close(s->db);
	if (s->claim_fd >= 0) /* not before: closing a file drops SQLite's own locks on it */
		close(s->claim_fd);
	for (int i = 0; i < STORE_TABLES; i++)
		buf_release(&s->columns[i]);
	free(s);
}
