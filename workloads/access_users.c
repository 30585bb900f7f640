/* SPDX-License-Identifier: Apache-2.0 */
/* access_users - look-ups by prepared statements, and what is kept of them. */
#include "workloads/access_users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "workloads/access_db.h"

struct access_users {
	sqlite3 *db;
	sqlite3_stmt *user, *point, *version;
	int64_t misses, checked_ns;
	int seen_version;
	struct access_person_record *users;
	struct access_point_record *points;
};

static int complain(struct access_users *u, const char *what, struct fail *f)
{
	return fail_set(f, EIO, "%s: %s", what, sqlite3_errmsg(u->db));
}

/* --- opening -------------------------------------------------------------------- */

static int prepare(struct access_users *u, sqlite3_stmt **s, const char *sql, struct fail *f)
{
	if (sqlite3_prepare_v3(u->db, sql, -1, SQLITE_PREPARE_PERSISTENT, s, NULL) == SQLITE_OK)
		return 0;
	return complain(u, "this is no database of users and access points", f);
}

static int prepare_all(struct access_users *u, struct fail *f)
{
	if (prepare(u, &u->user,
		    "SELECT role, department, employment, issuer, clearance, key_valid_from, "
		    "key_valid_until, key_thumbprint, revoked FROM users WHERE id = ?1",
		    f) != 0 ||
	    prepare(u, &u->point,
		    "SELECT area, building, kind, floor, security, disabled FROM points "
		    "WHERE id = ?1",
		    f) != 0)
		return -1;
	return prepare(u, &u->version, "PRAGMA data_version", f);
}

struct access_users *access_users_open(const char *file, int64_t users, struct fail *f)
{
	struct access_users *u = calloc(1, sizeof *u);

	if (!u) {
		fail_set(f, ENOMEM, "no memory for users");
		return NULL;
	}
	u->checked_ns = INT64_MIN;
	u->users = calloc(ACCESS_CACHED_USERS, sizeof *u->users);
	u->points = calloc(ACCESS_CACHED_POINTS, sizeof *u->points);
	if (!u->users || !u->points)
		fail_set(f, ENOMEM, "no memory for users");
	else if (access_db_open(file, users, &u->db, f) == 0 && prepare_all(u, f) == 0)
		return u;
	if (file)
		fail_within(f, "%s", file);
	access_users_close(u);
	return NULL;
}

void access_users_close(struct access_users *u)
{
	if (!u)
		return;
	sqlite3_finalize(u->user);
	sqlite3_finalize(u->point);
	sqlite3_finalize(u->version);
	sqlite3_close(u->db);
	free(u->users);
	free(u->points);
	free(u);
}

/* --- columns -------------------------------------------------------------------- */

/* Which record is being read, and whether every column so far was good. */
struct row {
	sqlite3_stmt *s;
	const char *wrong; /* name of the first column that was not */
};

static void take_text(struct row *r, int column, char *dst, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(r->s, column);
	size_t len = (size_t)sqlite3_column_bytes(r->s, column);

	if (!text || len == 0 || len >= size || strlen(text) != len) {
		r->wrong = r->wrong ? r->wrong : sqlite3_column_name(r->s, column);
		return;
	}
	memcpy(dst, text, len + 1);
}

static int64_t take_integer(struct row *r, int column)
{
	if (sqlite3_column_type(r->s, column) != SQLITE_INTEGER)
		r->wrong = r->wrong ? r->wrong : sqlite3_column_name(r->s, column);
	return sqlite3_column_int64(r->s, column);
}

static void take_key(struct row *r, int column, uint8_t *dst)
{
	const void *bytes = sqlite3_column_blob(r->s, column);

	if (bytes && sqlite3_column_bytes(r->s, column) == ACCESS_KEY_BYTES)
		memcpy(dst, bytes, ACCESS_KEY_BYTES);
	else
		r->wrong = r->wrong ? r->wrong : sqlite3_column_name(r->s, column);
}

static void take_user(struct row *r, struct access_person_record *p)
{
	take_text(r, 0, p->user.role, sizeof p->user.role);
	take_text(r, 1, p->user.department, sizeof p->user.department);
	take_text(r, 2, p->user.employment, sizeof p->user.employment);
	take_text(r, 3, p->user.issuer, sizeof p->user.issuer);
	p->user.clearance = take_integer(r, 4);
	p->user.valid_from_ms = take_integer(r, 5);
	p->user.valid_until_ms = take_integer(r, 6);
	take_key(r, 7, p->user.key);
	p->revoked = take_integer(r, 8) != 0;
}

static void take_point(struct row *r, struct access_point_record *p)
{
	take_text(r, 0, p->point.area, sizeof p->point.area);
	take_text(r, 1, p->point.building, sizeof p->point.building);
	take_text(r, 2, p->point.kind, sizeof p->point.kind);
	p->point.floor = take_integer(r, 3);
	p->point.security = take_integer(r, 4);
	p->disabled = take_integer(r, 5) != 0;
}

/* --- look-ups ------------------------------------------------------------------- */

static int read_version(struct access_users *u, int *version, struct fail *f)
{
	int status = sqlite3_step(u->version);

	*version = sqlite3_column_int(u->version, 0);
	sqlite3_reset(u->version);
	return status == SQLITE_ROW ? 0 : complain(u, "users cannot be read", f);
}

static int freshen(struct access_users *u, int64_t now_ns, struct fail *f)
{
	int version;

	if (u->checked_ns != INT64_MIN && now_ns - u->checked_ns < ACCESS_CACHE_NS)
		return 0;
	if (read_version(u, &version, f) != 0)
		return -1;
	if (version != u->seen_version) {
		memset(u->users, 0, ACCESS_CACHED_USERS * sizeof *u->users);
		memset(u->points, 0, ACCESS_CACHED_POINTS * sizeof *u->points);
	}
	u->seen_version = version;
	u->checked_ns = now_ns;
	return 0;
}

static size_t place(const char *id, size_t places)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
	return (size_t)(h >> 20) & (places - 1);
}

/* 1: r stands on the row, to be reset by the caller. 0: none. -1: f. */
static int find_row(struct access_users *u, sqlite3_stmt *s, const char *id, struct fail *f)
{
	int status;

	u->misses++;
	sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC);
	status = sqlite3_step(s);
	if (status == SQLITE_ROW)
		return 1;
	sqlite3_reset(s);
	return status == SQLITE_DONE ? 0 : complain(u, "users cannot be read", f);
}

static int check_row(const struct row *r, const char *id, struct fail *f)
{
	if (!r->wrong)
		return 0;
	return fail_set(f, EINVAL, "the record of %s has no good %s", id, r->wrong);
}

const struct access_person_record *access_users_person(struct access_users *u, const char *id,
						       int64_t now_ns, struct fail *f)
{
	struct access_person_record *p = &u->users[place(id, ACCESS_CACHED_USERS)];
	struct row r = { .s = u->user };
	int status;

	if (freshen(u, now_ns, f) != 0)
		return NULL;
	if (strcmp(p->user.id, id) == 0)
		return p;
	if (find_row(u, u->user, id, f) != 1)
		return NULL;
	*p = (struct access_person_record){ 0 };
	take_user(&r, p);
	status = check_row(&r, id, f);
	sqlite3_reset(u->user);
	if (status != 0)
		return NULL;
	memcpy(p->user.id, id, strlen(id) + 1);
	return p;
}

const struct access_point_record *access_users_point(struct access_users *u, const char *id,
						     int64_t now_ns, struct fail *f)
{
	struct access_point_record *p = &u->points[place(id, ACCESS_CACHED_POINTS)];
	struct row r = { .s = u->point };
	int status;

	if (freshen(u, now_ns, f) != 0)
		return NULL;
	if (strcmp(p->point.id, id) == 0)
		return p;
	if (find_row(u, u->point, id, f) != 1)
		return NULL;
	*p = (struct access_point_record){ 0 };
	take_point(&r, p);
	status = check_row(&r, id, f);
	sqlite3_reset(u->point);
	if (status != 0)
		return NULL;
	memcpy(p->point.id, id, strlen(id) + 1);
	return p;
}

int64_t access_users_misses(const struct access_users *u)
{
	return u->misses;
}
