/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cbor_item - the items of a CBOR text one by one, where they stand (RFC 8949).
 *
 * Nothing is allocated, so a head that promises four thousand million items costs nothing.
 * Taken are integers, definite strings, arrays and maps, false, true and null; tags, floating
 * point and indefinite lengths come as CBOR_OTHER for the caller to refuse.
 */
#ifndef WORKLOADS_CBOR_ITEM_H
#define WORKLOADS_CBOR_ITEM_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

enum cbor_kind {
	CBOR_INTEGER, /* value */
	CBOR_BYTES,   /* at, count */
	CBOR_TEXT,    /* at, count; UTF-8 is not looked at */
	CBOR_LIST,    /* count items follow */
	CBOR_MAP,     /* count pairs follow */
	CBOR_BOOL,    /* value 0 or 1 */
	CBOR_NULL,
	CBOR_OTHER
};

struct cbor_item {
	enum cbor_kind kind;
	int64_t value;
	const void *at; /* into the text */
	uint64_t count;
};

struct cbor_reader {
	const uint8_t *at;
	size_t len; /* what is left */
};

/* 0 and the next item; -1: no whole item is left, an integer beyond 64 bits, or no CBOR. */
int cbor_next(struct cbor_reader *r, struct cbor_item *i);

void cbor_put_integer(struct buf *out, int64_t value);
void cbor_put_bytes(struct buf *out, const void *src, size_t len);
void cbor_put_text(struct buf *out, const char *text);
void cbor_put_list(struct buf *out, size_t items);
void cbor_put_map(struct buf *out, size_t pairs);
void cbor_put_bool(struct buf *out, bool value);

#endif
