/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_markdown - the text report as Markdown, for a repository or an issue: the same
 * tables, sentences, published figures, method, notes and reasons.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_grid.h"
#include "results/report_reference.h"

/* What would be markup is escaped. */
static void put_text(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|#", *text))
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)(*text == '\n' ? ' ' : *text));
	}
}

static void put_item(struct buf *out, const char *text)
{
	buf_puts(out, "- ");
	put_text(out, text);
	buf_byte(out, '\n');
}

static void put_table(const struct report *r, struct buf *out, const char *title,
		      int (*fill)(const struct report *, struct table *))
{
	struct table t = { 0 };

	buf_printf(out, "\n## %s\n\n", title);
	if (fill(r, &t) < 0)
		out->failed = true;
	else
		table_put(&t, table_print_markdown, out);
	table_release(&t);
}

static void put_title(const struct report *r, struct buf *out)
{
	char line[1024];

	buf_puts(out, "# Campaign ");
	put_text(out, r->campaign.name);
	buf_printf(out, ", %s\n\n", r->campaign.started);
	if (!r->campaign.complete)
		buf_printf(out,
			   "**Not complete: %" PRId64
			   " trials are missing (complete: false).**\n\n",
			   r->trials_missing);
	if (report_warning(r, line, sizeof(line)))
		buf_printf(out, "**%s.**\n\n", line);
	report_common(r, line, sizeof(line));
	put_text(out, line);
	buf_byte(out, '\n');
}

static void put_sentences(const struct report *r, struct buf *out)
{
	struct buf sentence = { 0 };

	if (r->comparisons)
		buf_puts(out, "\n## In words (95 % intervals, block by block)\n\n");
	for (size_t i = 0; i < r->comparisons; i++) {
		buf_clear(&sentence);
		report_sentence(r, &r->comparison[i], &sentence);
		put_item(out, buf_text(&sentence));
	}
	out->failed |= sentence.failed;
	buf_release(&sentence);
}

static void put_method(const struct report *r, struct buf *out)
{
	struct buf method = { 0 };
	char *save = NULL;

	buf_puts(out, "\n## How it was measured\n\n");
	report_method(r, &method);
	buf_byte(&method, '\0');
	if (!method.failed)
		for (char *line = strtok_r(method.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			put_item(out, line);
	out->failed |= method.failed;
	buf_release(&method);
}

static void put_notes(const struct report *r, struct buf *out)
{
	struct buf line = { 0 };

	if (r->kinds)
		buf_puts(out, "\n## Notes on valid trials\n\n");
	for (size_t i = 0; i < r->kinds; i++) {
		buf_clear(&line);
		report_note_text(r, i, &line);
		put_item(out, buf_text(&line));
	}
	out->failed |= line.failed;
	buf_release(&line);
}

static void put_invalid(const struct report *r, struct buf *out)
{
	if (r->invalids)
		buf_puts(out, "\n## Trials that are not valid\n\n");
	for (size_t i = 0; i < r->invalids; i++) {
		const struct report_invalid *v = &r->invalid[i];

		buf_puts(out, "- ");
		put_text(out, r->cell[v->cell].cell.name);
		buf_printf(out, ", block %" PRId64 ": ", v->block + 1);
		put_text(out, v->reason);
		buf_byte(out, '\n');
	}
}

int report_write_markdown(const struct report *r, bool colour, struct buf *out)
{
	char title[96];

	(void)colour;
	put_title(r, out);
	put_table(r, out, "Speed", report_grid_speed);
	report_grid_energy_title(r, title, sizeof(title));
	put_table(r, out, title, report_grid_energy);
	if (report_has_limits(r)) {
		put_table(r, out, "Handshakes and their limits", report_limits_table);
		buf_printf(out, "\n%s\n", report_limits_about);
	}
	put_sentences(r, out);
	report_references_markdown(r, out);
	put_method(r, out);
	put_notes(r, out);
	put_invalid(r, out);
	return out->failed ? -1 : 0;
}
