/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_cells - the cells of one row into figures. It must not know lines or headers.
 */
#include <errno.h>
#include <string.h>

#include "power/replay_text.h"

static int bad_cell(struct replay_reading *r, int line, int cell, struct slice s,
		    const char *expected)
{
	return fail_set(r->fail, EINVAL, "line %d, column %d: \"%.*s\": expected %s", line,
			cell + 1, (int)(s.len < 40 ? s.len : 40), s.at, expected);
}

/* All ones of 32 bits, plain or in a driver's thousands: a failed read, not four megawatts. */
static bool is_sentinel(const struct decimal *d, enum replay_role role)
{
	return role >= ROLE_POWER && d->exponent == 0 &&
	       (d->digits == UINT32_MAX || d->digits == UINT64_C(1000) * UINT32_MAX);
}

/* A number and, in the cell or by the column, its unit. */
static int read_value(struct replay_reading *r, struct replay_row *row, enum replay_role role,
		      struct slice s)
{
	int cell = r->rows.plan.at[role];
	const struct unit *u = r->rows.plan.unit[role];
	struct slice rest;
	struct decimal d;
	size_t used;

	if (decimal_missing(s.at, s.len))
		return 0;
	used = decimal_read(s.at, s.len, r->point, &d);
	if (used == 0)
		return bad_cell(r, row->line, cell, s, "a number");
	if (is_sentinel(&d, role))
		return 0;
	rest = slice_trim((struct slice){ s.at + used, s.len - used });
	if (rest.len > 0) {
		const struct unit *own = unit_find(rest.at, rest.len);

		if (own == NULL ||
		    (own->role != role && !(own->role == ROLE_TIME && role == ROLE_DURATION)))
			return bad_cell(r, row->line, cell, s, "a number and a unit that fits");
		u = own;
	}
	if (u == NULL)
		return fail_set(r->fail, EINVAL,
				"line %d, column %d: the unit of %s is not known; declare it, such "
				"as %s=%s",
				row->line, cell + 1, role_name[role], role_name[role],
				role == ROLE_TIME || role == ROLE_DURATION ? "s"
				: role == ROLE_POWER                       ? "mW"
				: role == ROLE_ENERGY                      ? "J"
				: role == ROLE_CURRENT                     ? "mA"
				: role == ROLE_CHARGE                      ? "mC"
									   : "V");
	if (!decimal_scale(&d, u->multiplier, u->power10, &row->value[role]))
		return bad_cell(r, row->line, cell, s, "a figure that a meter can have");
	row->known[role] = true;
	return 0;
}

static int read_time(struct replay_reading *r, struct replay_row *row, enum replay_role role,
		     struct slice s)
{
	struct stamp st;

	if (!stamp_read(s.at, s.len, &st))
		return read_value(r, row, role, s);
	row->value[role] = stamp_ns(&st, r->fraction_is_ms);
	row->known[role] = true;
	row->of_day = !st.dated && role == ROLE_TIME;
	return 0;
}

/* Flags of our own CSV: what had no value stays without one. */
static uint32_t read_flags(struct slice s)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} words[] = { { "saturated", SAMPLE_SATURATED },
		      { "stale", SAMPLE_STALE },
		      { "retried", SAMPLE_RETRIED },
		      { "reinit", SAMPLE_REINIT },
		      { "absent", SAMPLE_ABSENT },
		      { "torn", SAMPLE_TORN },
		      { "late", SAMPLE_LATE } };
	uint32_t flags = 0;

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(s.at, s.len, words[i].word, strlen(words[i].word)) != NULL)
			flags |= words[i].flag;
	return flags;
}

/* 0, 1 another label's row, -1 */
static int read_label(struct replay_reading *r, const struct cells *c, int line)
{
	const struct replay_plan *p = &r->rows.plan;
	struct slice own;

	if (p->at[ROLE_LABEL] < 0 || (p->flags & (DIALECT_RUNS | DIALECT_SPAN)))
		return 0;
	own = c->cell[p->at[ROLE_LABEL]];
	if (r->options->label[0] != '\0')
		return !slice_equal(own, r->options->label);
	if (r->rows.rows == 0) {
		r->label = own;
		return 0;
	}
	if (own.len == r->label.len && memcmp(own.at, r->label.at, own.len) == 0)
		return 0;
	return fail_set(r->fail, EINVAL,
			"line %d: rows of \"%.*s\" and \"%.*s\": several sources are never added "
			"up; choose one: label=NAME",
			line, (int)(r->label.len < 40 ? r->label.len : 40), r->label.at,
			(int)(own.len < 40 ? own.len : 40), own.at);
}

/* Must this role be understood? A column that is not used may hold anything. */
static bool needed(const struct replay_plan *p, enum replay_role role)
{
	switch (role) {
	case ROLE_TIME:
	case ROLE_DURATION:
		return true;
	case ROLE_POWER:
		return p->use == USE_POWER;
	case ROLE_VOLTAGE:
		return p->use == USE_VI || (p->flags & DIALECT_ZERO_VOLTS);
	case ROLE_CURRENT:
		return p->use == USE_VI;
	case ROLE_ENERGY:
		return p->use == USE_ENERGY || ((p->flags & DIALECT_RUNS) && p->unit[role] != NULL);
	case ROLE_CHARGE:
		return p->use == USE_CHARGE;
	case ROLE_NONE:
	case ROLE_LABEL:
	case ROLE_FLAGS:
	case ROLES:
		break;
	}
	return false;
}

/* Volts and amperes beside the power, to compare; what cannot be read is not compared. */
static void read_beside(struct replay_reading *r, struct replay_row *row, const struct cells *c)
{
	static const enum replay_role roles[] = { ROLE_VOLTAGE, ROLE_CURRENT };
	const struct replay_plan *p = &r->rows.plan;

	if (p->use != USE_POWER)
		return;
	for (int i = 0; i < 2; i++) {
		enum replay_role role = roles[i];

		if (p->count[role] != 1 || p->unit[role] == NULL || p->at[role] >= c->count ||
		    row->known[role])
			continue;
		if (read_value(r, row, role, c->cell[p->at[role]]) != 0)
			fail_clear(r->fail);
	}
}

int text_read_row(struct replay_reading *r, const struct cells *c, int line)
{
	const struct replay_plan *p = &r->rows.plan;
	struct replay_row row = { .line = line };
	int status = read_label(r, c, line);

	if (status != 0)
		return status < 0 ? -1 : 0;
	for (int role = ROLE_TIME; role <= ROLE_CHARGE && status == 0; role++) {
		struct slice s;

		if (p->count[role] != 1 || !needed(p, (enum replay_role)role) ||
		    p->at[role] >= c->count)
			continue;
		s = c->cell[p->at[role]];
		if (role == ROLE_TIME && r->rows.step_ns > 0)
			continue;
		status = role == ROLE_TIME || role == ROLE_DURATION
				 ? read_time(r, &row, (enum replay_role)role, s)
				 : read_value(r, &row, (enum replay_role)role, s);
	}
	if (status == 0)
		read_beside(r, &row, c);
	if (p->at[ROLE_FLAGS] >= 0 && p->at[ROLE_FLAGS] < c->count)
		row.flags = read_flags(c->cell[p->at[ROLE_FLAGS]]);
	return status == 0 ? replay_rows_add(&r->rows, &row) : -1;
}
