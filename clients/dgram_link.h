/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_link - the way of all datagrams of a thread: straight into their sockets, or, where the
 * upload has a limit, through one queue as in front of a slow link.
 *
 * A datagram leaves the queue when the link has had the time to send all of it, in the order
 * they came, whosever they are. Timers of the protocols above run on meanwhile, as they do
 * above a real one. Counted against the limit are the bytes handed to the socket, so DTLS
 * records whole, and overhead_bytes more for each datagram (28 would be IPv4 and UDP).
 */
#ifndef CLIENTS_DGRAM_LINK_H
#define CLIENTS_DGRAM_LINK_H

#include "clients/peer.h"

#define DGRAM_BYTES_MAX 65507
/* Of each client: datagrams that may wait; what comes when all of the room is used is lost. */
#define DGRAM_QUEUE_EACH 16

struct dgram_entry {
	struct peer *peer;
	uint32_t socket; /* of the peer, which one: a closed one sends nothing any more */
};

struct dgram_link {
	struct bucket *upload;
	int overhead_bytes;
	struct loop_timer timer;
	struct wire queue; /* the datagrams, side by side with the entries */
	struct dgram_entry *entry;
	size_t entries_max, head, waiting;
	bool paid;        /* the first one's bytes are taken from the bucket */
	size_t first_len; /* and here it is, out of the queue */
	uint8_t first[DGRAM_BYTES_MAX];
	uint8_t scratch[DGRAM_BYTES_MAX];
};

/* upload: borrowed. A queue for so many clients, made only where there is a limit. -1: no memory.
 */
int dgram_link_init(struct dgram_link *l, struct loop *loop, struct bucket *upload,
		    int overhead_bytes, int clients, size_t datagram_bytes, struct fail *f);
/* Accepts a zeroed struct. */
void dgram_link_release(struct dgram_link *l);

/*
 * All datagrams in the peer's out wire are on their way, or lost as a network loses them: where
 * there is no room, its counter says so. -1: the socket refuses them for good, p->fail.
 */
int dgram_link_send(struct dgram_link *l, struct peer *p);
/* The same, past the queue: the last words on a socket that is closed next. */
void dgram_link_send_last(struct dgram_link *l, struct peer *p);

#endif
