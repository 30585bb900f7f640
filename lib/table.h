/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - text in columns: numbers right, words left, widths by what is in them.
 *
 * Cells are copied. Widths count UTF-8 characters, so units such as µ align.
 */
#ifndef LIB_TABLE_H
#define LIB_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "lib/buf.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table {
	int columns, rows;
	char **cell; /* columns x (rows + 1), the head first */
	enum table_align align[32];
};

/* heads ends with NULL; a head that starts with '>' is a right-aligned column. */
int table_init(struct table *t, const char *const *heads);
void table_release(struct table *t);
/* One row, `columns` texts; NULL is an empty cell. */
int table_row(struct table *t, const char *const *cells);
void table_print(const struct table *t, FILE *out);
/* The same as a Markdown table. */
void table_print_markdown(const struct table *t, FILE *out);
/* As one of the two prints it, behind what out has. */
void table_put(const struct table *t, void (*print)(const struct table *t, FILE *out),
	       struct buf *out);

#endif
