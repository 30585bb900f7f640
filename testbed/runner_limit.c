/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_limit - before any cell runs: what a full handshake of each suite costs at the least
 * on each node, for the cells that make one for every request.
 *
 * The server's is of the cell's engine also where the server under test is another program: such
 * a program brings the same library.
 */
#include <math.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/runner.h"

#define SILENCE_NS (600 * NS_PER_S) /* a slow board may have to make an RSA key first */

static const char *engine_of(const struct plan_cell *c, enum runner_node who)
{
	return who == RUNNER_SERVER ? c->cell.engine : c->cell.client_engine;
}

/* Another load generator may bring another library than the one that is linked here. */
static bool has_limit(const struct plan_cell *c, enum runner_node who)
{
	const char *driver = setting_of(c, "driver");

	/* The sum knows the server's certificate only. */
	if (setting_is(c, "mutual", "true"))
		return false;
	return !c->unavailable && c->mode == CONNECTION_FULL && !suite_is_plain(&c->suite) &&
	       (who == RUNNER_SERVER || !driver || !strcmp(driver, "builtin"));
}

static bool is_listed(const json_t *list, const json_t *one)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, other)
	{
		if (json_equal(other, one))
			return true;
	}
	return false;
}

static json_t *pack_suites(const struct plan *p, enum runner_node who)
{
	json_t *list = json_array();

	for (int i = 0; i < p->cells; i++) {
		const struct plan_cell *c = &p->cell[i];
		json_t *one = json_pack("[s, s]", c->cell.suite, engine_of(c, who));

		if (has_limit(c, who) && !is_listed(list, one))
			json_array_append(list, one);
		json_decref(one);
	}
	return list;
}

static void keep(struct plan *p, enum runner_node who, const json_t *asked, const json_t *told)
{
	for (int i = 0; i < p->cells; i++) {
		struct plan_cell *c = &p->cell[i];

		for (size_t j = 0; has_limit(c, who) && j < json_array_size(asked); j++) {
			const json_t *one = json_array_get(asked, j);
			const json_t *us = json_object_get(json_array_get(told, j), "cpu_us");

			if (!strcmp(json_string_value(json_array_get(one, 0)), c->cell.suite) &&
			    !strcmp(json_string_value(json_array_get(one, 1)), engine_of(c, who)))
				c->limit_us[who] = json_is_real(us) ? json_real_value(us) : NAN;
		}
	}
}

static int ask(struct runner *r, enum runner_node who, struct fail *f)
{
	json_t *list = pack_suites(r->plan, who), *reply = NULL;
	int status = 0;

	if (json_array_size(list))
		status = r->world.call(r->world.data, who,
				       json_pack("{s:s, s:s, s:O}", "do", "limit", "role",
						 runner_node_name[who], "suites", list),
				       SILENCE_NS, &reply, f);
	if (!status)
		keep(r->plan, who, list, json_object_get(reply, "limits"));
	json_decref(reply);
	json_decref(list);
	return status;
}

int runner_limits(struct runner *r, struct fail *f)
{
	if (!strcmp(r->plan->limits, "off"))
		return 0;
	return ask(r, RUNNER_SERVER, f) || ask(r, RUNNER_CLIENT, f) ? -1 : 0;
}
