/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_endpoint - CoAP between two peers over datagrams, without sockets and clocks: the
 * message layer of RFC 7252 section 4 (acknowledgement, retransmission, deduplication),
 * blocks of RFC 7959 and observation of RFC 7641. One object per 5-tuple or DTLS
 * association. A workload answers struct app_request as it answers HTTP.
 *
 * The shell feeds one datagram, asks next() until there is no event, pulls datagrams until
 * there is none, sleeps until deadline() and calls expire(). Times are of one clock that
 * never steps back. After open nothing is allocated but for bodies of several blocks and
 * separate answers, whose memory is bounded and kept; and when it rests and wakes.
 *
 * Telling observers, cancelling and pinging are for whoever builds on it: here only tests do so.
 */
#ifndef PROTOCOLS_COAP_ENDPOINT_H
#define PROTOCOLS_COAP_ENDPOINT_H

#include "lib/rng.h"
#include "protocols/app.h"
#include "protocols/coap.h"

#define COAP_EXCHANGES_MAX 1024
#define COAP_RECENT_MAX    4096

struct coap_params {
	int64_t ack_timeout_ns;       /* ACK_TIMEOUT, 2 s */
	unsigned ack_random_percent;  /* ACK_RANDOM_FACTOR in percent, 150; at least 100 */
	unsigned max_retransmit;      /* MAX_RETRANSMIT, 4 */
	unsigned nstart;              /* client: NSTART, exchanges open at once, 1 */
	int64_t exchange_lifetime_ns; /* EXCHANGE_LIFETIME, 247 s: how long a CON's id is taken */
	int64_t non_lifetime_ns;      /* NON_LIFETIME, 145 s */
	int64_t response_timeout_ns;  /* client: for the answer behind the ACK, or to a NON; 30 s */
	int64_t separate_ns;   /* server: a CON not answered by then gets an empty ACK; 500 ms */
	size_t block_bytes;    /* 1024; a power of two from 16 */
	size_t mtu_bytes;      /* longest datagram made, 1152 */
	size_t body_bytes;     /* of a request (server), of an answer (client); longer: 4.13 */
	size_t answer_bytes;   /* server: of an answer kept to be fetched in blocks; 64 KiB */
	unsigned exchanges;    /* server: requests of the peer open at once, 4; more get 5.03 */
	unsigned recent;       /* messages of the peer remembered to know a duplicate, 32 */
	size_t recent_bytes;   /* server: answers kept to be sent again, 2304; at least one mtu */
	unsigned observations; /* server: of the peer at once; 0: Observe is ignored */
	bool non;              /* client: requests are Non-confirmable */
	/*
	 * Declared departure from RFC 7252 section 4.4: a message id may be used again within
	 * its lifetime. Without it about 260 messages a second leave an endpoint.
	 */
	bool reuse_ids;
};

/* The values above; body_bytes 64 KiB, no observations. */
void coap_params_init(struct coap_params *p);
/* 0, or -1 with what is out of bounds. */
int coap_params_check(const struct coap_params *p, struct fail *f);

/* Cumulative; several endpoints of a thread may share one, and no other reads it. */
struct coap_counters {
	uint64_t sent, received;  /* datagrams */
	uint64_t retransmissions; /* datagrams sent again because of silence */
	uint64_t duplicates;      /* datagrams received again */
	uint64_t replays;         /* stored answers sent again because of them */
	uint64_t resets_sent, resets_received;
	uint64_t timeouts;      /* exchanges and separate answers given up */
	uint64_t ids_exhausted; /* requests and answers refused for want of an id */
	uint64_t ids_reused;    /* the peer used an id again for another message */
	uint64_t malformed;     /* not CoAP, or against its grammar */
	uint64_t unmatched;     /* answers, ACKs and RSTs that belong to nothing */
	uint64_t refused; /* requests answered here, not shown: options, size, too many open */
	uint64_t dropped; /* datagrams to send for which there was no room */
	uint64_t blocks_in, blocks_out; /* messages that carried a part of a body */
	uint64_t pings;
};

/* APP_RESET: event.code, with event.why in words. */
enum coap_end {
	COAP_END_NO_ACK = 1, /* all retransmissions are through */
	COAP_END_NO_ANSWER,  /* acknowledged or Non-confirmable, and nothing came in time */
	COAP_END_RESET,      /* by the peer */
	COAP_END_OPTION,     /* the answer has a critical option that is not understood */
	COAP_END_BLOCK,      /* its blocks do not fit together, or another ETag came */
	COAP_END_TOO_LARGE,  /* longer than body_bytes */
	COAP_END_NO_ID,      /* in the middle of a body: no message id was free */
	COAP_END_CANCELLED,  /* server: an observation was given up by the observer */
	COAP_END_NO_MEMORY
};

/* What request() and notify() may say. */
enum coap_took {
	COAP_TOOK,
	COAP_BUSY,  /* nstart are open: after the next last event */
	COAP_NO_ID, /* ids are taken until coap_endpoint_id_free(); reuse_ids would not wait */
	COAP_NEVER  /* the reason is in e->fail */
};

struct coap_endpoint {
	enum app_half half;
	struct coap_params params;
	struct rng *rng;                /* borrowed until close */
	struct coap_counters *counters; /* borrowed until close */
	struct coap_layer *layer;       /* NULL while it rests */
	struct coap_rest *rest;
	struct fail fail;
	/* Client: of the last request that was taken. */
	uint32_t stream;
	unsigned slot;
	/* Server: of the last answer that was taken; 4.00, 4.06 or 5.00 where it could not be
	 * given. */
	uint8_t code;
};

/* The params are copied. -1: e->fail. */
int coap_endpoint_open(struct coap_endpoint *e, enum app_half half, const struct coap_params *p,
		       struct rng *rng, struct coap_counters *counters);
void coap_endpoint_close(struct coap_endpoint *e);
/*
 * The peer begins anew (another handshake, a recycled object): what is open is forgotten
 * without events. Message ids go on where they were.
 */
void coap_endpoint_reset(struct coap_endpoint *e);

/*
 * Server, where nothing has come for a while: its memory is given up but for what it must know
 * of the past, a kilobyte or so. 0: it rests, and until wake() only that, rest(), deadline() and
 * close() may be called. Else it goes on as it is: when to try again, INT64_MAX where the
 * next feed() or expire() must come first. wake(), -1: no memory (e->fail), it rests on. Either
 * may be called in vain.
 */
int64_t coap_endpoint_rest(struct coap_endpoint *e, int64_t now_ns);
int coap_endpoint_wake(struct coap_endpoint *e);

/*
 * One datagram; events must have been fetched before, but for APP_SENT, which is then dropped. An
 * APP_REQUEST points into it and into e: it lives until the next feed() or expire().
 */
void coap_endpoint_feed(struct coap_endpoint *e, const void *datagram, size_t len, int64_t now_ns);
/*
 * Server: APP_REQUEST; APP_SENT when the answer was pulled (an answer apart from its ACK:
 * when the peer has acknowledged it); APP_RESET when that, or an observation, ended badly
 * (code is an enum coap_end). request.observe says whether the peer asks to observe.
 * Client: APP_HEAD_IN, APP_BODY (a piece per block, borrowed from the datagram), APP_END;
 * APP_RESET. event.code of a head and an end is the CoAP code, response.status its HTTP status.
 * Last events of an exchange: APP_SENT, APP_END without response.observe, APP_RESET. An
 * observation goes on behind APP_SENT of a server, and behind APP_END with response.observe
 * of a client, on the same stream and slot; APP_HEAD_IN without APP_END before it means that
 * a newer state has come and the older one is dropped.
 */
bool coap_endpoint_next(struct coap_endpoint *e, struct app_event *event);
/* One datagram into dst, which takes params.mtu_bytes; 0: none. */
size_t coap_endpoint_pull(struct coap_endpoint *e, void *dst, size_t cap);
/* When expire() must be called at the latest (it may have nothing to do); INT64_MAX: no need. */
int64_t coap_endpoint_deadline(const struct coap_endpoint *e);
/* Events must have been fetched before; there may be new ones, and datagrams, after. */
void coap_endpoint_expire(struct coap_endpoint *e, int64_t now_ns);

/*
 * Client. The body is borrowed until the exchange's last event; longer than block_bytes it
 * goes in blocks. q->host, if not NULL, is sent as Uri-Host. q->observe registers, and
 * after it the slot stays taken until the server ends it or cancel(). PUT and DELETE
 * are not asked for.
 */
enum coap_took coap_endpoint_request(struct coap_endpoint *e, const struct app_request *q,
				     int64_t now_ns);
/* When the next id is free; 0: one is now. */
int64_t coap_endpoint_id_free(const struct coap_endpoint *e, int64_t now_ns);
/*
 * Client: forget this exchange without an event, its late answers are rejected. An
 * observation is ended at the server by that (RFC 7641 section 3.6).
 */
void coap_endpoint_cancel(struct coap_endpoint *e, unsigned slot);
/* Client: an Empty CON, answered by the peer with RST: counters->pings of the answers. */
enum coap_took coap_endpoint_ping(struct coap_endpoint *e, int64_t now_ns);

/*
 * Server: the answer to the request of r->stream, in any order; -1: there is none such (its
 * peer may have reset it). The body is copied or cut within the call.
 * r->observe, where the request asked for it and there is room: the stream stays an
 * observation, to be told of changes with notify().
 */
int coap_endpoint_respond(struct coap_endpoint *e, const struct app_response *r, int64_t now_ns);
/*
 * Server: tell the observer of r->stream the new state, with a larger sequence number. CON
 * when asked, else NON. An error status ends the observation (last event APP_SENT).
 * COAP_BUSY: a CON of it is not acknowledged yet (RFC 7641 section 4.5.2: tell the newest
 * state later, after the APP_SENT of the one before). COAP_NEVER: it has ended.
 */
enum coap_took coap_endpoint_notify(struct coap_endpoint *e, const struct app_response *r,
				    bool confirmable, int64_t now_ns);

#endif
