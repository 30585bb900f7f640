/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body - gzip (RFC 1952) through zlib, into a bin.
 */
#include "clients/body.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* zlib: 15 bits of window, and 16 more to expect a gzip head rather than a zlib one. */
#define GZIP_WINDOW_BITS (15 + 16)

int body_init(struct body *b, struct fail *f)
{
	z_stream *z = calloc(1, sizeof(*z));
	*b = (struct body){ .inflater = z };
	if (z && inflateInit2(z, GZIP_WINDOW_BITS) == Z_OK)
		return 0;
	free(z);
	b->inflater = NULL;
	return fail_set(f, ENOMEM, "no memory for a gzip decoder");
}

void body_release(struct body *b)
{
	if (b->inflater)
		inflateEnd(b->inflater);
	free(b->inflater);
	b->inflater = NULL;
}

void body_start(struct body *b, enum app_encoding encoding)
{
	b->encoding = encoding;
	b->ended = false;
	b->decoded_bytes = 0;
	if (b->inflater)
		inflateReset(b->inflater);
}

static int inflate_bytes(struct body *b, const void *src, size_t len, struct fail *f)
{
	static _Thread_local uint8_t bin[16384];
	z_stream *z = b->inflater;
	z->next_in = (Bytef *)(uintptr_t)src; /* zlib only reads it */
	z->avail_in = (uInt)len;
	do {
		z->next_out = bin;
		z->avail_out = sizeof(bin);
		int code = inflate(z, Z_NO_FLUSH);
		b->decoded_bytes += (int64_t)(sizeof(bin) - z->avail_out);
		b->ended = code == Z_STREAM_END;
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return fail_set(f, EBADMSG, "the gzip body does not decode: %s",
					z->msg ? z->msg : zError(code));
	} while (!b->ended && !z->avail_out);
	if (z->avail_in)
		return fail_set(f, EBADMSG, "%u bytes behind the end of the gzip body",
				z->avail_in);
	return 0;
}

int body_bytes(struct body *b, const void *src, size_t len, struct fail *f)
{
	if (b->encoding == APP_GZIP && b->inflater) {
		if (b->ended && len)
			return fail_set(f, EBADMSG, "%zu bytes behind the end of the gzip body",
					len);
		return inflate_bytes(b, src, len, f);
	}
	b->decoded_bytes += (int64_t)len;
	return 0;
}

int body_end(struct body *b, struct fail *f)
{
	if (b->encoding == APP_GZIP && b->inflater && !b->ended)
		return fail_set(f, EBADMSG,
				"the gzip body ends after %lld decoded bytes, cut short",
				(long long)b->decoded_bytes);
	return 0;
}
