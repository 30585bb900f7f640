/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load - the load generator: N closed-loop connections against one URL, measured.
 *
 * Warm-up is apart: what starts before the window begins is not counted in it. A
 * request belongs to the window when it was due in it. Nothing is allocated or
 * printed by this project's code while the window is open.
 */
#ifndef CLIENTS_LOAD_H
#define CLIENTS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ciphers/engine.h"
#include "lib/fail.h"
#include "lib/hist.h"
#include "protocols/url.h"

enum connection_mode {
	CONNECTION_FULL,      /* a new association with a full handshake for each request */
	CONNECTION_KEEPALIVE, /* one association per client, kept */
	CONNECTION_MODES
};
extern const char *const connection_mode_name[CONNECTION_MODES + 1]; /* ends with NULL */

struct load_params {
	struct url url;
	const struct engine_ops *engine;
	const struct suite *suite; /* NULL: the library's defaults, reported */
	const char *ca_file;       /* NULL: not verified */
	const char *server_name;   /* NULL: the URL's host */
	enum connection_mode connection;
	int clients;
	int64_t count;       /* requests to measure; 0: by duration */
	int64_t duration_ns; /* 0: by count */
	int64_t warmup_ns;
	int64_t timeout_ns; /* of one request, connecting included */
	unsigned accepts;   /* bit per enum app_encoding */
	size_t record_bytes;
	int records_per_send;
	const char *cpus; /* pin; NULL: not pinned */
	/* Called from the loop when the window opens and when it has closed; may be NULL. */
	void (*on_window)(void *data, bool open, int64_t at_ns);
	void *data;
	const volatile int
		*stop; /* becomes non-zero: end now and report what is there; may be NULL */
};

struct load_counters {
	int64_t started, succeeded, failed, timed_out, in_flight;
	int64_t status_2xx, status_3xx, status_4xx, status_5xx;
	int64_t connects_failed; /* refused, unreachable, no local port */
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data, handshakes_failed;
	int64_t closed_by_peer;
	int64_t reconnects; /* keep-alive associations that had to be made again */
	int64_t wire_bytes_sent, wire_bytes_received; /* TCP payload: ciphertext with handshakes */
	int64_t body_bytes;                           /* content as received, before decoding */
};

struct load_result {
	struct load_counters window;          /* counted in the window */
	struct load_counters total;           /* from the first connection to the last close */
	int64_t window_from_ns, window_to_ns; /* monotonic */
	struct hist response;    /* from when it was due to the last byte, successes only */
	struct hist service;     /* from when it was sent to the last byte, successes only */
	struct hist handshake;   /* from connect() to a finished handshake */
	struct hist failed;      /* response time of failures, never mixed with the above */
	struct tls_facts facts;  /* of the first association */
	int64_t facts_mixed;     /* associations that negotiated something else */
	int64_t encoded;         /* responses that came with a content coding */
	int64_t cpu_ns;          /* of the generator's thread in the window */
	int64_t lateness_max_ns; /* how late its own loop got to a due request */
	char first_failure[256]; /* of a request or handshake; "" when none */
};

int load_result_init(struct load_result *r);
void load_result_release(struct load_result *r);

/*
 * 0: measured (failures may have been counted). -1: nothing could be measured:
 * unknown host, negotiated suite not the one asked for, impossible settings.
 * One probe association is not made: the first counted ones tell.
 */
int load_run(const struct load_params *p, struct load_result *r, struct fail *f);

/* started = succeeded + failed + timed_out + in_flight. */
bool load_counters_balance(const struct load_counters *c);

#endif
