/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of datagrams: by hand, cut at every length, and as noise. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ciphers/dtls_record.h"
#include "lib/testing.h"

#define BODY_BYTES  44
#define HELLO_BYTES (13 + 12 + BODY_BYTES)

/* Record head, handshake head with sequence 1, version, random, and no more than zeros. */
static void make_hello(uint8_t dst[HELLO_BYTES])
{
	static const uint8_t head[] = {
		22, 0xfe, 0xff, 0,          0, 0, 0, 0, 0, 0, 7, 0,         12 + BODY_BYTES,
		1,  0,    0,    BODY_BYTES, 0, 1, 0, 0, 0, 0, 0, BODY_BYTES
	};

	memset(dst, 0, HELLO_BYTES);
	memcpy(dst, head, sizeof(head));
	dst[25] = 0xfe;
	dst[26] = 0xfd;
	for (uint8_t i = 0; i < DTLS_RANDOM_BYTES; i++)
		dst[27 + i] = i;
}

static void test_a_hello(void **state)
{
	uint8_t hello[HELLO_BYTES];
	struct dtls_record r;

	(void)state;
	make_hello(hello);
	assert_true(dtls_record_read(hello, sizeof(hello), &r));
	assert_int_equal(r.content, DTLS_HANDSHAKE);
	assert_int_equal(r.epoch, 0);
	assert_int_equal(r.number, 7);
	assert_int_equal(r.bytes, sizeof(hello));
	assert_true(r.is_hello);
	assert_int_equal(r.message_seq, 1);
	assert_ptr_equal(r.random, hello + 27);
}

static void check_no_hello(size_t at, uint8_t value, bool is_dtls)
{
	uint8_t hello[HELLO_BYTES];
	struct dtls_record r;

	make_hello(hello);
	hello[at] = value;
	assert_int_equal(dtls_record_read(hello, sizeof(hello), &r), is_dtls);
	assert_false(r.is_hello);
}

static void test_what_is_no_hello(void **state)
{
	(void)state;
	check_no_hello(0, 19, false);                   /* no such content */
	check_no_hello(0, 24, false);                   /* nor this one */
	check_no_hello(1, 3, false);                    /* TLS over UDP */
	check_no_hello(4, 1, true);                     /* of an epoch with keys */
	check_no_hello(12, 12 + BODY_BYTES + 1, false); /* longer than the datagram */
	check_no_hello(13, 2, true);                    /* a ServerHello */
	check_no_hello(16, BODY_BYTES + 1, true);       /* a fragment */
	check_no_hello(21, 1, true);                    /* a later fragment */
}

static void test_a_part_of_a_message(void **state)
{
	uint8_t hello[HELLO_BYTES];
	struct dtls_record r;

	(void)state;
	make_hello(hello);
	hello[13] = 11; /* a certificate's second part */
	hello[18] = 3;
	hello[20] = 1;
	assert_true(dtls_record_read(hello, sizeof(hello), &r));
	assert_true(r.is_message);
	assert_int_equal(r.message_seq, 3);
	assert_int_equal(r.fragment_at, 256);
	hello[12] = 11; /* less than its head */
	assert_true(dtls_record_read(hello, sizeof(hello), &r));
	assert_false(r.is_message);
	hello[4] = 1; /* sealed */
	assert_true(dtls_record_read(hello, sizeof(hello), &r));
	assert_false(r.is_message);
}

static void test_cut_anywhere(void **state)
{
	uint8_t hello[HELLO_BYTES], *exact;
	struct dtls_record r;

	(void)state;
	make_hello(hello);
	for (size_t len = 0; len < sizeof(hello); len++) {
		exact = malloc(len + 1);
		assert_non_null(exact);
		memcpy(exact, hello, len);
		/* A copy of its own, so that a sanitizer sees a byte read behind it. */
		assert_false(dtls_record_read(exact, len, &r));
		assert_false(r.is_hello);
		free(exact);
	}
}

static void test_unified_heads(void **state)
{
	const uint8_t head[] = { 0x2f, 1, 2, 3, 4, 5 };
	struct dtls_record r;

	(void)state;
	assert_true(dtls_record_read(head, sizeof(head), &r));
	assert_int_equal(r.content, DTLS_UNIFIED);
	assert_int_equal(r.epoch, 3);
	assert_false(dtls_record_read(head, 4, &r));
}

static void test_numbers(void **state)
{
	const uint8_t record[] = { 23, 0xfe, 0xfd, 0, 1, 0, 0, 0x80, 0, 0, 2, 0, 1, 'x', 22, 0xfe };
	struct dtls_record r;

	(void)state;
	assert_true(dtls_record_read(record, sizeof(record), &r));
	assert_int_equal(r.epoch, 1);
	assert_true(r.number == UINT64_C(0x0001000080000002));
	assert_int_equal(r.bytes, 14); /* what follows is another record */
}

/* The shortest body: an empty record's; and what follows on it. */
static void test_lengths_of_sealed_bodies(void **state)
{
	static const struct {
		const char *cipher;
		size_t least;
		size_t next;
	} rows[] = {
		{ "ECDHE-ECDSA-AES128-CCM8", 16, 17 },
		{ "ECDHE-ECDSA-AES128-CCM", 24, 25 },
		{ "ECDHE-ECDSA-AES128-GCM-SHA256", 24, 25 },
		{ "ECDHE-ECDSA-CHACHA20-POLY1305", 16, 17 },
		/* 16 of the first block; MAC and padding to blocks, or a block of padding and MAC
		 */
		{ "ECDHE-ECDSA-AES128-SHA", 48, 52 },
		{ "ECDHE-ECDSA-AES128-SHA256", 64, 80 },
		{ "ECDHE-ECDSA-AES256-SHA384", 80, 96 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cipher *c = cipher_by_name_in(DTLS12, rows[i].cipher);

		assert_non_null(c);
		for (size_t body = 0; body <= rows[i].next; body++)
			if (dtls_may_be_sealed(c, body) !=
			    (body == rows[i].least || body == rows[i].next))
				fail_msg("%s: %zu bytes", rows[i].cipher, body);
	}
	assert_false(dtls_may_be_sealed(NULL, 23));
	assert_true(dtls_may_be_sealed(NULL, 24));
}

static void test_noise(void **state)
{
	struct rng rng = testing_rng("heads of datagrams");
	struct dtls_record r;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = rng_below(&rng, 90);
		uint8_t *noise = malloc(len + 1);

		assert_non_null(noise);
		for (size_t b = 0; b < len; b++)
			noise[b] = (uint8_t)rng_next(&rng);
		if (len > 2 && rng_below(&rng, 2)) {
			noise[0] = 22;
			noise[1] = 0xfe;
		}
		if (dtls_record_read(noise, len, &r) && r.is_hello)
			assert_in_range(r.random - noise, 0, len - DTLS_RANDOM_BYTES);
		free(noise);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_part_of_a_message),
		cmocka_unit_test(test_a_hello),
		cmocka_unit_test(test_what_is_no_hello),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_unified_heads),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_lengths_of_sealed_bodies),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
