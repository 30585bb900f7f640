/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_early_test - what a client of CoAP over TCP has borrowed of its caller when an
 * answer, or the end, comes before the request has gone out whole.
 */
#include "lib/testing.h"
#include "protocols/coap.h"
#include "protocols/coap_tcp_side.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* A request whose body is on its way: so much of it has been pulled. */
static size_t begin_long_request(struct side *s, char *body, size_t body_bytes)
{
	struct app_request q = { .method = APP_POST,
				 .target = "/",
				 .body = body,
				 .body_bytes = body_bytes,
				 .keep_alive = true };
	uint8_t bytes[64], piece[600];

	side_open(s, APP_CLIENT, NULL);
	side_feed(s, bytes, coap_hex("30 e1 22 7fff", bytes));
	memset(body, 'x', body_bytes);
	assert_int_equal(app_coap_tcp.request(&s->app, &q), 0);
	return app_coap_tcp.pull(&s->app, piece, sizeof piece);
}

/* The last event of the exchange; what came before it is dropped. */
static enum app_event_kind last_event(struct side *s)
{
	struct app_event e = { .kind = APP_NOTHING };

	while (app_coap_tcp.next(&s->app, &e) && e.kind == APP_HEAD_IN)
		;
	return e.kind;
}

/* The answer overtakes its request: that is lent until the last event, and goes out whole. */
static void an_early_answer(void **state)
{
	static const struct {
		const char *hex;
		enum app_event_kind last;
	} rows[] = { { "04 8d 00000001", APP_END }, { "24 45 00000001 91 00", APP_RESET } };

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t len = 20000;
		char *body = malloc(len);
		struct side s;
		size_t pulled = begin_long_request(&s, body, len);
		uint8_t bytes[64];

		app_coap_tcp.feed(&s.app, bytes, coap_hex(rows[i].hex, bytes));
		assert_int_equal(last_event(&s), APP_NOTHING);
		/* What comes meanwhile is taken: a Ping. */
		assert_int_equal(app_coap_tcp.feed(&s.app, "\0\xe2", 2), 2);
		buf_clear(&s.sent);
		side_pull(&s);
		assert_true(pulled + s.sent.len > len);
		for (size_t at = 0; at + 2 < s.sent.len; at++)
			assert_int_equal(s.sent.data[at], 'x');
		assert_int_equal(last_event(&s), rows[i].last);
		free(body);
		side_pull(&s);
		side_close(&s);
	}
}

/* After APP_FAILED nothing is read of a request, and nothing follows the half of one. */
static void a_request_that_fails_half_way(void **state)
{
	(void)state;
	for (int peer_ends = 0; peer_ends < 2; peer_ends++) {
		size_t len = 20000;
		char *body = malloc(len);
		struct side s;

		begin_long_request(&s, body, len);
		if (peer_ends)
			app_coap_tcp.end(&s.app);
		else
			app_coap_tcp.feed(&s.app, "\0\1", 2);
		assert_int_equal(last_event(&s), APP_FAILED);
		free(body);
		buf_clear(&s.sent);
		side_pull(&s);
		assert_int_equal(s.sent.len, 0);
		assert_true(app_coap_tcp.finished(&s.app));
		side_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_early_answer),
		cmocka_unit_test(a_request_that_fails_half_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
