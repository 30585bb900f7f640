/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load - the load generator: N clients against one URL, in a closed loop or on a schedule.
 *
 * Warm-up is apart: what starts before the window begins is not counted in it. A
 * request belongs to the window when it was due in it. Nothing is allocated or
 * printed by this project's code while the window is open, but for two things: stamps writes
 * a line at the end of each exchange, and a CoAP client whose socket has no message id left
 * takes another one, with memory for a new endpoint (coap_ids_exhausted counts them).
 *
 * By duration the window is cut by the clock: requests due in it that are not
 * over yet are awaited for LOAD_DRAIN_NS at most and then counted as in flight. By
 * count exactly that many requests are started, and the window ends with the last
 * of them. Either way the rate is completed / (window_to_ns - window_from_ns).
 */
#ifndef CLIENTS_LOAD_H
#define CLIENTS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ciphers/engine.h"
#include "clients/arrival.h"
#include "clients/connection.h"
#include "clients/fairness.h"
#include "clients/slots.h"
#include "lib/fail.h"
#include "lib/hist.h"
#include "lib/udp_stat.h"
#include "protocols/app.h"
#include "protocols/url.h"
#include "workloads/asker.h"

/* Where a run is; on_phase hears of each change. */
enum load_phase {
	LOAD_WARMUP, /* requests run and are not counted */
	LOAD_WINDOW, /* what is due now is counted */
	LOAD_DRAIN,  /* nothing starts any more */
	LOAD_PHASES
};

#define LOAD_DRAIN_NS    INT64_C(2000000000)
#define LOAD_TIME_MAX_NS (INT64_C(30) * 86400 * NS_PER_S) /* of each of its times */
#define LOAD_CLIENTS_MAX 100000
#define LOAD_THREADS_MAX 64
/* A schedule is kept when nothing began later than this, and all but 1 % began in the window. */
#define LOAD_LATE_NS INT64_C(100000000)
/* Of the requests, below which a result is not used; --min-success. */
#define LOAD_MIN_SUCCESS_PCT 99.0
/* A run without one success ends this long after its start, once each client failed. */
#define LOAD_HOPELESS_NS INT64_C(1000000000)

/* CoAP over UDP and DTLS; read where the URL is of that. */
struct load_datagrams {
	size_t mtu_bytes;        /* largest datagram that is sent, IP and UDP apart */
	size_t block_bytes;      /* longer content goes in blocks; 0: as the mtu allows */
	int64_t ack_timeout_ns;  /* 0: 2 s */
	int64_t dtls_timeout_ns; /* before a flight is sent again, doubling; 0: the engine's 1 s */
	bool non;                /* requests are Non-confirmable */
	bool reuse_ids;          /* declared departure from RFC 7252, section 4.4 */
	int overhead_bytes; /* of each datagram, that the data rates count besides its content */
	int receive_bytes;  /* SO_RCVBUF; 0: the system's */
};

struct load_params {
	struct url url;
	const struct engine_ops *engine;
	const struct suite *suite;        /* NULL: the library's defaults, reported */
	const char *ca_file;              /* NULL: not verified */
	const char *cert_file, *key_file; /* shown to a server that asks; NULL: none */
	const char *server_name;          /* NULL: the URL's host */
	const struct asker_ops *asker;    /* NULL: the URL's page */
	/* Its target and seed are set for each thread: from the URL, and from access.seed. */
	struct asker_params asking;
	/* Of a suite that has them: sorted, not empty; else zeroed. Its owner's. */
	struct psk_table psk;
	const struct psk *psk_one; /* of these, every client's; NULL: client i has i mod rows */
	enum connection_mode connection;
	int resume_pct; /* of mode resume: of the handshakes behind each client's first */
	enum resumption resumption; /* of mode resume: by what */
	bool early_data; /* of mode resume, TLS 1.3: the request goes with the first flight */
	int64_t connection_requests; /* on each association of mode keepalive; 0: no limit */
	bool http2;  /* asked for by ALPN, or spoken at once where there is no TLS */
	int streams; /* HTTP/2: requests of each client at once, on one connection; 0: one */
	uint32_t window_bytes; /* HTTP/2: that a server may send ahead; 0: the codec's own */
	int clients;
	int threads;                /* 0 or 1: the caller's alone; clients are dealt out to them */
	double rate_per_s;          /* open loop: starts of all clients together; 0: closed loop */
	enum arrival_kind arrivals; /* of the open loop */
	uint64_t seed;              /* of Poisson arrivals */
	int64_t think_ns; /* closed loop: between a response and the client's next request */
	int64_t ramp_ns;  /* over which the clients start, evenly */
	double connection_rate_per_s; /* new connections at most; 0: no limit */
	int64_t upload_bytes_per_s;   /* of all clients together, as on the wire; */
	int64_t download_bytes_per_s; /* 0: no limit */
	double min_success_pct;       /* of requests and of clients that connect; 0: any */
	int64_t count;                /* requests to measure; 0: by duration */
	int64_t count_each;           /* of each client, count is of all; 0: whoever is free asks */
	bool californium;             /* sum up in its slots too */
	bool obey_max_age;            /* closed loop: who is told 4.29 or 5.03 waits that long */
	struct load_datagrams datagrams;
	int64_t duration_ns; /* 0: by count */
	int64_t warmup_ns;
	int64_t timeout_ns; /* of one request from when it was begun, connecting included */
	unsigned accepts;   /* bit per enum app_encoding */
	bool verify_body;   /* the first response of each client must decode cleanly */
	size_t record_bytes;
	int records_per_send;
	/* Write when each handshake message was made or taken to this file, see stamps.h. One
	 * thread, no streams. It costs the client time. */
	const char *stamps;
	const char *secrets; /* with stamps: a key log of all associations; NULL: none */
	const char *cpus;    /* pin thread i to the i-th of them; NULL: not pinned */
	/*
	 * Called when a phase begins: the window when the first thread opens it, the drain when
	 * the last one closes it; from one thread at a time. May be NULL.
	 */
	void (*on_phase)(void *data, enum load_phase phase, int64_t at_ns);
	void *data;
	/* Becomes non-zero: end now and report what is there; may be NULL. Looked at 20 times a
	 * second. */
	const volatile int *stop;
	bool watch_stdin; /* the same when standard input reaches its end */
};

struct load_counters {
	int64_t started, succeeded, failed, timed_out, in_flight;
	/* Of the window: successes whose last byte came in it, whenever they were due: the work
	 * that was done while it lasted. By count the successes. */
	int64_t completed;
	int64_t status_2xx, status_3xx, status_4xx, status_5xx;
	int64_t outcomes[ASKER_OUTCOMES]; /* of whole answers: right ones by class, and wrong ones
					   */
	int64_t connects;                 /* TCP connections established */
	int64_t connects_failed;          /* refused, unreachable, no local port */
	int64_t client_limits; /* of these: this machine had no port or descriptor left */
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data, handshakes_failed;
	int64_t early_data_refused; /* the request was sent again behind the handshake */
	int64_t handshakes_first;   /* of a client: it had nothing to resume */
	int64_t closed_by_peer;     /* before the response was complete */
	int64_t closed_first;       /* the peer left closing to us: TIME_WAIT is on this side */
	int64_t reconnects;         /* keep-alive associations that had to be made again */
	/* Payload of TCP or UDP: ciphertext with handshakes. */
	int64_t wire_bytes_sent, wire_bytes_received;
	int64_t body_bytes; /* content as received, before decoding; of successes */
	/* Over datagrams. */
	int64_t datagrams_sent, datagrams_received;
	int64_t datagrams_dropped;    /* by us: no room in the kernel, or in a limited link */
	int64_t coap_retransmissions; /* of messages, for want of an acknowledgement */
	int64_t dtls_unread; /* datagrams that held nothing new: repeated or broken records */
	int64_t dtls_retransmissions; /* of flights of a handshake */
	int64_t coap_duplicates;      /* messages that came again */
	int64_t coap_strays;          /* answers and resets that belong to nothing */
	int64_t coap_malformed;       /* what came and is not CoAP */
	int64_t coap_resets;          /* by the server */
	int64_t coap_ids_exhausted;   /* a socket had no message id left: another one was taken */
};

struct load_result {
	struct load_counters window;          /* of the requests due in the window */
	struct load_counters total;           /* from the first connection to the last close */
	int64_t window_from_ns, window_to_ns; /* monotonic; equal when it never opened */
	struct hist response; /* from when it was due to the last byte, successes only */
	/*
	 * From when it was sent to the last byte, successes only. With early data it was sent with
	 * the first flight: the handshake is inside, also where the server refused it and it was
	 * sent again.
	 */
	struct hist service;
	struct hist handshake; /* from connect() to a finished handshake; of "plain" the
				  connection */
	/* Of service: where an association was made for it; the handshake apart, or as above. */
	struct hist first;
	struct hist warm; /* of service: all others */
	/*
	 * As Californium sums up: each client's first response from when it was begun, and all
	 * other responses, right or wrong, from when they were sent.
	 */
	struct slots connects, responses; /* empty unless asked for (californium) */
	struct fairness_client *each;     /* of the window; NULL: no memory was asked for */
	int each_count;
	struct udp_stat udp; /* of the machine, from before the first socket to behind the last */
	bool udp_known;
	int receive_granted_bytes;      /* buffer of a UDP socket, as the kernel counts; 0: none */
	int64_t timed_out_least_ns;     /* of the window's time-outs, the shortest wait from when it
					   was due; 0: there was none */
	struct hist failed;             /* response time of failures, never mixed with the above */
	struct tls_facts facts;         /* of the first association */
	int64_t associations;           /* handshakes done, all of the run */
	int64_t facts_mixed;            /* associations that negotiated something else */
	int64_t encoded[APP_ENCODINGS]; /* successes that came with this content coding */
	int64_t decoded_bytes;          /* of one response, when verify_body decoded one; else -1 */
	int64_t cpu_ns;                 /* of the generator's threads in the window */
	int64_t cpu_busiest_ns;         /* of the busiest of them */
	int64_t lateness_max_ns;        /* how late its own loops got to a due request or timer */
	int64_t overdue_max_ns;    /* open loop: how late a request began, for want of a client */
	int64_t unstarted;         /* open loop: due in the window and never begun */
	int64_t clients_tried;     /* clients that wanted a connection */
	int64_t clients_connected; /* and got one */
	bool complete;             /* the window was closed by count or clock, not by a stop */
	bool hopeless;             /* ended early: nothing had succeeded */
	/* Of a workload of secured messages, over the whole run; else zeros. */
	struct message_tally stages;
	char first_failure[320]; /* of a request or handshake; "" when none. One of the window goes
				    before one of the warm-up. */
	bool blames_window;      /* it is of the window */
};

int load_result_init(struct load_result *r);
/* Room for what each of so many clients did. -1: no memory. */
int load_result_clients(struct load_result *r, int clients);
void load_result_release(struct load_result *r);

/*
 * 0: measured (failures may have been counted). -1: nothing could be measured:
 * unknown host, negotiated suite not the one asked for, impossible settings.
 * One probe association is not made: the first counted ones tell.
 */
int load_run(const struct load_params *p, struct load_result *r, struct fail *f);

/* started = succeeded + failed + timed_out + in_flight. */
bool load_counters_balance(const struct load_counters *c);
/* The same of a whole result: one that does not is of no use at all. */
bool load_result_balances(const struct load_result *r);

/* into += c, field by field. */
void load_counters_add(struct load_counters *into, const struct load_counters *c);

/* What one thread measured, into the result of all: counts and histograms add up. */
void load_result_merge(struct load_result *into, const struct load_result *from);

/* A request of the window timed out behind so long a wait; 0: none did. */
void load_result_timed_out(struct load_result *r, int64_t waited_ns);

/* A request failed; in_window: one that counts there. Sets first_failure. */
void load_result_blame(struct load_result *r, const char *text, bool in_window);

/* "full", "keepalive:100", "resume:80": as connection_format() writes it. */
const char *load_connection_format(const struct load_params *p, char dst[CONNECTION_TEXT_BYTES]);

/* False: the schedule of an open loop was not kept. True in a closed loop. */
bool load_schedule_kept(const struct load_params *p, const struct load_result *r);

/*
 * Resumed handshakes of those that could be, behind each client's first, in percent; NAN when
 * there were none.
 */
double load_resumed_pct(const struct load_result *r);

/* Completed requests per second of the window; NAN when it never opened. */
double load_rate_per_s(const struct load_result *r);

/*
 * A time-out is a sample of which only "longer than this" is known: the shortest wait of one, or
 * before there was any, what a request may take.
 */
int64_t load_timeout_ns(const struct load_params *p, const struct load_result *r);
/* Response time with the time-outs; NAN when it is only known to be longer than that. */
double load_quantile_ns(const struct load_params *p, const struct load_result *r, double q);

/*
 * NULL when the figures may be used, else why not, written to dst: counts that do not add up,
 * interrupted, fewer successes than min_success_pct, more than one in a hundred never ended,
 * clients that never got a connection, kept associations that were not kept, a limit of this
 * machine met, a resumed handshake where full ones were asked for, different suites negotiated.
 */
const char *load_verdict(const struct load_params *p, const struct load_result *r, char dst[256]);

#endif
