/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire - a bounded in-memory queue between a TLS engine and a socket.
 *
 * Engines never touch a file descriptor: they push to one wire and pull from
 * another.  A stream wire merges writes; a datagram wire keeps each packet
 * apart.  Nothing is allocated after wire_init().
 */
#ifndef CIPHERS_WIRE_H
#define CIPHERS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire {
	uint8_t *base;
	size_t cap, head, tail; /* head <= tail <= cap */
	bool datagram;
};

int wire_init(struct wire *w, size_t cap, bool datagram);
void wire_release(struct wire *w);
void wire_clear(struct wire *w);

/* Bytes that the next wire_put() takes, 0 when full. */
size_t wire_room(struct wire *w);
bool wire_empty(const struct wire *w);

/* Bytes taken; 0 means full.  A datagram is taken whole or not at all. */
size_t wire_put(struct wire *w, const void *src, size_t len);

/* Bytes given; 0 means empty.  A datagram longer than len is cut. */
size_t wire_get(struct wire *w, void *dst, size_t len);
/* Datagram wires: the same, but what is left of a datagram stays, as one of its own. */
size_t wire_get_part(struct wire *w, void *dst, size_t len);

/*
 * Stream wires, without a copy: the bytes waiting, and how many of them were
 * used; the free space, and how much of it was filled.
 */
const uint8_t *wire_peek(const struct wire *w, size_t *len);
void wire_drop(struct wire *w, size_t len);
uint8_t *wire_space(struct wire *w, size_t *len);
void wire_fill(struct wire *w, size_t len);

#endif
