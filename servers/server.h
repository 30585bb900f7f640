/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - listeners to workloads: a thread per core, each with its own listening
 * sockets (SO_REUSEPORT), loop, TLS domains and workload.
 *
 * coap:// and coaps:// have a socket for datagrams on each thread instead.
 *
 * The counters are cumulative and read by subtraction; each thread owns its
 * own and the sum is taken when asked.
 */
#ifndef SERVERS_SERVER_H
#define SERVERS_SERVER_H

#include <stdint.h>

#include "ciphers/engine.h"
#include "lib/fail.h"
#include "protocols/coap_endpoint.h"
#include "protocols/url.h"
#include "workloads/workload.h"

#define SERVER_LISTENERS_MAX 16
#define SERVER_THREADS_MAX   64

struct server_listener {
	struct url url; /* port 0: the kernel gives one, written back by server_start() */
	const struct engine_ops *engine; /* null for http */
	struct suite suite;              /* plain for http */
};

struct server_params {
	struct server_listener listener[SERVER_LISTENERS_MAX];
	int listeners;
	const char *cert_file, *key_file; /* NULL: made for each suite's credential */
	const char *credential_dir;       /* NULL: the user's cache */
	/* Of listeners whose suite has them: sorted, not empty; else zeroed. Its owner's. */
	struct psk_table psk;
	const struct workload_ops *workload;
	struct workload_params workload_params;
	int threads;      /* 0: one per CPU this process may run on */
	const char *cpus; /* "0,2-3": pin thread i to the i-th; NULL: not pinned */
	size_t record_bytes;
	int records_per_send;
	int tickets;                /* good at each thread and listener */
	bool session_ids;           /* TLS 1.2: keep sessions, for every thread; without tickets */
	size_t early_data_bytes;    /* TLS 1.3 with tickets; 0: none is taken */
	const char *client_ca_file; /* clients must show a certificate of it; NULL: none is asked */
	bool close_each;            /* every connection ends after one answer */
	/* Beside HTTP/1.1: by ALPN over TLS, without TLS for clients that begin with it. */
	bool http2;
	uint32_t streams, window_bytes; /* HTTP/2: see struct app_limits; 0 takes its defaults */
	int64_t idle_timeout_ns, handshake_timeout_ns;
	/* coaps: of a thread at once; the first wait for a lost flight; see struct tls_params */
	int handshakes;
	int64_t retransmit_ns;
	size_t mtu;        /* coap and coaps: the longest datagram; 0: DTLS_MTU_BYTES */
	size_t head_bytes; /* largest request head */
	size_t body_bytes; /* longest request body */
	int connections;   /* most at once, over all threads */
	int backlog;
};

struct server_counters {
	int64_t connections; /* accepted */
	int64_t refused;     /* over the limit of connections */
	int64_t open;        /* now */
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data;
	int64_t handshakes_failed;   /* those that timed out too */
	int64_t closed_in_handshake; /* the peer left before the handshake was done */
	int64_t timed_out;           /* idle or in the handshake */
	int64_t http2_connections;   /* that speak it */
	int64_t http2_streams;       /* requests over it */
	int64_t http2_resets; /* streams the client gave up, or that were refused one by one */
	/*
	 * Answered with less than 400: sent to the last byte, over datagrams given to the
	 * association. An answer in blocks is one. Rejected: answered with 4xx or 5xx by the
	 * workload or before it was asked; malformed ones too, but in CoAP (coap.malformed).
	 */
	int64_t requests, rejected;
	int64_t bytes_sent, bytes_received; /* on the wire, ciphertext */
	int64_t domains;                    /* TLS contexts made: listeners x threads, never more */
	int64_t accept_pauses; /* times that accepting waited for descriptors or memory */
	/* coap and coaps. Associations count as connections. */
	int64_t cookies;              /* hellos that were answered and nothing kept of */
	int64_t replaced;             /* associations whose peer began anew from the same port */
	int64_t dtls_retransmissions; /* datagrams of handshakes sent again */
	struct server_datagrams {
		int64_t received, sent;
		int64_t strange;   /* of no association and no beginning of one */
		int64_t overlong;  /* dropped for their length */
		int64_t unsent;    /* the kernel did not take them */
		int64_t overflown; /* lost because the socket's buffer was full */
	} datagrams;
	struct coap_counters coap;
};

struct server;

/*
 * Listens and starts the threads. NULL: the reason in f, with the address. Texts in p are
 * borrowed until server_stop(); p itself is copied, after the ports were written back.
 */
struct server *server_start(struct server_params *p, struct fail *f);
/* What a client of this listener can trust; NULL for http and where cert_file was given. */
const char *server_ca_file(const struct server *s, int listener);
/* Is coap:// or coaps:// among the URLs? */
bool server_takes_datagrams(const struct server_params *p);
int server_threads(const struct server *s);
void server_counters(struct server *s, struct server_counters *sum);
/* What securing and reading messages took; false: the workload has no messages. */
bool server_stages(struct server *s, struct message_tally *sum);
/* Stop accepting, close associations, join the threads, free. */
void server_stop(struct server *s);

#endif
