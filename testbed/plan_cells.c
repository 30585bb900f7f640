/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_cells - the groups of a campaign multiplied into named cells.
 *
 * Groups may overlap in nothing: a cell that two of them make is an error that
 * names both places. Must not know how values are spelled in a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testbed/plan_read.h"

/* Cells being collected; at[i] is where cell i came from. */
struct cells {
	struct plan *p;
	struct yaml *y;
	const struct yaml_node **at;
	int cap;
	bool full;
};

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
	if (plan_fill_cell(p, &p->cell[p->cells++], g, at))
		return yaml_error(all->y, place,
				  "the name of %.80s... or its settings are too long",
				  p->cell[p->cells - 1].cell.name);
	return 0;
}

/* Of an axis that says nothing about a cell, only the first value makes one. */
static bool is_first(const struct group_of_cells *g, const struct choice *const at[AXES], int axis)
{
	return at[axis] == g->axis[axis].choice;
}

/* Nothing encrypts a plain cell, and the settings of another workload are none of its own. */
static bool makes_a_cell(const struct group_of_cells *g, const struct choice *const at[AXES])
{
	if (suite_is_plain(&at[AXIS_SUITE]->suite) && !is_first(g, at, AXIS_ENGINE))
		return false;
	for (int i = 0; i < settings_count(); i++)
		if (!setting_is_of(&setting_rows[i], at[AXIS_WORKLOAD]->text) &&
		    !is_first(g, at, AXIS_SETTINGS + i))
			return false;
	return true;
}

static int multiply(struct cells *all, const struct group_of_cells *g, int axis,
		    const struct choice *at[AXES])
{
	if (axis == AXIS_SETTINGS + settings_count())
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
	int status = group_read(&g, all->p, all->y, map);

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
