/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream - the flows under way, found by their addresses and ports, and what reads each.
 *
 * At most STREAMS_MAX at a time: the one that was silent for longest is closed, and
 * reported, to make room, so memory does not grow with the capture.
 */
#ifndef CAPTURE_STREAM_H
#define CAPTURE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/connection.h"
#include "capture/decrypt.h"
#include "capture/dtls.h"
#include "capture/ip.h"
#include "capture/tcp.h"
#include "capture/tls.h"

#define STREAMS_MAX           4096
#define STREAM_BUCKETS        8192
#define STREAMS_WAITING_BYTES (64 << 20) /* of TCP bytes before their turn, in all flows */

struct stream {
	struct stream *bucket_next, *newer, *older;
	uint32_t bucket;
	uint8_t protocol; /* IP's number */
	struct connection connection;
	struct tcp_half tcp[2];
	struct tls_half tls[2];
	struct decrypt decrypt;  /* used with a key log alone */
	struct dtls_state *dtls; /* NULL until DTLS was seen */
};

struct stream_table {
	struct stream *bucket[STREAM_BUCKETS];
	struct stream *newest, *oldest;
	int count;
	uint64_t tcp_seen, udp_seen; /* the next numbers */
	size_t waiting_bytes;
	struct keylog *keys;                /* NULL: none; borrowed */
	struct stream *ending[STREAMS_MAX]; /* of stream_close_all() */
	bool plain; /* TCP connections that are no TLS are of interest too */
	void (*closed)(void *data, const struct connection *c); /* of each that is of interest */
	void *data;
};

/*
 * The flow of a packet, made when it is new; it becomes the newest. Its direction goes to
 * *from. NULL without memory.
 */
struct stream *stream_of(struct stream_table *t, const struct ip_packet *p, const uint16_t port[2],
			 int64_t now_ns, int *from);
/* Report it, when it is TLS, DTLS or CoAP, and forget it. */
void stream_close(struct stream_table *t, struct stream *s);
/* Close all, in the order in which they began. */
void stream_close_all(struct stream_table *t);
/* Account for waiting bytes; closes the oldest flows while they are too many. */
void stream_waiting(struct stream_table *t, const struct stream *keep, size_t before, size_t after);

#endif
