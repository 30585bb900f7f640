/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_exchange - between the parts of a client over datagrams: its socket and accounts
 * (dgram_peer.c), what passes over it (dgram_exchange.c), the way out (dgram_link.c). Nobody else
 * includes this.
 */
#ifndef CLIENTS_DGRAM_EXCHANGE_H
#define CLIENTS_DGRAM_EXCHANGE_H

#include "clients/dgram_peer.h"

struct dgram_counters {
	uint64_t datagrams_sent, datagrams_received;
	uint64_t datagrams_dropped;    /* by us */
	uint64_t dtls_retransmissions; /* flights */
	uint64_t dtls_unread;          /* datagrams without anything for CoAP */
};

#define DGRAM_FLIGHT_NONE (-1)

struct dgram {
	struct coap_endpoint coap;
	struct coap_counters coap_now, coap_counted; /* and how much of it is in the accounts */
	struct dgram_counters now, counted;
	struct loop_timer timer;
	int flight; /* what of the handshake was sent last, as dgram_note_flight() numbers it */
	/* With guards_ids: messages before this socket and before its last request, and the most
	 * that one request has taken. */
	uint64_t ids_before, ids_asked, ids_most;
	uint32_t socket; /* changes with each one */
	bool opened;     /* the endpoint */
	bool heard;      /* the server sent something to this socket */
	bool asked;      /* the endpoint has the request */
};

/* dgram_peer.c. Ask, over a new association where there is none. */
void dgram_begin(struct peer *p);
/* The same behind the end of the association: there may still be time. */
void dgram_begin_again(struct peer *p);
void dgram_goodbye(struct peer *p);
void dgram_disconnect(struct peer *p);
/* What the endpoint and the socket counted since the last time belongs to this exchange. */
void dgram_account(struct peer *p);
/* The exchange is over so, its association too; p->fail tells why. */
void dgram_fail_exchange(struct peer *p, enum exchange_end end);
/* The socket said this: go on to another address, or fail. */
void dgram_refused(struct peer *p, int code);

/* dgram_exchange.c: go on as far as it goes. */
void dgram_secure(struct peer *p);
/* False: the engine would drop this datagram in silence, the association's fail says why. */
bool dgram_takes_cookie(struct peer *p, const uint8_t *datagram, size_t len);
/* This datagram leaves: counts it where a flight of the handshake begins again with it. */
void dgram_note_flight(struct dgram *d, const uint8_t *datagram, size_t len);
void dgram_ask(struct peer *p);
/* Ids taken so far, at most: acknowledgements, which have the server's, are among them. */
uint64_t dgram_ids(const struct dgram *d);
/* Fetch what the endpoint has, and answer it. False: the exchange is over. */
bool dgram_take_events(struct peer *p);
/* To be called when something comes, and when the protocols want to look again. */
void dgram_arm(struct peer *p);

#endif
