/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_client_test - what a client endpoint makes of answers, and of silence: timers of
 * RFC 7252 section 4.2, matching of section 5.3.2, message ids.
 */
#include "protocols/coap_one.h"

static const char *empty(const char *head, uint16_t id)
{
	static char text[16];

	snprintf(text, sizeof text, "%s%04x", head, id);
	return text;
}

/* Figure 16's client, and the bytes it must say. */
static void request_bytes(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_begin(&o);
	assert_int_equal(o.last.type, COAP_CON);
	assert_int_equal(o.last.code, COAP_GET);
	assert_int_equal(o.last.token_bytes, 4);
	assert_int_equal(o.last.options_bytes, 2);
	assert_memory_equal(o.last.options, "\xb1r", 2);
	one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, "ff 'hi'");
	one_check(&o, "", "HEAD 200;hi;END 200;");
	assert_int_equal(coap_endpoint_deadline(&o.e), INT64_MAX);
	one_close(&o);
}

/* Silence: 4 retransmissions, each wait twice the last, the first 2 to 3 s. */
static void retransmission(void **state)
{
	int64_t least = INT64_MAX, most = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct one o;
		int64_t first, wait;
		uint16_t id;

		one_params(&o);
		rng_seed(&o.rng, seed);
		one_begin(&o);
		id = o.last.id;
		first = wait = coap_endpoint_deadline(&o.e) - o.now_ns;
		least = first < least ? first : least;
		most = first > most ? first : most;
		for (int i = 0; i < 4; i++, wait *= 2) {
			one_wait(&o, wait - 1, "", "");
			one_wait(&o, 1, NULL, "");
			assert_int_equal(o.last.id, id);
			assert_int_equal(o.count.retransmissions, i + 1);
		}
		assert_int_equal(coap_endpoint_deadline(&o.e) - o.now_ns, wait);
		one_wait(&o, wait, "", "RESET 1;");
		assert_int_equal(coap_endpoint_deadline(&o.e), INT64_MAX);
		assert_int_equal(o.count.timeouts, 1);
		one_close(&o);
	}
	assert_in_range(least, 2000 * ONE_MS, 2005 * ONE_MS);
	assert_in_range(most, 2995 * ONE_MS, 3000 * ONE_MS);
}

static void matching(void **state)
{
	struct one o;
	uint16_t id;

	(void)state;
	one_params(&o);
	one_begin(&o);
	id = o.last.id;
	one_answer(&o, COAP_ACK, COAP_CONTENT, id, 1, "");
	one_check(&o, "", ""); /* another token */
	one_answer(&o, COAP_ACK, COAP_CONTENT, id ^ 1, 0, "");
	one_check(&o, "", ""); /* another id */
	one_answer(&o, COAP_CON, COAP_CONTENT, 0x1111, 1, "");
	one_check(&o, "70001111", "");
	one_answer(&o, COAP_NON, COAP_CONTENT, 0x1112, 1, "");
	one_check(&o, "70001112", "");
	one_answer(&o, COAP_CON, COAP_GET, 0x1113, 0, "");
	one_check(&o, "70001113", "");
	assert_int_equal(o.count.unmatched, 5);
	one_answer(&o, COAP_NON, COAP_CONTENT, 0x1114, 0, "");
	one_check(&o, "", "HEAD 200;END 200;");
	one_answer(&o, COAP_ACK, COAP_CONTENT, id, 0, "");
	one_check(&o, "", "");
	one_close(&o);
}

static void separate_answers(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_begin(&o);
	one_feed(&o, empty("60 00", o.last.id));
	one_wait(&o, 20000 * ONE_MS, "", ""); /* no retransmission */
	one_answer(&o, COAP_CON, COAP_NOT_FOUND, 0x2222, 0, "");
	one_check(&o, "60002222", "HEAD 404;END 404;");
	one_answer(&o, COAP_CON, COAP_NOT_FOUND, 0x2222, 0, "");
	one_check(&o, NULL, "");
	assert_int_equal(o.last.type, COAP_ACK);
	assert_int_equal(o.count.duplicates, 1);

	/* The answer overtakes the ACK. */
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_CON, COAP_CONTENT, 0x2223, 0, "");
	one_check(&o, "60002223", "HEAD 200;END 200;");
	one_wait(&o, 20000 * ONE_MS, "", "");

	/* It never comes. */
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	one_check(&o, NULL, "");
	one_feed(&o, empty("60 00", o.last.id));
	one_wait(&o, 29999 * ONE_MS, "", "");
	one_wait(&o, 2 * ONE_MS, "", "RESET 2;");
	one_close(&o);
}

/* The peer numbers its own messages: equal ids mean nothing. */
static void ids_of_either_side(void **state)
{
	struct one o;
	uint16_t id;
	char text[16];

	(void)state;
	one_params(&o);
	one_begin(&o);
	id = o.said.id;
	one_feed(&o, empty("40 00", id)); /* its ping */
	snprintf(text, sizeof text, "7000%04x", id);
	one_check(&o, text, "");
	one_answer(&o, COAP_CON, COAP_CONTENT, id, 1, ""); /* another token */
	one_check(&o, text, "");
	one_wait(&o, 3001 * ONE_MS, NULL, ""); /* still waiting */
	assert_int_equal(o.count.retransmissions, 1);
	one_answer(&o, COAP_CON, COAP_CONTENT, id, 0, "");
	snprintf(text, sizeof text, "6000%04x", id);
	one_check(&o, text, "HEAD 200;END 200;");
	one_close(&o);
}

/* Not now, and when: a failure with a time. */
static void too_many_requests(void **state)
{
	struct one o;
	struct app_event e;
	uint8_t bytes[64];
	struct coap_writer w = { .dst = bytes, .cap = sizeof bytes };

	(void)state;
	one_params(&o);
	one_begin(&o);
	coap_write_head(&w, COAP_ACK, COAP_TOO_MANY_REQUESTS, o.said.id, o.said.token, 4);
	coap_write_uint(&w, COAP_MAX_AGE, 2);
	coap_endpoint_feed(&o.e, bytes, w.len, o.now_ns);
	for (int i = 0; i < 2; i++) {
		assert_true(coap_endpoint_next(&o.e, &e));
		assert_int_equal(e.kind, i ? APP_END : APP_HEAD_IN);
		assert_int_equal(e.code, COAP_TOO_MANY_REQUESTS);
		assert_int_equal(e.response.status, 429);
		assert_int_equal(e.response.max_age_s, 2);
	}
	one_close(&o);
}

static void resets(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_begin(&o);
	one_feed(&o, empty("70 00", o.last.id));
	one_check(&o, "", "RESET 3;");
	assert_int_equal(o.count.resets_received, 1);
	assert_int_equal(coap_endpoint_ping(&o.e, o.now_ns), COAP_TOOK);
	one_check(&o, NULL, "");
	assert_int_equal(o.last.code, COAP_EMPTY);
	one_feed(&o, empty("70 00", o.last.id));
	one_check(&o, "", "");
	assert_int_equal(o.count.pings, 1);

	o.params.non = true;
	one_close(&o);
	one_begin(&o);
	assert_int_equal(o.last.type, COAP_NON);
	one_feed(&o, empty("70 00", o.last.id));
	one_check(&o, "", "RESET 3;");
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	one_check(&o, NULL, "");
	one_wait(&o, 30001 * ONE_MS, "", "RESET 2;");
	one_close(&o);
}

static void critical_options(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_begin(&o);
	one_answer(&o, COAP_CON, COAP_CONTENT, 0x3333, 0, "91 00");
	one_check(&o, "70003333", "RESET 4;");
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, "91 00");
	one_check(&o, "", "RESET 4;");
	one_close(&o);
}

static void nstart(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	o.params.nstart = 3;
	one_open(&o, APP_CLIENT);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
		assert_int_equal(o.e.slot, i);
	}
	assert_int_equal(one_ask(&o, NULL), COAP_BUSY);
	one_check(&o, NULL, "");
	one_answer(&o, COAP_ACK, COAP_CONTENT, o.last.id, 0, "");
	one_check(&o, "", "HEAD 200;END 200;");
	assert_int_equal(o.slot, 2);
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	coap_endpoint_cancel(&o.e, 0);
	assert_int_equal(one_ask(&o, NULL), COAP_TOOK);
	assert_int_equal(o.e.slot, 0);
	one_close(&o);
}

static int64_t last_use_ns[65536];

/* More than 65,536 requests in less than EXCHANGE_LIFETIME. Returns how many were taken. */
static int burst(struct one *o, int n)
{
	int taken = 0;

	for (int i = 0; i < n && one_ask(o, NULL) == COAP_TOOK; i++, taken++) {
		one_check(o, NULL, "");
		if (!o->params.reuse_ids && last_use_ns[o->last.id] &&
		    o->now_ns - last_use_ns[o->last.id] < o->params.exchange_lifetime_ns)
			fail_msg("id %u again after %lld ns", o->last.id,
				 (long long)(o->now_ns - last_use_ns[o->last.id]));
		last_use_ns[o->last.id] = o->now_ns;
		one_answer(o, COAP_ACK, COAP_CONTENT, o->last.id, 0, "");
		one_check(o, "", "HEAD 200;END 200;");
		o->now_ns += ONE_MS;
	}
	return taken;
}

static void message_ids(void **state)
{
	struct one o;
	int taken;
	int64_t free_ns;

	(void)state;
	memset(last_use_ns, 0, sizeof last_use_ns);
	one_params(&o);
	one_open(&o, APP_CLIENT);
	taken = burst(&o, 70000);
	assert_in_range(taken, 63000, 65536);
	assert_int_equal(one_ask(&o, NULL), COAP_NO_ID);
	assert_int_equal(o.count.ids_exhausted, 2);
	free_ns = coap_endpoint_id_free(&o.e, o.now_ns);
	assert_true(free_ns > o.now_ns && free_ns < o.now_ns + 247000 * ONE_MS);
	o.now_ns = free_ns;
	assert_int_equal(coap_endpoint_id_free(&o.e, o.now_ns), 0);
	assert_true(burst(&o, 3000) >= 1024);
	one_close(&o);

	one_params(&o);
	o.params.reuse_ids = true;
	one_open(&o, APP_CLIENT);
	assert_int_equal(burst(&o, 70000), 70000);
	one_close(&o);
}

/* At 260 a second for 20 minutes there is always an id. */
static void a_steady_load(void **state)
{
	struct one o;

	(void)state;
	memset(last_use_ns, 0, sizeof last_use_ns);
	one_params(&o);
	one_open(&o, APP_CLIENT);
	for (int i = 0; i < 260 * 1200; i++) {
		assert_int_equal(burst(&o, 1), 1);
		o.now_ns += 1000 * ONE_MS / 260 - ONE_MS;
	}
	one_close(&o);
}

static void what_cannot_be_asked(void **state)
{
	static const struct app_request rows[] = {
		{ .method = APP_HEAD, .target = "/" },
		{ .method = APP_GET, .target = "x" },
		{ .method = APP_POST, .target = "/", .content_type = "text/html" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct one o;

		one_params(&o);
		one_open(&o, APP_CLIENT);
		assert_int_equal(coap_endpoint_request(&o.e, &rows[i], 0), COAP_NEVER);
		assert_true(o.e.fail.code != 0);
		one_check(&o, "", "");
		one_close(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_bytes),
		cmocka_unit_test(retransmission),
		cmocka_unit_test(matching),
		cmocka_unit_test(separate_answers),
		cmocka_unit_test(resets),
		cmocka_unit_test(ids_of_either_side),
		cmocka_unit_test(too_many_requests),
		cmocka_unit_test(critical_options),
		cmocka_unit_test(nstart),
		cmocka_unit_test(message_ids),
		cmocka_unit_test(a_steady_load),
		cmocka_unit_test(what_cannot_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
