/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose_item - CBOR items with libcbor's streaming decoder and encoder, which keep no tree.
 */
#include "workloads/cose_item.h"

#include <cbor.h>
#include <string.h>

/* What callbacks get changed in libcbor 0.10, where size_t is not 64 bits wide. */
#if CBOR_MAJOR_VERSION == 0 && CBOR_MINOR_VERSION < 10
typedef size_t cose_count;
#else
typedef uint64_t cose_count;
#endif

#define HEAD_BYTES_MAX 9

/* --- reading -------------------------------------------------------------------------- */

static void set(void *data, enum cose_kind kind, uint64_t value)
{
	struct cose_item *item = data;

	item->kind = kind;
	item->value = value;
}

static void on_uint8(void *data, uint8_t value)
{
	set(data, COSE_UINT, value);
}

static void on_uint16(void *data, uint16_t value)
{
	set(data, COSE_UINT, value);
}

static void on_uint32(void *data, uint32_t value)
{
	set(data, COSE_UINT, value);
}

static void on_uint64(void *data, uint64_t value)
{
	set(data, COSE_UINT, value);
}

static void on_negint8(void *data, uint8_t value)
{
	set(data, COSE_NEGINT, value);
}

static void on_negint16(void *data, uint16_t value)
{
	set(data, COSE_NEGINT, value);
}

static void on_negint32(void *data, uint32_t value)
{
	set(data, COSE_NEGINT, value);
}

static void on_negint64(void *data, uint64_t value)
{
	set(data, COSE_NEGINT, value);
}

static void on_bytes(void *data, cbor_data bytes, cose_count len)
{
	struct cose_item *item = data;

	set(data, COSE_BYTES, 0);
	item->span = (struct cose_span){ bytes, (size_t)len };
}

static void on_text(void *data, cbor_data bytes, cose_count len)
{
	on_bytes(data, bytes, len);
	((struct cose_item *)data)->kind = COSE_TEXT;
}

static void on_array(void *data, cose_count items)
{
	set(data, COSE_ARRAY, items);
}

static void on_map(void *data, cose_count pairs)
{
	set(data, COSE_MAP, pairs);
}

static struct cbor_callbacks callbacks(void)
{
	struct cbor_callbacks c = cbor_empty_callbacks;

	c.uint8 = on_uint8;
	c.uint16 = on_uint16;
	c.uint32 = on_uint32;
	c.uint64 = on_uint64;
	c.negint8 = on_negint8;
	c.negint16 = on_negint16;
	c.negint32 = on_negint32;
	c.negint64 = on_negint64;
	c.byte_string = on_bytes;
	c.string = on_text;
	c.array_start = on_array;
	c.map_start = on_map;
	return c;
}

void cose_reader_init(struct cose_reader *r, const void *src, size_t len)
{
	*r = (struct cose_reader){ .at = src };
	r->end = r->at + len;
}

/*
 * A tag's head, read here: libcbor before 0.10 refuses the tags 6 to 20 as unassigned, COSE's
 * among them. Returns its bytes; 0: none, or not whole.
 */
static size_t read_tag(const uint8_t *at, size_t len, struct cose_item *item)
{
	unsigned low = at[0] & 0x1f;
	size_t bytes = low < 24 ? 0 : low < 28 ? (size_t)1 << (low - 24) : len;
	uint64_t tag = low;

	if (at[0] >> 5 != 6 || bytes >= len)
		return 0;
	for (size_t i = 0; i < bytes; i++)
		tag = (i == 0 ? 0 : tag << 8) | at[1 + i];
	set(item, COSE_TAG, tag);
	return 1 + bytes;
}

bool cose_next(struct cose_reader *r, struct cose_item *item)
{
	struct cbor_callbacks c = callbacks();
	struct cbor_decoder_result got;
	size_t tag_bytes;

	*item = (struct cose_item){ .kind = COSE_OTHER };
	if (r->bad || r->at == r->end)
		return false;
	tag_bytes = read_tag(r->at, (size_t)(r->end - r->at), item);
	if (tag_bytes) {
		r->at += tag_bytes;
		return true;
	}
	got = cbor_stream_decode(r->at, (size_t)(r->end - r->at), &c, item);
	if (got.status == CBOR_DECODER_FINISHED && got.read > 0 &&
	    got.read <= (size_t)(r->end - r->at)) {
		r->at += got.read;
		return true;
	}
	r->bad = true;
	*item = (struct cose_item){ .kind = COSE_OTHER };
	return false;
}

bool cose_take(struct cose_reader *r, enum cose_kind kind, struct cose_item *item)
{
	if (cose_next(r, item) && item->kind == kind)
		return true;
	r->bad = true;
	return false;
}

void cose_skip(struct cose_reader *r)
{
	uint64_t left[COSE_DEPTH_MAX] = { 1 };
	int depth = 0;

	while (depth >= 0 && !r->bad) {
		struct cose_item item;

		if (left[depth] == 0) {
			depth--;
			continue;
		}
		left[depth]--;
		if (!cose_next(r, &item))
			r->bad = true;
		if (item.kind != COSE_ARRAY && item.kind != COSE_MAP && item.kind != COSE_TAG)
			continue;
		if (++depth == COSE_DEPTH_MAX || item.value > SIZE_MAX / 2) {
			r->bad = true;
			return;
		}
		left[depth] = item.kind == COSE_TAG   ? 1
			      : item.kind == COSE_MAP ? item.value * 2
						      : item.value;
	}
}

bool cose_at_end(const struct cose_reader *r)
{
	return !r->bad && r->at == r->end;
}

bool cose_integer(const struct cose_item *item, int64_t *value)
{
	if ((item->kind != COSE_UINT && item->kind != COSE_NEGINT) || item->value > INT64_MAX)
		return false;
	*value = item->kind == COSE_UINT ? (int64_t)item->value : -1 - (int64_t)item->value;
	return true;
}

/* --- writing -------------------------------------------------------------------------- */

static void put_head(struct buf *out, size_t (*encode)(uint64_t, unsigned char *, size_t),
		     uint64_t value)
{
	unsigned char *dst = buf_reserve(out, HEAD_BYTES_MAX);

	if (dst)
		out->len += encode(value, dst, HEAD_BYTES_MAX);
}

/* These take a size_t, the others 64 bits. */
static void put_size(struct buf *out, size_t (*encode)(size_t, unsigned char *, size_t),
		     size_t value)
{
	unsigned char *dst = buf_reserve(out, HEAD_BYTES_MAX);

	if (dst)
		out->len += encode(value, dst, HEAD_BYTES_MAX);
}

void cose_put_integer(struct buf *out, int64_t value)
{
	if (value >= 0)
		put_head(out, cbor_encode_uint, (uint64_t)value);
	else
		put_head(out, cbor_encode_negint, (uint64_t)(-1 - value));
}

void cose_put_bytes(struct buf *out, const void *src, size_t len)
{
	put_size(out, cbor_encode_bytestring_start, len);
	buf_put(out, src, len);
}

void cose_put_text(struct buf *out, const char *text)
{
	put_size(out, cbor_encode_string_start, strlen(text));
	buf_puts(out, text);
}

void cose_put_array(struct buf *out, size_t items)
{
	put_size(out, cbor_encode_array_start, items);
}

void cose_put_map(struct buf *out, size_t pairs)
{
	put_size(out, cbor_encode_map_start, pairs);
}

void cose_put_tag(struct buf *out, uint64_t tag)
{
	put_head(out, cbor_encode_tag, tag);
}
