/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_read - the campaign file and the testbed file, by their tables of keys.
 *
 * What is right about a file's shape is checked by the tables; here stands what
 * ties several keys together: nodes, CPUs and meters that exist, time or count.
 */
#include "testbed/plan_read.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/affinity.h"
#include "lib/clock.h"
#include "lib/net.h"
#include "lib/rng.h"
#include "power/board.h"
#include "power/meter.h"
#include "results/stats_series.h"
#include "testbed/wire_sample.h"

#define NAMES_MAX            128
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

/* --- nodes ---------------------------------------------------------------- */

/* Where a setting of a node was made: the testbed file's word is the last. */
struct place {
	struct yaml *y;
	const struct yaml_node *at;
};

struct files {
	struct yaml campaign, testbed; /* testbed.root NULL: there is none */
};

static struct place find_place(struct files *files, const char *role, const char *key)
{
	struct yaml *both[] = { &files->testbed, &files->campaign };
	struct place none = { &files->campaign, NULL };

	for (int i = 0; i < 2; i++) {
		const struct yaml_node *nodes = yaml_find(both[i]->root, "nodes");
		const struct yaml_node *at = yaml_find(yaml_find(nodes, role), key);

		if (at)
			return (struct place){ both[i], at };
	}
	return none;
}

static bool is_name(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789._-")];
}

static void check_board(struct place place, const char *board)
{
	const char *names[NAMES_MAX] = { 0 };

	if (board_by_name(board))
		return;
	for (int i = 0; boards[i].name && i < NAMES_MAX - 1; i++)
		names[i] = boards[i].name;
	yaml_unknown(place.y, place.at, "board", board, names);
}

/* "BOARD", "BOARD,idle=1.2W,loaded=3W" or "idle=1.2W,loaded=3W". */
static void check_model(struct place place, const char *arg)
{
	size_t len = strcspn(arg, ",");
	const struct board *b;
	char board[64];

	if (memchr(arg, '=', len))
		return;
	snprintf(board, sizeof(board), "%.*s", (int)len, arg);
	check_board(place, board);
	b = board_by_name(board);
	if (b && !board_has_watts(b) && !arg[len])
		yaml_error(place.y, place.at,
			   "meter: not all watts of board %s are published; measure them and say "
			   "model:%s,idle=1.2W,loaded=3W",
			   board, board);
}

/* Only the kind of meter, and a model's board: opening it is the node's. */
static void check_meter(struct place place, const char *meter)
{
	const char *names[NAMES_MAX] = { 0 };
	size_t len = strcspn(meter, ":");
	bool known = false;
	char kind[32];

	snprintf(kind, sizeof(kind), "%.*s", (int)len, meter);
	for (int i = 0; meters[i] && i < NAMES_MAX - 1; i++) {
		names[i] = meters[i]->name;
		known = known || !strcmp(names[i], kind);
	}
	if (!known)
		yaml_unknown(place.y, place.at, "meter", kind, names);
	else if (!strcmp(kind, "model") && meter[len])
		check_model(place, meter + len + 1);
}

static void check_cpus(struct place place, const struct plan_node *n)
{
	struct fail f = { 0 };
	cpu_set_t set;

	/* Which CPUs another machine has is for its own node to say. */
	if (!*n->command && affinity_parse(n->cpus, &set, &f))
		yaml_error(place.y, place.at, "cpus: %s", f.text);
}

static void check_host(struct files *files, const char *role, const char *key, const char *host)
{
	struct place place = find_place(files, role, key);

	if (*host && !net_is_host(host))
		yaml_error(place.y, place.at,
			   "%s: \"%s\" is no address and cannot be a host's name; expected "
			   "192.0.2.7, 2001:db8::7 or gateway.example",
			   key, host);
}

static void check_node(struct files *files, const char *role, struct plan_node *n)
{
	struct place place;

	place = find_place(files, role, "name");
	if (!*n->name)
		snprintf(n->name, sizeof(n->name), "%s", role);
	if (place.at && !is_name(n->name))
		yaml_error(place.y, place.at,
			   "name: \"%s\" is no name; expected letters, digits, "
			   "dots, dashes and underscores",
			   n->name);
	if (*n->board)
		check_board(find_place(files, role, "board"), n->board);
	if (*n->meter)
		check_meter(find_place(files, role, "meter"), n->meter);
	check_host(files, role, "address", n->address);
	check_host(files, role, "listen", n->listen);
	if (*n->cpus)
		check_cpus(find_place(files, role, "cpus"), n);
}

static void check_nodes(struct files *files, struct plan *p)
{
	struct place command = find_place(files, "server", "command");
	struct place name = find_place(files, "client", "name");

	check_node(files, "server", &p->server);
	check_node(files, "client", &p->client);
	if (*p->server.command && !*p->server.address && command.at)
		yaml_error(command.y, command.at,
			   "the server is on a node of its own, so say in `address` what clients "
			   "connect to (127.0.0.1 where it is this machine after all)");
	if (!name.at)
		name = find_place(files, "server", "name");
	if (!strcmp(p->server.name, p->client.name))
		yaml_error(name.y, name.at, "nodes: server and client are both named \"%s\"",
			   p->client.name);
	if (!*p->server.address)
		snprintf(p->server.address, sizeof(p->server.address), "127.0.0.1");
	if (!*p->server.listen)
		memcpy(p->server.listen, p->server.address, sizeof(p->server.listen));
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

	if (*p->name && !is_name(p->name))
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

static int read_files(struct plan *p, struct files *files)
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
	check_nodes(files, p);
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
	struct files files = { 0 };
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
