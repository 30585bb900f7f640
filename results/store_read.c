/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_read - rows out of the database, back into the structs they came from.
 *
 * What is NULL or of another type than expected reads as unknown; text that is
 * longer than its array is cut at a character.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/store_db.h"

struct reading {
	struct sqlite3_stmt *q;
	int column; /* from 0 */
	bool failed;
};

static void read_text(struct reading *r, const struct field *f, void *at)
{
	const char *text = (const char *)sqlite3_column_text(r->q, r->column);
	char *dst = at;

	if (f->size == 0) {
		*(char **)at = strdup(text ? text : "");
		r->failed |= !*(char **)at;
		return;
	}
	snprintf(dst, f->size, "%s", text ? text : "");
	if (text && strlen(text) >= f->size) {
		size_t end = f->size - 1;

		while (end > 0 && (text[end] & 0xc0) == 0x80)
			end--;
		dst[end] = '\0';
	}
}

static void read_field(const char *name, const struct field *f, const void *base, void *data)
{
	struct reading *r = data;
	void *at = (char *)(uintptr_t)base + f->offset;
	bool null = sqlite3_column_type(r->q, r->column) == SQLITE_NULL;

	(void)name;
	switch (f->kind) {
	case FIELD_INT:
		*(int64_t *)at = null ? FIELD_UNKNOWN_INT : sqlite3_column_int64(r->q, r->column);
		break;
	case FIELD_REAL:
		*(double *)at = null ? NAN : sqlite3_column_double(r->q, r->column);
		break;
	case FIELD_BOOL:
		*(bool *)at = sqlite3_column_int(r->q, r->column) != 0;
		break;
	case FIELD_TEXT:
	case FIELD_JSON:
		read_text(r, f, at);
		break;
	case FIELD_INTERVAL: /* computed, never stored */
		break;
	}
	r->column++;
}

static int read_hist(struct reading *r, struct hist *h, struct fail *f)
{
	const void *bytes = sqlite3_column_blob(r->q, r->column);
	int len = sqlite3_column_bytes(r->q, r->column++);

	if (!bytes) {
		hist_clear(h);
		return 0;
	}
	return hist_decode(h, bytes, (size_t)len, f);
}

static int read_row(struct store *s, struct sqlite3_stmt *q, const struct store_table *t,
		    void *record, struct fail *f)
{
	struct reading r = { .q = q, .column = 1 };

	field_each(t->part, record, read_field, &r);
	if (r.failed)
		return fail_set(f, ENOMEM, "%s: no memory", s->path);
	for (const struct store_hist *h = t->hist; h->name; h++)
		if (read_hist(&r, (struct hist *)(void *)((char *)record + h->offset), f) < 0)
			return fail_within(f, "%s: damaged: %s %s", s->path, t->name, h->name);
	return 0;
}

struct sqlite3_stmt *store_select(struct store *s, enum store_table_id id, const char *having,
				  int64_t argument, struct fail *f)
{
	struct sqlite3_stmt *q = NULL;
	struct buf sql = { 0 };

	buf_printf(&sql, "SELECT %s FROM \"%s\" t %s", buf_text(&s->columns[id]),
		   store_tables[id].name, having);
	if (sql.failed)
		fail_set(f, ENOMEM, "%s: no memory", s->path);
	else
		q = store_prepare(s, buf_text(&sql), f);
	buf_release(&sql);
	if (q)
		sqlite3_bind_int64(q, 1, argument);
	return q;
}

int store_next(struct store *s, struct sqlite3_stmt *q, enum store_table_id id, int64_t *row_id,
	       void *record, struct fail *f)
{
	int code = sqlite3_step(q);

	if (code == SQLITE_DONE)
		return 0;
	if (code != SQLITE_ROW)
		return store_fail(s, f, "reading the database");
	*row_id = sqlite3_column_int64(q, 0);
	return read_row(s, q, &store_tables[id], record, f) < 0 ? -1 : 1;
}

void campaign_release(struct campaign *c)
{
	free(c->text);
	free(c->options);
	c->text = c->options = NULL;
}

int64_t store_newest_campaign(struct store *s, struct fail *f)
{
	return store_integer(s, "SELECT coalesce(max(id), 0) FROM campaign", f);
}

static int64_t newest_with(struct store *s, const char *text, bool complete, struct fail *f)
{
	struct sqlite3_stmt *q = store_prepare(s,
					       "SELECT coalesce(max(id), 0) FROM campaign "
					       "WHERE complete = ?2 AND \"text\" = ?1",
					       f);
	int64_t id = -1;

	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 2, complete);
	if (sqlite3_step(q) == SQLITE_ROW)
		id = sqlite3_column_int64(q, 0);
	else
		store_fail(s, f, "looking for a campaign");
	sqlite3_finalize(q);
	return id;
}

int64_t store_unfinished_campaign(struct store *s, const char *text, struct fail *f)
{
	return newest_with(s, text, false, f);
}

int64_t store_complete_campaign_of(struct store *s, const char *text, struct fail *f)
{
	return newest_with(s, text, true, f);
}

int store_get_campaign(struct store *s, int64_t id, struct campaign *c, struct fail *f)
{
	struct sqlite3_stmt *q = store_select(s, STORE_CAMPAIGN, "WHERE id = ?1", id, f);
	int64_t row;
	int status;

	memset(c, 0, sizeof(*c));
	if (!q)
		return -1;
	status = store_next(s, q, STORE_CAMPAIGN, &row, c, f);
	sqlite3_finalize(q);
	if (status == 0)
		status = fail_set(f, ENOENT, "%s: no campaign %" PRId64, s->path, id);
	if (status < 0)
		campaign_release(c);
	return status < 0 ? -1 : 0;
}
