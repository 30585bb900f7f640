/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_etag - the name of a body that goes in blocks (RFC 7959 section 2.4): whoever puts them
 * together sees by it that they are of one body. It must not know who asks.
 */
#include <string.h>

#include "protocols/coap_layer.h"

static uint64_t hash_piece(const uint8_t *body, size_t bytes, size_t at)
{
	size_t left = bytes - at;

	return coap_hash(body + at, left < COAP_BLOCK_BYTES_MAX ? left : COAP_BLOCK_BYTES_MAX);
}

/* pieces: what it is made of, or NULL. */
static uint64_t name(const uint8_t *body, size_t bytes, struct buf *pieces)
{
	uint64_t etag = bytes;

	for (size_t at = 0; at < bytes; at += COAP_BLOCK_BYTES_MAX) {
		uint64_t piece = hash_piece(body, bytes, at);

		etag = coap_hash((uint64_t[]){ etag, piece }, 2 * sizeof piece);
		if (pieces)
			buf_put(pieces, &piece, sizeof piece);
	}
	return etag | 1;
}

uint64_t coap_etag(const uint8_t *body, size_t bytes)
{
	return name(body, bytes, NULL);
}

/* No block crosses the border between two pieces. */
static bool is_of(const struct coap_transfer *t, const uint8_t *body, size_t bytes, size_t at)
{
	size_t i = at / COAP_BLOCK_BYTES_MAX;
	uint64_t piece = hash_piece(body, bytes, i * COAP_BLOCK_BYTES_MAX);

	return t->size == bytes &&
	       memcmp(t->body.data + i * sizeof piece, &piece, sizeof piece) == 0;
}

uint64_t coap_etag_at(struct coap_endpoint *e, uint64_t key, const uint8_t *body, size_t bytes,
		      size_t at)
{
	struct coap_transfer *named = e->layer->named;
	struct coap_transfer *t = at > 0 ? coap_transfer_find(e, named, key) : NULL;

	if (t && is_of(t, body, bytes, at))
		return t->etag;
	t = coap_transfer_begin(e, named, key);
	t->size = bytes;
	t->etag = name(body, bytes, &t->body);
	t->used = !t->body.failed;
	return t->etag;
}
