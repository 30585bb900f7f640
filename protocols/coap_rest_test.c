/* SPDX-License-Identifier: Apache-2.0 */
/* coap_rest_test - what a server's endpoint knows when it has rested, and when it does not rest. */
#include <malloc.h>

#include "protocols/coap_one.h"

#define POST "40 02 0001 b1 'a'"

/* What is remembered outlives the memory that it lay in. */
static void rest_forgets_nothing(void **state)
{
	const char *const second = "40 02 0002 b1 'a'";
	struct one o;

	(void)state;
	one_params(&o);
	o.params.recent = 5; /* the first two are pushed out of it, but not out of the window */
	one_open(&o, APP_SERVER);
	o.answer.body = "22.3 C";
	o.answer.body_bytes = 6;
	one_step(&o, POST, "60440001ff32322e332043", "POST /a;SENT;");
	one_step(&o, second, "60440002ff32322e332043", "POST /a;SENT;");
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	assert_int_equal(coap_endpoint_deadline(&o.e), INT64_MAX);
	assert_int_equal(coap_endpoint_wake(&o.e), 0);
	assert_int_equal(coap_endpoint_wake(&o.e), 0);
	o.answer.body = "another";
	one_step(&o, second, "60440002ff32322e332043", "");
	one_step(&o, POST, "60440001ff32322e332043", "");
	assert_int_equal(o.count.replays, 2);
	for (int i = 3; i < 8; i++) {
		char ask[40];

		snprintf(ask, sizeof ask, "40 02 %04x b1 'a'", i);
		one_step(&o, ask, NULL, "POST /a;SENT;");
		assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
		assert_int_equal(coap_endpoint_wake(&o.e), 0);
	}
	one_step(&o, POST, NULL, "");
	/* After EXCHANGE_LIFETIME it is a new request, and nothing of it was kept. */
	one_wait(&o, 248000 * ONE_MS, "", "");
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	assert_int_equal(coap_endpoint_wake(&o.e), 0);
	one_step(&o, second, NULL, "POST /a;SENT;");
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	one_close(&o);
}

/* The figure of docs/design.md: what is kept of one request and its answer of 512 bytes. */
static void rest_is_small(void **state)
{
	static const uint8_t body[512];
	struct one o;
	size_t awake, resting;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.answer.body = (const char *)body;
	o.answer.body_bytes = sizeof body;
	one_step(&o, POST, NULL, "POST /a;SENT;");
	awake = malloc_usable_size(o.e.layer);
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	resting = malloc_usable_size(o.e.rest);
	assert_in_range(resting, sizeof body, 1100);
	assert_true(awake > 4 * resting);
	one_close(&o);
}

/* Answers to Non-confirmable requests take ids, which stay taken. */
static void ids_stay_taken(void **state)
{
	struct one o;
	char ask[40];

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	for (int i = 0; i < 60000; i++) {
		snprintf(ask, sizeof ask, "50 01 %04x b1 'a'", i);
		one_step(&o, ask, NULL, "GET /a;SENT;");
		if (i % 1000)
			continue;
		assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
		assert_int_equal(coap_endpoint_wake(&o.e), 0);
	}
	assert_int_equal(o.count.ids_exhausted, 0);
	for (int i = 0; i < 6000 && o.count.ids_exhausted == 0; i++) {
		snprintf(ask, sizeof ask, "51 01 %04x 01 b1 'a'", i);
		one_step(&o, ask, NULL, NULL);
		assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
		assert_int_equal(coap_endpoint_wake(&o.e), 0);
	}
	assert_true(o.count.ids_exhausted > 0);
	one_close(&o);
}

static void what_is_open_does_not_rest(void **state)
{
	struct one o;

	(void)state;
	one_params(&o);
	one_open(&o, APP_SERVER);
	o.hold = true;
	one_step(&o, POST, "", "POST /a;");
	assert_true(coap_endpoint_rest(&o.e, o.now_ns) == INT64_MAX);
	one_wait(&o, 501 * ONE_MS, "60000001", "");
	assert_int_equal(coap_endpoint_respond(&o.e, &o.answer, o.now_ns), 0);
	assert_true(coap_endpoint_rest(&o.e, o.now_ns) == INT64_MAX); /* to be pulled */
	one_check(&o, NULL, "");
	assert_true(coap_endpoint_rest(&o.e, o.now_ns) == INT64_MAX); /* to be acknowledged */
	for (int i = 0; i < 6; i++)
		one_wait(&o, 60000 * ONE_MS, NULL, NULL);
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	assert_int_equal(coap_endpoint_wake(&o.e), 0);
	/* The first block of a body. */
	o.hold = false;
	one_step(&o, "40 02 0009 b1 'a' d1 03 08 ff '0123456789abcdef'", NULL, "");
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns),
			 o.now_ns + o.params.exchange_lifetime_ns);
	one_wait(&o, 248000 * ONE_MS, "", "");
	assert_int_equal(coap_endpoint_rest(&o.e, o.now_ns), 0);
	one_close(&o);
	one_params(&o);
	one_open(&o, APP_CLIENT);
	assert_true(coap_endpoint_rest(&o.e, o.now_ns) == INT64_MAX);
	one_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rest_forgets_nothing),
		cmocka_unit_test(rest_is_small),
		cmocka_unit_test(ids_stay_taken),
		cmocka_unit_test(what_is_open_does_not_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
