/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_line - what a cell is called in a plot: what its line or point stands for, and what
 * all lines of the plot have in common.
 */
#include <stdio.h>
#include <string.h>

#include "results/report_html.h"

static bool is_of_line(const struct field *f)
{
	static const char *const names[] = { "suite", "engine", "client_engine",
					     "server_under_test", "encoding" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

/* Plain has no library, and a client mostly the server's. */
static bool goes_without_saying(const struct field *f, const struct cell *c)
{
	if (!strcmp(f->name, "client_engine"))
		return !strcmp(c->engine, c->client_engine);
	return !strcmp(f->name, "engine") && !strcmp(c->engine, "null");
}

static void append(const struct report *r, char *dst, size_t len, const struct field *f,
		   const struct cell *c)
{
	size_t used = strlen(dst);
	char value[1100];

	report_difference(r, f, c, value, sizeof(value));
	if (!*value)
		return;
	snprintf(dst + used, len - used, "%s%s%s%s", used ? ", " : "",
		 f->kind == FIELD_INT ? report_head(f) : "", f->kind == FIELD_INT ? " " : "",
		 value);
}

void report_line_name(const struct report *r, const struct cell *c, char *dst, size_t len)
{
	*dst = '\0';
	for (int d = 0; r->varying[d]; d++)
		if (is_of_line(r->varying[d]) && !goes_without_saying(r->varying[d], c))
			append(r, dst, len, r->varying[d], c);
}

void report_task_name(const struct report *r, const struct cell *c, const char *but, char *dst,
		      size_t len)
{
	*dst = '\0';
	for (int d = 0; r->varying[d]; d++)
		if (!is_of_line(r->varying[d]) && strcmp(r->varying[d]->name, but) != 0)
			append(r, dst, len, r->varying[d], c);
}
