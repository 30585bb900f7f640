/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body_test - each content coding in any pieces decodes; a changed, cut or lengthened body does
 * not, nor one that was not accepted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#ifdef WITH_BROTLI
#include <brotli/encode.h>
#endif
#ifdef WITH_ZSTD
#include <zstd.h>
#endif

#include <cmocka.h>

#include "clients/body.h"

#define PLAIN_BYTES 100000

static unsigned char plain[PLAIN_BYTES], packed[PLAIN_BYTES];

static size_t pack_gzip(void)
{
	z_stream z = { 0 };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = plain;
	z.avail_in = sizeof(plain);
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	size_t len = z.total_out;
	deflateEnd(&z);
	return len;
}

static size_t pack_brotli(void)
{
	size_t len = 0;
#ifdef WITH_BROTLI
	len = sizeof(packed);
	assert_true(BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC,
					  sizeof(plain), plain, &len, packed));
#endif
	return len;
}

/* With a checksum at its end, which servers leave out, so that any change is seen. */
static size_t pack_zstd(void)
{
	size_t len = 0;
#ifdef WITH_ZSTD
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	len = ZSTD_compress2(c, packed, sizeof(packed), plain, sizeof(plain));
	assert_false(ZSTD_isError(len));
	ZSTD_freeCCtx(c);
#endif
	return len;
}

static size_t pack(enum app_encoding e)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 7);
	return e == APP_GZIP ? pack_gzip() : e == APP_BROTLI ? pack_brotli() : pack_zstd();
}

/* 0 when the whole of it decodes. */
static int decode(struct body *b, enum app_encoding e, size_t len, size_t piece)
{
	struct fail f = { 0 };
	int status = body_start(b, e, &f);
	for (size_t at = 0; !status && at < len; at += piece)
		status = body_bytes(b, packed + at, len - at < piece ? len - at : piece, &f);
	if (!status)
		status = body_end(b, &f);
	if (status)
		assert_non_null(strstr(f.text, app_encoding_name(e)));
	return status;
}

static void any_pieces_decode(enum app_encoding e)
{
	struct body b;
	struct fail f = { 0 };
	size_t len = pack(e);
	assert_int_equal(body_init(&b, 1u << e, &f), 0);
	static const size_t pieces[] = { 1, 7, 100, 4096, PLAIN_BYTES };
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		assert_int_equal(decode(&b, e, len, pieces[i]), 0);
		assert_int_equal(b.decoded_bytes, PLAIN_BYTES);
	}
	body_release(&b);
}

static void damage_is_seen(enum app_encoding e)
{
	struct body b;
	struct fail f = { 0 };
	size_t len = pack(e);
	assert_int_equal(body_init(&b, 1u << e, &f), 0);
	for (size_t cut = 0; cut < len; cut += len / 50 + 1)
		assert_int_equal(decode(&b, e, cut, 512), -1);
	packed[len] = 0;
	assert_int_equal(decode(&b, e, len + 1, PLAIN_BYTES), -1);
	assert_int_equal(decode(&b, e, len + 1, len), -1);
	if (e != APP_BROTLI) { /* it has no checksum */
		packed[len - (e == APP_GZIP ? 6 : 2)] ^= 1;
		assert_int_equal(decode(&b, e, len, 512), -1);
	}
	memset(packed, 0xff, 20);
	assert_int_equal(decode(&b, e, len, 512), -1);
	pack(e);
	assert_int_equal(decode(&b, e, len, 512), 0); /* and it recovers */
	body_release(&b);
}

/* An encoding of this build; where it was built without, that is what it says. */
static void each(enum app_encoding e)
{
	struct body b;
	struct fail f = { 0 };
	if (!body_refuses(e)) {
		any_pieces_decode(e);
		damage_is_seen(e);
		return;
	}
	assert_int_equal(body_init(&b, 1u << e, &f), -1);
	assert_non_null(strstr(f.text, "Debian package"));
	skip();
}

static void gzip_is_decoded(void **state)
{
	(void)state;
	each(APP_GZIP);
}

static void brotli_is_decoded(void **state)
{
	(void)state;
	each(APP_BROTLI);
}

static void zstd_is_decoded(void **state)
{
	(void)state;
	each(APP_ZSTD);
}

static void what_was_not_accepted_is_refused(void **state)
{
	(void)state;
	struct body b;
	struct fail f = { 0 };
	assert_int_equal(body_init(&b, 1u << APP_IDENTITY | 1u << APP_GZIP, &f), 0);
	assert_int_equal(body_start(&b, APP_GZIP, &f), 0);
	assert_int_equal(body_start(&b, APP_BROTLI, &f), -1);
	assert_non_null(strstr(f.text, "br, which was not accepted"));
	body_release(&b);
}

static void identity_is_counted(void **state)
{
	(void)state;
	struct body b;
	struct fail f = { 0 };
	assert_int_equal(body_init(&b, 1u << APP_IDENTITY, &f), 0);
	assert_int_equal(body_start(&b, APP_IDENTITY, &f), 0);
	assert_int_equal(body_bytes(&b, "abcdef", 6, &f), 0);
	assert_int_equal(body_end(&b, &f), 0);
	assert_int_equal(b.decoded_bytes, 6);
	body_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_is_decoded),
		cmocka_unit_test(brotli_is_decoded),
		cmocka_unit_test(zstd_is_decoded),
		cmocka_unit_test(what_was_not_accepted_is_refused),
		cmocka_unit_test(identity_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
