/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp - trimming against what was delivered, and the queue of what came early.
 */
#include "capture/tcp.h"

#include <stdlib.h>
#include <string.h>

/* Distance in the circle of sequence numbers. */
static int32_t ahead(uint32_t seq, uint32_t next)
{
	return (int32_t)(seq - next);
}

void tcp_half_start(struct tcp_half *h, uint32_t seq)
{
	if (h->has_next)
		return;
	h->has_next = true;
	h->next_seq = seq;
}

void tcp_half_release(struct tcp_half *h)
{
	while (h->waiting) {
		struct tcp_segment *s = h->waiting;

		h->waiting = s->next;
		free(s);
	}
	h->waiting_bytes = 0;
	h->waiting_count = 0;
}

static void lose(struct tcp_half *h)
{
	h->is_lost = true;
	tcp_half_release(h);
}

bool tcp_half_has_gap(const struct tcp_half *h)
{
	return h->is_lost || h->waiting;
}

/* Deliver what of the piece is new; its seq is not ahead. Returns the bytes that were not. */
static uint32_t deliver_piece(struct tcp_half *h, uint32_t seq, struct tcp_piece piece,
			      tcp_deliver deliver, void *data)
{
	uint32_t known = h->next_seq - seq;

	if (known >= piece.wire_bytes)
		return piece.wire_bytes;
	if (known < piece.captured_bytes)
		deliver(data, piece.data + known, piece.captured_bytes - known);
	h->next_seq = seq + piece.wire_bytes;
	if (piece.captured_bytes < piece.wire_bytes)
		lose(h);
	return known;
}

static void wait_for_turn(struct tcp_half *h, uint32_t seq, struct tcp_piece piece)
{
	struct tcp_segment **at = &h->waiting;
	struct tcp_segment *s;

	while (*at && ahead((*at)->seq, seq) < 0)
		at = &(*at)->next;
	if (*at && (*at)->seq == seq && (*at)->wire_bytes >= piece.wire_bytes)
		return;
	if (h->waiting_count == TCP_WAITING_MAX ||
	    h->waiting_bytes + piece.captured_bytes + sizeof(*s) > TCP_WAITING_BYTES_MAX ||
	    !(s = malloc(sizeof(*s) + piece.captured_bytes))) {
		lose(h);
		return;
	}
	*s = (struct tcp_segment){ *at, seq, piece.captured_bytes, piece.wire_bytes };
	memcpy(s->data, piece.data, piece.captured_bytes);
	h->waiting_bytes += sizeof(*s) + piece.captured_bytes;
	h->waiting_count++;
	*at = s;
}

static void deliver_waiting(struct tcp_half *h, tcp_deliver deliver, void *data)
{
	while (h->waiting && ahead(h->waiting->seq, h->next_seq) <= 0) {
		struct tcp_segment *s = h->waiting;

		h->waiting = s->next;
		h->waiting_bytes -= sizeof(*s) + s->captured_bytes;
		h->waiting_count--;
		deliver_piece(h, s->seq,
			      (struct tcp_piece){ s->data, s->captured_bytes, s->wire_bytes },
			      deliver, data);
		free(s);
	}
}

uint32_t tcp_half_add(struct tcp_half *h, uint32_t seq, struct tcp_piece piece, tcp_deliver deliver,
		      void *data)
{
	uint32_t known;

	tcp_half_start(h, seq);
	if (h->is_lost || ahead(seq, h->next_seq) > TCP_WINDOW_BYTES)
		return 0;
	if (ahead(seq, h->next_seq) > 0) {
		wait_for_turn(h, seq, piece);
		return 0;
	}
	known = deliver_piece(h, seq, piece, deliver, data);
	deliver_waiting(h, deliver, data);
	return known;
}
