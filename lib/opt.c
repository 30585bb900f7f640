/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt - reading a command line by a table.
 *
 * One scanner says what each argument is; parsing and opt_given() both stand on
 * it.  Knows nothing of any command; opt_help.c prints the table, opt_value.c
 * turns a text into a value.
 */
#include "lib/opt.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names of a table as opt_nearest() wants them, "help" among them. */
#define NAMES_MAX 128

struct scan {
	const struct opt *table;
	char **argv;
	int argc, at;        /* at: the next argument to read */
	const char *letters; /* what is left of "-abc"; NULL when nothing is */
	bool ended;          /* "--" was read */
};

/* What the scanner met. */
struct met {
	enum { MET_END, MET_OPERAND, MET_OPTION, MET_DASHES, MET_HELP, MET_BAD } what;
	const struct opt *option;
	const char *value; /* NULL for a flag */
};

static const struct opt *find_name(const struct opt *table, const char *name, size_t len)
{
	for (; table->name; table++)
		if (strlen(table->name) == len && !memcmp(table->name, name, len))
			return table;
	return NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (; table->name; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

static struct met unknown_name(const struct scan *s, const char *word, struct fail *f)
{
	const char *names[NAMES_MAX + 2];
	const char *nearest;
	int n = 0;

	for (const struct opt *o = s->table; o->name && n < NAMES_MAX; o++)
		names[n++] = o->name;
	names[n++] = "help";
	names[n] = NULL;
	nearest = opt_nearest(word, names);
	if (nearest)
		fail_set(f, EINVAL, "unknown option --%s; did you mean --%s?", word, nearest);
	else
		fail_set(f, EINVAL, "unknown option --%s", word);
	return (struct met){ .what = MET_BAD };
}

/* The value in the same argument, or the next one. */
static struct met with_value(struct scan *s, const struct opt *o, const char *attached,
			     struct fail *f)
{
	struct met met = { .what = MET_OPTION, .option = o, .value = attached };

	if (attached)
		return met;
	if (s->at >= s->argc) {
		fail_set(f, EINVAL, "--%s needs a value: --%s %s", o->name, o->name,
			 o->metavar ? o->metavar : "VALUE");
		met.what = MET_BAD;
		return met;
	}
	met.value = s->argv[s->at++];
	return met;
}

static struct met scan_name(struct scan *s, const char *word, struct fail *f)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct opt *o = find_name(s->table, word, len);
	char name[64];

	if (o && o->kind != OPT_FLAG)
		return with_value(s, o, equals ? equals + 1 : NULL, f);
	if (!o && !(len == 4 && !memcmp(word, "help", 4))) {
		if (len >= sizeof(name))
			len = sizeof(name) - 1;
		memcpy(name, word, len);
		name[len] = '\0';
		return unknown_name(s, name, f);
	}
	if (equals) {
		fail_set(f, EINVAL, "--%.*s takes no value, '%s' was given", (int)len, word,
			 equals + 1);
		return (struct met){ .what = MET_BAD };
	}
	return (struct met){ .what = o ? MET_OPTION : MET_HELP, .option = o };
}

static struct met scan_letter(struct scan *s, struct fail *f)
{
	char letter = *s->letters++;
	const struct opt *o = find_letter(s->table, letter);
	const char *rest = *s->letters ? s->letters : NULL;

	if (!o && letter == 'h')
		return (struct met){ .what = MET_HELP };
	if (!o) {
		fail_set(f, EINVAL, "unknown option -%c", letter);
		return (struct met){ .what = MET_BAD };
	}
	if (o->kind != OPT_FLAG) {
		s->letters = NULL;
		return with_value(s, o, rest, f);
	}
	s->letters = rest;
	return (struct met){ .what = MET_OPTION, .option = o };
}

static struct met scan_next(struct scan *s, struct fail *f)
{
	const char *word;

	if (s->letters)
		return scan_letter(s, f);
	if (s->at >= s->argc)
		return (struct met){ .what = MET_END };
	word = s->argv[s->at++];
	if (s->ended || word[0] != '-' || !word[1])
		return (struct met){ .what = MET_OPERAND };
	if (word[1] != '-') {
		s->letters = word + 1;
		return scan_letter(s, f);
	}
	if (word[2])
		return scan_name(s, word + 2, f);
	s->ended = true;
	return (struct met){ .what = MET_DASHES };
}

static void set_defaults(const struct opt *table, void *settings)
{
	static const size_t bytes[] = {
		[OPT_FLAG] = sizeof(bool),
		[OPT_TEXT] = sizeof(const char *),
		[OPT_LIST] = sizeof(struct opt_list),
		[OPT_INTEGER] = sizeof(int64_t),
		[OPT_REAL] = sizeof(double),
		[OPT_DURATION] = sizeof(int64_t),
		[OPT_BYTES] = sizeof(int64_t),
		[OPT_CHOICE] = sizeof(int),
	};
	struct fail f = { 0 };

	for (const struct opt *o = table; o->name; o++) {
		char *slot = (char *)settings + o->offset;
		int status = 0;

		memset(slot, 0, bytes[o->kind]);
		if (o->preset)
			status = opt_read_value(o, slot, o->preset, &f);
		assert(!status && "a preset that does not parse: see opt_check_table()");
		(void)status;
	}
}

static int take_option(const struct met *met, void *settings, struct fail *f)
{
	const struct opt *o = met->option;

	if (!opt_read_value(o, (char *)settings + o->offset, met->value, f))
		return 0;
	return fail_within(f, "--%s", o->name);
}

/* Move what stands at argv[from] to argv[to]; what was between goes one up. */
static void move_front(char **argv, int from, int to)
{
	char *kept = argv[from];

	memmove(argv + to + 1, argv + to, sizeof(*argv) * (size_t)(from - to));
	argv[to] = kept;
}

enum opt_result opt_parse(const struct opt *table, void *settings, int argc, char **argv,
			  int *operands, struct fail *f)
{
	struct scan s = { .table = table, .argv = argv, .argc = argc, .at = 1 };

	*operands = 0;
	set_defaults(table, settings);
	for (;;) {
		struct met met = scan_next(&s, f);

		if (met.what == MET_END)
			return OPT_OK;
		if (met.what == MET_HELP)
			return OPT_HELP;
		if (met.what == MET_BAD ||
		    (met.what == MET_OPTION && take_option(&met, settings, f)))
			return OPT_BAD;
		if (met.what == MET_OPERAND)
			move_front(argv, s.at - 1, ++*operands);
	}
}

bool opt_given(const struct opt *table, int argc, char **argv, int operands, const char *name)
{
	struct scan s = { .table = table, .argv = argv, .argc = argc, .at = 1 + operands };
	const struct opt *wanted = find_name(table, name, strlen(name));
	struct fail ignored = { 0 };

	assert(wanted && "an option that is not in the table");
	for (;;) {
		struct met met = scan_next(&s, &ignored);

		if (met.what == MET_OPTION && met.option == wanted)
			return true;
		if (met.what == MET_END || met.what == MET_BAD || met.what == MET_HELP)
			return false;
	}
}
