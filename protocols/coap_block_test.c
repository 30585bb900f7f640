/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_block_test - a client endpoint's bodies in blocks, there and back (RFC 7959), and
 * what a server may not do to them.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_in_blocks),
		cmocka_unit_test(what_is_sent_in_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
