/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_grid - a cell a row, for the formats that people read as text: which columns, and what
 * stands in them. Knows neither a terminal nor Markdown.
 */
#include "results/report_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "results/figure.h"

#define COLUMNS_MAX 24
#define CELL_BYTES  192

struct row {
	char text[COLUMNS_MAX][CELL_BYTES];
	int columns;
};

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
		report_difference(r, r->varying[i], c, value, sizeof(value));
		add_text(row, *value ? value : "-");
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
	report_percentile(c, "p50", c->response.p50, trials, sizeof(trials));
	add_text(row, trials);
	report_percentile(c, "p99", c->response.p99, trials, sizeof(trials));
	add_text(row, trials);
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

int report_grid_speed(const struct report *r, struct table *t)
{
	return fill_table(r, t, speed_heads, speed_row);
}

int report_grid_energy(const struct report *r, struct table *t)
{
	return fill_table(r, t, energy_heads, energy_row);
}

void report_grid_energy_title(const struct report *r, char *dst, size_t len)
{
	char sources[64];

	report_sources(r, sources, sizeof(sources));
	snprintf(dst, len, "Handshakes and energy%s%s%s", *sources ? " (" : "", sources,
		 *sources ? ")" : "");
}
