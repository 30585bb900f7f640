/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_peer - one association over datagrams: handshake, CoAP, timers, end. What it works
 * with (wires, a message, the batch) is the listener's, lent while it works. Internal to
 * servers/dgram*.
 */
#ifndef SERVERS_DGRAM_PEER_H
#define SERVERS_DGRAM_PEER_H

#include "ciphers/dtls_record.h"
#include "lib/rng.h"
#include "protocols/coap_endpoint.h"
#include "servers/dgram_socket.h"
#include "servers/worker.h"

enum dgram_state { DGRAM_LISTENING, DGRAM_SHAKING, DGRAM_OPEN };

struct dgram_peer {
	struct dgram_entry entry; /* first: the table's */
	struct dgram *dgram;
	enum dgram_state state;
	bool rested; /* once, since it was opened */
	bool over;   /* to be dropped when what waits is sent */
	struct assoc assoc;
	bool coap_open;
	struct coap_endpoint coap;
	struct loop_timer timer;
	/* When it is given up; when its flight goes again; when it has been silent for a while. */
	int64_t patience_ns, retransmit_ns, rest_ns;
	uint8_t random[DTLS_RANDOM_BYTES]; /* of the hello it began with */
	/* Two associations of one address: the newer one takes over when it is open. */
	struct dgram_peer *successor, *predecessor;
	struct dgram_peer *next, *prev; /* by the time they were heard, the longest silent first */
};

struct dgram {
	struct worker_listener *listener;
	struct worker *worker;
	struct loop_io io;
	struct dgram_batch *batch;
	struct dgram_tally told; /* as much of the batch's tally is in the counters */
	struct coap_counters count, count_told; /* of all its endpoints; the same */
	struct dgram_table table;
	struct dgram_peer *listening; /* whoever comes next; NULL: none is made yet */
	struct dgram_peer *first, *last;
	int shaking;
	struct wire in, out;
	struct rng rng;
	struct coap_params coap;
	struct buf scratch;
	uint8_t message[DGRAM_BYTES_MAX];
};

/* Ready to listen. NULL: no memory. */
struct dgram_peer *dgram_peer_new(struct dgram *d);
/* Of nobody in the table yet, or no more. */
void dgram_peer_free(struct dgram_peer *p);

/* One datagram to everybody's association: a cookie, or the beginning of this peer's own. */
void dgram_peer_listen(struct dgram *d, const struct dgram_received *r, const uint8_t *random);
void dgram_peer_receive(struct dgram_peer *p, const struct dgram_received *r);
/* Goodbye, and out of the table. */
void dgram_peer_end(struct dgram_peer *p);
/* What was given to the batch goes out, and is counted: in dgram.c. */
void dgram_flush(struct dgram *d);
/* Out of the table without a word. */
void dgram_peer_drop(struct dgram_peer *p);

/*
 * For dgram_peer.c and dgram_listen.c: what it works with; what waits in its out wire to the
 * batch, and everything that was lent back (how many datagrams); as far as it goes with what
 * is in its in wire, after which it may be gone; last in the list of those that were heard.
 */
void dgram_peer_lend(struct dgram_peer *p);
int dgram_peer_send(struct dgram_peer *p, const struct dgram_address *to);
void dgram_peer_work(struct dgram_peer *p);
void dgram_peer_list(struct dgram_peer *p);

/* CoAP over it: in dgram_coap.c. -1: no memory. */
int dgram_coap_open(struct dgram_peer *p);
/* Also in vain. -1: no memory. */
int dgram_coap_wake(struct dgram_peer *p);
void dgram_coap_feed(struct dgram_peer *p, const void *message, size_t len);
void dgram_coap_expire(struct dgram_peer *p);
/* What waits to be sent, sealed into the out wire. */
void dgram_coap_send(struct dgram_peer *p);

#endif
