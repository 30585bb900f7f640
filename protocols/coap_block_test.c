/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_block_test - bodies in blocks (RFC 7959): what a client makes of a server's, right
 * and wrong, and a server of a client's, as in the figures of section 3.
 */
#include "protocols/coap_one.h"

static void what_is_asked_in_blocks(void **state)
{
	static const char *const bad[] = {
		"41 'a' d1 06 1b ff '0123456789abcdef'",                 /* not the next number */
		"41 'b' d1 06 18 ff '0123456789abcdef'",                 /* another ETag */
		"41 'a' d1 06 18 ff '0123456789abcde'",                  /* not a full block */
		"41 'a' d1 06 19 ff '0123456789abcdef0123456789abcdef'", /* larger than asked */
		"41 'a' ff 'x'",                                         /* no block */
	};
	struct one o;

	(void)state;
	for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
		one_params(&o);
		one_begin(&o);
		one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0,
			   "41 'a' d1 06 08 ff '0123456789abcdef'");
		one_check(&o, NULL, "HEAD 200;0123456789abcdef;");
		assert_true(one_fields(&o).block2.present && one_fields(&o).block2.szx == 0);
		assert_int_equal(one_fields(&o).block2.number, 1);
		if (i < sizeof bad / sizeof *bad) {
			one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, bad[i]);
			one_check(&o, "", "RESET 5;");
		} else {
			one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0,
				   "41 'a' d1 06 10 ff 'end'");
			one_check(&o, "", "end;END 200;");
		}
		one_close(&o);
	}
	one_params(&o);
	o.params.body_bytes = 20;
	one_begin(&o);
	one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, "d1 0a 08 ff '0123456789abcdef'");
	one_check(&o, NULL, "HEAD 200;0123456789abcdef;");
	one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, "d1 0a 10 ff '01234'");
	one_check(&o, "", "RESET 6;");
	one_close(&o);
}

static void what_is_sent_in_blocks(void **state)
{
	static const char body[] = "0123456789abcdef0123456789ABCDEFend";
	struct one o;

	(void)state;
	one_params(&o);
	o.params.block_bytes = 32;
	one_open(&o, APP_CLIENT);
	assert_int_equal(one_ask(&o, body), COAP_TOOK);
	one_check(&o, NULL, "");
	assert_int_equal(one_fields(&o).size1, strlen(body));
	assert_int_equal(o.last.payload_bytes, 32);
	/* The server wants 16 bytes from here on. */
	one_answer(&o, COAP_ACK, COAP_CONTINUE, o.last.id, 0, "d1 0e 08");
	one_check(&o, NULL, "");
	assert_int_equal(one_fields(&o).block1.number, 2);
	assert_int_equal(one_fields(&o).block1.szx, 0);
	assert_false(one_fields(&o).block1.more);
	assert_int_equal(o.last.payload_bytes, 3);
	assert_memory_equal(o.last.payload, "end", 3);
	/* RFC 7959 figure 11: the answer's blocks are asked for without the request's. */
	one_answer(&o, COAP_ACK, COAP_CHANGED, o.last.id, 0,
		   "d1 0a 08 41 20 ff '0123456789abcdef'");
	one_check(&o, NULL, "HEAD 200;0123456789abcdef;");
	assert_int_equal(o.last.code, COAP_POST);
	assert_true(one_fields(&o).block2.present && !one_fields(&o).block1.present);
	assert_int_equal(o.last.payload_bytes, 0);
	one_answer(&o, COAP_ACK, COAP_CHANGED, o.last.id, 0, "d1 0a 10 ff 'end'");
	one_check(&o, "", "end;END 200;");

	/* 4.13 with a smaller block: all of it again; 4.08: a failure that is told. */
	assert_int_equal(one_ask(&o, body), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_TOO_LARGE, o.last.id, 0, "d1 0e 08");
	one_check(&o, NULL, "");
	assert_int_equal(one_fields(&o).block1.number, 0);
	assert_int_equal(o.last.payload_bytes, 16);
	one_answer(&o, COAP_ACK, COAP_INCOMPLETE, o.last.id, 0, "");
	one_check(&o, "", "HEAD 408;END 408;");

	/* 4.13 with blocks no smaller than the body: nothing that could be sent instead. */
	assert_int_equal(one_ask(&o, "short"), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_TOO_LARGE, o.last.id, 0, "d1 0e 0e");
	one_check(&o, "", "HEAD 413;END 413;");

	/* An acknowledged block that was not sent; 2.31 to the last. */
	assert_int_equal(one_ask(&o, body), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_CONTINUE, o.last.id, 0, "d1 0e 19");
	one_check(&o, "", "RESET 5;");
	assert_int_equal(one_ask(&o, "short"), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_CONTINUE, o.last.id, 0, "d1 0e 01");
	one_check(&o, "", "RESET 5;");
	one_close(&o);
}

/* RFC 7959 figures 7 and 9, with POST. */
static void a_server_takes_blocks(void **state)
{
	struct one o;
	char in[600], text[700], body[400];

	(void)state;
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (char)('a' + i % 26);
	one_params(&o);
	one_open(&o, APP_SERVER);
	snprintf(in, sizeof in, "40 02 0001 b1 'o' d1 03 0b ff '%.128s'", body);
	one_step(&o, in, "605f0001d10e0b", "");
	one_step(&o, in, "605f0001d10e0b", ""); /* a duplicate */
	snprintf(in, sizeof in, "40 02 0002 b1 'o' d1 03 1b ff '%.128s'", body + 128);
	one_step(&o, in, "605f0002d10e1b", "");
	snprintf(in, sizeof in, "40 02 0003 b1 'o' d1 03 23 ff '%.40s'", body + 256);
	snprintf(text, sizeof text, "POST /o %.296s;SENT;", body);
	one_step(&o, in, "60440003d10e23", text);
	/* Out of order, and the middle of nothing: 4.08. */
	snprintf(in, sizeof in, "40 02 0004 b1 'o' d1 03 1b ff '%.128s'", body);
	one_step(&o, in, "60880004d10e1b", "");
	snprintf(in, sizeof in, "40 02 0005 b1 'o' d1 03 0b ff '%.128s'", body);
	one_step(&o, in, "605f0005d10e0b", "");
	snprintf(in, sizeof in, "40 02 0006 b1 'o' d1 03 2b ff '%.128s'", body);
	one_step(&o, in, "60880006d10e2b", "");
	/* A block that is not full: 4.00. */
	one_step(&o, "40 02 0007 b1 'o' d1 03 1b ff 'ab'", "60800007", "");
	one_close(&o);

	one_params(&o);
	o.params.block_bytes = 32;
	o.params.body_bytes = 200;
	one_open(&o, APP_SERVER);
	snprintf(in, sizeof in, "40 02 0001 b1 'o' d1 03 0b ff '%.128s'", body);
	one_step(&o, in, "605f0001d10e09", ""); /* 1:0/1/32 */
	snprintf(in, sizeof in, "40 02 0002 b1 'o' d1 03 49 ff '%.32s'", body + 128);
	one_step(&o, in, "605f0002d10e49", "");
	snprintf(in, sizeof in, "40 02 0003 b1 'o' d1 03 51 ff '%.16s'", body + 160);
	snprintf(text, sizeof text, "POST /o %.176s;SENT;", body);
	one_step(&o, in, "60440003d10e51", text);
	/* Too long: 4.13 with Size1 = 200, said in advance or found out. */
	snprintf(in, sizeof in, "40 02 0004 b1 'o' d1 03 0b d1 14 c9 ff '%.128s'", body);
	one_step(&o, in, "608d0004d10e0bd114c8", "");
	snprintf(in, sizeof in, "40 02 0005 b1 'o' d1 03 0b ff '%.128s'", body);
	one_step(&o, in, "605f0005d10e09", "");
	snprintf(in, sizeof in, "40 02 0006 b1 'o' d1 03 1b ff '%.128s'", body + 128);
	one_step(&o, in, "608d0006d10e1bd114c8", "");
	one_close(&o);
}

static void check_piece(struct one *o, const char *in, uint32_t number, bool more, size_t bytes,
			const char *piece, const char *events)
{
	struct coap_fields f;

	one_step(o, in, NULL, events);
	f = one_fields(o);
	assert_int_equal(o->last.code >> 5, 2);
	assert_true(f.block2.present);
	assert_int_equal(f.block2.number, number);
	assert_int_equal(f.block2.more, more);
	assert_int_equal(f.etag_bytes, 8);
	assert_int_equal(o->last.payload_bytes, bytes);
	assert_memory_equal(o->last.payload, piece, bytes);
}

/* RFC 7959 figures 2 to 4. */
static void a_server_gives_blocks(void **state)
{
	struct one o;
	char body[300];
	uint8_t etag[8];

	(void)state;
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (char)('a' + i % 23);
	one_params(&o);
	o.params.block_bytes = 128;
	one_open(&o, APP_SERVER);
	o.answer.body = body;
	o.answer.body_bytes = sizeof body;
	check_piece(&o, "40 01 0001 b1 's'", 0, true, 128, body, "GET /s;SENT;");
	assert_int_equal(one_fields(&o).size2, 300);
	memcpy(etag, one_fields(&o).etag, 8);
	/* The rest is what it was, without asking again. */
	o.answer.body = "changed";
	o.answer.body_bytes = 7;
	check_piece(&o, "40 01 0002 b1 's' c1 13", 1, true, 128, body + 128, "");
	assert_memory_equal(etag, one_fields(&o).etag, 8);
	check_piece(&o, "40 01 0003 b1 's' c1 23", 2, false, 44, body + 256, "");
	/* Random access: asked for anew; past the end: 4.00. */
	o.answer.body = body;
	o.answer.body_bytes = sizeof body;
	check_piece(&o, "40 01 0004 b1 's' c1 22", 2, true, 64, body + 128, "GET /s;SENT;");
	assert_memory_equal(etag, one_fields(&o).etag, 8);
	one_step(&o, "40 01 0005 b1 's' c1 53", "60800005", "GET /s;SENT;");
	/* The peer's smaller size is kept to; a larger one is not. */
	check_piece(&o, "40 01 0006 b1 's' c1 02", 0, true, 64, body, "GET /s;SENT;");
	check_piece(&o, "40 01 0007 b1 't' c1 06", 0, true, 128, body, "GET /t;SENT;");
	/* What has an effect is never done again for a block. */
	check_piece(&o, "40 02 0008 b1 'p'", 0, true, 128, body, "POST /p;SENT;");
	check_piece(&o, "40 02 0009 b1 'p' c1 13", 1, true, 128, body + 128, "");
	one_step(&o, "40 02 000a b1 'q' c1 13", "6088000a", "");
	one_close(&o);
}

/* What is too long to be kept takes the place of nothing that is. */
static void what_is_kept_stays(void **state)
{
	static const char body[300];
	struct one o;
	char in[64];

	(void)state;
	one_params(&o);
	o.params.block_bytes = 128;
	o.params.answer_bytes = 256;
	one_open(&o, APP_SERVER);
	o.answer.body = body;
	o.answer.body_bytes = 200;
	for (int i = 0; i < 4; i++) {
		snprintf(in, sizeof in, "40 01 000%d b1 '%c'", i, 'a' + i);
		check_piece(&o, in, 0, true, 128, body, NULL);
	}
	o.answer.body_bytes = 300;
	check_piece(&o, "40 01 0004 b1 'x'", 0, true, 128, body, "GET /x;SENT;");
	for (int i = 0; i < 4; i++) {
		snprintf(in, sizeof in, "40 01 001%d b1 '%c' c1 13", i, 'a' + i);
		check_piece(&o, in, 1, false, 72, body + 128, "");
	}
	one_close(&o);
}

/* Who is asked anew for a later block is told so. */
static void later_blocks_are_told(void **state)
{
	static const struct {
		const char *in;
		bool continued;
	} asked[] = { { "40 01 0001 b1 's'", false },
		      { "40 01 0002 b1 's' c1 03", false },
		      { "40 01 0003 b1 's' c1 13", true } };

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct app_event e;
		uint8_t bytes[64];
		struct one o;

		one_params(&o);
		one_open(&o, APP_SERVER);
		coap_endpoint_feed(&o.e, bytes, coap_hex(asked[i].in, bytes), o.now_ns);
		assert_true(coap_endpoint_next(&o.e, &e));
		assert_int_equal(e.request.continued, asked[i].continued);
		one_close(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_in_blocks), cmocka_unit_test(what_is_sent_in_blocks),
		cmocka_unit_test(a_server_takes_blocks),   cmocka_unit_test(a_server_gives_blocks),
		cmocka_unit_test(what_is_kept_stays),      cmocka_unit_test(later_blocks_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
