/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex - text from outside as lines, and a line as cells.
 *
 * Encodings, line ends, quotes, blanks, tuples in parentheses. It must not know what
 * a cell means.
 */
#ifndef LIB_LEX_H
#define LIB_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/fail.h"

#define LEX_CELLS 256

/* Points into the file's bytes. */
struct slice {
	const char *at;
	size_t len;
};

struct lex {
	const char *at, *end;
	int line; /* of the line returned last, from 1 */
};

struct cells {
	int count;
	struct slice cell[LEX_CELLS];
};

/* Skips a byte order mark. -1: UTF-16 or other bytes that are no text, with the line. */
int lex_init(struct lex *l, const char *data, size_t len, struct fail *f);
/* The next line without its end and the blanks around it; false at the end. *cut: it had no
 * line end. */
bool lex_line(struct lex *l, struct slice *line, bool *cut);

struct slice slice_trim(struct slice s);
bool slice_equal(struct slice s, const char *text);

/* Cells without the blanks and quotes around them. separator ' ': any run of blanks. One trailing
 * separator adds no cell. False: too many cells. */
bool lex_split(struct slice line, char separator, struct cells *c);

#endif
