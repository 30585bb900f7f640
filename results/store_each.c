/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_each - visit stored rows in order, one at a time: memory does not grow with
 * their number.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "results/store_db.h"

int store_each_campaign(struct store *s, int (*visit)(int64_t id, const struct campaign *, void *),
			void *data, struct fail *f)
{
	struct sqlite3_stmt *q = store_select(s, STORE_CAMPAIGN, "ORDER BY id", 0, f);
	struct campaign c;
	int64_t id;
	int status = q ? 0 : -1;

	while (status == 0) {
		memset(&c, 0, sizeof(c));
		status = store_next(s, q, STORE_CAMPAIGN, &id, &c, f);
		if (status <= 0)
			break;
		status = visit(id, &c, data);
		campaign_release(&c);
	}
	sqlite3_finalize(q);
	return status;
}

int store_each_node(struct store *s, int64_t campaign, int (*visit)(const struct node *, void *),
		    void *data, struct fail *f)
{
	struct sqlite3_stmt *q =
		store_select(s, STORE_NODE, "WHERE parent = ?1 ORDER BY id", campaign, f);
	struct node n;
	int64_t id;
	int status = q ? 0 : -1;

	while (status == 0) {
		status = store_next(s, q, STORE_NODE, &id, &n, f);
		if (status <= 0)
			break;
		status = visit(&n, data);
	}
	sqlite3_finalize(q);
	return status;
}

int store_each_cell(struct store *s, int64_t campaign,
		    int (*visit)(int64_t id, const struct cell *, void *), void *data,
		    struct fail *f)
{
	struct sqlite3_stmt *q =
		store_select(s, STORE_CELL, "WHERE parent = ?1 ORDER BY id", campaign, f);
	struct cell c;
	int64_t id;
	int status = q ? 0 : -1;

	while (status == 0) {
		status = store_next(s, q, STORE_CELL, &id, &c, f);
		if (status <= 0)
			break;
		status = visit(id, &c, data);
	}
	sqlite3_finalize(q);
	return status;
}

/* What to read with and into is made once: ten thousand cells in a row ask for it. */
static int prepare_trials(struct store *s, struct fail *f)
{
	if (s->reading)
		return fail_set(f, EBUSY, "%s: trials are being read already", s->path);
	if (!s->trial.response.bucket && trial_init(&s->trial) < 0)
		return fail_set(f, ENOMEM, "%s: no memory", s->path);
	if (!s->trials)
		s->trials = store_select(s, STORE_TRIAL, "WHERE parent = ?1 ORDER BY block", 0, f);
	return s->trials ? 0 : -1;
}

/* Of a trial that an older program stored: what its figures lack by it. */
static void note_uncounted(struct trial *t)
{
	size_t used = strlen(t->notes);

	if (t->requests_completed != FIELD_UNKNOWN_INT ||
	    t->requests_succeeded == FIELD_UNKNOWN_INT)
		return;
	snprintf(t->notes + used, sizeof(t->notes) - used,
		 "%srequests completed in the window were not counted: an older version stored "
		 "the trial, so rates and energy per request are not known of it; run it again",
		 used ? "\n" : "");
}

int store_each_trial(struct store *s, int64_t cell,
		     int (*visit)(int64_t id, const struct trial *, void *), void *data,
		     struct fail *f)
{
	int64_t id;
	int status = prepare_trials(s, f);

	if (status < 0)
		return -1;
	sqlite3_bind_int64(s->trials, 1, cell);
	s->reading = true;
	while (status == 0) {
		status = store_next(s, s->trials, STORE_TRIAL, &id, &s->trial, f);
		if (status <= 0)
			break;
		note_uncounted(&s->trial);
		status = visit(id, &s->trial, data);
	}
	s->reading = false;
	sqlite3_reset(s->trials);
	return status;
}

/* What is NULL there is not by us. */
static const char *text_of(struct sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	return text ? text : "";
}

int store_each_news(struct store *s, int64_t campaign, int64_t count,
		    int (*visit)(const struct store_news *, void *), void *data, struct fail *f)
{
	struct sqlite3_stmt *q = store_prepare(
		s,
		"SELECT c.name, t.started, t.reason, t.block, t.valid FROM trial t JOIN cell c "
		"ON c.id = t.parent WHERE c.parent = ?1 ORDER BY t.id DESC LIMIT ?2",
		f);
	int code = SQLITE_ROW;
	int status = q ? 0 : -1;

	if (q) {
		sqlite3_bind_int64(q, 1, campaign);
		sqlite3_bind_int64(q, 2, count);
	}
	while (status == 0 && (code = sqlite3_step(q)) == SQLITE_ROW) {
		struct store_news n = { text_of(q, 0), text_of(q, 1), text_of(q, 2),
					sqlite3_column_int64(q, 3), sqlite3_column_int(q, 4) != 0 };

		status = visit(&n, data);
	}
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, f, "reading the last trials");
	sqlite3_finalize(q);
	return status;
}

int store_each_trace(struct store *s, int64_t trial,
		     int (*visit)(const struct store_trace *, void *), void *data, struct fail *f)
{
	struct sqlite3_stmt *q = store_prepare(s,
					       "SELECT node, data, from_ns, to_ns FROM trace "
					       "WHERE parent = ?1 ORDER BY id",
					       f);
	struct store_trace t;
	int code = SQLITE_ROW;
	int status = q ? 0 : -1;

	if (q)
		sqlite3_bind_int64(q, 1, trial);
	while (status == 0 && (code = sqlite3_step(q)) == SQLITE_ROW) {
		t.node = (const char *)sqlite3_column_text(q, 0);
		if (!t.node) /* not by us */
			t.node = "";
		t.data = sqlite3_column_blob(q, 1);
		t.len = (size_t)sqlite3_column_bytes(q, 1);
		t.from_ns = sqlite3_column_int64(q, 2);
		t.to_ns = sqlite3_column_int64(q, 3);
		status = visit(&t, data);
	}
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, f, "reading a trace");
	sqlite3_finalize(q);
	return status;
}

int store_has_trial(struct store *s, int64_t cell, int64_t block, struct fail *f)
{
	struct sqlite3_stmt *q =
		store_prepare(s, "SELECT count(*) FROM trial WHERE parent = ?1 AND block = ?2", f);
	int status = -1;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, cell);
	sqlite3_bind_int64(q, 2, block);
	if (sqlite3_step(q) == SQLITE_ROW)
		status = sqlite3_column_int64(q, 0) > 0;
	else
		store_fail(s, f, "looking for a trial");
	sqlite3_finalize(q);
	return status;
}
