/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_servers - the servers under test that are not our own, a line for each: version, the
 * settings that its cells share, and the names of those that follow the cell.
 */
#include <jansson.h>
#include <string.h>

#include "results/report.h"

static bool is_first(const struct report *r, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (*r->cell[i].server_settings &&
		    !strcmp(r->cell[i].cell.server, r->cell[cell].cell.server))
			return false;
	return *r->cell[cell].server_settings;
}

/* What any cell of that server tells: a plain one says nothing of TLS. */
static json_t *all_settings(const struct report *r, const char *server)
{
	json_t *all = json_object();

	for (size_t i = 0; i < r->cells; i++) {
		json_error_t bad;
		json_t *one;

		if (!*r->cell[i].server_settings || strcmp(r->cell[i].cell.server, server))
			continue;
		one = json_loads(r->cell[i].server_settings, 0, &bad);
		json_object_update_missing(all, one);
		json_decref(one);
	}
	return all;
}

/* Every cell of that server that has it has this very value. */
static bool is_shared(const struct report *r, const char *server, const char *name,
		      const json_t *value)
{
	bool shared = true;

	for (size_t i = 0; i < r->cells && shared; i++) {
		const struct cell_summary *c = &r->cell[i];
		json_error_t bad;
		json_t *other, *its;

		if (!*c->server_settings || strcmp(c->cell.server, server))
			continue;
		other = json_loads(c->server_settings, 0, &bad);
		its = json_object_get(other, name);
		shared = !its || json_equal(its, value);
		json_decref(other);
	}
	return shared;
}

static void put_server(const struct report *r, const struct cell_summary *c, struct buf *out)
{
	const char *name, *between = ": ";
	json_t *settings = all_settings(r, c->cell.server), *value;

	buf_printf(out, "Server %s", c->cell.server);
	json_object_foreach(settings, name, value)
	{
		bool shared = is_shared(r, c->cell.server, name, value);

		buf_printf(out, "%s%s %s", between, name,
			   shared ? json_string_value(value) : "by cell");
		between = ", ";
	}
	buf_puts(out, ".\n");
	json_decref(settings);
}

void report_servers(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->cells; i++)
		if (is_first(r, i))
			put_server(r, &r->cell[i], out);
}
