/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_serve - the live page over HTTP, on the loopback address alone. One thread, one poll.
 *
 * watch_serve.c and watch_library.c alone know libmicrohttpd; a build without its header has
 * watch_none.c, which refuses. What is served comes from a site, which is asked for each target
 * once per change, however many pages are open, and not at all while none is.
 */
#ifndef RESULTS_WATCH_SERVE_H
#define RESULTS_WATCH_SERVE_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "results/watch_request.h"

#define WATCH_NONCE_BYTES 33 /* of the page's script: hexadecimal digits and a NUL */

struct watch_site {
	void *data;
	/* Looks for changes; another number than before: there is one. now_ns is monotonic. */
	int64_t (*look)(void *data, int64_t now_ns);
	/*
	 * Writes the target: 200, or the status of an answer for which it wrote plain text. A
	 * buffer that failed is an answer 500.
	 */
	int (*write)(void *data, enum watch_target target, const char *nonce, struct buf *out);
};

struct watch_server;

/* port 0: one that is free; *bound is the port in any case. NULL: the reason in f. */
struct watch_server *watch_server_open(const struct watch_site *site, int64_t port, int64_t *bound,
				       struct fail *f);
/* Until there is something to read at stop_fd, whatever else there is to do. */
int watch_server_run(struct watch_server *s, int stop_fd, struct fail *f);
/* Accepts NULL. */
void watch_server_close(struct watch_server *s);

#endif
