/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_test - either half of CoAP over a byte stream (RFC 8323) against messages
 * written by hand, good and bad, whole and in pieces.
 */
#include "lib/testing.h"
#include "protocols/coap.h"
#include "protocols/coap_tcp_side.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

static const struct {
	const char *hex, *events, *sent; /* sent: behind the server's own CSM */
} served[] = {
	{ CSM "01 01 7f", "GET / - \n", "81 45 7f c1 32 ff 'hello'" },
	/* RFC 8323 section 3.2: the same message as over datagrams, without type and id. */
	{ CSM "c1 01 20 bb 'temperature'", "GET /temperature - \n", "81 45 20 c1 32 ff 'hello'" },
	{ CSM "72 02 1234 b1 'p' 11 32 ff '{}'", "POST /p application/json {}\n",
	  "82 44 1234 c1 32 ff 'hello'" },
	{ CSM "00 00 00 00 01 01 7f", "GET / - \n", "81 45 7f c1 32 ff 'hello'" }, /* Empty */
	{ "30 e1 22 0480 01 01 7f", "GET / - \n", "81 45 7f c1 32 ff 'hello'" },
	{ "20 e1 41 'x' 01 01 7f", "GET / - \n", "81 45 7f c1 32 ff 'hello'" }, /* elective */
	{ CSM "02 e2 0a0b", "", "02 e3 0a0b" },                                 /* Ping, Pong */
	{ CSM "00 e3", "", "" },
	{ CSM "00 e4 01 01 7f", "", "" },         /* Release: no more requests */
	{ CSM "21 01 7f 91 00", "", "01 82 7f" }, /* critical */
	{ CSM "21 01 7f a1 00", "GET / - \n", "81 45 7f c1 32 ff 'hello'" },
	{ CSM "31 02 7f c2 2700", "", "01 8f 7f" },            /* Content-Format 9984 */
	{ CSM "31 02 7f d1 0e 08", "", "01 82 7f" },           /* Block1 with more */
	{ CSM "31 01 7f d1 0a 07", "", "01 80 7f" },           /* Block2 of the reserved size */
	{ CSM "31 01 7f d1 04 3c", "GET / - \n", "01 86 7f" }, /* Accept: CBOR only */
	{ CSM "01 1f 7f", "", "01 85 7f" },
	{ CSM "21 01 7f b1 '.'", "", "01 80 7f" },
	{ CSM "d1 35 02 7f ff '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefX'",
	  "", "01 8d 7f" },
	/* What ends it. */
	{ "01 01 7f", "FAILED\n", "00 e5" },
	{ CSM "09 01 010203040506070809", "FAILED\n", "00 e5" },
	{ CSM "0f 01 0102030405060708090a0b0c0d0e0f", "FAILED\n", "00 e5" },
	{ CSM "11 01 7f ff", "FAILED\n", "00 e5" },
	{ CSM "21 01 7f b3 'a'", "FAILED\n", "00 e5" },
	{ CSM "11 01 7f f1", "FAILED\n", "00 e5" },
	{ CSM "01 45 7f", "FAILED\n", "00 e5" },      /* an answer */
	{ CSM "e1 2000 01 7f", "FAILED\n", "00 e5" }, /* longer than was offered */
	{ CSM "f1 ffffffff 01 7f", "FAILED\n", "00 e5" },
	{ "10 e1 10", "FAILED\n", "00 e5" }, /* critical option 1 of CSM */
	{ CSM "00 e5", "FAILED\n", "" },
};

/* Behind the CSM of this side. */
static void check_sent(const struct side *s, const char *hex, const char *what)
{
	uint8_t want[256];
	size_t len = coap_hex(hex, want), csm = 4 + ((uint8_t)s->sent.data[0] >> 4) - 2u;
	char text[600];

	if (s->sent.len < csm || s->sent.len - csm != len ||
	    memcmp(s->sent.data + csm, want, len) != 0)
		fail_msg("%s: sent %s", what,
			 coap_unhex((const uint8_t *)s->sent.data, s->sent.len, text));
}

static void serve_row(size_t i, struct rng *rng)
{
	struct side s;
	uint8_t bytes[256];
	size_t len = coap_hex(served[i].hex, bytes);

	side_open(&s, APP_SERVER, rng);
	side_feed(&s, bytes, len);
	if (strcmp(buf_text(&s.events), served[i].events) != 0)
		fail_msg("%s: %s %s", served[i].hex, buf_text(&s.events), s.app.fail.text);
	check_sent(&s, served[i].sent, served[i].hex);
	side_close(&s);
}

static void a_server(void **state)
{
	struct rng rng = testing_rng("coap_tcp_test");

	(void)state;
	for (size_t i = 0; i < ROWS(served); i++) {
		serve_row(i, NULL);
		for (int cut = 0; cut < 20; cut++)
			serve_row(i, &rng);
	}
}

/* --- a client against bytes ---------------------------------------------------------- */

static const struct {
	const char *hex, *events;
} answered[] = {
	{ CSM "94 45 00000001 c1 32 ff '{\"a\":1'", "HEAD 200 0\n{\"a\":1END 6\n" },
	{ CSM "04 84 00000001", "HEAD 404 0\nEND 0\n" },
	{ CSM "04 44 00000002 04 45 00000001", "HEAD 200 0\nEND 0\n" }, /* nobody's first */
	{ CSM "03 45 000001", "" },
	{ CSM "24 45 00000001 91 00", "RESET a critical option that is not understood\n" },
	{ CSM "34 45 00000001 d1 0a 0e", "RESET blocks that were not asked for\n" },
	{ CSM "04 01 00000001", "FAILED\n" },
	{ "04 45 00000001", "FAILED\n" },
};

static void answer_row(size_t i, struct rng *rng)
{
	struct side s;
	uint8_t bytes[256];
	struct app_request q = { .method = APP_GET, .target = "/t", .keep_alive = true };

	side_open(&s, APP_CLIENT, rng);
	assert_int_equal(app_coap_tcp.request(&s.app, &q), 0);
	side_pull(&s);
	check_sent(&s, "24 01 00000001 b1 't'", "request");
	side_feed(&s, bytes, coap_hex(answered[i].hex, bytes));
	if (strcmp(buf_text(&s.events), answered[i].events) != 0)
		fail_msg("%s: %s %s", answered[i].hex, buf_text(&s.events), s.app.fail.text);
	side_close(&s);
}

static void a_client(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(answered); i++)
		answer_row(i, NULL);
}

static void what_cannot_be_asked(void **state)
{
	static const struct app_request rows[] = {
		{ .method = APP_HEAD, .target = "/" },
		{ .method = APP_GET, .target = "x" },
		{ .method = APP_POST, .target = "/", .content_type = "text/html" },
		{ .method = APP_GET, .target = "/", .observe = true },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct side s;

		side_open(&s, APP_CLIENT, NULL);
		assert_int_equal(app_coap_tcp.request(&s.app, &rows[i]), -1);
		assert_true(s.app.fail.code != 0);
		side_close(&s);
	}
}

/* A body waits for the peer's CSM, and is refused when that does not take it. */
static void sizes_of_messages(void **state)
{
	static const char big[3000];
	struct app_request q = { .method = APP_POST,
				 .target = "/",
				 .body = big,
				 .body_bytes = sizeof big,
				 .keep_alive = true };
	uint8_t bytes[64];
	struct side s;

	(void)state;
	side_open(&s, APP_CLIENT, NULL);
	assert_int_equal(app_coap_tcp.request(&s.app, &q), -1);
	assert_int_equal(s.app.fail.code, 0);
	assert_true(s.app.ungreeted);
	side_feed(&s, bytes, coap_hex("30 e1 22 1000", bytes));
	assert_int_equal(app_coap_tcp.request(&s.app, &q), 0);
	assert_false(s.app.ungreeted);
	q.body_bytes = 1000;
	side_pull(&s);
	side_feed(&s, bytes, coap_hex("30 e1 22 0100", bytes));
	assert_int_equal(app_coap_tcp.request(&s.app, &q), -1);
	assert_non_null(strstr(s.app.fail.text, "up to 256"));
	assert_false(s.app.ungreeted);
	side_close(&s);
}

/* What is wrong with a head is said of it: a length beyond 32 bits is no token. */
static void heads_that_are_refused(void **state)
{
	static const struct {
		enum app_half half;
		const char *hex, *says;
	} rows[] = {
		{ APP_CLIENT, "f0 ffffffff 45",
		  "a message of 4295033100 bytes; at most 4294967295" },
		{ APP_SERVER, "f0 ffffffff 01", "a message of 4295033100 bytes; at most " },
		{ APP_SERVER, "f0 10000000 01", "a message of 268501261 bytes; at most " },
		{ APP_SERVER, "09 01 000102030405060708", "token of more than 8 bytes" },
		{ APP_CLIENT, "ff ffffffff 45 00000000 00000000 00", "token of more than 8 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint8_t bytes[64];
		struct side s;

		side_open(&s, rows[i].half, NULL);
		side_feed(&s, bytes, coap_hex("00 e1", bytes));
		side_feed(&s, bytes, coap_hex(rows[i].hex, bytes));
		if (!strstr(s.app.fail.text, rows[i].says))
			fail_msg("%s: %s", rows[i].hex, s.app.fail.text);
		assert_true(app_coap_tcp.finished(&s.app));
		side_close(&s);
	}
}

/* A peer of the base size fetches a page in blocks. */
static void blocks_for_small_peers(void **state)
{
	static char page[2500];
	struct buf got = { 0 };
	struct side s;
	struct coap_message m;
	struct coap_fields f;

	(void)state;
	for (size_t i = 0; i < sizeof page; i++)
		page[i] = (char)(i * 7 + i / 256);
	side_open(&s, APP_SERVER, NULL);
	s.answer.body = page;
	s.answer.body_bytes = sizeof page;
	for (unsigned number = 0; number < 3; number++) {
		uint8_t bytes[64];
		char ask[64];
		size_t head = 6;

		snprintf(ask, sizeof ask, "%s 31 01 7f d1 0a %x6", number ? "" : CSM, number);
		buf_clear(&s.sent);
		side_feed(&s, bytes, coap_hex(ask, bytes));
		head = (uint8_t)s.sent.data[0] >> 4 == 14 ? 5 : 4;
		if (number == 0) /* its own CSM went first */
			head += 4 + ((uint8_t)s.sent.data[0] >> 4) - 2u + 1;
		assert_int_equal(
			coap_parse_body((uint8_t *)s.sent.data + head, s.sent.len - head, &m), 0);
		coap_fields_read(&m, &f);
		assert_true(f.block2.present);
		assert_int_equal(f.block2.number, number);
		assert_int_equal(f.block2.more, number < 2);
		buf_put(&got, m.payload, m.payload_bytes);
	}
	assert_int_equal(got.len, sizeof page);
	assert_memory_equal(got.data, page, sizeof page);
	buf_release(&got);
	side_close(&s);
}

static void goodbyes(void **state)
{
	struct app_request q = { .method = APP_GET, .target = "/" };
	uint8_t bytes[64];
	struct side s;

	(void)state;
	/* The shell's last answer: Release behind it, and no more requests. */
	side_open(&s, APP_SERVER, NULL);
	s.answer.keep_alive = false;
	assert_false(app_coap_tcp.finished(&s.app));
	side_feed(&s, bytes, coap_hex(CSM "01 01 7f 01 01 7e", bytes));
	assert_string_equal(buf_text(&s.events), "GET / - \n");
	check_sent(&s, "81 45 7f c1 32 ff 'hello' 00 e4", "last answer");
	assert_true(app_coap_tcp.finished(&s.app));
	side_close(&s);

	/* The last request of a client. */
	side_open(&s, APP_CLIENT, NULL);
	assert_int_equal(app_coap_tcp.request(&s.app, &q), 0);
	assert_int_equal(app_coap_tcp.request(&s.app, &q), -1);
	side_pull(&s);
	assert_false(app_coap_tcp.finished(&s.app));
	side_feed(&s, bytes, coap_hex(CSM "04 45 00000001", bytes));
	assert_true(app_coap_tcp.finished(&s.app));

	/* The server closes in the middle, and between exchanges. */
	app_coap_tcp.reset(&s.app);
	buf_clear(&s.events);
	q.keep_alive = true;
	assert_int_equal(app_coap_tcp.request(&s.app, &q), 0);
	side_pull(&s);
	side_feed(&s, bytes, coap_hex(CSM "94 45 00000001 c1", bytes));
	app_coap_tcp.end(&s.app);
	side_events(&s);
	assert_string_equal(buf_text(&s.events), "FAILED\n");
	app_coap_tcp.reset(&s.app);
	buf_clear(&s.events);
	app_coap_tcp.end(&s.app);
	side_events(&s);
	side_pull(&s);
	assert_string_equal(buf_text(&s.events), "");
	assert_true(app_coap_tcp.finished(&s.app));
	side_close(&s);
}

/* Pings that are never answered because nothing is pulled. */
static void a_flood_of_pings_ends(void **state)
{
	struct side s;
	uint8_t bytes[8];
	size_t len = coap_hex(CSM, bytes);
	struct app_event e;
	int fed = 0;

	(void)state;
	side_open(&s, APP_SERVER, NULL);
	side_feed(&s, bytes, len);
	len = coap_hex("00 e2", bytes);
	while (!app_coap_tcp.next(&s.app, &e) && fed++ < 1000)
		app_coap_tcp.feed(&s.app, bytes, len);
	assert_int_equal(e.kind, APP_FAILED);
	assert_in_range(fed, 200, 300);
	side_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server),
		cmocka_unit_test(a_client),
		cmocka_unit_test(what_cannot_be_asked),
		cmocka_unit_test(sizes_of_messages),
		cmocka_unit_test(heads_that_are_refused),
		cmocka_unit_test(blocks_for_small_peers),
		cmocka_unit_test(goodbyes),
		cmocka_unit_test(a_flood_of_pings_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
