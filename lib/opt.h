/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt - a command's options as one const table.
 *
 * The table drives parsing, range checks, defaults and --help, so that help
 * cannot say anything else than what is parsed.  Every command has --help; it
 * is not in the table.  Both "--name value" and "--name=value" are read,
 * "--" ends the options, options and operands may be mixed.
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
	OPT_LIST,     /* struct opt_list: may be given several times */
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
	int64_t min, max;           /* OPT_INTEGER; both 0: any */
};

struct opt_usage {
	const char *synopsis;    /* "serve URL... [OPTION]..." */
	const char *summary;     /* one line, for the list of commands */
	const char *description; /* paragraphs, or NULL */
	const char *examples;    /* lines, or NULL */
	const struct opt *options;
};

enum opt_result { OPT_OK, OPT_HELP, OPT_BAD };

/*
 * Sets every default, then reads argv[1..]. Operands are moved to the front of
 * argv; *operands says how many. OPT_HELP when --help was asked for (nothing
 * printed yet). OPT_BAD with the reason in f: the option, the value given,
 * what was expected, and the nearest name for an unknown option.
 */
enum opt_result opt_parse(const struct opt *table, void *settings, int argc, char **argv,
			  int *operands, struct fail *f);

/* True when the option was given rather than left at its default. */
bool opt_given(const struct opt *table, int argc, char **argv, const char *name);

void opt_print_help(FILE *out, const struct opt_usage *usage);

/* The nearest candidate within a typing slip of `word`, or NULL. names ends with NULL. */
const char *opt_nearest(const char *word, const char *const *names);

#endif
