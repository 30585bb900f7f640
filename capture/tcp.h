/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp - one direction of a TCP connection put in order (RFC 9293 section 3.10).
 *
 * Each byte is delivered once, with the time of the packet that made it deliverable; the first
 * copy counts. What came before its turn waits, within limits; where a byte never comes, or
 * was not captured, what is behind it is not delivered.
 */
#ifndef CAPTURE_TCP_H
#define CAPTURE_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCP_WAITING_BYTES_MAX (1 << 20) /* in one direction */
#define TCP_WAITING_MAX       2048      /* segments, because each is looked for in turn */
#define TCP_WINDOW_BYTES      (1 << 26) /* a segment further ahead is not of this connection */

struct tcp_segment {
	struct tcp_segment *next;
	uint32_t seq, captured_bytes, wire_bytes;
	uint8_t data[];
};

struct tcp_half {
	bool has_next, saw_syn, is_lost;
	uint32_t next_seq; /* of the next byte to deliver */
	uint32_t isn;
	struct tcp_segment *waiting; /* by seq */
	size_t waiting_bytes;
	int waiting_count;
};

struct tcp_piece {
	const uint8_t *data;
	uint32_t captured_bytes, wire_bytes;
};

typedef void (*tcp_deliver)(void *data, const uint8_t *p, uint32_t len);

/* The next byte is seq, unless that is known already. */
void tcp_half_start(struct tcp_half *h, uint32_t seq);
/*
 * A segment with payload; deliver is called with what is now in order. Returns how many of its
 * bytes had come before.
 */
uint32_t tcp_half_add(struct tcp_half *h, uint32_t seq, struct tcp_piece piece, tcp_deliver deliver,
		      void *data);
/* Bytes in front of those that wait are missing, or the limit was passed. */
bool tcp_half_has_gap(const struct tcp_half *h);
void tcp_half_release(struct tcp_half *h);

#endif
