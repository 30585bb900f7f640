/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_text - a log in columns, line by line: banner, header, rows, the end.
 * It must not know what is in a cell or done with a row.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "power/replay_text.h"

#define BANNER_MOST 100
#define STYLE_LINES 1000

/* Commas between cells where every number is whole and none has a point: they may be decimal. */
static int refuse_double_comma(const struct replay_reading *r, const struct cells *c, int line)
{
	for (int i = 0; i < c->count; i++)
		for (size_t k = 0; k < c->cell[i].len; k++)
			if (strchr("0123456789", c->cell[i].at[k]) == NULL)
				return 0;
	if (r->options->separator != 0 || r->separator != ',' || c->count < 4 || c->count % 2 != 0)
		return 0;
	return fail_set(r->fail, EINVAL,
			"line %d: the comma may part cells or decimals here (%d whole numbers); "
			"declare separator=comma, or write the log with ; or points",
			line, c->count);
}

static int make_plan(struct replay_reading *r, const struct cells *c, struct slice line, int number)
{
	struct replay_plan plan;
	int status;

	if (!r->has_header && r->has_comment && r->options->column_count == 0 &&
	    r->comment.count == c->count) {
		r->header = r->comment;
		r->header_line = r->comment_line;
		r->has_header = true;
	}
	if (r->has_header && !r->options->positional) {
		status = plan_from_header(&plan, r->options, &r->header, r->header_line, r->fail);
	} else {
		if (r->options->column_count == 0 && r->options->dialect == NULL &&
		    refuse_double_comma(r, c, number) != 0)
			return -1;
		status = plan_from_row(&plan, r->options, c, text_is_tuple(line), number, r->fail);
	}
	if (status != 0)
		return -1;
	if (r->has_header && !r->options->positional)
		plan_from_units(&plan, c, r->point);
	if (plan_settle(&plan, r->options, r->has_header ? r->header_line : number, r->fail) != 0)
		return -1;
	r->planned = true;
	return replay_rows_begin(&r->rows, &plan);
}

/* "# provenance: modelled" of our own CSV. */
static void hear_comment(struct replay_reading *r, struct slice line)
{
	char text[128];
	const char *value;

	snprintf(text, sizeof text, "%.*s", (int)(line.len < 127 ? line.len : 127), line.at);
	value = strstr(text, ": ");
	if (value == NULL)
		return;
	for (int i = 0; strstr(text, "# provenance:") == text && provenance_name[i] != NULL; i++)
		if (strcmp(value + 2, provenance_name[i]) == 0)
			r->said_provenance = i;
	for (int i = 0; strstr(text, "# meaning of a sample:") == text && sample_meaning_name[i];
	     i++)
		if (strcmp(value + 2, sample_meaning_name[i]) == 0)
			r->said_meaning = i;
	r->said_gapless = r->said_gapless || strcmp(text, "# gapless: yes") == 0;
}

/* A comment may be the header, as a Joulescope's is, or one that was switched off. */
static void take_comment(struct replay_reading *r, struct slice line)
{
	struct cells c;

	hear_comment(r, line);
	r->rows.comments++;
	if (r->planned || r->has_header || !lex_split(line, r->separator, &c))
		return;
	if (dialect_by_header(&c) != NULL) {
		r->header = c;
		r->header_line = 0;
		r->has_header = true;
	} else if (plan_is_header(&c)) {
		r->comment = c;
		r->has_comment = true;
	}
}

static bool any_number(const struct replay_reading *r, const struct cells *c)
{
	for (int i = 0; i < c->count; i++) {
		struct decimal d;
		struct stamp t;

		if (decimal_read(c->cell[i].at, c->cell[i].len, r->point, &d) > 0 ||
		    stamp_read(c->cell[i].at, c->cell[i].len, &t))
			return true;
	}
	return false;
}

static bool same_cells(const struct cells *a, const struct cells *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
		if (a->cell[i].len != b->cell[i].len ||
		    memcmp(a->cell[i].at, b->cell[i].at, a->cell[i].len) != 0)
			return false;
	return true;
}

/* PowerJoular's milliseconds without leading zeros show by fractions of one or three digits. */
static bool unpadded_fractions(const struct replay_reading *r, struct lex l)
{
	struct slice line;
	struct cells c;
	bool cut;

	for (int i = 0; i < STYLE_LINES && lex_line(&l, &line, &cut); i++) {
		int at = r->rows.plan.at[ROLE_TIME];
		struct stamp s;

		if (at < 0 || !lex_split(line, r->separator, &c) || at >= c.count ||
		    !stamp_read(c.cell[at].at, c.cell[at].len, &s))
			continue;
		if (s.unpadded || s.fraction_digits == 1 || s.fraction_digits == 3)
			return true;
	}
	return false;
}

static int refuse_count(struct replay_reading *r, const struct cells *c, int line)
{
	int expected = r->planned ? r->rows.plan.cells : r->header.count;
	const char *comma = r->separator == ',' && c->count >= 2 * expected - 1
				    ? "; is the comma a decimal sign here?"
				    : "";

	return fail_set(r->fail, EINVAL,
			"line %d has %d cells where %s has %d: columns may have shifted%s", line,
			c->count, r->has_header ? "the header" : "the first row", expected, comma);
}

static bool count_fits(const struct replay_reading *r, const struct cells *c, struct slice line)
{
	int expected = r->planned ? r->rows.plan.cells : r->header.count;

	return c->count == expected ||
	       (c->count == expected - 1 && line.len > 0 && line.at[line.len - 1] == r->separator);
}

/* A line before the plan is made: 1 it was no data, 0 it is, -1. */
static int before_data(struct replay_reading *r, const struct cells *c, struct slice line,
		       const struct lex *l)
{
	struct replay_plan probe = { .flags = 0 };

	if (!r->has_header && (plan_is_header(c) || dialect_by_header(c) != NULL)) {
		r->header = *c;
		r->header_line = l->line;
		r->has_header = true;
		return 1;
	}
	if (!r->has_header && !any_number(r, c)) {
		if (++r->rows.skipped <= BANNER_MOST)
			return 1;
		return fail_set(r->fail, EINVAL,
				"line %d: %d lines without a number: this is no "
				"log of a meter",
				l->line, BANNER_MOST);
	}
	if (r->has_header && !count_fits(r, c, line) && !plan_from_units(&probe, c, r->point))
		return refuse_count(r, c, l->line);
	if (make_plan(r, c, line, l->line) != 0)
		return -1;
	if (r->rows.plan.flags & DIALECT_MS_FRACTION)
		r->fraction_is_ms = unpadded_fractions(r, *l);
	return 0;
}

static int take_line(struct replay_reading *r, struct slice line, const struct lex *l, bool cut)
{
	struct cells c;
	int status;

	if (slice_trim(line).len == 0)
		return 0;
	if (text_is_comment(line)) {
		take_comment(r, line);
		return 0;
	}
	if (!lex_split(line, r->separator, &c))
		return fail_set(r->fail, EINVAL, "line %d: more than %d cells", l->line, LEX_CELLS);
	if (!r->planned) {
		status = before_data(r, &c, line, l);
		if (status != 0)
			return status < 0 ? -1 : 0;
	} else if (r->has_header && same_cells(&c, &r->header)) {
		r->rows.repeated++;
		return 0;
	}
	if (cut && r->rows.rows > 0 &&
	    (!count_fits(r, &c, line) || (r->rows.plan.flags & DIALECT_TERMINATED))) {
		r->rows.cut_dropped = true;
		return 0;
	}
	if (!count_fits(r, &c, line))
		return refuse_count(r, &c, l->line);
	status = text_read_row(r, &c, l->line);
	if (status != 0 && cut && r->rows.rows > 0 && r->fail->code == EINVAL) {
		fail_clear(r->fail);
		r->rows.cut_dropped = true;
		status = 0;
	}
	return status;
}

static int read_columns(struct replay_reading *r, const char *data, size_t len)
{
	const struct replay_options *o = r->options;
	struct lex l = { data, data + len, 0 };
	struct slice line;
	bool cut;

	r->separator = o->separator ? o->separator : text_find_separator(data, len);
	r->point = o->point ? o->point : text_find_point(data, len, r->separator);
	if (r->separator == ',' && r->point == ',')
		return fail_set(r->fail, EINVAL, "the comma cannot part both cells and decimals");
	while (lex_line(&l, &line, &cut))
		if (take_line(r, line, &l, cut) != 0)
			return -1;
	if (!r->planned)
		return fail_set(r->fail, EINVAL, "there is no row of data in it");
	return 0;
}

/* What our own CSV says of itself; options go before. */
static void heed_comments(struct replay_reading *r)
{
	struct meter_facts *facts = &r->rows.trace->facts;

	if (r->rows.plan.dialect == NULL || strcmp(r->rows.plan.dialect->name, "cipherwatt") != 0)
		return;
	if (r->said_provenance >= 0)
		facts->provenance = (enum provenance)r->said_provenance;
	if (r->said_meaning >= 0 && r->options->meaning < 0) {
		bool energy =
			r->said_meaning == SAMPLE_INCREMENT || r->said_meaning == SAMPLE_COUNTER;

		if (energy == (facts->kind == CODE_ENERGY)) {
			facts->meaning = (enum sample_meaning)r->said_meaning;
			facts->gapless = facts->gapless || r->said_gapless;
		}
	}
}

int replay_read(struct trace *t, const struct replay_options *o, const char *data, size_t len,
		struct fail *f)
{
	struct replay_reading *r = calloc(1, sizeof *r);
	struct lex l;
	int status;

	*t = (struct trace){ 0 };
	if (r == NULL)
		return fail_set(f, ENOMEM, "no memory");
	r->options = r->rows.options = o;
	r->rows.trace = t;
	r->fail = r->rows.fail = f;
	r->said_meaning = r->said_provenance = -1;
	if (replay_binary_is(data, len)) {
		status = replay_binary_read(t, data, len, f);
		if (status == 0)
			status = replay_check_zeros(t, o, f);
		goto out;
	}
	status = lex_init(&l, data, len, f);
	if (status == 0 && text_is_serial(l.at, (size_t)(l.end - l.at)))
		status = replay_serial_read(r, l.at, (size_t)(l.end - l.at));
	else if (status == 0)
		status = read_columns(r, l.at, (size_t)(l.end - l.at));
	if (status == 0) {
		heed_comments(r);
		status = replay_rows_end(&r->rows);
	}
out:
	if (status != 0)
		trace_release(t);
	free(r);
	return status;
}
