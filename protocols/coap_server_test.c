/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_server_test - what a server endpoint says, byte for byte: the exchanges of RFC 7252
 * appendix A, duplicates, separate answers, refusals.
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

/* A shell that does not want to know what was sent. */
static void sent_may_be_dropped(void **state)
{
	struct one o;
	struct app_event e;
	uint8_t bytes[64];

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	for (uint16_t i = 0; i < 20; i++) {
		char hex[32];

		snprintf(hex, sizeof hex, "40 02 00%02x", i);
		coap_endpoint_feed(&o.e, bytes, coap_hex(hex, bytes), o.now_ns);
		assert_true(coap_endpoint_next(&o.e, &e));
		assert_int_equal(e.kind, APP_REQUEST);
		o.answer.stream = e.stream;
		assert_int_equal(coap_endpoint_respond(&o.e, &o.answer, o.now_ns), 0);
		assert_int_equal(coap_endpoint_pull(&o.e, bytes, sizeof bytes), 4);
	}
	assert_int_equal(o.count.refused, 0);
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
		cmocka_unit_test(piggy_backed),        cmocka_unit_test(separate),
		cmocka_unit_test(non_confirmable),     cmocka_unit_test(one_message),
		cmocka_unit_test(ids_used_again),      cmocka_unit_test(forgotten_answers),
		cmocka_unit_test(too_many_open),       cmocka_unit_test(accept_is_kept),
		cmocka_unit_test(sent_may_be_dropped), cmocka_unit_test(params_have_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
