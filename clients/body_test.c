/* SPDX-License-Identifier: Apache-2.0 */
/* body_test - gzip in any pieces decodes; a changed, cut or lengthened body does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "clients/body.h"

#define PLAIN_BYTES 100000

static unsigned char packed[PLAIN_BYTES];

static size_t pack(void)
{
	static unsigned char plain[PLAIN_BYTES];
	z_stream z = { 0 };
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 7);
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

/* 0 when the whole of it decodes. */
static int decode(struct body *b, const unsigned char *src, size_t len, size_t piece)
{
	struct fail f = { 0 };
	body_start(b, APP_GZIP);
	for (size_t at = 0; at < len; at += piece) {
		if (body_bytes(b, src + at, len - at < piece ? len - at : piece, &f))
			return -1;
	}
	return body_end(b, &f);
}

static void any_pieces_decode(void **state)
{
	(void)state;
	struct body b;
	struct fail f = { 0 };
	size_t len = pack();
	assert_int_equal(body_init(&b, &f), 0);
	static const size_t pieces[] = { 1, 7, 100, 4096, PLAIN_BYTES };
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		assert_int_equal(decode(&b, packed, len, pieces[i]), 0);
		assert_int_equal(b.decoded_bytes, PLAIN_BYTES);
	}
	body_release(&b);
}

static void damage_is_seen(void **state)
{
	(void)state;
	struct body b;
	struct fail f = { 0 };
	size_t len = pack();
	assert_int_equal(body_init(&b, &f), 0);
	for (size_t cut = 0; cut < len; cut += len / 50 + 1)
		assert_int_equal(decode(&b, packed, cut, 512), -1);
	packed[len] = 0;
	assert_int_equal(decode(&b, packed, len + 1, PLAIN_BYTES), -1);
	assert_int_equal(decode(&b, packed, len + 1, len), -1);
	packed[len - 6] ^= 1; /* the checksum */
	assert_int_equal(decode(&b, packed, len, 512), -1);
	assert_int_equal(decode(&b, (const unsigned char *)"plain text", 10, 10), -1);
	pack();
	assert_int_equal(decode(&b, packed, len, 512), 0); /* and it recovers */
	body_release(&b);
}

static void identity_is_counted(void **state)
{
	(void)state;
	struct body b;
	struct fail f = { 0 };
	assert_int_equal(body_init(&b, &f), 0);
	body_start(&b, APP_IDENTITY);
	assert_int_equal(body_bytes(&b, "abcdef", 6, &f), 0);
	assert_int_equal(body_end(&b, &f), 0);
	assert_int_equal(b.decoded_bytes, 6);
	body_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_pieces_decode),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(identity_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
