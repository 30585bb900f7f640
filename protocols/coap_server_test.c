/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_server_test - what a server endpoint says, byte for byte: the exchanges of RFC 7252
 * appendix A, duplicates, separate answers, refusals, blocks as in RFC 7959 section 3.
 */
#include "protocols/coap_one.h"

#define GET_T "41 01 7d35 20 bb 'temperature'"

static void piggy_backed(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.answer.body = "22.3 C";
	o.answer.body_bytes = 6;
	/* Figures 16 and 17. */
	one_step(&o, "40 01 7d34 bb 'temperature'", "60457d34ff32322e332043",
		 "GET /temperature;SENT;");
	one_step(&o, GET_T, "61457d3520ff32322e332043", "GET /temperature;SENT;");
	/* A duplicate is answered again and not done again. */
	one_step(&o, GET_T, "61457d3520ff32322e332043", "");
	assert_int_equal(o.count.duplicates, 1);
	assert_int_equal(o.count.replays, 1);
	/* After EXCHANGE_LIFETIME it is a new request. */
	one_wait(&o, 248000 * ONE_MS, "", "");
	one_step(&o, GET_T, "61457d3520ff32322e332043", "GET /temperature;SENT;");
	one_close(&o);
}

static void separate(void **state)
{
	struct one o;
	uint16_t id;
	char ack[9], rst[9];

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.hold = true;
	one_step(&o, GET_T, "", "GET /temperature;");
	one_step(&o, GET_T, "", ""); /* in preparation: nothing yet */
	one_wait(&o, 499 * ONE_MS, "", "");
	one_wait(&o, 2 * ONE_MS, "60007d35", "");
	one_step(&o, GET_T, "60007d35", "");
	assert_int_equal(coap_endpoint_respond(&o.e, &o.answer, o.now_ns), 0);
	assert_int_equal(coap_endpoint_respond(&o.e, &o.answer, o.now_ns), -1);
	one_check(&o, NULL, "");
	assert_int_equal(o.last.type, COAP_CON);
	assert_int_equal(o.last.code, COAP_CONTENT);
	assert_int_equal(o.last.token[0], 0x20);
	id = o.last.id;
	one_wait(&o, 3001 * ONE_MS, NULL, "");
	assert_int_equal(o.last.id, id);
	assert_int_equal(o.count.retransmissions, 1);
	snprintf(ack, sizeof ack, "6000%04x", id);
	one_step(&o, "60 00 7d35", "", ""); /* not its id */
	one_step(&o, ack, "", "SENT;");
	one_step(&o, ack, "", "");
	one_wait(&o, 100000 * ONE_MS, "", "");
	assert_int_equal(coap_endpoint_deadline(&o.e), INT64_MAX);

	/* The peer does not want it any more; and one that is never acknowledged. */
	one_step(&o, "41 01 7d36 21", "", "GET /;");
	one_wait(&o, 501 * ONE_MS, "60007d36", "");
	coap_endpoint_respond(&o.e, &o.answer, o.now_ns);
	one_check(&o, NULL, "");
	snprintf(rst, sizeof rst, "7000%04x", o.last.id);
	one_step(&o, rst, "", "RESET 3;");
	one_step(&o, "41 01 7d37 22", "", "GET /;");
	one_wait(&o, 501 * ONE_MS, "60007d37", "");
	coap_endpoint_respond(&o.e, &o.answer, o.now_ns);
	for (int i = 0; i < 5; i++)
		one_wait(&o, 3001 * ONE_MS << i, NULL, i < 4 ? "" : "RESET 1;");
	assert_int_equal(o.count.timeouts, 1);
	one_close(&o);
}

static void non_confirmable(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	one_step(&o, "51 01 0001 05 b1 'a'", NULL, "GET /a;SENT;");
	assert_int_equal(o.last.type, COAP_NON);
	assert_int_equal(o.last.token[0], 5);
	one_step(&o, "51 01 0001 05 b1 'a'", "", "");
	assert_int_equal(o.count.duplicates, 1);
	one_close(&o);
}

static const struct {
	const char *in, *out, *events;
} rows[] = {
	{ "40 00 1234", "70001234", "" },    /* ping */
	{ "60 00 1234", "", "" },            /* ACK of nothing */
	{ "70 00 1234", "", "" },            /* RST of nothing */
	{ "50 00 1234", "", "" },            /* Empty NON */
	{ "40 01 1234 ff", "70001234", "" }, /* malformed CON */
	{ "50 01 1234 ff", "", "" },         /* malformed NON */
	{ "60 45 1234 ff", "", "" },
	{ "80 01 1234", "", "" }, /* version 2 */
	{ "40 01", "", "" },
	{ "41 45 1234 01", "70001234", "" }, /* an answer to a server */
	{ "51 45 1234 01", "70001234", "" },
	{ "61 45 1234 01", "", "" }, /* an ACK is never reset */
	{ "41 01 1234 01 91 00",
	  "61821234"
	  "01",
	  "" },                                    /* critical option 9: 4.02 */
	{ "51 01 1234 01 91 00", "70001234", "" }, /* and in a NON */
	{ "41 01 1234 01 10",
	  "61821234"
	  "01",
	  "" }, /* If-Match */
	{ "41 01 1234 01 50",
	  "61821234"
	  "01",
	  "" }, /* If-None-Match */
	{ "41 01 1234 01 d1 16 'x'",
	  "61a51234"
	  "01",
	  "" }, /* Proxy-Uri: 5.05 */
	{ "41 1f 1234 01",
	  "61851234"
	  "01",
	  "" }, /* 0.31: 4.05 */
	{ "41 02 1234 01 c2 2700 ff 'x'",
	  "618f1234"
	  "01",
	  "" },
	{ "41 01 1234 01 d2 04 2700",
	  "61861234"
	  "01",
	  "" }, /* Accept: 4.06 */
	{ "41 01 1234 01 b2 '..'",
	  "61801234"
	  "01",
	  "" },
	{ "41 01 1234 01 d1 0a 07",
	  "61801234"
	  "01",
	  "" }, /* Block2 of the reserved size */
	{ "41 02 1234 01 32 'h1' 81 'p' 11 32 ff '{}'",
	  "61441234"
	  "01",
	  "POST /p application/json host=h1 {};SENT;" },
	{ "41 04 1234 01 b1 'p'",
	  "61421234"
	  "01",
	  "OTHER /p;SENT;" },
};

static void one_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct one o;

		one_params(&o);
		one_open(&o, APP_SERVER);
		one_step(&o, rows[i].in, rows[i].out, rows[i].events);
		one_close(&o);
	}
}

/* The peer's ids used again for something else: never an old answer to a new request. */
static void ids_used_again(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	one_step(&o, "42 01 0001 aaaa b1 'a'", "62450001aaaa", "GET /a;SENT;");
	one_step(&o, "42 01 0001 bbbb b1 'b'", "62450001bbbb", "GET /b;SENT;");
	one_step(&o, "42 01 0001 aaaa b1 'a'", "62450001aaaa", "");
	one_step(&o, "42 01 0001 bbbb b1 'b'", "62450001bbbb", "");
	assert_int_equal(o.count.ids_reused, 1);
	one_close(&o);
}

/* The answer is forgotten, the request is not: what has an effect is never done twice. */
static void forgotten_answers(void **state)
{
	struct one o;
	char hex[64];

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	one_step(&o, "42 02 fff0 aaaa b1 'a'", "6244fff0aaaa", "POST /a;SENT;");
	one_step(&o, "42 01 fff1 aaab b1 'g'", "6245fff1aaab", "GET /g;SENT;");
	for (unsigned i = 0; i < 300; i++) {
		snprintf(hex, sizeof hex, "42 02 %04x %04x b1 'b'", (0xfff2 + i) & 0xffff, i);
		one_step(&o, hex, NULL, "POST /b;SENT;");
	}
	one_step(&o, "42 02 fff0 aaaa b1 'a'", "", "");
	one_step(&o, "42 01 fff1 aaab b1 'g'", "6245fff1aaab", "GET /g;SENT;");
	assert_int_equal(o.count.duplicates, 2);
	one_close(&o);
}

static void too_many_open(void **state)
{
	struct one o;
	char hex[64];

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.hold = true;
	for (int i = 0; i < 4; i++) {
		snprintf(hex, sizeof hex, "41 02 000%x 0%x", i, i);
		one_step(&o, hex, "", "POST /;");
	}
	one_step(&o, "41 02 0004 04", "61a3000404d10101", ""); /* 5.03, Max-Age 1 */
	o.answer.stream = 2;
	coap_endpoint_respond(&o.e, &o.answer, o.now_ns);
	one_check(&o, "6144000101", "SENT;");
	one_step(&o, "41 02 0005 05", "", "POST /;");
	one_close(&o);
}

static void accept_is_kept(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.answer.body = "{}";
	o.answer.body_bytes = 2;
	o.answer.content_type = "application/json";
	o.answer.max_age_s = 2;
	one_step(&o, "40 01 0001 d1 04 3c", "60860001", "GET /;SENT;");
	one_step(&o, "40 01 0002 d1 04 32", "60450002c1322102ff7b7d", "GET /;SENT;");
	one_close(&o);
}

/* RFC 7959 figures 7 and 9, with POST. */
static void block1(void **state)
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
static void block2(void **state)
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

static void params_have_bounds(void **state)
{
	struct coap_params p;
	struct fail f = { 0 };

	(void)state;
	coap_params_init(&p);
	assert_int_equal(coap_params_check(&p, &f), 0);
	p.block_bytes = 1000;
	assert_int_equal(coap_params_check(&p, &f), -1);
	assert_non_null(strstr(f.text, "1000"));
	coap_params_init(&p);
	p.mtu_bytes = 60;
	assert_int_equal(coap_params_check(&p, &f), -1);
	coap_params_init(&p);
	p.recent = p.exchanges;
	assert_int_equal(coap_params_check(&p, &f), -1);
	coap_params_init(&p);
	p.ack_random_percent = 99;
	assert_int_equal(coap_params_check(&p, &f), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(piggy_backed),
		cmocka_unit_test(separate),
		cmocka_unit_test(non_confirmable),
		cmocka_unit_test(one_message),
		cmocka_unit_test(ids_used_again),
		cmocka_unit_test(forgotten_answers),
		cmocka_unit_test(too_many_open),
		cmocka_unit_test(accept_is_kept),
		cmocka_unit_test(block1),
		cmocka_unit_test(block2),
		cmocka_unit_test(params_have_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
