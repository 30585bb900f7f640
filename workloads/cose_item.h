/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose_item - CBOR (RFC 8949) item after item, as COSE needs it: nothing is allocated,
 * whatever lengths a message claims, and nothing points outside of it. Lengths must be
 * definite. Writing goes to a buf, in the shortest form.
 */
#ifndef WORKLOADS_COSE_ITEM_H
#define WORKLOADS_COSE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

enum cose_kind {
	COSE_OTHER, /* a float, a simple value, or something of no definite length */
	COSE_UINT,
	COSE_NEGINT,
	COSE_BYTES,
	COSE_TEXT,
	COSE_ARRAY,
	COSE_MAP,
	COSE_TAG
};

struct cose_span {
	const uint8_t *at; /* borrowed from the message */
	size_t len;
};

struct cose_item {
	enum cose_kind kind;
	uint64_t value; /* of an integer (NEGINT: -1 - value), tag; how many items or pairs */
	struct cose_span span; /* BYTES, TEXT */
};

struct cose_reader {
	const uint8_t *at, *end;
	bool bad; /* sticky: what came is no CBOR, or ends too early */
};

void cose_reader_init(struct cose_reader *r, const void *src, size_t len);
/* false, and an item of COSE_OTHER, at the end and when bad. */
bool cose_next(struct cose_reader *r, struct cose_item *item);
/* The next item must be of this kind; false, and bad, when it is not. */
bool cose_take(struct cose_reader *r, enum cose_kind kind, struct cose_item *item);
/* Over one whole item, with what is in it. Deeper than COSE_DEPTH_MAX is bad. */
void cose_skip(struct cose_reader *r);
#define COSE_DEPTH_MAX 8
/* All read, and all of it good. */
bool cose_at_end(const struct cose_reader *r);
/* As a signed number; false where it is none, or is beyond int64_t. */
bool cose_integer(const struct cose_item *item, int64_t *value);

void cose_put_integer(struct buf *out, int64_t value);
void cose_put_bytes(struct buf *out, const void *src, size_t len);
void cose_put_text(struct buf *out, const char *text);
void cose_put_array(struct buf *out, size_t items);
void cose_put_map(struct buf *out, size_t pairs);
void cose_put_tag(struct buf *out, uint64_t tag);

#endif
