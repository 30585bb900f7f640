/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt - a command's options as one const table.
 *
 * The table drives parsing, range checks, defaults and --help, so that help
 * cannot say anything else than what is parsed.  Every command has --help; it
 * is not in the table.  "--name value", "--name=value", "-n value" and "-nvalue"
 * are read, flags may share a dash ("-qv"), "--" ends the options, a lone "-" is an
 * operand, options and operands may be mixed.  Of an option given twice the last
 * value counts, except for OPT_LIST.
 */
#ifndef LIB_OPT_H
#define LIB_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/fail.h"

enum opt_kind {
	OPT_FLAG,     /* bool */
	OPT_TEXT,     /* const char *, borrowed from argv or from preset */
	OPT_LIST,     /* struct opt_list: may be given several times; a preset gives way */
	OPT_INTEGER,  /* int64_t between min and max */
	OPT_REAL,     /* double */
	OPT_DURATION, /* int64_t nanoseconds */
	OPT_BYTES,    /* int64_t bytes */
	OPT_CHOICE,   /* int: index in choices */
};

#define OPT_LIST_MAX 32
struct opt_list {
	const char *item[OPT_LIST_MAX];
	int count;
};

struct opt {
	const char *name; /* without dashes; NULL ends the table */
	char letter;      /* 0 for none */
	enum opt_kind kind;
	size_t offset;              /* of the value in the command's settings struct */
	const char *metavar;        /* "FILE", "N", "DURATION"; NULL for a flag */
	const char *help;           /* one sentence, no full stop; wrapped by the printer */
	const char *preset;         /* default, written as a user would; NULL: zero, or unset */
	const char *const *choices; /* OPT_CHOICE: ends with NULL */
	/* Of a number, in its base unit (count, ns, bytes). Both 0: any; only max 0: no upper
	 * limit. */
	int64_t min, max;
};

struct opt_usage {
	const char *synopsis;    /* "serve URL... [OPTION]...", without the program's name */
	const char *summary;     /* one line, for the list of commands */
	const char *description; /* paragraphs, an empty line between them, re-wrapped; or NULL */
	const char *examples;    /* lines, printed as they are behind two blanks; or NULL */
	const struct opt *options;
};

enum opt_result { OPT_OK, OPT_HELP, OPT_BAD };

/*
 * Sets every default, then reads argv[1] to argv[argc - 1].  Afterwards the operands
 * are argv[1] to argv[*operands], and behind them stand the options in the order in
 * which they came.  OPT_HELP when --help (or -h, unless the table has another use
 * for it) was met: nothing is printed yet.  OPT_BAD with the reason in f: the
 * option, the value given, what was expected, and the nearest name for an unknown
 * option.  A preset that does not parse is a bug in the table, found by assert().
 */
enum opt_result opt_parse(const struct opt *table, void *settings, int argc, char **argv,
			  int *operands, struct fail *f);

/*
 * True when the option was given rather than left at its default.  Takes argv and
 * operands as opt_parse() left them.
 */
bool opt_given(const struct opt *table, int argc, char **argv, int operands, const char *name);

/*
 * For tests, on every command's table: 0 when each row has a name and a help of its
 * own, no name or letter comes twice, the help has no full stop at its end, flags
 * have no metavar and the others do, choices are there where needed, and every
 * preset parses.  Else -1 with the row in f.
 */
int opt_check_table(const struct opt *table, struct fail *f);

/* At most 80 columns. */
void opt_print_help(FILE *out, const struct opt_usage *usage);
/*
 * One paragraph from text to end, as help is printed: the first line has `at` columns already, the
 * others are indented. For commands whose result is sentences.
 */
void opt_print_wrapped(FILE *out, const char *text, const char *end, int at, int indent);

/*
 * The nearest candidate within a typing slip of `word` (one letter wrong, missing,
 * too many or swapped; two in words of five letters and more), or NULL. names ends
 * with NULL.
 */
const char *opt_nearest(const char *word, const char *const *names);

/* For opt*.c: text into the value at slot. */
int opt_read_value(const struct opt *o, void *slot, const char *text, struct fail *f);

#endif
