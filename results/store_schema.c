/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_schema - the tables of the database, made from the field tables.
 *
 * A member of a struct with a row in record.c is a column here; nothing is listed
 * twice. This file knows names and types, never values.
 */
#include <errno.h>
#include <sqlite3.h>

#include "results/store_db.h"

const struct store_table store_tables[STORE_TABLES] = {
	[STORE_CAMPAIGN] = { .name = "campaign", .part = { { "", campaign_fields, 0 } } },
	[STORE_NODE] = { .name = "node", .parent = "campaign", .part = { { "", node_fields, 0 } } },
	[STORE_CELL] = { .name = "cell",
			 .parent = "campaign",
			 .unique = "name",
			 .part = { { "", cell_fields, 0 } } },
	[STORE_TRIAL] = { .name = "trial",
			  .parent = "cell",
			  .unique = "block",
			  .part = { { "", trial_fields, 0 },
				    { "server_", side_fields, offsetof(struct trial, server) },
				    { "client_", side_fields, offsetof(struct trial, client) } },
			  .hist = { { "response", offsetof(struct trial, response) },
				    { "service", offsetof(struct trial, service) },
				    { "handshake", offsetof(struct trial, handshake) } } },
};

static const char *column_type(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
	case FIELD_BOOL:
		return "INTEGER";
	case FIELD_REAL:
		return "REAL";
	default:
		return "TEXT";
	}
}

static void put_column(const char *name, const struct field *f, const void *base, void *data)
{
	(void)base;
	buf_printf(data, ", \"%s\" %s", name, column_type(f));
}

static void put_table(struct buf *sql, const struct store_table *t)
{
	buf_printf(sql, "CREATE TABLE \"%s\" (id INTEGER PRIMARY KEY", t->name);
	if (t->parent)
		buf_printf(sql, ", parent INTEGER NOT NULL REFERENCES \"%s\" (id)", t->parent);
	field_each(t->part, NULL, put_column, sql);
	for (const struct store_hist *h = t->hist; h->name; h++)
		buf_printf(sql, ", \"%s\" BLOB", h->name);
	if (t->unique)
		buf_printf(sql, ", UNIQUE (parent, \"%s\")", t->unique);
	buf_puts(sql, ");\n");
	if (t->parent && !t->unique)
		buf_printf(sql, "CREATE INDEX \"%s_parent\" ON \"%s\" (parent);\n", t->name,
			   t->name);
}

int store_create_tables(struct store *s, struct fail *f)
{
	struct buf sql = { 0 };
	int status;

	buf_printf(&sql, "BEGIN;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
		   STORE_APPLICATION_ID, STORE_SCHEMA);
	for (int i = 0; i < STORE_TABLES; i++)
		put_table(&sql, &store_tables[i]);
	buf_puts(&sql, "CREATE TABLE trace (id INTEGER PRIMARY KEY, "
		       "parent INTEGER NOT NULL REFERENCES trial (id), node TEXT, data BLOB, "
		       "from_ns INTEGER, to_ns INTEGER);\n"
		       "CREATE INDEX trace_parent ON trace (parent);\nCOMMIT;\n");
	status = sql.failed ? fail_set(f, ENOMEM, "%s: no memory", s->path)
			    : store_exec(s, buf_text(&sql), f);
	buf_release(&sql);
	return status;
}

struct columns {
	struct store *store;
	const struct store_table *table;
	struct buf *select;
	struct sqlite3_stmt *probe;
	struct fail *fail;
	int status;
};

static bool has_column(struct columns *c, const char *name)
{
	bool found;

	sqlite3_reset(c->probe);
	sqlite3_bind_text(c->probe, 1, c->table->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(c->probe, 2, name, -1, SQLITE_STATIC);
	found = sqlite3_step(c->probe) == SQLITE_ROW;
	sqlite3_reset(c->probe);
	return found;
}

static void list_column(struct columns *c, const char *name, const char *type)
{
	struct buf sql = { 0 };
	bool found = has_column(c, name);

	if (!found && c->store->mode == STORE_WRITE && c->status == 0) {
		buf_printf(&sql, "ALTER TABLE \"%s\" ADD COLUMN \"%s\" %s", c->table->name, name,
			   type);
		c->status = store_exec(c->store, buf_text(&sql), c->fail);
		found = true;
	}
	buf_release(&sql);
	if (found)
		buf_printf(c->select, ", t.\"%s\"", name);
	else
		buf_puts(c->select, ", NULL");
}

static void list_field(const char *name, const struct field *f, const void *base, void *data)
{
	(void)base;
	list_column(data, name, column_type(f));
}

static int list_table(struct columns *c, enum store_table_id id)
{
	c->table = &store_tables[id];
	c->select = &c->store->columns[id];
	if (!has_column(c, "id"))
		return fail_set(c->fail, EBADMSG,
				"%s: not a cipherwatt database or damaged: it has no table \"%s\"",
				c->store->path, c->table->name);
	buf_puts(c->select, "t.id");
	field_each(c->table->part, NULL, list_field, c);
	for (const struct store_hist *h = c->table->hist; h->name; h++)
		list_column(c, h->name, "BLOB");
	if (c->select->failed)
		return fail_set(c->fail, ENOMEM, "%s: no memory", c->store->path);
	return c->status;
}

int store_list_columns(struct store *s, struct fail *f)
{
	struct columns c = { .store = s, .fail = f };
	int status = 0;

	c.probe = store_prepare(s, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", f);
	if (!c.probe)
		return -1;
	for (int i = 0; i < STORE_TABLES && status == 0; i++)
		status = list_table(&c, i);
	sqlite3_finalize(c.probe);
	return status;
}
