/* SPDX-License-Identifier: Apache-2.0 */
#include "results/role.h"

#include <math.h>

#define J_PER_MWH 3.6

const char *const role_names[] = { "server", "client", "both", NULL };

bool role_counts(enum energy_role role, bool client)
{
	return role == ROLE_BOTH || (role == ROLE_CLIENT) == client;
}

double role_idle_w(const struct cell_summary *c, enum energy_role role)
{
	double mwh = 0;

	if (role_counts(role, false))
		mwh += c->server.energy.idle_mwh;
	if (role_counts(role, true))
		mwh += c->client.energy.idle_mwh;
	return c->window_s > 0 ? mwh * J_PER_MWH / c->window_s : NAN;
}
