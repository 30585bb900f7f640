/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_read - the campaign file and the testbed file, by their tables of keys.
 *
 * What is right about a file's shape is checked by the tables; here stands what
 * ties several keys together: time or count, blocks, seeds. Nodes are in plan_nodes.c.
 */
#include "testbed/plan_read.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "results/stats_series.h"
#include "testbed/wire_sample.h"

#define DAY_NS               (86400 * NS_PER_S)
#define SEED_MAX             ((INT64_C(1) << 53) - 1)
#define TIMELINE_USUAL       20
#define OVERTIME_NS          (30 * NS_PER_S)
#define OVERTIME_BY_COUNT_NS (600 * NS_PER_S)

/* --- tables --------------------------------------------------------------- */

#define AT(STRUCT, FIELD) \
	.offset = offsetof(struct STRUCT, FIELD), .size = sizeof(((struct STRUCT *)0)->FIELD)

static const struct yaml_key phase_keys[] = {
	{ "settle", YAML_DURATION, AT(phase_times, settle_ns), .max = DAY_NS, .preset = "500ms" },
	{ "idle", YAML_DURATION, AT(phase_times, idle_ns), .max = DAY_NS, .preset = "2s" },
	{ "warmup", YAML_DURATION, AT(phase_times, warmup_ns), .max = DAY_NS, .preset = "1s" },
	{ "measure", YAML_DURATION, AT(phase_times, measure_ns), .min = NS_PER_MS, .max = DAY_NS,
	  .preset = "5s" },
	{ "cool", YAML_DURATION, AT(phase_times, cool_ns), .max = DAY_NS, .preset = "0s" },
	{ "count", YAML_INTEGER, AT(phase_times, count), .min = 1, .max = 1000000000 },
	{ "overtime", YAML_DURATION, AT(phase_times, overtime_ns), .min = NS_PER_MS,
	  .max = DAY_NS },
	{ 0 },
};

/* Of `request`; every setting is a key there too. */
static const struct yaml_key timeout_key[] = {
	{ "timeout", YAML_DURATION, AT(plan, timeout_ns), .min = NS_PER_MS, .max = 3600 * NS_PER_S,
	  .preset = "10s" },
	{ 0 },
};

static const struct yaml_key node_keys[] = {
	{ "name", YAML_TEXT, AT(plan_node, name) },
	{ "command", YAML_TEXT, AT(plan_node, command), .empty = true },
	{ "program", YAML_TEXT, AT(plan_node, program), .empty = true },
	{ "address", YAML_TEXT, AT(plan_node, address) },
	{ "listen", YAML_TEXT, AT(plan_node, listen), .empty = true },
	{ "board", YAML_TEXT, AT(plan_node, board), .empty = true },
	{ "meter", YAML_TEXT, AT(plan_node, meter), .empty = true },
	{ "cpus", YAML_TEXT, AT(plan_node, cpus), .empty = true },
	{ "rate", YAML_INTEGER, AT(plan_node, rate_hz), .min = 1, .max = 100000 },
	{ 0 },
};

static const struct yaml_key nodes_keys[] = {
	{ "server", YAML_TABLE, AT(plan, server), .keys = node_keys },
	{ "client", YAML_TABLE, AT(plan, client), .keys = node_keys },
	{ 0 },
};

/* What is read into something else than the plan stands beside it. */
struct reading {
	struct plan plan; /* first: the tables' offsets are the plan's */
	const struct yaml_node *cells;
	const struct yaml_node *usual[SETTINGS_MAX];
	char ci_pct[16];
	int blocks_max;
	char timeline[16];
};

static struct plan_keys request_keys;

static const struct yaml_key until_keys[] = {
	{ "ci_pct", YAML_TEXT, AT(reading, ci_pct), .required = true },
	{ "max_blocks", YAML_INTEGER, AT(reading, blocks_max), .min = STATS_NARROW_MIN,
	  .max = PLAN_BLOCKS_MAX, .required = true },
	{ 0 },
};

static const char *const on_off[] = { "on", "off", NULL };

static const struct yaml_key campaign_keys[] = {
	{ "campaign", YAML_TEXT, AT(plan, name), .required = true },
	{ "blocks", YAML_INTEGER, AT(plan, blocks), .min = 1, .max = PLAN_BLOCKS_MAX,
	  .preset = "5" },
	{ "seed", YAML_INTEGER, AT(plan, seed), .max = SEED_MAX },
	{ "phases", YAML_TABLE, AT(plan, times), .keys = phase_keys },
	{ "until", YAML_TABLE, .keys = until_keys },
	{ "timeline", YAML_TEXT, AT(reading, timeline) },
	{ "limits", YAML_CHOICE, AT(plan, limits), .choices = on_off, .preset = "on" },
	{ "request", YAML_TABLE, .keys = request_keys.key },
	{ "nodes", YAML_TABLE, .keys = nodes_keys },
	{ "cells", YAML_NODE, AT(reading, cells), .required = true },
	{ 0 },
};

static const struct yaml_key testbed_keys[] = {
	{ "nodes", YAML_TABLE, .keys = nodes_keys, .required = true },
	{ 0 },
};

/* What every group has that does not say otherwise. */
static void read_usual(struct plan *p, struct yaml *y, const struct reading *r)
{
	char text[SETTING_TEXT_BYTES];

	for (int i = 0; i < settings_count(); i++) {
		const struct yaml_node *n = r->usual[i];

		if (setting_rows[i].preset)
			p->usual[i] = plan_word(p, setting_rows[i].preset);
		if (!n || n->broken)
			continue;
		if (n->shape == YAML_LIST)
			yaml_error(y, n,
				   "%s: expected a single value for all groups, found a list; in a "
				   "group of cells it may be one",
				   setting_rows[i].key);
		else if (!plan_read_setting(y, i, n, text))
			p->usual[i] = plan_word(p, text);
	}
}

/* --- the rest ------------------------------------------------------------- */

static void check_phases(struct yaml *y, struct plan *p)
{
	const struct yaml_node *phases = yaml_find(y->root, "phases");
	const struct yaml_node *count = yaml_find(phases, "count");

	if (count && yaml_find(phases, "measure"))
		yaml_error(y, count, "phases: measure and count exclude each other; keep one");
	if (p->times.count)
		p->times.measure_ns = 0;
	p->count_overtime_ns = p->times.overtime_ns ? p->times.overtime_ns : OVERTIME_BY_COUNT_NS;
	if (!p->times.overtime_ns)
		p->times.overtime_ns = p->times.count ? OVERTIME_BY_COUNT_NS : OVERTIME_NS;
}

/* "true" is a number that gives a median in a second or two. */
static void check_timeline(struct yaml *y, struct plan *p, const struct reading *r)
{
	const char *text = r->timeline;
	char *end;
	long count = strtol(text, &end, 10);

	if (!strcmp(text, "true"))
		p->timeline = TIMELINE_USUAL;
	else if (!*text || !strcmp(text, "false"))
		p->timeline = 0;
	else if (!*end && count >= 1 && count <= WIRE_SAMPLE_MAX)
		p->timeline = (int)count;
	else
		yaml_error(y, yaml_find(y->root, "timeline"),
			   "timeline: \"%s\" is not true, false or a number of associations from 1 "
			   "to %d",
			   text, WIRE_SAMPLE_MAX);
}

static void check_campaign(struct yaml *y, struct plan *p)
{
	const struct yaml_node *name = yaml_find(y->root, "campaign");

	if (*p->name && !plan_is_name(p->name))
		yaml_error(
			y, name,
			"campaign: \"%s\" is no name; expected letters, digits, dots, dashes and "
			"underscores",
			p->name);
	check_phases(y, p);
	p->seed_given = yaml_find(y->root, "seed");
	if (!p->seed_given)
		p->seed = (int64_t)rng_fresh_seed();
}

static int read_files(struct plan *p, struct plan_files *files)
{
	struct reading r = { .plan = *p };
	struct yaml *campaign = &files->campaign, *testbed = &files->testbed;

	plan_setting_keys(&request_keys, timeout_key, offsetof(struct reading, usual));
	yaml_preset(campaign_keys, &r);
	if (campaign->root)
		yaml_check(campaign, campaign->root, campaign_keys, &r);
	if (testbed->root)
		yaml_check(testbed, testbed->root, testbed_keys, &r);
	*p = r.plan;
	if (!campaign->root)
		return -1;
	check_campaign(campaign, p);
	plan_check_until(p, campaign, r.ci_pct, r.blocks_max);
	check_timeline(campaign, p, &r);
	plan_check_nodes(files, p);
	read_usual(p, campaign, &r);
	if (r.cells && !r.cells->broken)
		plan_read_cells(p, campaign, r.cells);
	if (plan_blocks(p) * (int64_t)p->cells > PLAN_TRIALS_MAX)
		yaml_error(campaign, yaml_find(campaign->root, "blocks"),
			   "%d blocks of %d cells are more than %d trials", plan_blocks(p),
			   p->cells, PLAN_TRIALS_MAX);
	return campaign->errors || testbed->errors ? -1 : 0;
}

int plan_read(struct plan *p, const char *campaign_file, const char *testbed_file,
	      struct buf *errors)
{
	struct plan_files files = { 0 };
	struct fail f = { 0 };
	int status;

	*p = (struct plan){ 0 };
	yaml_open(&files.campaign, campaign_file);
	if (testbed_file)
		yaml_open(&files.testbed, testbed_file);
	status = read_files(p, &files);
	p->text = files.campaign.text;
	files.campaign.text = (struct buf){ 0 };
	if (!status && plan_draw(p, &f))
		status = yaml_error(&files.campaign, NULL, "%s", f.text);
	if (yaml_report(&files.campaign, errors))
		status = -1;
	if (testbed_file && yaml_report(&files.testbed, errors))
		status = -1;
	yaml_close(&files.campaign);
	yaml_close(&files.testbed);
	if (status)
		plan_release(p);
	return status;
}
