/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text - tables and paragraphs for a terminal.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "results/figure.h"
#include "results/report.h"

#define COLUMNS_MAX   24
#define WIDTH         98
#define SENTENCES_MAX 30
#define CELL_BYTES    192

struct row {
	char text[COLUMNS_MAX][CELL_BYTES];
	int columns;
};

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

static void add_text(struct row *row, const char *text)
{
	if (row->columns < COLUMNS_MAX)
		snprintf(row->text[row->columns++], CELL_BYTES, "%s", text);
}

static void add_number(struct row *row, double value)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	add_text(row, text);
}

static void add_count(struct row *row, int64_t value)
{
	char text[FIGURE_BYTES];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_text(row, value == FIELD_UNKNOWN_INT ? "-" : text);
}

static void add_interval(struct row *row, const struct interval *i)
{
	char text[FIGURE_BYTES];

	figure_interval(i, text);
	add_text(row, text);
}

/* A rate that the load generator may have limited is a lower bound of the server's. */
static void add_rate(struct row *row, const struct cell_summary *c)
{
	char rate[FIGURE_BYTES], text[2 * FIGURE_BYTES];
	const char *limit = report_limit(c);

	figure_interval(&c->requests_per_s, rate);
	snprintf(text, sizeof(text), "%s%s%s%s", rate, *limit ? " (" : "", limit,
		 *limit ? ")" : "");
	add_text(row, text);
}

static void add_sources(struct row *row, const char *server, const char *client)
{
	char text[64];

	if (strcmp(server, client) == 0)
		snprintf(text, sizeof(text), "%s", server);
	else
		snprintf(text, sizeof(text), "server %s, client %s", server, client);
	add_text(row, text);
}

static void add_label(const struct report *r, struct row *row, const struct cell *c)
{
	char value[CELL_BYTES];

	for (int i = 0; r->varying[i]; i++) {
		report_dimension(r->varying[i], c, value, sizeof(value));
		add_text(row, value);
	}
}

static void add_label_heads(const struct report *r, struct row *row)
{
	char head[CELL_BYTES];

	for (int i = 0; r->varying[i]; i++) {
		snprintf(head, sizeof(head), "%s%s", r->varying[i]->kind == FIELD_INT ? ">" : "",
			 report_head(r->varying[i]));
		add_text(row, head);
	}
}

static void speed_heads(const struct report *r, struct row *row)
{
	add_label_heads(r, row);
	add_text(row, ">requests/s");
	add_text(row, ">per server CPU s");
	add_text(row, ">p50 ms");
	add_text(row, ">p99 ms");
	add_text(row, ">valid trials");
}

static void speed_row(const struct report *r, const struct cell_summary *c, struct row *row)
{
	char trials[2 * FIGURE_BYTES], marks[FIGURE_BYTES];

	add_label(r, row, &c->cell);
	add_rate(row, c);
	add_interval(row, &c->server.requests_per_cpu_s);
	add_number(row, c->response.p50 / 1000);
	add_number(row, c->response.p99 / 1000);
	report_note_marks(r, (size_t)(c - r->cell), marks, sizeof(marks));
	snprintf(trials, sizeof(trials), "%" PRId64 " of %" PRId64 "%s%s", c->valid_trials,
		 c->trials, *marks ? " " : "", marks);
	add_text(row, trials);
}

static void energy_heads(const struct report *r, struct row *row)
{
	add_label_heads(r, row);
	add_text(row, ">full handshakes");
	add_text(row, ">resumed");
	add_text(row, ">requests/mWh");
	add_text(row, ">server mJ/request");
	add_text(row, ">client mJ/request");
	add_text(row, "energy is");
}

static void energy_row(const struct report *r, const struct cell_summary *c, struct row *row)
{
	add_label(r, row, &c->cell);
	add_count(row, c->handshakes_full);
	add_count(row, c->handshakes_resumed);
	add_interval(row, &c->server.energy.requests_per_mwh);
	add_number(row, c->server.energy.mj_per_request);
	add_number(row, c->client.energy.mj_per_request);
	add_sources(row, c->server.energy.source, c->client.energy.source);
}

static void point_at(const struct row *row, const char *texts[COLUMNS_MAX + 1])
{
	for (int i = 0; i < row->columns; i++)
		texts[i] = row->text[i];
	texts[row->columns] = NULL;
}

static int fill_table(const struct report *r, struct table *t,
		      void (*heads)(const struct report *, struct row *),
		      void (*line)(const struct report *, const struct cell_summary *,
				   struct row *))
{
	const char *texts[COLUMNS_MAX + 1];
	struct row row = { .columns = 0 };

	heads(r, &row);
	point_at(&row, texts);
	if (table_init(t, texts) < 0)
		return -1;
	for (size_t i = 0; i < r->cells; i++) {
		row.columns = 0;
		line(r, &r->cell[i], &row);
		point_at(&row, texts);
		if (table_row(t, texts) < 0)
			return -1;
	}
	return 0;
}

static void put_table(struct writer *w, const struct report *r, const char *title,
		      void (*heads)(const struct report *, struct row *),
		      void (*line)(const struct report *, const struct cell_summary *,
				   struct row *))
{
	struct table t = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	put_strong(w, BOLD, title);
	if (!file || fill_table(r, &t, heads, line) < 0)
		w->out->failed = true;
	else
		table_print(&t, file);
	if (file)
		fclose(file);
	buf_put(w->out, text, len);
	buf_byte(w->out, '\n');
	table_release(&t);
	free(text);
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
	char title[96] = "Handshakes and energy", sources[64];

	put_title(&w, r);
	put_table(&w, r, "Speed", speed_heads, speed_row);
	report_sources(r, sources, sizeof(sources));
	if (*sources)
		snprintf(title, sizeof(title), "Handshakes and energy (%s)", sources);
	put_table(&w, r, title, energy_heads, energy_row);
	put_comparisons(&w, r);
	put_method(&w, r);
	put_notes(&w, r);
	put_invalid(&w, r);
	return out->failed ? -1 : 0;
}
