/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_loop - what the main thread of `serve` does while the workers work: wait for a
 * signal, and answer lines on standard input with counters. Internal to servers/.
 */
#ifndef SERVERS_SERVE_LOOP_H
#define SERVERS_SERVE_LOOP_H

#include "servers/server.h"

/* Before any thread is started: SIGINT and SIGTERM wait for serve_loop_run(). */
void serve_loop_prepare(void);

/*
 * Until SIGINT or SIGTERM, or with counters until standard input ends. -1: the reason in
 * f; a counter line that could not be written ends it too.
 */
int serve_loop_run(struct server *s, const struct server_params *p, bool counters, struct fail *f);

#endif
