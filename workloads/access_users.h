/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_users - the records of users and access points: a SQLite database behind a bounded
 * cache. One instance per thread.
 *
 * The database of another program is well when it has these tables; more columns do no harm.
 *
 *   users(id TEXT PRIMARY KEY, role, department, employment, issuer TEXT, clearance INTEGER,
 *         key_valid_from, key_valid_until INTEGER (ms since 1970), key_thumbprint BLOB,
 *         revoked INTEGER)
 *   points(id TEXT PRIMARY KEY, area, building, kind TEXT, floor, security, disabled INTEGER)
 *
 * SUMMARY: memory is that of ACCESS_CACHED_USERS and ACCESS_CACHED_POINTS records, whatever
 * the number of users, and of SQLite's page cache. A change made by another connection, such
 * as a revocation, is seen ACCESS_CACHE_NS later at most.
 * DETAILS: the cache is a table with one place for each hash. A hit costs a hash and a
 * comparison, a miss one look-up in a B-tree. SQLite's data_version, which a change by another
 * connection moves, is asked for every ACCESS_CACHE_NS, and empties the cache.
 */
#ifndef WORKLOADS_ACCESS_USERS_H
#define WORKLOADS_ACCESS_USERS_H

#include "workloads/access_message.h"

#define ACCESS_CACHED_USERS  4096
#define ACCESS_CACHED_POINTS 1024
#define ACCESS_CACHE_NS      INT64_C(100000000)

struct access_person_record {
	struct access_user user;
	bool revoked;
};

struct access_point_record {
	struct access_point point;
	bool disabled;
};

struct access_users;

/*
 * file NULL: in memory, with so many generated users (access_people.h). A file that is not
 * there is made with them, whole or not at all.
 */
struct access_users *access_users_open(const char *file, int64_t users, struct fail *f);
void access_users_close(struct access_users *u);

/*
 * NULL, with f clear: there is none; with f: the database failed, or its record is no good.
 * The record is good until the next call. Monotonic time.
 */
const struct access_person_record *access_users_person(struct access_users *u, const char *id,
						       int64_t now_ns, struct fail *f);
const struct access_point_record *access_users_point(struct access_users *u, const char *id,
						     int64_t now_ns, struct fail *f);

/* Look-ups that went to the database. */
int64_t access_users_misses(const struct access_users *u);

#endif
