/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_streams - several exchanges at once on one association of HTTP/2.
 *
 * A carrier is a peer that has the association and no exchange of its own; each of its
 * streams is a peer that has an exchange and no association. The owner begins, hears of and
 * abandons streams only. What the carrier's association costs (connections, handshakes, bytes
 * on the wire) is counted with the stream that ends next.
 */
#ifndef CLIENTS_PEER_STREAMS_H
#define CLIENTS_PEER_STREAMS_H

#include "clients/peer.h"

/* An initialised peer becomes a carrier of env->streams. -1: no memory. */
int peer_streams_init(struct peer *carrier, struct fail *f);
/* Accepts a peer that is none. */
void peer_streams_release(struct peer *carrier);
/* A peer that asks over this carrier, which must outlive it. */
int peer_stream_init(struct peer *stream, struct peer *carrier, struct fail *f);

/* For peer.c and peer_exchange.c: of a carrier. */
/* The handshake is done. */
void peer_streams_open(struct peer *carrier);
/* As far as it goes without blocking. */
void peer_streams_exchange(struct peer *carrier);
/* The association is gone; carrier->exchange.end and carrier->fail tell how. */
void peer_streams_over(struct peer *carrier);

/* The same: of a stream. */
void peer_stream_begin(struct peer *stream);
/* Its exchange ended before its answer. */
void peer_stream_leave(struct peer *stream);
/* Its exchange is over: take what the carrier has to count. */
void peer_stream_settle(struct peer *stream);

#endif
