/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_observe_test - observation (RFC 7641) on either side: who is told, in what order,
 * and everything that ends it.
 */
#include "protocols/coap_one.h"

static void served(struct one *o, unsigned observations)
{
	one_params(o);
	o->params.observations = observations;
	one_open(o, APP_SERVER);
	o->answer.observe = true;
	o->answer.body = "18.5";
	o->answer.body_bytes = 4;
}

static enum coap_took tell(struct one *o, uint32_t stream, int status, bool con)
{
	struct app_response r = {
		.status = status, .stream = stream, .body = "19", .body_bytes = 2
	};

	return coap_endpoint_notify(&o->e, &r, con, o->now_ns);
}

static const char *empty(const char *head, uint16_t id)
{
	static char text[16];

	snprintf(text, sizeof text, "%s%04x", head, id);
	return text;
}

#define REGISTER   "41 01 0001 4a 60 51 't'"
#define DEREGISTER "41 01 0002 4a 61 01 51 't'"

/* RFC 7641 figure 2. */
static void the_server_tells(void **state)
{
	struct one o;
	uint32_t stream, sequence;

	(void)state;
	served(&o, 2);
	one_step(&o, REGISTER, NULL, "GET /t observe;SENT;");
	stream = o.stream;
	assert_true(one_fields(&o).observed);
	sequence = one_fields(&o).observe;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tell(&o, stream, 200, i % 2), COAP_TOOK);
		one_check(&o, NULL, i % 2 ? "" : "SENT;");
		assert_int_equal(o.last.type, i % 2 ? COAP_CON : COAP_NON);
		assert_int_equal(o.last.token[0], 0x4a);
		assert_true(one_fields(&o).observe > sequence);
		sequence = one_fields(&o).observe;
		if (o.last.type != COAP_CON)
			continue;
		assert_int_equal(tell(&o, stream, 200, true), COAP_BUSY);
		one_step(&o, empty("60 00", o.last.id), "", "SENT;");
	}
	one_step(&o, DEREGISTER, "614500024aff31382e35", "RESET 8;GET /t;SENT;");
	assert_int_equal(tell(&o, stream, 200, false), COAP_NEVER);
	one_close(&o);
}

static void what_ends_it_at_the_server(void **state)
{
	struct one o;

	(void)state;
	/* A NON notification is reset; a CON is; a CON is never acknowledged; an error. */
	for (int how = 0; how < 4; how++) {
		uint32_t stream;

		served(&o, 1);
		one_step(&o, REGISTER, NULL, "GET /t observe;SENT;");
		stream = o.stream;
		assert_int_equal(tell(&o, stream, how == 3 ? 404 : 200, how > 0), COAP_TOOK);
		one_check(&o, NULL, how ? "" : "SENT;");
		if (how < 2)
			one_step(&o, empty("70 00", o.last.id), "", "RESET 8;");
		for (int i = 0; how == 2 && i < 5; i++)
			one_wait(&o, 3001 * ONE_MS << i, NULL, i < 4 ? "" : "RESET 1;");
		if (how == 3) {
			assert_false(one_fields(&o).observed);
			one_step(&o, empty("60 00", o.last.id), "", "SENT;");
		}
		assert_int_equal(tell(&o, stream, 200, false), COAP_NEVER);
		/* Its place is free for another. */
		one_step(&o, "41 01 0009 4b 60 51 't'", NULL, "GET /t observe;SENT;");
		assert_true(one_fields(&o).observed);
		one_close(&o);
	}
}

static void room_for_observers(void **state)
{
	struct one o;

	(void)state;
	served(&o, 0);
	one_step(&o, REGISTER, "614500014aff31382e35", "GET /t;SENT;");
	one_close(&o);

	served(&o, 1);
	one_step(&o, REGISTER, NULL, "GET /t observe;SENT;");
	/* The same again replaces it; another is answered without being one. */
	one_step(&o, "41 01 0003 4a 60 51 't'", NULL, "RESET 8;GET /t observe;SENT;");
	assert_true(one_fields(&o).observed);
	one_step(&o, "41 01 0004 4c 60 51 't'", "614500044cff31382e35", "GET /t observe;SENT;");
	/* An observation takes no place of a request. */
	o.hold = true;
	for (int i = 0; i < 4; i++) {
		char hex[32];

		snprintf(hex, sizeof hex, "41 01 001%x 5%x", i, i);
		one_step(&o, hex, "", "GET /;");
	}
	one_step(&o, "41 01 0020 60", "61a3002060d10101", "");
	one_close(&o);

	/* The workload does not grant it, or fails. */
	served(&o, 1);
	o.answer.status = 404;
	one_step(&o, REGISTER, "618400014aff31382e35", "GET /t observe;SENT;");
	assert_int_equal(tell(&o, o.stream, 200, false), COAP_NEVER);
	one_close(&o);
}

/* --- the observer ------------------------------------------------------------------------- */

static void observer(struct one *o)
{
	struct app_request q = { .method = APP_GET, .target = "/t", .observe = true };

	one_params(o);
	one_open(o, APP_CLIENT);
	assert_int_equal(coap_endpoint_request(&o->e, &q, o->now_ns), COAP_TOOK);
	one_check(o, NULL, "");
	assert_true(one_fields(o).observed && one_fields(o).observe == 0);
}

static void notify(struct one *o, enum coap_type type, uint16_t id, const uint8_t *token,
		   const char *rest)
{
	uint8_t bytes[256];
	struct coap_writer w = { .dst = bytes, .cap = sizeof bytes };

	coap_write_head(&w, type, COAP_CONTENT, id, token, 4);
	w.len += coap_hex(rest, bytes + w.len);
	one_feed_bytes(o, bytes, w.len);
}

#define NEWS "HEAD 200 observing;x;END 200 observing;"

static void the_client_listens(void **state)
{
	struct one o;
	uint8_t token[8];

	(void)state;
	observer(&o);
	memcpy(token, o.said.token, sizeof token);
	notify(&o, COAP_ACK, o.said.id, token, "61 0a ff 'x'");
	one_check(&o, "", NEWS);
	notify(&o, COAP_NON, 1, token, "61 0c ff 'x'");
	one_check(&o, "", NEWS);
	notify(&o, COAP_NON, 2, token, "61 0b ff 'x'"); /* older */
	one_check(&o, "", "");
	notify(&o, COAP_CON, 3, token, "61 0c ff 'x'"); /* the same, but to be acknowledged */
	one_check(&o, "60000003", "");
	notify(&o, COAP_CON, 4, token, "63 ffffff ff 'x'"); /* 2^24 - 1 is before 12 */
	one_check(&o, "60000004", "");
	notify(&o, COAP_CON, 5, token, "63 7fffff ff 'x'");
	one_check(&o, "60000005", NEWS);
	notify(&o, COAP_CON, 6, token, "63 ffff00 ff 'x'");
	one_check(&o, "60000006", NEWS);
	notify(&o, COAP_CON, 7, token, "61 01 ff 'x'"); /* round the corner */
	one_check(&o, "60000007", NEWS);
	o.now_ns += 129000 * ONE_MS;
	notify(&o, COAP_CON, 8, token, "60 ff 'x'"); /* anything is newer by now */
	one_check(&o, "60000008", NEWS);
	one_wait(&o, 1000000 * ONE_MS, "", ""); /* silence is no failure */
	/* Without the option it is the last. */
	notify(&o, COAP_CON, 9, token, "ff 'x'");
	one_check(&o, "60000009", "HEAD 200;x;END 200;");
	notify(&o, COAP_CON, 10, token, "61 02 ff 'x'");
	one_check(&o, "7000000a", "");
	one_close(&o);
}

static void the_client_stops(void **state)
{
	struct one o;
	uint8_t token[8];

	(void)state;
	observer(&o);
	memcpy(token, o.said.token, sizeof token);
	notify(&o, COAP_ACK, o.said.id, token, "61 0a ff 'x'");
	one_check(&o, "", NEWS);
	coap_endpoint_cancel(&o.e, o.slot);
	notify(&o, COAP_NON, 1, token, "61 0b ff 'x'");
	one_check(&o, "70000001", "");
	one_close(&o);
}

/* RFC 7959 section 3.4: the rest of a notification is asked for without Observe. */
static void notifications_in_blocks(void **state)
{
	struct one o;
	uint8_t token[8];

	(void)state;
	observer(&o);
	memcpy(token, o.said.token, sizeof token);
	notify(&o, COAP_ACK, o.said.id, token, "61 0a d1 04 08 ff '0123456789abcdef'");
	one_check(&o, NULL, "HEAD 200 observing;0123456789abcdef;");
	assert_false(one_fields(&o).observed);
	assert_int_equal(one_fields(&o).block2.number, 1);
	assert_memory_not_equal(o.said.token, token, 4);
	/* A newer state comes in the middle: what came of the older one is dropped. */
	notify(&o, COAP_CON, 1, token, "61 0b d1 04 08 ff 'FEDCBA9876543210'");
	one_check(&o, NULL, "HEAD 200 observing;FEDCBA9876543210;");
	assert_int_equal(one_fields(&o).block2.number, 1);
	notify(&o, COAP_ACK, o.said.id, o.said.token, "d1 0a 10 ff 'end'");
	one_check(&o, "", "end;END 200 observing;");
	notify(&o, COAP_CON, 2, token, "61 0c ff 'x'");
	one_check(&o, "60000002", NEWS);
	one_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_server_tells),   cmocka_unit_test(what_ends_it_at_the_server),
		cmocka_unit_test(room_for_observers), cmocka_unit_test(the_client_listens),
		cmocka_unit_test(the_client_stops),   cmocka_unit_test(notifications_in_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
