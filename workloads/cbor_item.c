/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cbor_item - libcbor's decoder of one head at a time, and its encoders into a buffer. It must
 * not know what the items mean.
 */
#include "workloads/cbor_item.h"

#include <string.h>

#include <cbor.h>

#define HEAD_BYTES 9

/* How long a string is, or how many items follow, in the library's callbacks. */
#if CBOR_MAJOR_VERSION == 0 && CBOR_MINOR_VERSION < 9
typedef size_t cbor_count;
#else
typedef uint64_t cbor_count;
#endif

static void take_integer(void *context, uint64_t value)
{
	struct cbor_item *i = context;

	i->kind = value <= INT64_MAX ? CBOR_INTEGER : CBOR_OTHER;
	i->value = (int64_t)value;
}

static void take_negative(void *context, uint64_t value)
{
	take_integer(context, value);
	((struct cbor_item *)context)->value = -1 - (int64_t)(value & INT64_MAX);
}

static void take_uint8(void *context, uint8_t value)
{
	take_integer(context, value);
}

static void take_uint16(void *context, uint16_t value)
{
	take_integer(context, value);
}

static void take_uint32(void *context, uint32_t value)
{
	take_integer(context, value);
}

static void take_negint8(void *context, uint8_t value)
{
	take_negative(context, value);
}

static void take_negint16(void *context, uint16_t value)
{
	take_negative(context, value);
}

static void take_negint32(void *context, uint32_t value)
{
	take_negative(context, value);
}

static void take_counted(struct cbor_item *i, enum cbor_kind kind, const void *at, uint64_t count)
{
	i->kind = kind;
	i->at = at;
	i->count = count;
}

static void take_bytes(void *context, cbor_data at, cbor_count count)
{
	take_counted(context, CBOR_BYTES, at, count);
}

static void take_text(void *context, cbor_data at, cbor_count count)
{
	take_counted(context, CBOR_TEXT, at, count);
}

static void take_list(void *context, cbor_count count)
{
	take_counted(context, CBOR_LIST, NULL, count);
}

static void take_map(void *context, cbor_count count)
{
	take_counted(context, CBOR_MAP, NULL, count);
}

static void take_bool(void *context, bool value)
{
	struct cbor_item *i = context;

	i->kind = CBOR_BOOL;
	i->value = value;
}

static void take_null(void *context)
{
	((struct cbor_item *)context)->kind = CBOR_NULL;
}

int cbor_next(struct cbor_reader *r, struct cbor_item *i)
{
	struct cbor_callbacks take = cbor_empty_callbacks;
	struct cbor_decoder_result result;

	take.uint8 = take_uint8;
	take.uint16 = take_uint16;
	take.uint32 = take_uint32;
	take.uint64 = take_integer;
	take.negint8 = take_negint8;
	take.negint16 = take_negint16;
	take.negint32 = take_negint32;
	take.negint64 = take_negative;
	take.byte_string = take_bytes;
	take.string = take_text;
	take.array_start = take_list;
	take.map_start = take_map;
	take.boolean = take_bool;
	take.null = take_null;
	*i = (struct cbor_item){ .kind = CBOR_OTHER };
	if (r->len == 0)
		return -1;
	result = cbor_stream_decode(r->at, r->len, &take, i);
	if (result.status != CBOR_DECODER_FINISHED || result.read > r->len)
		return -1;
	r->at += result.read;
	r->len -= result.read;
	return 0;
}

/* --- writing ------------------------------------------------------------------ */

static void put_head(struct buf *out, size_t (*encode)(size_t, unsigned char *, size_t),
		     size_t count)
{
	unsigned char *dst = buf_reserve(out, HEAD_BYTES);

	if (dst)
		out->len += encode(count, dst, HEAD_BYTES);
}

void cbor_put_integer(struct buf *out, int64_t value)
{
	unsigned char *dst = buf_reserve(out, HEAD_BYTES);

	if (!dst)
		return;
	out->len += value >= 0 ? cbor_encode_uint((uint64_t)value, dst, HEAD_BYTES)
			       : cbor_encode_negint((uint64_t)(-1 - value), dst, HEAD_BYTES);
}

void cbor_put_bytes(struct buf *out, const void *src, size_t len)
{
	put_head(out, cbor_encode_bytestring_start, len);
	buf_put(out, src, len);
}

void cbor_put_text(struct buf *out, const char *text)
{
	size_t len = strlen(text);

	put_head(out, cbor_encode_string_start, len);
	buf_put(out, text, len);
}

void cbor_put_list(struct buf *out, size_t items)
{
	put_head(out, cbor_encode_array_start, items);
}

void cbor_put_map(struct buf *out, size_t pairs)
{
	put_head(out, cbor_encode_map_start, pairs);
}

void cbor_put_bool(struct buf *out, bool value)
{
	unsigned char *dst = buf_reserve(out, HEAD_BYTES);

	if (dst)
		out->len += cbor_encode_bool(value, dst, HEAD_BYTES);
}
