/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt_value - a text into a value by the kind of its option, the check of whole
 * tables, and the nearest name.
 *
 * Defaults and what a user typed come through the same function.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/opt.h"
#include "lib/units.h"

static int read_flag(bool *slot, const char *text, struct fail *f)
{
	if (text) /* a preset: flags have none */
		return fail_set(f, EINVAL, "a flag takes no value, '%s' was given", text);
	*slot = true;
	return 0;
}

static int read_list(const struct opt *o, struct opt_list *list, const char *text, struct fail *f)
{
	if (list->count == 1 && list->item[0] == o->preset)
		list->count = 0;
	if (list->count == OPT_LIST_MAX)
		return fail_set(f, E2BIG, "given more than %d times", OPT_LIST_MAX);
	list->item[list->count++] = text;
	return 0;
}

static int64_t upper_limit(const struct opt *o)
{
	return o->max || !o->min ? o->max : INT64_MAX;
}

static bool has_limits(const struct opt *o)
{
	return o->min || o->max;
}

static int read_integer(const struct opt *o, int64_t *slot, const char *text, struct fail *f)
{
	if (!has_limits(o))
		return units_integer(text, INT64_MIN, INT64_MAX, slot, f);
	return units_integer(text, o->min, upper_limit(o), slot, f);
}

static int read_real(const struct opt *o, double *slot, const char *text, struct fail *f)
{
	double value;

	if (units_real(text, &value, f))
		return -1;
	if (has_limits(o) && (value < (double)o->min || value > (double)upper_limit(o)))
		return fail_set(f, ERANGE, "'%s' is not between %lld and %lld", text,
				(long long)o->min, (long long)upper_limit(o));
	*slot = value;
	return 0;
}

typedef int read_measure(const char *text, int64_t *value, struct fail *f);
typedef void format_measure(int64_t value, char *dst, size_t len);

/* A duration or a size within the option's limits. */
static int read_within(const struct opt *o, int64_t *slot, const char *text, read_measure *read,
		       format_measure *format, struct fail *f)
{
	char low[32], high[32];
	int64_t value;

	if (read(text, &value, f))
		return -1;
	if (!has_limits(o) || (value >= o->min && value <= upper_limit(o))) {
		*slot = value;
		return 0;
	}
	format(o->min, low, sizeof(low));
	format(upper_limit(o), high, sizeof(high));
	if (upper_limit(o) == INT64_MAX)
		return fail_set(f, ERANGE, "'%s' is too small; expected at least %s", text, low);
	return fail_set(f, ERANGE, "'%s' is not between %s and %s", text, low, high);
}

static int bad_choice(const struct opt *o, const char *text, struct fail *f)
{
	const char *nearest = opt_nearest(text, o->choices);
	char all[200] = "";
	size_t len = 0;

	for (int i = 0; o->choices[i] && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
					o->choices[i]);
	if (nearest)
		return fail_set(f, EINVAL, "'%s' is not one of %s; did you mean %s?", text, all,
				nearest);
	return fail_set(f, EINVAL, "'%s' is not one of %s", text, all);
}

static int read_choice(const struct opt *o, int *slot, const char *text, struct fail *f)
{
	for (int i = 0; o->choices[i]; i++)
		if (!strcmp(o->choices[i], text)) {
			*slot = i;
			return 0;
		}
	return bad_choice(o, text, f);
}

int opt_read_value(const struct opt *o, void *slot, const char *text, struct fail *f)
{
	switch (o->kind) {
	case OPT_FLAG:
		return read_flag(slot, text, f);
	case OPT_TEXT:
		*(const char **)slot = text;
		return 0;
	case OPT_LIST:
		return read_list(o, slot, text, f);
	case OPT_INTEGER:
		return read_integer(o, slot, text, f);
	case OPT_REAL:
		return read_real(o, slot, text, f);
	case OPT_DURATION:
		return read_within(o, slot, text, units_duration, units_format_duration, f);
	case OPT_BYTES:
		return read_within(o, slot, text, units_bytes, units_format_bytes, f);
	case OPT_CHOICE:
		return read_choice(o, slot, text, f);
	}
	return fail_set(f, EINVAL, "an option of unknown kind %d", (int)o->kind);
}

static int check_texts(const struct opt *o, struct fail *f)
{
	size_t len = o->help ? strlen(o->help) : 0;

	if (!*o->name || o->name[0] == '-')
		return fail_set(f, EINVAL, "the name is written without dashes");
	if (!strcmp(o->name, "help"))
		return fail_set(f, EINVAL, "every command has it already");
	if (!len)
		return fail_set(f, EINVAL, "no help");
	if (o->help[len - 1] == '.')
		return fail_set(f, EINVAL, "the help ends with a full stop");
	if ((o->kind == OPT_FLAG) != !o->metavar)
		return fail_set(f, EINVAL, "a flag has no metavar, every other kind has one");
	return 0;
}

static int check_value(const struct opt *o, struct fail *f)
{
	union {
		struct opt_list list;
		double real;
	} scratch = { .list = { .count = 0 } };

	if (o->kind == OPT_CHOICE && (!o->choices || !o->choices[0]))
		return fail_set(f, EINVAL, "a choice without choices");
	if (has_limits(o) && o->min > upper_limit(o))
		return fail_set(f, EINVAL, "min is above max");
	if (o->preset && opt_read_value(o, &scratch, o->preset, f))
		return fail_within(f, "preset");
	return 0;
}

static int check_unique(const struct opt *table, const struct opt *o, struct fail *f)
{
	for (const struct opt *before = table; before != o; before++) {
		if (!strcmp(before->name, o->name))
			return fail_set(f, EEXIST, "the name comes twice");
		if (o->letter && before->letter == o->letter)
			return fail_set(f, EEXIST, "-%c is --%s already", o->letter, before->name);
	}
	return 0;
}

int opt_check_table(const struct opt *table, struct fail *f)
{
	for (const struct opt *o = table; o->name; o++)
		if (check_texts(o, f) || check_value(o, f) || check_unique(table, o, f))
			return fail_within(f, "--%s", o->name);
	return 0;
}

#define WORD_MAX 40

static int least(int a, int b, int c)
{
	int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Letters wrong, missing, too many or two neighbours swapped (optimal string alignment). */
static int slips(const char *a, const char *b)
{
	int cost[WORD_MAX + 1][WORD_MAX + 1];
	int n = (int)strlen(a), m = (int)strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (int i = 0; i <= n; i++)
		cost[i][0] = i;
	for (int j = 0; j <= m; j++)
		cost[0][j] = j;
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= m; j++) {
			int differs = a[i - 1] != b[j - 1];

			cost[i][j] = least(cost[i - 1][j] + 1, cost[i][j - 1] + 1,
					   cost[i - 1][j - 1] + differs);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    cost[i - 2][j - 2] + 1 < cost[i][j])
				cost[i][j] = cost[i - 2][j - 2] + 1;
		}
	return cost[n][m];
}

const char *opt_nearest(const char *word, const char *const *names)
{
	int allowed = strlen(word) < 5 ? 1 : 2;
	const char *nearest = NULL;

	for (; *names; names++) {
		int n = slips(word, *names);

		if (n > allowed || n >= (int)strlen(*names))
			continue;
		nearest = *names;
		allowed = n - 1; /* the next must be nearer */
	}
	return nearest;
}
