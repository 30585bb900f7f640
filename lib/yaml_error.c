/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_error - the errors of one file, collected and then told in its order.
 *
 * Must not know how they are found.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/yaml.h"

#define ERROR_TEXT 512

static int vnote(struct yaml *y, int line, int column, const char *fmt, va_list ap)
{
	char text[ERROR_TEXT];
	struct yaml_error *grown;

	y->errors++;
	if (y->kept >= YAML_ERRORS_MAX)
		return -1;
	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	grown = realloc(y->error, (size_t)(y->kept + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	y->error = grown;
	grown[y->kept] = (struct yaml_error){
		.line = line, .column = column, .order = y->kept, .text = strdup(text)
	};
	y->kept++;
	return -1;
}

int yaml_note(struct yaml *y, int line, int column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vnote(y, line, column, fmt, ap);
	va_end(ap);
	return -1;
}

int yaml_error(struct yaml *y, const struct yaml_node *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vnote(y, at ? at->line : 0, at ? at->column : 0, fmt, ap);
	va_end(ap);
	return -1;
}

bool yaml_gave_up(const struct yaml *y)
{
	return y->errors > YAML_ERRORS_MAX;
}

static int by_place(const void *left, const void *right)
{
	const struct yaml_error *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

int yaml_report(struct yaml *y, struct buf *out)
{
	if (!y->errors)
		return 0;
	if (y->kept)
		qsort(y->error, (size_t)y->kept, sizeof(*y->error), by_place);
	for (int i = 0; i < y->kept; i++) {
		const struct yaml_error *e = &y->error[i];
		const char *text = e->text ? e->text : "no memory left to say what is wrong";

		if (e->line)
			buf_printf(out, "%s:%d:%d: %s\n", y->file, e->line, e->column, text);
		else
			buf_printf(out, "%s: %s\n", y->file, text);
	}
	if (y->errors > y->kept)
		buf_printf(out, "%s: and more errors than the %d listed\n", y->file, y->kept);
	return -1;
}
