/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_cells - the groups of a campaign multiplied into named cells.
 *
 * Groups may overlap in nothing: a cell that two of them make is an error that
 * names both places. Must not know how values are spelled in a file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/path.h"
#include "servers/adapter.h"
#include "testbed/plan_read.h"
#include "workloads/compress.h"

/* Cells being collected; at[i] is where cell i came from. */
struct cells {
	struct plan *p;
	struct yaml *y;
	const struct yaml_node **at;
	int cap;
	bool full;
};

/* --- one cell ------------------------------------------------------------- */

struct scale {
	const char *unit;
	int64_t bytes;
};

static const struct scale binary[] = { { "MiB", 1 << 20 }, { "KiB", 1 << 10 }, { NULL, 0 } };
static const struct scale decimal[] = { { "MB", 1000000 }, { "kB", 1000 }, { NULL, 0 } };

/* The largest unit that leaves a whole number, or NULL. */
static const struct scale *whole_scale(const struct scale *s, int64_t bytes)
{
	for (; s->unit; s++)
		if (bytes && bytes % s->bytes == 0)
			return s;
	return NULL;
}

/* 131072 is 128KiB, and 128000 is 128kB although it is 125KiB too. */
static void put_payload(struct buf *name, int64_t bytes)
{
	const struct scale *s = whole_scale(binary, bytes), *round = whole_scale(decimal, bytes);

	if (s && round && (bytes / s->bytes & (bytes / s->bytes - 1)))
		s = round;
	if (!s)
		s = round;
	buf_printf(name, "%" PRId64 "%s", s ? bytes / s->bytes : bytes, s ? s->unit : "B");
}

/* What is not the usual value. */
static void put_unusual(struct buf *name, const char *mark, const char *value, const char *usual)
{
	if (strcmp(value, usual))
		buf_printf(name, "%s%s", mark, value);
}

#define COPY(DST, SRC) snprintf((DST), sizeof(DST), "%.*s", (int)sizeof(DST) - 1, (SRC))

static void name_cell(struct cell *c)
{
	struct buf name;

	buf_init(&name, 0);
	buf_printf(&name, "%s/", c->suite);
	put_payload(&name, c->payload_bytes);
	put_unusual(&name, "-", c->payload_kind, "json");
	buf_printf(&name, "/%s/c%" PRId64 "/%s/%s", c->encoding, c->clients, c->connection,
		   c->engine);
	put_unusual(&name, "+", c->client_engine, c->engine);
	put_unusual(&name, "/", c->server, "builtin");
	put_unusual(&name, "/", c->workload, "page");
	COPY(c->name, buf_text(&name));
	buf_release(&name);
}

/* NULL, or why this build cannot run the suite on one side. */
static char *why_not(const char *side, const char *engine, const struct suite *suite)
{
	const struct engine_ops *ops = engine_by_name(engine);
	const char *reason = ops ? ops->refuses(suite) : "not in this build";
	char *text;

	if (!reason)
		return NULL;
	return asprintf(&text, "%s engine %s: %s", side, engine, reason) < 0 ? NULL : text;
}

/* NULL, or why the server under test cannot be what the cell asks. */
static char *why_no_server(const struct plan *p, const struct plan_cell *pc)
{
	const struct server_adapter *a = adapter_by_name(pc->cell.server);
	struct server_params s = { .listeners = 1,
				   .workload = workload_by_name(pc->cell.workload),
				   .record_bytes = (size_t)p->record_bytes,
				   .close_each = plan_closes_each(pc) };
	char program[PATH_BYTES];
	struct fail f = { 0 };

	s.listener[0].url.scheme = suite_is_plain(&pc->suite) ? URL_HTTP : URL_HTTPS;
	s.listener[0].suite = pc->suite;
	s.listener[0].engine = engine_by_name(pc->cell.engine);
	s.workload_params.level[pc->encoding.coding] = pc->encoding.level;
	s.workload_params.compress_once = pc->encoding.once;
	/* What another machine has is for its own node to say. */
	if (adapter_check(a, &s, &f) || (!*p->server.command && adapter_find(a, program, &f)))
		return strdup(f.text);
	return NULL;
}

static char *why_no_coding(const struct plan_cell *pc)
{
	int level_max;
	const char *why =
		pc->encoding.coding ? compress_refuses(pc->encoding.coding, &level_max) : NULL;
	char *text;

	if (!why)
		return NULL;
	return asprintf(&text, "%s: %s", app_encoding_name(pc->encoding.coding), why) < 0 ? NULL
											  : text;
}

bool plan_closes_each(const struct plan_cell *c)
{
	return strcmp(c->cell.server, "builtin") && !strcmp(c->cell.connection, "full");
}

static void fill_cell(const struct plan *p, struct plan_cell *pc, const struct group_of_cells *g,
		      const struct choice *const at[AXES])
{
	struct cell *c = &pc->cell;
	bool plain = suite_is_plain(&at[AXIS_SUITE]->suite);
	const char *engine = plain ? "null" : at[AXIS_ENGINE]->text;

	*pc = (struct plan_cell){ .suite = at[AXIS_SUITE]->suite };
	COPY(c->suite, at[AXIS_SUITE]->text);
	COPY(c->engine, engine);
	COPY(c->client_engine, plain || !*g->client_engine ? engine : g->client_engine);
	COPY(c->server, at[AXIS_SERVER]->text);
	COPY(c->workload, g->workload);
	COPY(c->payload_kind, g->payload_kind);
	COPY(c->encoding, at[AXIS_ENCODING]->text);
	COPY(c->connection, at[AXIS_CONNECTION]->text);
	c->strength_bits = suite_strength_bits(&pc->suite);
	c->payload_bytes = at[AXIS_PAYLOAD]->value;
	c->clients = at[AXIS_CLIENTS]->value;
	encoding_parse(c->encoding, &pc->encoding);
	name_cell(c);
	pc->unavailable = why_not("server", c->engine, &pc->suite);
	if (!pc->unavailable)
		pc->unavailable = why_not("client", c->client_engine, &pc->suite);
	if (!pc->unavailable)
		pc->unavailable = why_no_coding(pc);
	if (!pc->unavailable)
		pc->unavailable = why_no_server(p, pc);
}

/* --- products ------------------------------------------------------------- */

static int grow(struct cells *all)
{
	int cap = all->cap ? all->cap * 2 : 64;
	struct plan_cell *cell = realloc(all->p->cell, (size_t)cap * sizeof(*cell));
	const struct yaml_node **at = cell ? realloc(all->at, (size_t)cap * sizeof(*at)) : NULL;

	if (cell)
		all->p->cell = cell;
	if (!at)
		return -1;
	all->at = at;
	all->cap = cap;
	return 0;
}

static int add_cell(struct cells *all, const struct group_of_cells *g,
		    const struct choice *const at[AXES])
{
	struct plan *p = all->p;
	const struct yaml_node *place = at[AXIS_SUITE]->at;

	all->full = true;
	if (p->cells >= PLAN_CELLS_MAX)
		return yaml_error(all->y, place, "more than %d cells in all; split the campaign",
				  PLAN_CELLS_MAX);
	if (p->cells >= all->cap && grow(all))
		return yaml_error(all->y, place, "no memory left for so many cells");
	all->full = false;
	all->at[p->cells] = place;
	fill_cell(p, &p->cell[p->cells++], g, at);
	return 0;
}

/* Nothing encrypts a plain cell: of several engines only the first makes one. */
static bool makes_a_cell(const struct group_of_cells *g, const struct choice *const at[AXES])
{
	return !suite_is_plain(&at[AXIS_SUITE]->suite) ||
	       at[AXIS_ENGINE] == g->axis[AXIS_ENGINE].choice;
}

static int multiply(struct cells *all, const struct group_of_cells *g, int axis,
		    const struct choice *at[AXES])
{
	if (axis == AXES)
		return makes_a_cell(g, at) ? add_cell(all, g, at) : 0;
	for (int i = 0; i < g->axis[axis].count && !all->full; i++) {
		at[axis] = &g->axis[axis].choice[i];
		multiply(all, g, axis + 1, at);
	}
	return all->full ? -1 : 0;
}

static int read_group(struct cells *all, const struct yaml_node *map)
{
	const struct choice *at[AXES];
	struct group_of_cells g;
	int status = group_read(&g, all->y, map);

	if (!status)
		status = multiply(all, &g, 0, at);
	group_release(&g);
	return status;
}

/* --- what is wrong with all of them --------------------------------------- */

static int by_name(const void *left, const void *right, void *data)
{
	const struct plan *p = data;
	const int *a = left, *b = right;
	int order = strcmp(p->cell[*a].cell.name, p->cell[*b].cell.name);

	return order ? order : *a - *b;
}

static int check_duplicates(struct cells *all)
{
	const struct plan *p = all->p;
	int *index = calloc((size_t)p->cells + 1, sizeof(*index)), status = 0;

	if (!index)
		return yaml_error(all->y, NULL, "no memory left for so many cells");
	for (int i = 0; i < p->cells; i++)
		index[i] = i;
	qsort_r(index, (size_t)p->cells, sizeof(*index), by_name, all->p);
	for (int i = 1; i < p->cells && !yaml_gave_up(all->y); i++) {
		const struct yaml_node *first = all->at[index[i - 1]], *again = all->at[index[i]];
		const char *name = p->cell[index[i]].cell.name;

		if (!strcmp(p->cell[index[i - 1]].cell.name, name))
			status = yaml_error(all->y, again, "cell %s is made already by %d:%d", name,
					    first->line, first->column);
	}
	free(index);
	return status;
}

static int check_available(const struct cells *all, const struct yaml_node *cells)
{
	const struct plan *p = all->p;

	for (int i = 0; i < p->cells; i++)
		if (!p->cell[i].unavailable)
			return 0;
	return yaml_error(all->y, cells, "cells: none can run here; the first: %s: %s",
			  p->cell[0].cell.name, p->cell[0].unavailable);
}

int plan_read_cells(struct plan *p, struct yaml *y, const struct yaml_node *cells)
{
	struct cells all = { .p = p, .y = y };
	const struct yaml_node *n;
	int status = 0;

	if (cells->shape != YAML_LIST)
		return yaml_error(y, cells, "cells: expected a list of groups, found %s",
				  yaml_shape_text(cells));
	if (!cells->child)
		return yaml_error(y, cells,
				  "cells: the list is empty; expected at least one group");
	for (n = cells->child; n && !yaml_gave_up(y) && !all.full; n = n->next)
		if (read_group(&all, n))
			status = -1;
	if (check_duplicates(&all))
		status = -1;
	if (!status)
		status = check_available(&all, cells);
	free(all.at);
	return status;
}
