/* SPDX-License-Identifier: Apache-2.0 */
/* cose_read - a reader of CBOR items that stays bad, and tags. */
#include "workloads/cose_read.h"

void cose_reader_init(struct cose_reader *r, const void *src, size_t len)
{
	*r = (struct cose_reader){ .in = { .at = src, .len = len } };
}

bool cose_next(struct cose_reader *r, struct cbor_item *item)
{
	*item = (struct cbor_item){ .kind = CBOR_OTHER };
	if (r->bad || r->in.len == 0)
		return false;
	if (cbor_next(&r->in, item) == 0)
		return true;
	*item = (struct cbor_item){ .kind = CBOR_OTHER };
	r->bad = true;
	return false;
}

bool cose_take(struct cose_reader *r, enum cbor_kind kind, struct cbor_item *item)
{
	if (cose_next(r, item) && item->kind == kind)
		return true;
	r->bad = true;
	return false;
}

/* Read here: libcbor before 0.10 refuses the tags 6 to 20, COSE's among them, as unassigned. */
bool cose_take_tag(struct cose_reader *r, uint64_t *tag)
{
	unsigned low = r->in.len ? r->in.at[0] & 0x1f : 31;
	size_t bytes = low < 24 ? 0 : low < 28 ? (size_t)1 << (low - 24) : r->in.len;

	if (r->bad || r->in.len == 0 || r->in.at[0] >> 5 != 6 || bytes >= r->in.len)
		return false;
	*tag = bytes ? 0 : low;
	for (size_t i = 0; i < bytes; i++)
		*tag = *tag << 8 | r->in.at[1 + i];
	r->in.at += 1 + bytes;
	r->in.len -= 1 + bytes;
	return true;
}

void cose_skip(struct cose_reader *r)
{
	uint64_t left[COSE_DEPTH_MAX] = { 1 }, tag;
	int depth = 0;

	while (depth >= 0 && !r->bad) {
		struct cbor_item item;

		if (left[depth] == 0) {
			depth--;
			continue;
		}
		while (cose_take_tag(r, &tag))
			;
		left[depth]--;
		if (!cose_next(r, &item))
			r->bad = true;
		if (item.kind != CBOR_LIST && item.kind != CBOR_MAP)
			continue;
		if (++depth == COSE_DEPTH_MAX || item.count > SIZE_MAX / 2) {
			r->bad = true;
			return;
		}
		left[depth] = item.kind == CBOR_MAP ? item.count * 2 : item.count;
	}
}

bool cose_at_end(const struct cose_reader *r)
{
	return !r->bad && r->in.len == 0;
}
