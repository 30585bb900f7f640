/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_write - rows into the database, columns in the order of the field tables.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>

#include "results/store_db.h"

struct binding {
	struct sqlite3_stmt *q;
	int column; /* of the next parameter, from 1 */
};

static void put_name(const char *name, const struct field *f, const void *base, void *data)
{
	(void)f;
	(void)base;
	buf_printf(data, ", \"%s\"", name);
}

static int put_insert(struct buf *sql, const struct store_table *t)
{
	int columns = 1;

	buf_printf(sql, "INSERT INTO \"%s\" (id", t->name);
	if (t->parent)
		buf_puts(sql, ", parent");
	field_each(t->part, NULL, put_name, sql);
	for (const struct store_hist *h = t->hist; h->name; h++)
		buf_printf(sql, ", \"%s\"", h->name);
	for (size_t i = 0; i < sql->len; i++)
		columns += sql->data[i] == ',';
	buf_puts(sql, ") VALUES (NULL");
	for (int i = 1; i < columns; i++)
		buf_printf(sql, ", ?%d", i);
	buf_byte(sql, ')');
	return sql->failed ? -1 : 0;
}

static void bind_field(const char *name, const struct field *f, const void *base, void *data)
{
	struct binding *b = data;
	const void *at = (const char *)base + f->offset;

	(void)name;
	if (!field_known(f, base))
		sqlite3_bind_null(b->q, b->column);
	else if (f->kind == FIELD_INT)
		sqlite3_bind_int64(b->q, b->column, *(const int64_t *)at);
	else if (f->kind == FIELD_BOOL)
		sqlite3_bind_int(b->q, b->column, *(const bool *)at);
	else if (f->kind == FIELD_REAL)
		sqlite3_bind_double(b->q, b->column, *(const double *)at);
	else
		sqlite3_bind_text(b->q, b->column, field_text(f, base), -1, SQLITE_STATIC);
	b->column++;
}

static int bind_hist(struct binding *b, const struct hist *h)
{
	struct buf bytes = { 0 };
	int code = SQLITE_NOMEM;

	hist_encode(h, &bytes);
	if (!bytes.failed)
		code = sqlite3_bind_blob64(b->q, b->column++, bytes.data, bytes.len,
					   SQLITE_TRANSIENT);
	buf_release(&bytes);
	return code == SQLITE_OK ? 0 : -1;
}

static int bind_row(struct sqlite3_stmt *q, const struct store_table *t, int64_t parent,
		    const void *record)
{
	struct binding b = { .q = q, .column = 1 };

	if (t->parent)
		sqlite3_bind_int64(q, b.column++, parent);
	field_each(t->part, record, bind_field, &b);
	for (const struct store_hist *h = t->hist; h->name; h++)
		if (bind_hist(&b, (const void *)((const char *)record + h->offset)) < 0)
			return -1;
	return 0;
}

int64_t store_insert(struct store *s, enum store_table_id id, int64_t parent, const void *record,
		     struct fail *f)
{
	const struct store_table *t = &store_tables[id];
	struct sqlite3_stmt *q = NULL;
	struct buf sql = { 0 };
	char doing[64];
	int64_t row = -1;

	snprintf(doing, sizeof(doing), "storing a %s", t->name);
	if (put_insert(&sql, t) < 0)
		fail_set(f, ENOMEM, "%s: no memory", s->path);
	else
		q = store_prepare(s, buf_text(&sql), f);
	buf_release(&sql);
	if (!q)
		return -1;
	if (bind_row(q, t, parent, record) < 0)
		fail_set(f, ENOMEM, "%s: no memory", s->path);
	else if (sqlite3_step(q) != SQLITE_DONE)
		store_fail(s, f, doing);
	else
		row = sqlite3_last_insert_rowid(s->db);
	sqlite3_finalize(q);
	return row;
}

static int64_t insert_alone(struct store *s, enum store_table_id id, int64_t parent,
			    const void *record, struct fail *f)
{
	if (store_begin(s, f) < 0)
		return -1;
	return store_end(s, store_insert(s, id, parent, record, f), f);
}

int64_t store_add_campaign(struct store *s, const struct campaign *c, struct fail *f)
{
	return insert_alone(s, STORE_CAMPAIGN, 0, c, f);
}

int64_t store_add_node(struct store *s, int64_t campaign, const struct node *n, struct fail *f)
{
	return insert_alone(s, STORE_NODE, campaign, n, f);
}

int64_t store_add_cell(struct store *s, int64_t campaign, const struct cell *c, struct fail *f)
{
	int64_t id = insert_alone(s, STORE_CELL, campaign, c, f);

	if (id < 0)
		fail_within(f, "cell %s", c->name);
	return id;
}

int store_complete_campaign(struct store *s, int64_t campaign, struct fail *f)
{
	struct sqlite3_stmt *q =
		store_prepare(s, "UPDATE campaign SET complete = 1 WHERE id = ?1", f);
	int status = 0;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, campaign);
	if (sqlite3_step(q) != SQLITE_DONE)
		status = store_fail(s, f, "completing a campaign");
	else if (sqlite3_changes(s->db) != 1)
		status = fail_set(f, ENOENT, "%s: no campaign %lld", s->path, (long long)campaign);
	sqlite3_finalize(q);
	if (status == 0)
		store_checkpoint(s);
	return status;
}

static int insert_trace(struct store *s, int64_t trial, const struct store_trace *t, struct fail *f)
{
	struct sqlite3_stmt *q = store_prepare(s,
					       "INSERT INTO trace (parent, node, data, from_ns, "
					       "to_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
					       f);
	int status = 0;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, trial);
	sqlite3_bind_text(q, 2, t->node, -1, SQLITE_STATIC);
	sqlite3_bind_blob64(q, 3, t->data, t->len, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, t->from_ns);
	sqlite3_bind_int64(q, 5, t->to_ns);
	if (sqlite3_step(q) != SQLITE_DONE)
		status = store_fail(s, f, "storing a trace");
	sqlite3_finalize(q);
	return status;
}

int64_t store_add_trial(struct store *s, int64_t cell, const struct trial *t,
			const struct store_trace *traces, int count, struct fail *f)
{
	int64_t id;

	if (store_begin(s, f) < 0)
		return -1;
	id = store_insert(s, STORE_TRIAL, cell, t, f);
	for (int i = 0; i < count && id >= 0; i++)
		if (insert_trace(s, id, &traces[i], f) < 0)
			id = -1;
	id = store_end(s, id, f);
	if (id >= 0)
		store_checkpoint(s);
	return id;
}
