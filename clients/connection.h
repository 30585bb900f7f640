/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection - how requests are spread over associations: the table of modes.
 *
 * A row says what a mode keeps and what it forbids; the generator asks the row and never a
 * name. A mode is a row here only when the engines can do it.
 */
#ifndef CLIENTS_CONNECTION_H
#define CLIENTS_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

enum connection_mode {
	CONNECTION_FULL,      /* a new association with a full handshake for each request */
	CONNECTION_KEEPALIVE, /* one association per client, kept */
	CONNECTION_RESUME,    /* a new association for each request, resumed where it can be */
	CONNECTION_MODES
};
extern const char *const connection_mode_name[CONNECTION_MODES + 1]; /* ends with NULL */

struct connection_kind {
	bool keeps;           /* more than one request on an association */
	bool resumes;         /* sessions are kept, and offered once */
	int64_t number_max;   /* behind a colon: what it counts, up to here; 0: nothing */
	int64_t number;       /* when none is given */
	bool spoiled_resumed; /* one resumed handshake, and the figures are not used */
};
extern const struct connection_kind connection_kind[CONNECTION_MODES];

#define CONNECTION_REQUESTS_MAX INT64_C(1000000000)
#define CONNECTION_TEXT_BYTES   32

/*
 * "full", "keepalive", "keepalive:100" requests on one association, else as many as it takes;
 * "resume", "resume:80" percent of the handshakes behind a client's first, else all of them.
 */
int connection_parse(const char *text, enum connection_mode *mode, int64_t *number, struct fail *f);
/* Without the number where it is the one that need not be given. */
const char *connection_format(enum connection_mode mode, int64_t number,
			      char dst[CONNECTION_TEXT_BYTES]);

#endif
