/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_json - a plan for programs, before anything runs: what plan_print says, as one object.
 */
#include <string.h>

#include "results/record.h"
#include "testbed/runner.h"

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	const void *at = (const char *)base + f->offset;
	json_error_t bad;

	if (f->kind == FIELD_INT)
		json_object_set_new(data, name,
				    field_known(f, base) ? json_integer(*(const int64_t *)at)
							 : json_null());
	else if (f->kind == FIELD_JSON)
		json_object_set_new(data, name, json_loads(field_text(f, base), 0, &bad));
	else
		json_object_set_new(data, name, json_string(field_text(f, base)));
}

static json_t *pack_cell(const struct plan_cell *c)
{
	static const struct field_part parts[] = { { "", cell_fields, 0 }, { 0 } };
	json_t *o = json_object();

	field_each(parts, &c->cell, put_field, o);
	json_object_set_new(o, "unavailable",
			    c->unavailable ? json_string(c->unavailable) : json_null());
	return o;
}

/* Names of the cells that can run, block by block. */
static json_t *pack_order(const struct plan *p)
{
	json_t *blocks = json_array();

	for (int b = 0; b < p->blocks; b++) {
		json_t *block = json_array();

		for (int i = 0; i < p->cells; i++) {
			const struct plan_cell *c = &p->cell[p->order[b * p->cells + i]];

			if (!c->unavailable)
				json_array_append_new(block, json_string(c->cell.name));
		}
		json_array_append_new(blocks, block);
	}
	return blocks;
}

json_t *plan_json(const struct plan *p, const char *only)
{
	json_t *cells = json_array(), *order = pack_order(p);
	size_t trials = 0;

	for (int i = 0; i < p->cells; i++)
		json_array_append_new(cells, pack_cell(&p->cell[i]));
	for (size_t b = 0; b < json_array_size(order); b++)
		trials += json_array_size(json_array_get(order, b));
	return json_pack("{s:s, s:{s:s, s:I, s:i, s:b, s:I, s:I}, s:o, s:o, s:o}", "schema",
			 "cipherwatt/1", "plan", "name", p->name, "seed", (json_int_t)p->seed,
			 "blocks", p->blocks, "seed_given", (int)p->seed_given, "trials",
			 (json_int_t)trials, "least_ns", (json_int_t)plan_duration_ns(p), "options",
			 runner_options(p, only), "cells", cells, "order", order);
}
