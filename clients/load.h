/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load - the load generator: N closed-loop connections against one URL, measured.
 *
 * Warm-up is apart: what starts before the window begins is not counted in it. A
 * request belongs to the window when it was due in it. Nothing is allocated or
 * printed by this project's code while the window is open.
 *
 * By duration the window is cut by the clock: requests due in it that are not
 * over yet are awaited for LOAD_DRAIN_NS at most and then counted as in flight. By
 * count exactly that many requests are started, and the window ends with the last
 * of them. Either way the rate is succeeded / (window_to_ns - window_from_ns).
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

/* Where a run is; on_phase hears of each change. */
enum load_phase {
	LOAD_WARMUP, /* requests run and are not counted */
	LOAD_WINDOW, /* what is due now is counted */
	LOAD_DRAIN,  /* nothing starts any more */
	LOAD_PHASES
};

#define LOAD_DRAIN_NS    INT64_C(2000000000)
#define LOAD_CLIENTS_MAX 100000
/* A run without one success ends this long after its start, once each client failed. */
#define LOAD_HOPELESS_NS INT64_C(1000000000)

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
	bool verify_body;   /* the first response of each client must decode cleanly */
	size_t record_bytes;
	int records_per_send;
	const char *cpus; /* pin to the first of them; NULL: not pinned */
	/* Called from the loop when a phase begins, from the loop's thread; may be NULL. */
	void (*on_phase)(void *data, enum load_phase phase, int64_t at_ns);
	void *data;
	/* Becomes non-zero: end now and report what is there; may be NULL. Looked at 20 times a
	 * second. */
	const volatile int *stop;
	bool watch_stdin; /* the same when standard input reaches its end */
};

struct load_counters {
	int64_t started, succeeded, failed, timed_out, in_flight;
	int64_t status_2xx, status_3xx, status_4xx, status_5xx;
	int64_t connects;        /* TCP connections established */
	int64_t connects_failed; /* refused, unreachable, no local port */
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data, handshakes_failed;
	int64_t closed_by_peer; /* before the response was complete */
	int64_t closed_first;   /* the peer left closing to us: TIME_WAIT is on this side */
	int64_t reconnects;     /* keep-alive associations that had to be made again */
	int64_t wire_bytes_sent, wire_bytes_received; /* TCP payload: ciphertext with handshakes */
	int64_t body_bytes; /* content as received, before decoding; of successes */
};

struct load_result {
	struct load_counters window;          /* of the requests due in the window */
	struct load_counters total;           /* from the first connection to the last close */
	int64_t window_from_ns, window_to_ns; /* monotonic; equal when it never opened */
	struct hist response;    /* from when it was due to the last byte, successes only */
	struct hist service;     /* from when it was sent to the last byte, successes only */
	struct hist handshake;   /* from connect() to a finished handshake; of "plain" the
				    connection */
	struct hist failed;      /* response time of failures, never mixed with the above */
	struct tls_facts facts;  /* of the first association */
	int64_t associations;    /* handshakes done, all of the run */
	int64_t facts_mixed;     /* associations that negotiated something else */
	int64_t encoded;         /* successes that came with a content coding */
	int64_t decoded_bytes;   /* of one response, when verify_body decoded one; else -1 */
	int64_t cpu_ns;          /* of the generator's thread in the window */
	int64_t lateness_max_ns; /* how late its own loop got to a due request or timer */
	bool complete;           /* the window was closed by count or clock, not by a stop */
	bool hopeless;           /* ended early: nothing had succeeded */
	char first_failure[320]; /* of a request or handshake; "" when none */
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

/* into += c, field by field. */
void load_counters_add(struct load_counters *into, const struct load_counters *c);

/* Successes per second of the window; NAN when it never opened. */
double load_rate_per_s(const struct load_result *r);

/*
 * NULL when the figures may be used, else why not, written to dst: interrupted, more than one
 * in a hundred requests failed or never ended, a resumed handshake where full ones were
 * asked for, different suites negotiated.
 */
const char *load_verdict(const struct load_params *p, const struct load_result *r, char dst[256]);

#endif
