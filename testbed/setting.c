/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting - values of the rows of setting_rows.c: read, written for a command line, a
 * parameter and the record. It must not know one row from another.
 */
#include "testbed/setting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testbed/commands.h"
#include "testbed/plan.h"

static const struct command *const command_of[SETTING_SIDES] = {
	[SETTING_SERVE] = &cmd_serve,
	[SETTING_LOAD] = &cmd_load,
};

int settings_count(void)
{
	int n = 0;

	while (setting_rows[n].key)
		n++;
	return n;
}

int setting_index(const char *key)
{
	for (int i = 0; setting_rows[i].key; i++)
		if (!strcmp(setting_rows[i].key, key))
			return i;
	return -1;
}

bool setting_is_of(const struct setting *s, const char *workload)
{
	size_t len = strcspn(s->key, ".");

	return !s->key[len] || (strlen(workload) == len && !memcmp(workload, s->key, len));
}

const char *setting_of(const struct plan_cell *c, const char *key)
{
	int i = setting_index(key);

	return i < 0 ? NULL : c->setting[i];
}

bool setting_is(const struct plan_cell *c, const char *key, const char *value)
{
	const char *text = setting_of(c, key);

	return text && !strcmp(text, value);
}

/* --- what the options say --------------------------------------------------- */

static const struct opt *find_option(const struct setting *s, enum setting_side side)
{
	const struct opt *o = s->option[side] ? command_of[side]->usage.options : NULL;

	while (o && o->name && strcmp(o->name, s->option[side]))
		o++;
	return o && o->name ? o : NULL;
}

/*
 * The one that says what a value is, where both sides have one: a size on one side may be a flag
 * on the other.
 */
static const struct opt *option_of(const struct setting *s)
{
	const struct opt *o = find_option(s, SETTING_LOAD), *other = find_option(s, SETTING_SERVE);

	return o && (o->kind != OPT_FLAG || !other) ? o : other;
}

const char *setting_help(const struct setting *s)
{
	return s->help ? s->help : option_of(s)->help;
}

/* --- numbers ---------------------------------------------------------------- */

struct scale {
	const char *unit;
	int64_t size;
};

static const struct scale binary[] = { { "MiB", 1 << 20 }, { "KiB", 1 << 10 }, { NULL, 0 } };
static const struct scale decimal[] = { { "MB", 1000000 }, { "kB", 1000 }, { NULL, 0 } };
static const struct scale seconds[] = {
	{ "s", INT64_C(1000000000) }, { "ms", 1000000 }, { "us", 1000 }, { NULL, 0 }
};

/* The largest unit that leaves a whole number, or NULL. */
static const struct scale *whole_scale(const struct scale *s, int64_t value)
{
	for (; s->unit; s++)
		if (value && value % s->size == 0)
			return s;
	return NULL;
}

static void put_scaled(struct buf *out, const struct scale *s, int64_t value, const char *unit)
{
	buf_printf(out, "%" PRId64 "%s", s ? value / s->size : value, s ? s->unit : unit);
}

void setting_put_bytes(struct buf *out, int64_t bytes)
{
	const struct scale *s = whole_scale(binary, bytes), *round = whole_scale(decimal, bytes);

	if (s && round && (bytes / s->size & (bytes / s->size - 1)))
		s = round;
	put_scaled(out, s ? s : round, bytes, "B");
}

union value {
	struct opt_list list;
	int64_t whole;
	double real;
	const char *text;
	int choice;
	bool flag;
};

/* A flag's value is not on a command line. */
static int read_flag(const char *text, union value *v, struct fail *f)
{
	v->flag = !strcmp(text, "true");
	if (v->flag || !strcmp(text, "false"))
		return 0;
	return fail_set(f, EINVAL, "'%.40s' is neither true nor false", text);
}

static int read_option(const struct opt *o, const char *text, union value *v, struct fail *f)
{
	*v = (union value){ 0 };
	return o->kind == OPT_FLAG ? read_flag(text, v, f) : opt_read_value(o, v, text, f);
}

static void put_canonical(const struct opt *o, const union value *v, struct buf *out)
{
	switch (o->kind) {
	case OPT_INTEGER:
		buf_printf(out, "%" PRId64, v->whole);
		break;
	case OPT_DURATION:
		put_scaled(out, whole_scale(seconds, v->whole), v->whole, v->whole ? "ns" : "");
		break;
	case OPT_BYTES:
		setting_put_bytes(out, v->whole);
		break;
	case OPT_REAL:
		buf_printf(out, "%.12g", v->real);
		break;
	case OPT_CHOICE:
		buf_puts(out, o->choices[v->choice]);
		break;
	case OPT_FLAG:
		buf_puts(out, v->flag ? "true" : "false");
		break;
	case OPT_TEXT:
	case OPT_LIST:
		buf_puts(out, v->text);
		break;
	}
}

/* --- reading ---------------------------------------------------------------- */

static const struct setting_value *find_value(const struct setting *s, const char *text)
{
	for (const struct setting_value *v = s->values; v && v->text; v++)
		if (!strcmp(v->text, text))
			return v;
	return NULL;
}

static int read_own(const struct setting *s, const char *text, char dst[SETTING_TEXT_BYTES],
		    struct fail *f)
{
	char all[SETTING_TEXT_BYTES] = "";
	size_t len = 0;

	if (find_value(s, text)) {
		snprintf(dst, SETTING_TEXT_BYTES, "%s", text);
		return 0;
	}
	for (const struct setting_value *v = s->values; v->text && len < sizeof(all); v++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", len ? ", " : "",
					v->text);
	return fail_set(f, EINVAL, "'%.40s' is not one of %s", text, all);
}

/* Both programs must take it, and what it comes to is what the first of them makes of it. */
static int read_both(const struct setting *s, const char *text, struct buf *canonical,
		     struct fail *f)
{
	union value v;

	for (int side = 0; side < SETTING_SIDES; side++) {
		const struct opt *o = find_option(s, (enum setting_side)side);

		if (!o || (o->kind == OPT_FLAG && o != option_of(s)))
			continue;
		if (read_option(o, text, &v, f))
			return -1;
		if (o == option_of(s))
			put_canonical(o, &v, canonical);
	}
	return 0;
}

int setting_read(const struct setting *s, const char *text, char dst[SETTING_TEXT_BYTES],
		 struct fail *f)
{
	struct buf canonical = { 0 };
	int64_t number;
	int status;

	if (s->values)
		return read_own(s, text, dst, f);
	if (s->read && s->read(text, &number, f))
		return -1;
	status = read_both(s, text, &canonical, f);
	if (!status && canonical.len >= SETTING_TEXT_BYTES)
		status = fail_set(f, E2BIG, "longer than %d bytes", SETTING_TEXT_BYTES - 1);
	if (!status)
		snprintf(dst, SETTING_TEXT_BYTES, "%s", buf_text(&canonical));
	buf_release(&canonical);
	return status;
}

/* --- what becomes of a value -------------------------------------------------- */

bool setting_word(const struct setting *s, enum setting_side side, const char *text,
		  struct buf *word)
{
	const struct setting_value *v = find_value(s, text);
	const struct opt *o = find_option(s, side);

	if (v && v->word[side])
		buf_printf(word, "--%s", v->word[side]);
	if (v)
		return v->word[side] != NULL;
	if (!o || (o->kind == OPT_FLAG && (!strcmp(text, "false") || !strcmp(text, "0B"))))
		return false;
	if (o->kind == OPT_FLAG)
		buf_printf(word, "--%s", o->name);
	else
		buf_printf(word, "--%s=%s", o->name, text);
	return true;
}

/* Whole and real; a choice is its index, a flag 0 or 1. */
static void read_numbers(const struct setting *s, enum setting_side side, const char *text,
			 int64_t *whole, double *real)
{
	const struct setting_value *own = find_value(s, text);
	const struct opt *o = find_option(s, side);
	struct fail ignored = { 0 };
	union value v = { 0 };

	*whole = own ? own->number[side] : 0;
	if (s->read)
		s->read(text, whole, &ignored);
	else if (!own && o && !read_option(o, text, &v, &ignored))
		*whole = o->kind == OPT_CHOICE ? v.choice : o->kind == OPT_FLAG ? v.flag : v.whole;
	*real = v.real;
}

void setting_store(const struct setting *s, enum setting_side side, const char *text, void *params)
{
	const struct setting_place *p = &s->place[side];
	void *at = (char *)params + p->offset;
	int64_t whole;
	double real;

	read_numbers(s, side, text, &whole, &real);
	if (p->real)
		*(double *)at = real;
	else if (p->size == sizeof(bool))
		*(bool *)at = whole != 0;
	else if (p->size == sizeof(int))
		*(int *)at = (int)whole;
	else if (p->size == sizeof(int64_t))
		*(int64_t *)at = whole;
}

json_t *setting_json(const struct setting *s, const char *text)
{
	const struct opt *o = option_of(s);
	struct fail ignored = { 0 };
	union value v = { 0 };
	int64_t number;

	if (s->values)
		return json_string(text);
	if (s->read && !s->read(text, &number, &ignored))
		return json_integer(number);
	if (read_option(o, text, &v, &ignored))
		return json_null();
	if (o->kind == OPT_REAL)
		return json_real(v.real);
	if (o->kind == OPT_FLAG)
		return json_boolean(v.flag);
	return o->kind == OPT_CHOICE || o->kind == OPT_TEXT || o->kind == OPT_LIST
		       ? json_string(text)
		       : json_integer(v.whole);
}
