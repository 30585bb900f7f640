/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose_read - reading COSE's structures over cbor_item: what is not as expected is bad once
 * and for all, so that a caller asks at the end; and tags, which cbor_item leaves to others.
 */
#ifndef WORKLOADS_COSE_READ_H
#define WORKLOADS_COSE_READ_H

#include <stdbool.h>

#include "workloads/cbor_item.h"

struct cose_span {
	const uint8_t *at; /* borrowed from the message */
	size_t len;
};

struct cose_reader {
	struct cbor_reader in;
	bool bad;
};

void cose_reader_init(struct cose_reader *r, const void *src, size_t len);
/* false, and an item of CBOR_OTHER, at the end and when bad. */
bool cose_next(struct cose_reader *r, struct cbor_item *item);
/* The next item must be of this kind; false, and bad, when it is not. */
bool cose_take(struct cose_reader *r, enum cbor_kind kind, struct cbor_item *item);
/* Over a tag's head, if that is what comes. */
bool cose_take_tag(struct cose_reader *r, uint64_t *tag);
/* Over one whole item, with what is in it. Deeper than COSE_DEPTH_MAX is bad. */
void cose_skip(struct cose_reader *r);
#define COSE_DEPTH_MAX 8
/* All read, and all of it good. */
bool cose_at_end(const struct cose_reader *r);

#endif
