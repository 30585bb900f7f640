/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_peer - a client over datagrams: a UDP socket of its own, DTLS or nothing, CoAP.
 *
 * States, time-outs and accounts are those of any peer (peer.c). What is lost on the way is sent
 * again by the protocols: a flight of a handshake by the engine, a message by CoAP's endpoint.
 * With no acknowledgement in the end the exchange has timed out, and the association is given up.
 */
#ifndef CLIENTS_DGRAM_PEER_H
#define CLIENTS_DGRAM_PEER_H

#include "clients/dgram_link.h"
#include "lib/rng.h"
#include "protocols/coap_endpoint.h"

/* A datagram's payload: what IPv6 carries everywhere (RFC 8200 section 5), less its headers. */
#define DGRAM_MTU_BYTES     1232
#define DGRAM_MTU_BYTES_MIN 256
#define DGRAM_MTU_BYTES_MAX 16384
/* Ids of messages that a socket has (RFC 7252, 4.4). */
#define DGRAM_IDS 65536
/* Room that DTLS takes of it at most: record head, IV or nonce, MAC, padding. */
#define DGRAM_DTLS_BYTES 80

/* What all peers of a thread share. */
struct dgram_env {
	struct dgram_link link;
	struct coap_params coap;
	struct rng rng;  /* message ids, tokens, the random part of time-outs */
	bool guards_ids; /* the endpoint would use ids again: change the socket before that */
	size_t mtu_bytes;
	int receive_bytes;         /* SO_RCVBUF asked for; 0: the system's */
	int receive_granted_bytes; /* what the last socket got, as the system counts */
};

/* env->dgram is set. -1: no memory. */
int dgram_peer_init(struct peer *p, struct peer_env *env, struct fail *f);

#endif
