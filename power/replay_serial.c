/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_serial - what a serial monitor caught of a sketch's prints:
 *
 *	20:38:05.040 -> Bus Voltage:   4.70 V
 *	20:38:05.040 -> Current:       206.20 mA
 *	20:38:05.040 ->
 *
 * A block ends at an empty line or where a label comes again; its time is its first stamp's.
 * A block cut by either end of the file is left out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "power/replay_text.h"

struct block {
	struct replay_row row;
	int lines;
	int64_t last_stamp_ns;
	bool straddles;
};

/* "Bus Voltage" and "Load Voltage" are both volts; the bus is what is meant. */
static bool wanted(struct slice label, enum replay_role role)
{
	if (role != ROLE_VOLTAGE)
		return true;
	return memmem(label.at, label.len, "Shunt", 5) == NULL &&
	       memmem(label.at, label.len, "Load", 4) == NULL;
}

/* "Power:  970.00 mW" into the block. 1: the label was there already. */
static int take_figure(struct replay_reading *r, struct block *b, struct slice text, int line)
{
	const char *colon = memchr(text.at, ':', text.len);
	struct slice label, value, rest;
	const struct unit *u;
	struct decimal d;
	size_t used;

	if (colon == NULL)
		return fail_set(r->fail, EINVAL, "line %d: expected \"Name: value unit\"", line);
	label = slice_trim((struct slice){ text.at, (size_t)(colon - text.at) });
	value = slice_trim((struct slice){ colon + 1, (size_t)(text.at + text.len - colon - 1) });
	used = decimal_read(value.at, value.len, '.', &d);
	rest = slice_trim((struct slice){ value.at + used, value.len - used });
	u = unit_find(rest.at, rest.len);
	if (used == 0 || u == NULL)
		return fail_set(r->fail, EINVAL, "line %d: \"%.*s\": expected a number and a unit",
				line, (int)(value.len < 40 ? value.len : 40), value.at);
	b->lines++;
	if (!wanted(label, u->role))
		return 0;
	if (b->row.known[u->role])
		return 1;
	if (!decimal_scale(&d, u->multiplier, u->power10, &b->row.value[u->role]))
		return fail_set(r->fail, EINVAL, "line %d: a figure that no meter can have", line);
	b->row.known[u->role] = true;
	return 0;
}

static int plan_block(struct replay_reading *r, const struct block *b)
{
	struct replay_plan plan = { .cells = 0 };

	for (int i = 0; i < ROLES; i++)
		plan.at[i] = -1;
	for (int role = ROLE_TIME; role <= ROLE_CHARGE; role++)
		plan.count[role] = b->row.known[role];
	if (plan_settle(&plan, r->options, b->row.line, r->fail) != 0)
		return -1;
	r->planned = true;
	snprintf(r->rows.assumed, sizeof r->rows.assumed, "serial monitor");
	return replay_rows_begin(&r->rows, &plan);
}

static int end_block(struct replay_reading *r, struct block *b)
{
	struct block done = *b;

	*b = (struct block){ .lines = 0 };
	if (done.lines == 0)
		return 0;
	if (!r->planned && plan_block(r, &done) != 0)
		return -1;
	r->rows.straddling += done.straddles;
	return replay_rows_add(&r->rows, &done.row);
}

static void note_stamp(struct block *b, const struct stamp *s, int line)
{
	int64_t ns = stamp_ns(s, false);

	if (!b->row.known[ROLE_TIME]) {
		b->row.line = line;
		b->row.value[ROLE_TIME] = ns;
		b->row.known[ROLE_TIME] = true;
		b->row.of_day = !s->dated;
	} else if (ns != b->last_stamp_ns) {
		b->straddles = true;
	}
	b->last_stamp_ns = ns;
}

static int take_line(struct replay_reading *r, struct block *b, struct slice line, int number)
{
	const char *arrow = memmem(line.at, line.len, "->", 2);
	struct slice text;
	struct stamp s;
	int status;

	if (arrow == NULL) {
		r->rows.skipped++;
		return 0;
	}
	text = slice_trim((struct slice){ line.at, (size_t)(arrow - line.at) });
	if (!stamp_read(text.at, text.len, &s))
		return fail_set(r->fail, EINVAL, "line %d: \"%.*s\": expected a time", number,
				(int)(text.len < 40 ? text.len : 40), text.at);
	text = slice_trim((struct slice){ arrow + 2, (size_t)(line.at + line.len - arrow - 2) });
	if (text.len == 0)
		return end_block(r, b);
	if (b->lines == 0)
		b->row = (struct replay_row){ .line = number };
	note_stamp(b, &s, number);
	status = take_figure(r, b, text, number);
	if (status <= 0)
		return status;
	b->lines--;
	if (end_block(r, b) != 0)
		return -1;
	b->row.line = number;
	note_stamp(b, &s, number);
	return take_figure(r, b, text, number) < 0 ? -1 : 0;
}

int replay_serial_read(struct replay_reading *r, const char *data, size_t len)
{
	struct lex l = { data, data + len, 0 };
	struct block b = { .lines = 0 };
	struct slice line;
	bool cut = false;

	while (lex_line(&l, &line, &cut))
		if (slice_trim(line).len > 0 && take_line(r, &b, line, l.line) != 0)
			return -1;
	if (end_block(r, &b) != 0)
		return -1;
	if (!r->planned)
		return fail_set(r->fail, EINVAL, "there is no block of readings in it");
	return 0;
}
