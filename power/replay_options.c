/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_options - the keys of "replay:FILE,..." into options. It must not read files.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/opt.h"
#include "power/replay.h"

#define RATE_MOST_HZ 1e7

void replay_options_init(struct replay_options *o)
{
	*o = (struct replay_options){ .meaning = -1, .scale = 1, .error_pct = -1 };
}

static int add_column(struct replay_options *o, enum replay_role role, const char *name,
		      const char *unit, struct fail *f)
{
	struct replay_column *c = &o->column[o->column_count];

	if ((size_t)o->column_count == sizeof o->column / sizeof *o->column)
		return fail_set(f, EINVAL, "more than %d columns", o->column_count);
	if (strlen(name) >= sizeof c->name || strlen(unit) >= sizeof c->unit)
		return fail_set(f, EINVAL, "the column name or unit in \"%s%s\" is too long", name,
				unit);
	if (unit[0] != '\0') {
		const struct unit *u = unit_find(unit, strlen(unit));

		if (u == NULL ||
		    (u->role != role && !(u->role == ROLE_TIME && role == ROLE_DURATION)))
			return fail_set(f, EINVAL, "%s=%s: \"%s\" is no unit of %s",
					role_name[role], unit, unit, role_name[role]);
	}
	c->role = role;
	snprintf(c->name, sizeof c->name, "%s", name);
	snprintf(c->unit, sizeof c->unit, "%s", unit);
	o->column_count++;
	return 0;
}

/* "NAME:UNIT", "UNIT" where it is one, else "NAME". */
static int read_column(struct replay_options *o, enum replay_role role, const char *text,
		       struct fail *f)
{
	const char *colon = strrchr(text, ':');
	char name[64];

	if (colon == NULL) {
		bool unit = unit_find(text, strlen(text)) != NULL;

		return add_column(o, role, unit ? "" : text, unit ? text : "", f);
	}
	snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
	return add_column(o, role, name, colon + 1, f);
}

static enum replay_role role_by_name(const char *name)
{
	for (int i = 0; i < ROLES; i++)
		if (strcmp(role_name[i], name) == 0)
			return (enum replay_role)i;
	return ROLES;
}

/* "time:ms/power:mW/-": every cell of a row, in order. */
static int read_columns(struct replay_options *o, const char *text, struct fail *f)
{
	char copy[256], *rest = copy, *item;

	if (o->column_count > 0)
		return fail_set(f, EINVAL,
				"columns= and a column's own key say the same: give one");
	snprintf(copy, sizeof copy, "%s", text);
	o->positional = true;
	while ((item = strsep(&rest, "/")) != NULL) {
		char *unit = strchr(item, ':');
		enum replay_role role;

		if (unit != NULL)
			*unit++ = '\0';
		role = role_by_name(item);
		if (role == ROLES)
			return fail_set(f, EINVAL,
					"columns=: \"%s\" is none of -, time, duration, power, "
					"voltage, current, energy, charge, label",
					item);
		if (add_column(o, role, "", unit ? unit : "", f) != 0)
			return -1;
	}
	return 0;
}

/* In the order in which they were given: without a header that order is the columns'. */
static int take_columns(struct replay_options *o, struct args *a)
{
	static const char *const keys[] = { "time",    "duration", "power", "voltage",
					    "current", "energy",   "charge" };
	const char *columns = args_text(a, "columns");

	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
		args_text(a, keys[i]);
	if (columns != NULL && read_columns(o, columns, a->fail) != 0)
		return -1;
	for (int i = 0; i < a->count; i++) {
		enum replay_role role = role_by_name(a->key[i]);

		if (role == ROLE_NONE || role >= ROLE_LABEL || a->value[i] == NULL)
			continue;
		if (role == ROLE_TIME && strcmp(a->value[i], "none") == 0)
			o->untimed = true;
		else if (columns != NULL)
			return read_columns(o, columns, a->fail);
		else if (read_column(o, role, a->value[i], a->fail) != 0)
			return -1;
	}
	return 0;
}

static int take_dialect(struct replay_options *o, struct args *a)
{
	const char *name = args_text(a, "dialect"), *names[32] = { NULL }, *nearest;
	int count = 0;

	if (name == NULL)
		return 0;
	o->dialect = dialect_by_name(name);
	if (o->dialect != NULL)
		return 0;
	for (const struct dialect *d = dialects; d->name != NULL && count < 31; d++)
		names[count++] = d->name;
	nearest = opt_nearest(name, names);
	return fail_set(a->fail, EINVAL, "there is no dialect \"%s\"%s%s%s", name,
			nearest ? "; did you mean \"" : "", nearest ? nearest : "",
			nearest ? "\"?" : "");
}

int replay_options_read(struct replay_options *o, struct args *a)
{
	static const char *const separators[] = { "comma", "semicolon", "tab",  "space",
						  "slash", "hash",      "pipe", NULL };
	static const char *const points[] = { "point", "comma", NULL };
	static const char *const backward[] = { "refuse", "rebase", "drop", NULL };
	static const char *const uses[] = { "best", "power", "vi", "energy", "charge", NULL };
	static const char *const zeros[] = { "check", "data", NULL };
	int zero = 0, separator = -1, point = -1, back = 0, use = 0;
	double range_j = 0;
	const char *label;

	if (take_dialect(o, a) != 0 || take_columns(o, a) != 0)
		return -1;
	if (args_choice(a, "separator", separators, &separator))
		o->separator = ",;\t /#|"[separator];
	if (args_choice(a, "decimal", points, &point))
		o->point = ".,"[point];
	args_choice(a, "meaning", sample_meaning_name, &o->meaning);
	args_choice(a, "backward", backward, &back);
	args_choice(a, "use", uses, &use);
	args_quantity(a, "rate", "Hz", &o->rate_hz);
	args_quantity(a, "volts", "V", &o->volts);
	args_quantity(a, "wrap", "J", &range_j);
	args_real(a, "scale", &o->scale);
	if (args_real(a, "error", &o->error_pct) && !(o->error_pct >= 0 && o->error_pct < 100))
		return fail_set(a->fail, EINVAL, "error: expected a standard one of 0 to 100 %%");
	args_choice(a, "zeros", zeros, &zero);
	o->zeros_are_data = zero == 1;
	label = args_text(a, "label");
	if (label != NULL)
		snprintf(o->label, sizeof o->label, "%s", label);
	o->backward = (enum replay_backward)back;
	o->use = (enum replay_use)use;
	if (!(o->rate_hz >= 0 && o->rate_hz <= RATE_MOST_HZ) ||
	    !(o->volts >= 0 && o->volts <= 1e6) || !(range_j >= 0 && range_j < 9e9) ||
	    !(fabs(o->scale) >= 1e-15 && fabs(o->scale) <= 1e9))
		return fail_set(a->fail, EINVAL,
				"rate, volts, wrap or scale is out of range: expected positive "
				"figures that a meter can have");
	o->range_nj = (int64_t)(range_j * 1e9 + 0.5);
	return a->fail->code ? -1 : 0;
}
