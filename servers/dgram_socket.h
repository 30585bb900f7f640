/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_socket - one UDP socket and batches of datagrams through it: as many as wait come
 * with one system call and leave with one. It must not know what is in them. Internal to
 * servers/.
 */
#ifndef SERVERS_DGRAM_SOCKET_H
#define SERVERS_DGRAM_SOCKET_H

#include <stdint.h>

#include "lib/fail.h"
#include "lib/net.h"
#include "protocols/url.h"
#include "servers/dgram_table.h"

#define DGRAM_BATCH     64
#define DGRAM_BYTES_MAX 4096 /* a longer one is dropped whole */

/*
 * The first socket of a listener, and in bound the address it has; one that is taken
 * is refused even where it could be shared. Then more on that address: the kernel keeps
 * the datagrams of one peer on one of them. -1: f.
 */
int dgram_socket_first(const struct url *u, struct net_address *bound, struct fail *f);
int dgram_socket_again(const struct net_address *bound, struct fail *f);

struct dgram_received {
	const uint8_t *bytes;
	size_t len;
	struct dgram_address from;
};

struct dgram_batch; /* its memory: half a megabyte */

struct dgram_batch *dgram_batch_new(void); /* NULL: no memory */
void dgram_batch_free(struct dgram_batch *b);

/* How many have come, at most DGRAM_BATCH; those too long are not among them. */
int dgram_batch_receive(struct dgram_batch *b, int fd);
/* Valid until the next receive. */
const struct dgram_received *dgram_batch_at(const struct dgram_batch *b, int i);

/* Copied; sent when the batch is full, or by flush. A longer one is counted as not sent. */
void dgram_batch_put(struct dgram_batch *b, int fd, const struct dgram_address *to,
		     const void *bytes, size_t len);
void dgram_batch_flush(struct dgram_batch *b, int fd);

struct dgram_tally {
	int64_t received, sent; /* datagrams */
	int64_t bytes_received, bytes_sent;
	int64_t overlong;  /* came and were dropped for their length */
	int64_t unsent;    /* the kernel did not take them */
	int64_t overflown; /* lost because the socket's buffer was full */
};

const struct dgram_tally *dgram_batch_tally(const struct dgram_batch *b);

#endif
