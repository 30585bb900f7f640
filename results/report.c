/* SPDX-License-Identifier: Apache-2.0 */
/* report - a campaign read from the store; knows no format. */
#include "results/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"

#define BLOCKS_MAX     10000 /* that a campaign may ask for */
#define SETTINGS_BYTES sizeof(((struct cell *)0)->settings)

const struct report_format report_formats[] = {
	{ "text", "txt", report_write_text },
	{ "json", "json", report_write_json },
	{ "csv", "csv", report_write_csv },
	{ "html", "html", report_write_html },
	{ "ndjson", "ndjson", report_write_ndjson },
	{ "markdown", "md", report_write_markdown },
	{ "prometheus", "prom", report_write_prometheus },
	{ "influx", "lp", report_write_influx },
	{ 0 },
};

struct loading {
	struct store *store;
	struct report *report;
	struct fail *fail;
	struct summary_tools tools;
};

/* One more element at the end of an array that doubles. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

static int no_memory(struct loading *l)
{
	return fail_set(l->fail, ENOMEM, "no memory for the report");
}

static int take_node(const struct node *n, void *data)
{
	struct loading *l = data;
	struct node *grown = grow(l->report->node, l->report->nodes, sizeof(*grown));

	if (!grown)
		return no_memory(l);
	l->report->node = grown;
	grown[l->report->nodes++] = *n;
	return 0;
}

static int note_invalid(struct loading *l, const struct trial *t)
{
	struct report *r = l->report;
	struct report_invalid *grown = grow(r->invalid, r->invalids, sizeof(*grown));

	if (!grown)
		return no_memory(l);
	r->invalid = grown;
	grown += r->invalids++;
	*grown = (struct report_invalid){ .cell = r->cells, .block = t->block };
	snprintf(grown->reason, sizeof(grown->reason), "%s",
		 *t->reason ? t->reason : "no reason was recorded");
	return 0;
}

/* A trace that cannot be read is not drawn; the figures do not rest on it. */
static int take_trace(const struct store_trace *stored, void *data)
{
	struct report *r = ((struct loading *)data)->report;
	struct report_trace *t = &r->trace[r->traces];
	struct fail f = { 0 };

	if (strcmp(stored->node, "server") != 0 || report_trace_read(t, stored, &f) < 0)
		return 0;
	t->cell = r->cells;
	r->traces++;
	return 1;
}

/* Of the first cell of each suite, the first valid trial. */
static bool wants_trace(const struct report *r)
{
	for (size_t i = 0; i < r->traces; i++)
		if (r->trace[i].cell == r->cells ||
		    !strcmp(r->cell[r->trace[i].cell].cell.suite, r->cell[r->cells].cell.suite))
			return false;
	return r->traces < REPORT_TRACES;
}

static int read_trace(struct loading *l, int64_t id, int64_t block)
{
	struct report *r = l->report;
	int status;

	if (!r->trace)
		r->trace = calloc(REPORT_TRACES, sizeof(*r->trace));
	if (!r->trace)
		return no_memory(l);
	status = store_each_trace(l->store, id, take_trace, l, l->fail);
	if (status == 1)
		r->trace[r->traces - 1].block = block;
	return status < 0 ? -1 : 0;
}

static int take_trial(int64_t id, const struct trial *t, void *data)
{
	struct loading *l = data;

	l->report->trials++;
	if (!t->valid && note_invalid(l, t) < 0)
		return -1;
	if (t->valid && report_take_notes(l->report, t->block, t->notes) < 0)
		return no_memory(l);
	if (t->valid && wants_trace(l->report) && read_trace(l, id, t->block) < 0)
		return -1;
	return summary_add(&l->report->cell[l->report->cells], t) < 0 ? no_memory(l) : 0;
}

/* One that cannot be read is not shown; nothing else rests on it. */
static int read_timeline(struct loading *l, int64_t id)
{
	struct report *r = l->report;
	struct report_timeline *grown = grow(r->timeline, r->timelines, sizeof(*grown));
	struct buf text = { 0 };
	json_t *sample = NULL;
	int status;

	if (!grown)
		return no_memory(l);
	r->timeline = grown;
	status = store_get_timeline(l->store, id, &text, l->fail);
	if (status > 0)
		sample = json_loads(buf_text(&text), 0, NULL);
	if (json_is_object(sample))
		grown[r->timelines++] = (struct report_timeline){ r->cells, sample };
	else
		json_decref(sample);
	buf_release(&text);
	return status < 0 ? -1 : 0;
}

static int take_cell(int64_t id, const struct cell *c, void *data)
{
	struct loading *l = data;
	struct report *r = l->report;
	struct cell_summary *grown = grow(r->cell, r->cells, sizeof(*grown));

	if (!grown)
		return no_memory(l);
	r->cell = grown;
	if (summary_init(&grown[r->cells], c, &l->tools) < 0)
		return no_memory(l);
	if (store_each_trial(l->store, id, take_trial, l, l->fail) < 0 ||
	    read_timeline(l, id) < 0 ||
	    (summary_finish(&grown[r->cells]) < 0 && no_memory(l) < 0)) {
		summary_release(&grown[r->cells]);
		return -1;
	}
	if (grown[r->cells].trials < r->campaign.blocks)
		r->trials_missing += r->campaign.blocks - grown[r->cells].trials;
	r->cells++;
	return 0;
}

static bool differs(const struct report *r, const struct field *f)
{
	char first[SETTINGS_BYTES], text[SETTINGS_BYTES];

	for (size_t i = 0; i < r->cells; i++) {
		figure_field(f, &r->cell[i].cell, i ? text : first, sizeof(text));
		if (i && strcmp(first, text) != 0)
			return true;
	}
	return false;
}

/* The name says everything at once, and the strength follows from the suite. */
static void find_dimensions(struct report *r)
{
	int varying = 0, constant = 0;

	for (const struct field *f = cell_fields; f->name; f++) {
		if (strcmp(f->name, "name") == 0 || strcmp(f->name, "strength_bits") == 0)
			continue;
		if (strcmp(f->name, "suite") == 0 || differs(r, f))
			r->varying[varying++] = f;
		else
			r->constant[constant++] = f;
	}
}

static int read_campaign(struct store *s, struct report *r, struct fail *f)
{
	if (store_get_campaign(s, r->id, &r->campaign, f) < 0)
		return -1;
	if (r->campaign.blocks >= 1 && r->campaign.blocks <= BLOCKS_MAX)
		return 0;
	fail_set(f, EBADMSG,
		 "campaign %" PRId64 " is damaged: it has %" PRId64 " blocks, expected 1 to %d",
		 r->id, r->campaign.blocks, BLOCKS_MAX);
	campaign_release(&r->campaign);
	return -1;
}

int report_load(struct store *s, int64_t campaign, struct report *r, struct fail *f)
{
	struct loading l = { .store = s, .report = r, .fail = f };
	int status;

	memset(r, 0, sizeof(*r));
	r->id = campaign;
	if (read_campaign(s, r, f) < 0)
		return -1;
	status = store_each_node(s, campaign, take_node, &l, f) < 0 ||
		 store_each_cell(s, campaign, take_cell, &l, f) < 0;
	summary_tools_release(&l.tools);
	if (status == 0) {
		find_dimensions(r);
		r->same_settings = report_same_settings(r);
		status = report_compare(r, f) < 0;
	}
	if (status != 0)
		report_release(r);
	return status == 0 ? 0 : -1;
}

void report_release(struct report *r)
{
	for (size_t i = 0; i < r->cells; i++)
		summary_release(&r->cell[i]);
	free(r->cell);
	free(r->node);
	free(r->invalid);
	free(r->note);
	free(r->kind);
	free(r->comparison);
	free(r->trace);
	for (size_t i = 0; i < r->timelines; i++)
		json_decref(r->timeline[i].sample);
	free(r->timeline);
	json_decref(r->same_settings);
	campaign_release(&r->campaign);
	memset(r, 0, sizeof(*r));
}
