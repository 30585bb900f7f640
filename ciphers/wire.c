/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire - the queue behind ciphers/wire.h: one block of memory, bytes between
 * head and tail. It knows no socket and no TLS.
 */
#include "ciphers/wire.h"

#include <stdlib.h>
#include <string.h>

#define LEN_BYTES 2 /* big-endian length in front of each queued datagram */

int wire_init(struct wire *w, size_t cap, bool datagram)
{
	*w = (struct wire){ .cap = cap, .datagram = datagram };
	w->base = malloc(cap);
	return w->base ? 0 : -1;
}

void wire_release(struct wire *w)
{
	free(w->base);
	*w = (struct wire){ .datagram = w->datagram };
}

void wire_clear(struct wire *w)
{
	w->head = w->tail = 0;
}

static size_t wire_have(const struct wire *w)
{
	return w->tail - w->head;
}

static void wire_pack(struct wire *w)
{
	if (!w->head)
		return;
	memmove(w->base, w->base + w->head, wire_have(w));
	w->tail -= w->head;
	w->head = 0;
}

/* An emptied queue starts at the front again, so that packing moves bytes rarely. */
static void wire_advance(struct wire *w, size_t len)
{
	w->head += len;
	if (w->head == w->tail)
		wire_clear(w);
}

size_t wire_room(struct wire *w)
{
	size_t room = w->cap - wire_have(w);

	if (!w->datagram)
		return room;
	room = room > LEN_BYTES ? room - LEN_BYTES : 0;
	return room < UINT16_MAX ? room : UINT16_MAX;
}

bool wire_empty(const struct wire *w)
{
	return w->head == w->tail;
}

static void wire_append(struct wire *w, const void *src, size_t len)
{
	memcpy(w->base + w->tail, src, len);
	w->tail += len;
}

size_t wire_put(struct wire *w, const void *src, size_t len)
{
	size_t room = wire_room(w);

	if (len > room) {
		if (w->datagram)
			return 0;
		len = room;
	}
	if (!len)
		return 0;
	if (w->cap - w->tail < len + LEN_BYTES)
		wire_pack(w);
	if (w->datagram) {
		uint8_t prefix[LEN_BYTES] = { (uint8_t)(len >> 8), (uint8_t)len };

		wire_append(w, prefix, LEN_BYTES);
	}
	wire_append(w, src, len);
	return len;
}

size_t wire_get(struct wire *w, void *dst, size_t len)
{
	size_t have = wire_have(w), give;

	if (!have)
		return 0;
	if (w->datagram) {
		have = (size_t)w->base[w->head] << 8 | w->base[w->head + 1];
		w->head += LEN_BYTES;
	}
	give = have < len ? have : len;
	memcpy(dst, w->base + w->head, give);
	wire_advance(w, w->datagram ? have : give);
	return give;
}

size_t wire_get_part(struct wire *w, void *dst, size_t len)
{
	size_t have = wire_have(w) ? (size_t)w->base[w->head] << 8 | w->base[w->head + 1] : 0;

	if (have <= len)
		return wire_get(w, dst, len);
	memcpy(dst, w->base + w->head + LEN_BYTES, len);
	have -= len;
	/* Its length takes the place of bytes that are gone. */
	w->head += len;
	w->base[w->head] = (uint8_t)(have >> 8);
	w->base[w->head + 1] = (uint8_t)have;
	return len;
}

const uint8_t *wire_peek(const struct wire *w, size_t *len)
{
	*len = wire_have(w);
	return w->base + w->head;
}

void wire_drop(struct wire *w, size_t len)
{
	wire_advance(w, len);
}

uint8_t *wire_space(struct wire *w, size_t *len)
{
	wire_pack(w);
	*len = w->cap - w->tail;
	return w->base + w->tail;
}

void wire_fill(struct wire *w, size_t len)
{
	w->tail += len;
}
