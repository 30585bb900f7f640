/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_timeline - handshake time and payload time of each cell's sample, stacked, a chart for
 * each size of the page; then the lanes of steps.
 */
#include "results/report_timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "results/report_html.h"
#include "results/svg.h"

#define US_PER_MS 1e3

double report_timeline_us(const json_t *sample, const char *what, const char *which)
{
	const json_t *value = json_object_get(json_object_get(sample, what), which);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

json_t *report_timelines_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->timelines; i++) {
		const struct report_timeline *t = &r->timeline[i];
		json_t *one = json_pack("{s:s}", "cell", r->cell[t->cell].cell.name);

		json_object_update(one, t->sample);
		json_array_append_new(list, one);
	}
	return list;
}

static const struct field *payload_field(void)
{
	const struct field *f = cell_fields;

	while (f->name && strcmp(f->name, "payload_bytes"))
		f++;
	return f;
}

static void fill_row(const struct report *r, const struct report_timeline *t, struct svg_row *row)
{
	const struct cell *c = &r->cell[t->cell].cell;
	int n = (int)json_integer_value(json_object_get(t->sample, "complete"));
	double handshake_us = report_timeline_us(t->sample, "handshake_us", "median");
	double payload_us = report_timeline_us(t->sample, "payload_us", "median");

	snprintf(row->label, sizeof(row->label), "%s", c->suite);
	report_detail(r, c, payload_field(), row->detail, sizeof(row->detail));
	row->bar[0] = (struct interval){ handshake_us / US_PER_MS, NAN, NAN, n };
	row->bar[1] = (struct interval){ payload_us / US_PER_MS, NAN, NAN, n };
}

static size_t fill_rows(const struct report *r, int64_t payload_bytes, struct svg_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < r->timelines; i++)
		if (r->cell[r->timeline[i].cell].cell.payload_bytes == payload_bytes)
			fill_row(r, &r->timeline[i], &rows[n++]);
	return n;
}

static void put_chart(const struct report *r, const struct cell *c, struct buf *out)
{
	struct svg_row *rows = calloc(r->timelines, sizeof(*rows));
	char id[48], title[96], size[48];
	struct svg_chart chart = {
		.id = id,
		.title = title,
		.unit = "ms, medians",
		.description = "Less is better. From the first packet to the later Finished "
			       "(plain: to the "
			       "end of TCP's handshake), and from there to the last data, of one "
			       "association at a time, on the wire.",
		.series = { "handshake", "payload" },
		.stacked = true,
		.row = rows,
	};

	if (!rows) {
		out->failed = true;
		return;
	}
	units_format_bytes(c->payload_bytes, size, sizeof(size));
	snprintf(id, sizeof(id), "wire-%lld", (long long)c->payload_bytes);
	snprintf(title, sizeof(title), "Handshake and payload on the wire, %s", size);
	chart.rows = fill_rows(r, c->payload_bytes, rows);
	report_html_bars(&chart, title, "", out);
	free(rows);
}

static bool is_first_of_size(const struct report *r, size_t at)
{
	int64_t bytes = r->cell[r->timeline[at].cell].cell.payload_bytes;

	for (size_t i = 0; i < at; i++)
		if (r->cell[r->timeline[i].cell].cell.payload_bytes == bytes)
			return false;
	return true;
}

void report_html_timelines(const struct report *r, struct buf *out)
{
	if (!r->timelines)
		return;
	buf_puts(out, "<p class=\"faint\">A few associations of each cell, one after another and "
		      "outside its trials, captured on the client's interface.</p>\n");
	for (size_t i = 0; i < r->timelines; i++)
		if (is_first_of_size(r, i))
			put_chart(r, &r->cell[r->timeline[i].cell].cell, out);
	report_timeline_lanes(r, out);
}
