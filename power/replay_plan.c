/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_plan - names and units to roles. It must not read values.
 */
#include "power/replay_plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct heading {
	struct slice name; /* without the unit */
	const struct unit *unit;
	bool bare; /* the cell is nothing but a unit */
	bool weak; /* one letter behind a name: "trace_a" is no current */
};

/* "Voltage (V)", "BusV[V]", "power_mW", "timestamp ms", "ms". */
static struct heading split_heading(struct slice s)
{
	struct heading h = { s, unit_find(s.at, s.len), false, false };
	size_t cut = s.len;
	char last = s.len ? s.at[s.len - 1] : 0;

	h.bare = h.unit != NULL;
	if (h.bare)
		return h;
	if (last == ')' || last == ']') {
		while (cut > 0 && s.at[cut - 1] != '(' && s.at[cut - 1] != '[')
			cut--;
		if (cut > 0) {
			h.unit = unit_find(s.at + cut, s.len - cut - 1);
			h.name = slice_trim((struct slice){ s.at, cut - 1 });
		}
		return h;
	}
	while (cut > 0 && s.at[cut - 1] != '_' && s.at[cut - 1] != ' ')
		cut--;
	if (cut > 1) {
		h.unit = unit_find(s.at + cut, s.len - cut);
		h.weak = s.len - cut == 1;
		if (h.unit != NULL)
			h.name = slice_trim((struct slice){ s.at, cut - 1 });
	}
	return h;
}

static bool contains(struct slice s, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= s.len; i++)
		if (strncasecmp(s.at + i, word, len) == 0)
			return true;
	return false;
}

static bool same(struct slice s, const char *word)
{
	return s.len == strlen(word) && strncasecmp(s.at, word, s.len) == 0;
}

static enum replay_role role_of_name(struct slice name)
{
	static const struct {
		const char *word;
		bool whole;
		enum replay_role role;
	} words[] = {
		{ "shunt", false, ROLE_NONE },       { "load volt", false, ROLE_NONE },
		{ "loadv", false, ROLE_NONE },       { "timestamp", false, ROLE_TIME },
		{ "time", true, ROLE_TIME },         { "ts", true, ROLE_TIME },
		{ "date", true, ROLE_TIME },         { "datetime", true, ROLE_TIME },
		{ "elapsed", true, ROLE_TIME },      { "length", true, ROLE_DURATION },
		{ "duration", true, ROLE_DURATION }, { "power", false, ROLE_POWER },
		{ "watt", false, ROLE_POWER },       { "voltage", false, ROLE_VOLTAGE },
		{ "volt", false, ROLE_VOLTAGE },     { "bus", false, ROLE_VOLTAGE },
		{ "current", false, ROLE_CURRENT },  { "amps", true, ROLE_CURRENT },
		{ "energy", false, ROLE_ENERGY },    { "charge", true, ROLE_CHARGE },
		{ "name", true, ROLE_LABEL },        { "tag", true, ROLE_LABEL },
		{ "flags", true, ROLE_FLAGS },
	};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].whole ? same(name, words[i].word) : contains(name, words[i].word))
			return words[i].role;
	return ROLES; /* not known */
}

static bool unit_fits(const struct unit *u, enum replay_role role)
{
	return u == NULL || u->role == role || (u->role == ROLE_TIME && role == ROLE_DURATION);
}

static enum replay_role role_of_heading(const struct heading *h)
{
	enum replay_role role = h->bare ? h->unit->role : role_of_name(h->name);

	if (role == ROLES && h->unit != NULL && h->unit->role != ROLE_TIME && !h->weak)
		return h->unit->role;
	if (role == ROLES || !unit_fits(h->unit, role))
		return ROLE_NONE;
	return role;
}

static void claim(struct replay_plan *p, enum replay_role role, int cell, const struct unit *unit,
		  struct slice name)
{
	size_t used = strlen(p->names[role]);

	if (p->count[role]++ == 0) {
		p->at[role] = cell;
		p->unit[role] = unit;
	}
	snprintf(p->names[role] + used, sizeof p->names[role] - used, "%s%.*s", used ? ", " : "",
		 (int)(name.len < 32 ? name.len : 32), name.at);
}

static void forget(struct replay_plan *p, enum replay_role role)
{
	p->at[role] = -1;
	p->count[role] = 0;
	p->names[role][0] = '\0';
}

static void begin(struct replay_plan *p, const struct dialect *d, int cells)
{
	*p = (struct replay_plan){ .dialect = d, .cells = cells };
	for (int i = 0; i < ROLES; i++)
		p->at[i] = -1;
	if (d != NULL)
		p->flags = d->flags;
}

static const struct dialect_column *dialect_column(const struct dialect *d, struct slice name)
{
	for (int i = 0; d != NULL && d->column[i].name != NULL; i++)
		if (same(name, d->column[i].name))
			return &d->column[i];
	return NULL;
}

static bool dialect_has(const struct dialect *d, enum replay_role role)
{
	for (int i = 0; d != NULL && d->column[i].name != NULL; i++)
		if (d->column[i].role == role)
			return true;
	return false;
}

static const struct unit *unit_of(const char *name)
{
	return name != NULL && name[0] != '\0' ? unit_find(name, strlen(name)) : NULL;
}

/* By the dialect's names; the header's own unit goes before the dialect's. */
static void claim_heading(struct replay_plan *p, int cell, struct slice text)
{
	struct slice hash = *text.at == '#' ? (struct slice){ text.at + 1, text.len - 1 } : text;
	struct heading h = split_heading(slice_trim(hash));
	const struct dialect_column *c = dialect_column(p->dialect, h.name);
	enum replay_role role = role_of_heading(&h);

	if (c != NULL) {
		if (c->role != ROLE_NONE)
			claim(p, c->role, cell, h.unit ? h.unit : unit_of(c->unit), h.name);
		return;
	}
	if (role != ROLE_NONE && !dialect_has(p->dialect, role))
		claim(p, role, cell, h.unit, h.name);
}

/* Options that name a column, or give the unit of one that was found. */
static int apply_options(struct replay_plan *p, const struct replay_options *o,
			 const struct cells *c, int line, struct fail *f)
{
	for (int i = 0; i < o->column_count; i++) {
		const struct replay_column *want = &o->column[i];
		int found = -1;

		for (int k = 0; want->name[0] != '\0' && k < c->count; k++)
			if (same(c->cell[k], want->name) ||
			    same(split_heading(c->cell[k]).name, want->name))
				found = k;
		if (want->name[0] != '\0' && found < 0)
			return fail_set(f, EINVAL,
					"line %d: there is no column \"%s\" for %s=", line,
					want->name, role_name[want->role]);
		if (found >= 0) {
			struct heading h = split_heading(c->cell[found]);

			forget(p, want->role);
			claim(p, want->role, found, unit_fits(h.unit, want->role) ? h.unit : NULL,
			      c->cell[found]);
		}
		if (p->at[want->role] < 0)
			return fail_set(f, EINVAL, "line %d: no column is %s; name it: %s=NAME:%s",
					line, role_name[want->role], role_name[want->role],
					want->unit);
		if (want->unit[0] != '\0')
			p->unit[want->role] = unit_of(want->unit);
	}
	return 0;
}

static bool numeric(struct slice s)
{
	struct decimal d;
	size_t used = decimal_read(s.at, s.len, '.', &d);

	return used > 0 && (used == s.len || s.at[used] == ' ' || s.at[used] == ',');
}

bool plan_is_header(const struct cells *c)
{
	int known = 0;

	if (c->count < 2)
		return false;
	for (int i = 0; i < c->count; i++) {
		struct slice s = c->cell[i];
		struct heading h;
		struct stamp t;
		enum replay_role role;

		if (numeric(s) || stamp_read(s.at, s.len, &t))
			return false;
		if (s.len > 0 && *s.at == '#')
			s = slice_trim((struct slice){ s.at + 1, s.len - 1 });
		h = split_heading(s);
		role = role_of_heading(&h);
		known += role != ROLE_NONE && role != ROLE_LABEL;
	}
	return known >= 1;
}

int plan_from_header(struct replay_plan *p, const struct replay_options *o, const struct cells *c,
		     int line, struct fail *f)
{
	begin(p, o->dialect ? o->dialect : dialect_by_header(c), c->count);
	for (int i = 0; i < c->count; i++)
		if (c->cell[i].len > 0)
			claim_heading(p, i, c->cell[i]);
	/* Of several voltages the bus is what feeds the load. */
	for (int i = 0; i < c->count && p->count[ROLE_VOLTAGE] > 1; i++) {
		struct heading h = split_heading(c->cell[i]);

		if (contains(h.name, "bus") && role_of_heading(&h) == ROLE_VOLTAGE) {
			forget(p, ROLE_VOLTAGE);
			claim(p, ROLE_VOLTAGE, i, h.unit, h.name);
		}
	}
	return o->positional ? 0 : apply_options(p, o, c, line, f);
}

static int from_positions(struct replay_plan *p, const struct replay_options *o)
{
	for (int i = 0; i < o->column_count; i++)
		if (o->column[i].role != ROLE_NONE)
			claim(p, o->column[i].role, i, unit_of(o->column[i].unit),
			      (struct slice){ "declared", 8 });
	return 0;
}

int plan_from_row(struct replay_plan *p, const struct replay_options *o, const struct cells *c,
		  bool parenthesised, int line, struct fail *f)
{
	const struct dialect *d = o->dialect;
	struct slice none = { "column", 6 };

	if (o->column_count > 0 && (o->positional || d == NULL)) {
		begin(p, d, c->count);
		if (o->column_count != c->count)
			return fail_set(f, EINVAL,
					"line %d has %d cells and no header, but %d columns are "
					"declared; expected columns=ROLE:UNIT/... for each cell (- "
					"for one that is not wanted)",
					line, c->count, o->column_count);
		return from_positions(p, o);
	}
	if (d == NULL)
		d = dialect_by_shape(c, parenthesised);
	if (d == NULL)
		return fail_set(f, EINVAL,
				"line %d has %d cells that no header names: declare them, such as "
				"columns=time:ms/power:mW, or a dialect=",
				line, c->count);
	begin(p, d, c->count);
	for (int i = 0; d->column[i].name != NULL && i < c->count; i++)
		if (d->column[i].role != ROLE_NONE)
			claim(p, d->column[i].role, i, unit_of(d->column[i].unit), none);
	return 0;
}

bool plan_from_units(struct replay_plan *p, const struct cells *c, char point)
{
	struct replay_plan found;
	int figures = 0;

	begin(&found, p->dialect, c->count);
	found.flags = p->flags;
	for (int i = 0; i < c->count; i++) {
		struct slice s = c->cell[i], rest;
		struct decimal d;
		size_t used = decimal_read(s.at, s.len, point, &d);
		const struct unit *u;
		enum replay_role role;

		rest = slice_trim((struct slice){ s.at + used, s.len - used });
		if (used > 0 && rest.len == 0)
			return false;
		u = used > 0 ? unit_find(rest.at, rest.len) : NULL;
		if (u == NULL)
			continue; /* a text that may begin with digits */
		figures++;
		role = u->role == ROLE_TIME && (p->flags & DIALECT_RUNS) ? ROLE_DURATION : u->role;
		claim(&found, role, i, u, rest);
	}
	if (figures < 2)
		return false;
	found.cells_have_units = true;
	*p = found;
	return true;
}
