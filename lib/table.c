/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - columns as wide as their widest cell, two blanks between them.
 *
 * No blank ends a line.  Knows nothing of what the cells mean.
 */
#include "lib/table.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX ((int)(sizeof(((struct table *)0)->align) / sizeof(enum table_align)))

static char **row_at(const struct table *t, int row)
{
	return t->cell + (size_t)row * (size_t)t->columns;
}

/* Appends one row of copies; on failure nothing is added. */
static int append(struct table *t, int row, const char *const *cells)
{
	size_t columns = (size_t)t->columns;
	char **grown = realloc(t->cell, ((size_t)row + 1) * columns * sizeof(*grown));
	char **to;

	if (!grown)
		return -1;
	t->cell = grown;
	to = row_at(t, row);
	for (size_t c = 0; c < columns; c++) {
		to[c] = strdup(cells[c] ? cells[c] : "");
		if (to[c])
			continue;
		while (c--)
			free(to[c]);
		return -1;
	}
	return 0;
}

int table_init(struct table *t, const char *const *heads)
{
	const char *texts[COLUMNS_MAX];

	*t = (struct table){ 0 };
	for (; heads[t->columns]; t->columns++) {
		const char *head = heads[t->columns];

		if (t->columns == COLUMNS_MAX)
			break;
		t->align[t->columns] = *head == '>' ? TABLE_RIGHT : TABLE_LEFT;
		texts[t->columns] = head + (*head == '>');
	}
	if (!t->columns || heads[t->columns] || append(t, 0, texts)) {
		free(t->cell);
		*t = (struct table){ 0 };
		return -1;
	}
	return 0;
}

void table_release(struct table *t)
{
	size_t cells = t->cell ? (size_t)t->columns * ((size_t)t->rows + 1) : 0;

	for (size_t i = 0; i < cells; i++)
		free(t->cell[i]);
	free(t->cell);
	*t = (struct table){ 0 };
}

int table_row(struct table *t, const char *const *cells)
{
	if (append(t, t->rows + 1, cells))
		return -1;
	t->rows++;
	return 0;
}

/* UTF-8 characters: every byte that does not continue one. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void measure(const struct table *t, int width[COLUMNS_MAX])
{
	for (int c = 0; c < t->columns; c++) {
		width[c] = 0;
		for (int r = 0; r <= t->rows; r++) {
			int w = width_of(row_at(t, r)[c]);

			if (w > width[c])
				width[c] = w;
		}
	}
}

static void print_row(const struct table *t, int row, const int *width, FILE *out)
{
	int owed = 0; /* blanks are printed only when something follows */

	for (int c = 0; c < t->columns; c++) {
		const char *text = row_at(t, row)[c];
		int pad = width[c] - width_of(text);

		if (t->align[c] == TABLE_RIGHT)
			owed += pad;
		if (*text) {
			fprintf(out, "%*s%s", owed, "", text);
			owed = 0;
		}
		owed += 2 + (t->align[c] == TABLE_LEFT ? pad : 0);
	}
	fputc('\n', out);
}

void table_print(const struct table *t, FILE *out)
{
	int width[COLUMNS_MAX];

	measure(t, width);
	for (int r = 0; r <= t->rows; r++)
		print_row(t, r, width, out);
}

static void print_markdown_cell(const char *text, FILE *out)
{
	fputc(' ', out);
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
	fputs(" |", out);
}

void table_print_markdown(const struct table *t, FILE *out)
{
	for (int r = 0; r <= t->rows; r++) {
		fputc('|', out);
		for (int c = 0; c < t->columns; c++)
			print_markdown_cell(row_at(t, r)[c], out);
		fputc('\n', out);
		if (r)
			continue;
		fputc('|', out);
		for (int c = 0; c < t->columns; c++)
			fputs(t->align[c] == TABLE_RIGHT ? " ---: |" : " --- |", out);
		fputc('\n', out);
	}
}

void table_put(const struct table *t, void (*print)(const struct table *t, FILE *out),
	       struct buf *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file) {
		out->failed = true;
		return;
	}
	print(t, file);
	out->failed |= fclose(file) != 0;
	buf_put(out, text, len);
	free(text);
}
