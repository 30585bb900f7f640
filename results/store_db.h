/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_db - what the files of the store share: the open database, the tables'
 * description and the wording of its errors. Not for anyone else.
 */
#ifndef RESULTS_STORE_DB_H
#define RESULTS_STORE_DB_H

#include "lib/buf.h"
#include "lib/path.h"
#include "results/store.h"

struct sqlite3;
struct sqlite3_stmt;

/*
 * The version changes when an older program would misread a file. A new column does
 * not change it: older programs name the columns they read, newer ones add what is missing.
 */
#define STORE_SCHEMA         1
#define STORE_APPLICATION_ID 0x43505754 /* "CPWT" */

struct store {
	struct sqlite3 *db;
	enum store_mode mode;
	char path[PATH_BYTES];
	int claim_fd;          /* locked while it is open; -1 */
	struct buf columns[4]; /* per table, what SELECT names; see store_list_columns() */
	/* Of store_each_trial(), kept from cell to cell. */
	struct sqlite3_stmt *trials;
	struct trial trial;
	bool reading;
};

struct store_hist {
	const char *name; /* NULL ends the list */
	size_t offset;
};

struct store_table {
	const char *name;
	const char *parent; /* the table its rows belong to, or NULL */
	const char *unique; /* column unique under a parent, or NULL */
	struct field_part part[4];
	struct store_hist hist[4];
};

enum store_table_id { STORE_CAMPAIGN, STORE_NODE, STORE_CELL, STORE_TRIAL, STORE_TABLES };
extern const struct store_table store_tables[STORE_TABLES];

/* Make the tables in a new, empty database. */
int store_create_tables(struct store *s, struct fail *f);
/*
 * Compare the tables with what this program knows. Columns that the file has not are
 * added when it is open for writing, and read as NULL otherwise.
 */
int store_list_columns(struct store *s, struct fail *f);

/* Refuse a schema that is newer than this program, naming both. */
int store_check_version(const char *path, int64_t version, struct fail *f);
/* Is this file ours? Looks at the bytes only. 1: empty or absent, 0: ours, -1: refused. */
int store_inspect(const char *path, enum store_mode mode, struct fail *f);

/*
 * What is in the log, into the file, as far as readers let it: a copy of the file alone is then
 * whole. What fails here stays in the log, so nothing is lost.
 */
void store_checkpoint(struct store *s);

/* A write-ahead log with something in it: the file alone may then lack pages. */
bool store_has_log(const char *path);

/* The last error of the database as a sentence; always -1. */
int store_fail(struct store *s, struct fail *f, const char *doing);
int store_exec(struct store *s, const char *sql, struct fail *f);
/* The integer that a query gives; -1: failure. */
int64_t store_integer(struct store *s, const char *sql, struct fail *f);
/* BEGIN before, and after: COMMIT when status is not negative, else or if that fails ROLLBACK. */
int store_begin(struct store *s, struct fail *f);
int64_t store_end(struct store *s, int64_t status, struct fail *f);
struct sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct fail *f);

/*
 * INSERT of one row, and SELECT of rows: "id" first, then every column of the table in
 * order. `having` is what stands behind FROM, with ?1 for the argument.
 */
int64_t store_insert(struct store *s, enum store_table_id id, int64_t parent, const void *record,
		     struct fail *f);
struct sqlite3_stmt *store_select(struct store *s, enum store_table_id id, const char *having,
				  int64_t argument, struct fail *f);
/* 1: a row is in record (histograms must be initialised), 0: no more, -1: failure. */
int store_next(struct store *s, struct sqlite3_stmt *q, enum store_table_id id, int64_t *row_id,
	       void *record, struct fail *f);

#endif
