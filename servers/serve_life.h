/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_life - the life of a server between its start and a signal or the end of standard
 * input: this program's own, or one that it starts. Each returns the exit status, and says
 * why it failed. Internal to servers/.
 */
#ifndef SERVERS_SERVE_LIFE_H
#define SERVERS_SERVE_LIFE_H

#include "lib/command.h"
#include "servers/adapter.h"

int serve_own(const struct command *c, struct server_params *p, bool counters);
int serve_other(const struct command *c, const struct server_adapter *a,
		const struct server_params *p, bool counters);

/* As many descriptors as connections, where the hard limit lets us. */
void serve_raise_descriptor_limit(const struct server_params *p);

#endif
