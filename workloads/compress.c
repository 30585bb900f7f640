/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress - zlib, and brotli and zstd where they were there at build time: a row for each.
 *
 * zlib's and zstd's states are reused from text to text. Brotli has no such call: its
 * one-shot function allocates for each text, as it does in every server that uses it.
 */
#include "workloads/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#ifdef WITH_BROTLI
#include <brotli/encode.h>
#endif
#ifdef WITH_ZSTD
#include <zstd.h>
#endif

#define GZIP_WINDOW_BITS (15 + 16) /* 16: a gzip header, not zlib's own */
#define MEMORY_LEVEL     8

static void *gzip_open(int level)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && deflateInit2(z, level, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
			      Z_DEFAULT_STRATEGY) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static void gzip_close(void *state)
{
	deflateEnd(state);
	free(state);
}

/* Reset first: after a finished stream deflateBound() forgets the gzip header. */
static size_t gzip_bound(void *state, size_t len)
{
	deflateReset(state);
	return deflateBound(state, len);
}

static size_t gzip_bytes(void *state, int level, const void *src, size_t len, void *dst,
			 size_t room)
{
	z_stream *z = state;

	(void)level;
	deflateReset(z);
	z->next_in = (Bytef *)(uintptr_t)src;
	z->avail_in = (uInt)len;
	z->next_out = dst;
	z->avail_out = (uInt)room;
	return deflate(z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

#ifdef WITH_BROTLI
static size_t brotli_bound(void *state, size_t len)
{
	(void)state;
	return BrotliEncoderMaxCompressedSize(len);
}

static size_t brotli_bytes(void *state, int level, const void *src, size_t len, void *dst,
			   size_t room)
{
	size_t used = room;

	(void)state;
	return BrotliEncoderCompress(level, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, len, src,
				     &used, dst)
		       ? used
		       : 0;
}
#endif

#ifdef WITH_ZSTD
static void *zstd_open(int level)
{
	(void)level;
	return ZSTD_createCCtx();
}

static void zstd_close(void *state)
{
	ZSTD_freeCCtx(state);
}

static size_t zstd_bound(void *state, size_t len)
{
	(void)state;
	return ZSTD_compressBound(len);
}

static size_t zstd_bytes(void *state, int level, const void *src, size_t len, void *dst,
			 size_t room)
{
	size_t used = ZSTD_compressCCtx(state, dst, room, src, len, level);

	return ZSTD_isError(used) ? 0 : used;
}
#endif

/* Without bytes(): this build cannot. open and close: NULL where there is no state. */
static const struct coding {
	int level_max;
	const char *absent;
	void *(*open)(int level);
	void (*close)(void *state);
	size_t (*bound)(void *state, size_t len);
	size_t (*bytes)(void *state, int level, const void *src, size_t len, void *dst,
			size_t room);
} codings[APP_ENCODINGS] = {
	[APP_GZIP] = { .level_max = 9,
		       .open = gzip_open,
		       .close = gzip_close,
		       .bound = gzip_bound,
		       .bytes = gzip_bytes },
	[APP_BROTLI] = { .level_max = 11,
			 .absent = "built without brotli (Debian package libbrotli-dev)",
#ifdef WITH_BROTLI
			 .bound = brotli_bound,
			 .bytes = brotli_bytes
#endif
	},
	[APP_ZSTD] = { .level_max = 22,
		       .absent = "built without zstd (Debian package libzstd-dev)",
#ifdef WITH_ZSTD
		       .open = zstd_open,
		       .close = zstd_close,
		       .bound = zstd_bound,
		       .bytes = zstd_bytes
#endif
	},
};

const char *compress_refuses(enum app_encoding e, int *level_max)
{
	*level_max = codings[e].level_max;
	return codings[e].bytes ? NULL : codings[e].absent;
}

static int open_one(struct compressor *c, enum app_encoding e, struct fail *f)
{
	const struct coding *coding = &codings[e];
	const char *name = app_encoding_name(e), *why;
	int level_max;

	why = compress_refuses(e, &level_max);
	if (why)
		return fail_set(f, EINVAL, "%s: %s", name, why);
	if (c->level[e] < 0 || c->level[e] > level_max)
		return fail_set(f, EINVAL, "the %s level is %d: 1 to %d, or 0 for never", name,
				c->level[e], level_max);
	if (!coding->open)
		return 0;
	c->state[e] = coding->open(c->level[e]);
	return c->state[e] ? 0 : fail_set(f, ENOMEM, "no memory to compress with %s", name);
}

int compress_open(struct compressor *c, const int level[APP_ENCODINGS], struct fail *f)
{
	*c = (struct compressor){ 0 };
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		c->level[e] = level[e];
		if (level[e] && open_one(c, (enum app_encoding)e, f)) {
			compress_close(c);
			return -1;
		}
	}
	return 0;
}

void compress_close(struct compressor *c)
{
	for (int e = 0; e < APP_ENCODINGS; e++)
		if (c->state[e])
			codings[e].close(c->state[e]);
	*c = (struct compressor){ 0 };
}

enum app_encoding compress_choose(const struct compressor *c, unsigned accepts)
{
	int e = APP_ENCODINGS - 1;

	while (e > APP_IDENTITY && !(c->level[e] && (accepts & 1u << e)))
		e--;
	return (enum app_encoding)e;
}

size_t compress_bound(struct compressor *c, enum app_encoding e, size_t len)
{
	return codings[e].bound(c->state[e], len);
}

size_t compress_bytes(struct compressor *c, enum app_encoding e, const void *src, size_t len,
		      void *dst, size_t room)
{
	return codings[e].bytes(c->state[e], c->level[e], src, len, dst, room);
}
