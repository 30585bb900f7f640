/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_timeline - samples of associations on the wire, one JSON text for a cell.
 *
 * In a table of its own that is made with the first of them: a database without it is one
 * whose campaigns asked for none, and an older program does not miss it.
 */
#include <errno.h>
#include <sqlite3.h>

#include "results/store_db.h"

#define TABLE                                                           \
	"CREATE TABLE IF NOT EXISTS timeline (id INTEGER PRIMARY KEY, " \
	"parent INTEGER NOT NULL UNIQUE REFERENCES cell (id), data TEXT NOT NULL)"

static int64_t insert(struct store *s, int64_t cell, const char *json, struct fail *f)
{
	struct sqlite3_stmt *q =
		store_prepare(s, "INSERT INTO timeline (parent, data) VALUES (?1, ?2)", f);
	int64_t row = -1;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, cell);
	sqlite3_bind_text(q, 2, json, -1, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_DONE)
		row = sqlite3_last_insert_rowid(s->db);
	else
		store_fail(s, f, "storing a timeline");
	sqlite3_finalize(q);
	return row;
}

int store_add_timeline(struct store *s, int64_t cell, const char *json, struct fail *f)
{
	if (store_begin(s, f))
		return -1;
	return store_end(s, store_exec(s, TABLE, f) ? -1 : insert(s, cell, json, f), f) < 0 ? -1
											    : 0;
}

int store_get_timeline(struct store *s, int64_t cell, struct buf *json, struct fail *f)
{
	int64_t tables =
		store_integer(s, "SELECT count(*) FROM sqlite_master WHERE name = 'timeline'", f);
	struct sqlite3_stmt *q;
	int code, status = -1;

	if (tables <= 0)
		return (int)tables;
	q = store_prepare(s, "SELECT data FROM timeline WHERE parent = ?1", f);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, cell);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW) {
		buf_puts(json, (const char *)sqlite3_column_text(q, 0));
		status = json->failed ? fail_set(f, ENOMEM, "%s: no memory", s->path) : 1;
	} else if (code == SQLITE_DONE) {
		status = 0;
	} else {
		store_fail(s, f, "reading a timeline");
	}
	sqlite3_finalize(q);
	return status;
}
