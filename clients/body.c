/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body - gzip (RFC 1952) through zlib, and brotli (RFC 7932) and zstd (RFC 8878) where they were
 * there at build time, into a bin: a row for each.
 */
#include "clients/body.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#ifdef WITH_BROTLI
#include <brotli/decode.h>
#endif
#ifdef WITH_ZSTD
#include <zstd.h>
#endif

/* zlib: 15 bits of window, and 16 more to expect a gzip head rather than a zlib one. */
#define GZIP_WINDOW_BITS (15 + 16)

static _Thread_local uint8_t bin[16384];

/* What a decoder does with one piece: it goes on to the end of the piece or of the stream. */
struct piece {
	const uint8_t *src;
	size_t len; /* what is left of it */
	int64_t decoded_bytes;
	bool ended;
	const char *why; /* it does not decode */
};

/* --- gzip ----------------------------------------------------------------- */

static void *gzip_open(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit2(z, GZIP_WINDOW_BITS) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static void gzip_close(void *decoder)
{
	inflateEnd(decoder);
	free(decoder);
}

static int gzip_start(void *decoder)
{
	return inflateReset(decoder) == Z_OK ? 0 : -1;
}

static void gzip_take(void *decoder, struct piece *p)
{
	z_stream *z = decoder;
	int code;

	z->next_in = (Bytef *)(uintptr_t)p->src; /* zlib only reads it */
	z->avail_in = (uInt)p->len;
	do {
		z->next_out = bin;
		z->avail_out = sizeof(bin);
		code = inflate(z, Z_NO_FLUSH);
		p->decoded_bytes += (int64_t)(sizeof(bin) - z->avail_out);
		p->ended = code == Z_STREAM_END;
	} while (code == Z_OK && !z->avail_out);
	p->len = z->avail_in;
	if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
		p->why = z->msg ? z->msg : zError(code);
}

/* --- brotli --------------------------------------------------------------- */

#ifdef WITH_BROTLI
struct brotli {
	BrotliDecoderState *state; /* of the body at hand; NULL: none yet */
};

static void *brotli_open(void)
{
	return calloc(1, sizeof(struct brotli));
}

static void brotli_close(void *decoder)
{
	struct brotli *b = decoder;

	if (b->state)
		BrotliDecoderDestroyInstance(b->state);
	free(b);
}

static int brotli_start(void *decoder)
{
	struct brotli *b = decoder;

	if (b->state)
		BrotliDecoderDestroyInstance(b->state);
	b->state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	return b->state ? 0 : -1;
}

static void brotli_take(void *decoder, struct piece *p)
{
	struct brotli *b = decoder;
	BrotliDecoderResult result;

	do {
		uint8_t *dst = bin;
		size_t room = sizeof(bin);

		result = BrotliDecoderDecompressStream(b->state, &p->len, &p->src, &room, &dst,
						       NULL);
		p->decoded_bytes += (int64_t)(sizeof(bin) - room);
	} while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
	p->ended = result == BROTLI_DECODER_RESULT_SUCCESS;
	if (result == BROTLI_DECODER_RESULT_ERROR)
		p->why = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(b->state));
}
#endif

/* --- zstd ----------------------------------------------------------------- */

#ifdef WITH_ZSTD
static void *zstd_open(void)
{
	return ZSTD_createDCtx();
}

static void zstd_close(void *decoder)
{
	ZSTD_freeDCtx(decoder);
}

static int zstd_start(void *decoder)
{
	return ZSTD_isError(ZSTD_DCtx_reset(decoder, ZSTD_reset_session_only)) ? -1 : 0;
}

static void zstd_take(void *decoder, struct piece *p)
{
	ZSTD_inBuffer in = { .src = p->src, .size = p->len };
	ZSTD_outBuffer out;
	size_t code;

	do {
		out = (ZSTD_outBuffer){ .dst = bin, .size = sizeof(bin) };
		code = ZSTD_decompressStream(decoder, &out, &in);
		p->decoded_bytes += (int64_t)out.pos;
	} while (!ZSTD_isError(code) && code && (in.pos < in.size || out.pos == out.size));
	p->len = in.size - in.pos;
	p->ended = !code;
	if (ZSTD_isError(code))
		p->why = ZSTD_getErrorName(code);
}
#endif

/* --- any of them ---------------------------------------------------------- */

/* Without take(): this build cannot. */
static const struct coding {
	const char *absent;
	void *(*open)(void);
	void (*close)(void *decoder);
	int (*start)(void *decoder); /* a new body */
	void (*take)(void *decoder, struct piece *p);
} codings[APP_ENCODINGS] = {
	[APP_GZIP] = { .open = gzip_open,
		       .close = gzip_close,
		       .start = gzip_start,
		       .take = gzip_take },
	[APP_BROTLI] = { .absent = "built without brotli (Debian package libbrotli-dev)",
#ifdef WITH_BROTLI
			 .open = brotli_open,
			 .close = brotli_close,
			 .start = brotli_start,
			 .take = brotli_take
#endif
	},
	[APP_ZSTD] = { .absent = "built without zstd (Debian package libzstd-dev)",
#ifdef WITH_ZSTD
		       .open = zstd_open,
		       .close = zstd_close,
		       .start = zstd_start,
		       .take = zstd_take
#endif
	},
};

const char *body_refuses(enum app_encoding e)
{
	return e == APP_IDENTITY || codings[e].take ? NULL : codings[e].absent;
}

static int open_one(struct body *b, enum app_encoding e, struct fail *f)
{
	const char *why = body_refuses(e);

	if (why)
		return fail_set(f, EINVAL, "%s cannot be decoded: %s", app_encoding_name(e), why);
	b->decoder[e] = codings[e].open();
	return b->decoder[e] ? 0
			     : fail_set(f, ENOMEM, "no memory to decode %s", app_encoding_name(e));
}

int body_init(struct body *b, unsigned accepts, struct fail *f)
{
	*b = (struct body){ 0 };
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		if (accepts >> e & 1 && open_one(b, (enum app_encoding)e, f)) {
			body_release(b);
			return -1;
		}
	}
	return 0;
}

void body_release(struct body *b)
{
	for (int e = 0; e < APP_ENCODINGS; e++) {
		if (b->decoder[e])
			codings[e].close(b->decoder[e]);
	}
	*b = (struct body){ 0 };
}

int body_start(struct body *b, enum app_encoding encoding, struct fail *f)
{
	b->encoding = encoding;
	b->ended = false;
	b->decoded_bytes = 0;
	if (encoding == APP_IDENTITY)
		return 0;
	if (!b->decoder[encoding])
		return fail_set(f, EBADMSG, "the body is coded with %s, which was not accepted",
				app_encoding_name(encoding));
	if (codings[encoding].start(b->decoder[encoding]))
		return fail_set(f, ENOMEM, "no memory to decode %s", app_encoding_name(encoding));
	return 0;
}

int body_bytes(struct body *b, const void *src, size_t len, struct fail *f)
{
	struct piece p = { .src = src, .len = len, .ended = b->ended };
	const char *name = app_encoding_name(b->encoding);

	if (b->encoding == APP_IDENTITY) {
		b->decoded_bytes += (int64_t)len;
		return 0;
	}
	if (!p.ended)
		codings[b->encoding].take(b->decoder[b->encoding], &p);
	b->ended = p.ended;
	b->decoded_bytes += p.decoded_bytes;
	if (p.why)
		return fail_set(f, EBADMSG, "the %s body does not decode: %s", name, p.why);
	if (p.len)
		return fail_set(f, EBADMSG, "%zu bytes behind the end of the %s body", p.len, name);
	return 0;
}

int body_end(struct body *b, struct fail *f)
{
	if (b->encoding != APP_IDENTITY && !b->ended)
		return fail_set(f, EBADMSG, "the %s body ends after %lld decoded bytes, cut short",
				app_encoding_name(b->encoding), (long long)b->decoded_bytes);
	return 0;
}
