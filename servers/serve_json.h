/* SPDX-License-Identifier: Apache-2.0 */
/* serve_json - a server's cumulative counters as one JSON object. Internal to servers/. */
#ifndef SERVERS_SERVE_JSON_H
#define SERVERS_SERVE_JSON_H

#include <jansson.h>

#include "servers/server.h"

/* A new reference; NULL: no memory. Read twice and subtract for what happened between. */
json_t *serve_counters_json(struct server *s, const struct server_params *p);

#endif
