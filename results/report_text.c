/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text - tables and paragraphs for a terminal.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_grid.h"
#include "results/report_reference.h"

#define WIDTH         98
#define SENTENCES_MAX 30

struct writer {
	struct buf *out;
	bool colour;
};

static void put_strong(struct writer *w, const char *style, const char *text)
{
	buf_printf(w->out, "%s%s%s\n", w->colour ? style : "", text, w->colour ? "\033[0m" : "");
}

#define BOLD    "\033[1m"
#define WARNING "\033[1;33m"

/* Words of one line of text, wrapped; the later lines begin with `indent` blanks. */
static void put_wrapped(struct buf *out, const char *text, int indent)
{
	int column = 0;

	while (*text) {
		int word = (int)strcspn(text, " ");

		if (column && column + 1 + word > WIDTH) {
			buf_printf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column) {
			buf_byte(out, ' ');
			column++;
		}
		buf_put(out, text, (size_t)word);
		column += word;
		text += word + strspn(text + word, " ");
	}
	buf_byte(out, '\n');
}

static void put_table(struct writer *w, const struct report *r, const char *title,
		      int (*fill)(const struct report *, struct table *))
{
	struct table t = { 0 };

	put_strong(w, BOLD, title);
	if (fill(r, &t) < 0)
		w->out->failed = true;
	else
		table_put(&t, table_print, w->out);
	buf_byte(w->out, '\n');
	table_release(&t);
}

static void put_title(struct writer *w, const struct report *r)
{
	char common[1024], line[256];

	snprintf(line, sizeof(line), "Campaign %s, %s", r->campaign.name, r->campaign.started);
	put_strong(w, BOLD, line);
	if (!r->campaign.complete) {
		snprintf(line, sizeof(line),
			 "NOT COMPLETE: %" PRId64 " trials are missing (complete: false)",
			 r->trials_missing);
		put_strong(w, WARNING, line);
	}
	if (report_warning(r, line, sizeof(line)))
		put_strong(w, WARNING, line);
	report_common(r, common, sizeof(common));
	if (*common)
		put_wrapped(w->out, common, 2);
	buf_byte(w->out, '\n');
}

static void put_comparisons(struct writer *w, const struct report *r)
{
	struct buf sentence = { 0 };

	if (!r->comparisons)
		return;
	put_strong(w, BOLD, "In words (95 % intervals, block by block)");
	for (size_t i = 0; i < r->comparisons && i < SENTENCES_MAX; i++) {
		buf_clear(&sentence);
		report_sentence(r, &r->comparison[i], &sentence);
		buf_puts(w->out, "- ");
		put_wrapped(w->out, buf_text(&sentence), 2);
	}
	if (r->comparisons > SENTENCES_MAX)
		buf_printf(w->out, "- and %zu more: --format html or json has them all\n",
			   r->comparisons - SENTENCES_MAX);
	buf_byte(w->out, '\n');
	buf_release(&sentence);
}

static void put_method(struct writer *w, const struct report *r)
{
	struct buf method = { 0 };
	char *save = NULL;

	report_method(r, &method);
	buf_byte(&method, '\0');
	put_strong(w, BOLD, "How it was measured");
	if (method.failed)
		w->out->failed = true;
	else
		for (char *line = strtok_r(method.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			put_wrapped(w->out, line, 0);
	buf_release(&method);
}

static void put_invalid(struct writer *w, const struct report *r)
{
	if (!r->invalids)
		return;
	buf_byte(w->out, '\n');
	put_strong(w, WARNING, "Trials that are not valid");
	for (size_t i = 0; i < r->invalids; i++) {
		const struct report_invalid *v = &r->invalid[i];
		char line[768];

		snprintf(line, sizeof(line), "- %s, block %" PRId64 ": %s",
			 r->cell[v->cell].cell.name, v->block + 1, v->reason);
		put_wrapped(w->out, line, 2);
	}
}

static void put_notes(struct writer *w, const struct report *r)
{
	struct buf line = { 0 };

	if (!r->kinds)
		return;
	buf_byte(w->out, '\n');
	put_strong(w, BOLD, "Notes on valid trials");
	for (size_t i = 0; i < r->kinds; i++) {
		buf_clear(&line);
		report_note_text(r, i, &line);
		put_wrapped(w->out, buf_text(&line), 4);
	}
	w->out->failed |= line.failed;
	buf_release(&line);
}

int report_write_text(const struct report *r, bool colour, struct buf *out)
{
	struct writer w = { out, colour };
	char title[96];

	put_title(&w, r);
	put_table(&w, r, "Speed", report_grid_speed);
	report_grid_energy_title(r, title, sizeof(title));
	put_table(&w, r, title, report_grid_energy);
	if (report_has_limits(r)) {
		put_table(&w, r, "Handshakes and their limits", report_limits_table);
		put_wrapped(out, report_limits_about, 0);
		buf_byte(out, '\n');
	}
	put_comparisons(&w, r);
	report_references_text(r, out);
	put_method(&w, r);
	put_notes(&w, r);
	put_invalid(&w, r);
	return out->failed ? -1 : 0;
}
