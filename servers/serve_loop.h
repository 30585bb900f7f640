/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_loop - what the main thread of `serve` does while others work: wait for a signal, and
 * answer lines on standard input with counters. Internal to servers/.
 */
#ifndef SERVERS_SERVE_LOOP_H
#define SERVERS_SERVE_LOOP_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/fail.h"

/* What is waited for besides a signal. */
struct serve_watch {
	/* A new object for each line on standard input; NULL: it is not read. */
	json_t *(*counters)(void *data);
	void *data;
	int end_fd; /* readable: over; -1 none */
};

/*
 * Before anything is started that needs no end of its own: until serve_loop_prepare(), SIGINT and
 * SIGTERM end the program at once.
 */
void serve_loop_start(void);
/* From here on SIGINT and SIGTERM wait for serve_loop_run(), by the same thread. */
void serve_loop_prepare(void);

/* One line, "listening on URL", on standard output at once. -1: the reason in f. */
int serve_loop_announce(const char *url, struct fail *f);

/*
 * Until SIGINT or SIGTERM, with counters until standard input ends, or until end_fd is
 * readable (*ended). -1: the reason in f; a counter line that could not be written ends it
 * too.
 */
int serve_loop_run(const struct serve_watch *watch, bool *ended, struct fail *f);

#endif
