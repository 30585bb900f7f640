/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_notes - notes on valid trials: gathered as trials are read, sorted by what they say,
 * and the marks and paragraphs that lead a reader from a figure to them. Knows no format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report.h"

/* Of a line of notes: what stands before the detail. */
static void copy_what(const char *text, char *dst, size_t len)
{
	const char *colon = strstr(text, ": ");

	snprintf(dst, len, "%.*s", (int)(colon ? colon - text : (ptrdiff_t)strlen(text)), text);
}

/* -1: no memory. */
static int find_kind(struct report *r, const char *text, size_t *kind)
{
	struct report_note_kind *grown, made = { .first = r->notes };

	copy_what(text, made.what, sizeof(made.what));
	for (*kind = 0; *kind < r->kinds; ++*kind)
		if (!strcmp(r->kind[*kind].what, made.what))
			return 0;
	grown = reallocarray(r->kind, r->kinds + 1, sizeof(*grown));
	if (!grown)
		return -1;
	r->kind = grown;
	grown[r->kinds++] = made;
	return 0;
}

static int take_note(struct report *r, int64_t block, const char *text, size_t len)
{
	struct report_note n = { .cell = r->cells, .block = block }, *grown = r->note;

	snprintf(n.text, sizeof(n.text), "%.*s", (int)len, text);
	if (!(r->notes & (r->notes - 1)))
		grown = reallocarray(grown, r->notes ? 2 * r->notes : 1, sizeof(*grown));
	if (!grown)
		return -1;
	r->note = grown;
	if (find_kind(r, n.text, &n.kind) < 0)
		return -1;
	r->kind[n.kind].notes++;
	grown[r->notes++] = n;
	return 0;
}

int report_take_notes(struct report *r, int64_t block, const char *notes)
{
	while (*notes) {
		size_t len = strcspn(notes, "\n");

		if (len && take_note(r, block, notes, len) < 0)
			return -1;
		notes += len + (notes[len] == '\n');
	}
	return 0;
}

/* Notes are in the order of the cells. */
static size_t first_note(const struct report *r, size_t cell)
{
	size_t from = 0, to = r->notes;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (r->note[middle].cell < cell)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool has_kind(const struct report *r, size_t cell, size_t kind)
{
	for (size_t i = first_note(r, cell); i < r->notes && r->note[i].cell == cell; i++)
		if (r->note[i].kind == kind)
			return true;
	return false;
}

void report_note_marks(const struct report *r, size_t cell, char *dst, size_t len)
{
	size_t used = 0;

	*dst = '\0';
	for (size_t kind = 0; kind < r->kinds && used + 2 < len; kind++)
		if (has_kind(r, cell, kind))
			used += (size_t)snprintf(dst + used, len - used, "%s%zu", used ? "," : "[",
						 kind + 1);
	if (used && used + 1 < len)
		strcpy(dst + used, "]");
}

void report_note_text(const struct report *r, size_t kind, struct buf *out)
{
	const struct report_note_kind *k = &r->kind[kind];
	const struct report_note *first = &r->note[k->first];
	const char *detail = strstr(first->text, ": ");

	buf_printf(out, "[%zu] %s: %zu %s, first in block %" PRId64 " of %s%s", kind + 1, k->what,
		   k->notes, k->notes == 1 ? "trial" : "trials", first->block + 1,
		   r->cell[first->cell].cell.name, detail ? detail : "");
}
