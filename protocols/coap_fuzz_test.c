/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_fuzz_test - thousands of broken messages to either half: nothing is read beyond,
 * little is said to each, every exchange ends exactly once, and a server still serves. And
 * in a long peaceful life nothing is allocated.
 */
#include <malloc.h>

#include "lib/testing.h"
#include "protocols/coap_drive.h"
#include "protocols/coap_one.h"

#define ROUNDS      12000
#define ROWS(table) (sizeof(table) / sizeof *(table))

static const char *const messages[] = {
	"40 01 0001 bb 'temperature'",
	"44 02 0002 01020304 b4 'page' 11 32 ff '{\"a\":1}'",
	"52 01 0003 aabb b1 'a' 45 'q=1&2'",
	"40 00 0004",
	"60 00 0005",
	"70 00 0006",
	"44 45 0007 01020304 c1 32 21 05 ff 'hello'",
	"64 45 0008 01020304 48 '12345678' 21 10 81 32 b1 08 ff '0123456789abcdef'",
	"64 5f 0009 01020304 d1 0e 08",
	"64 8d 000a 01020304 d1 0e 08",
	"44 45 000b 01020304 62 0100 ff 'x'",
	"42 02 000c 0102 b1 'b' d1 03 08 d1 14 20 ff '0123456789abcdef'",
	"42 02 000d 0103 b1 'b' d1 03 18 ff '0123456789abcdef'",
	"42 02 000e 0104 b1 'b' d1 03 20 ff 'xyz'",
	"42 01 000f 0105 60 51 't' c1 02",
	"42 01 0010 0106 61 01 51 't'",
	"42 01 0011 0107 b1 't' c1 12",
	"41 01 0012 01 33 'h.x' 41 50 41 'p' 41 'q' d1 15 'y'",
};

static size_t mutate(struct rng *r, uint8_t *bytes, size_t len, size_t cap)
{
	for (int changes = (int)rng_below(r, 4); changes > 0 && len > 0; changes--) {
		size_t at = (size_t)rng_below(r, len);

		switch (rng_below(r, 6)) {
		case 0:
			bytes[at] = (uint8_t)rng_next(r);
			break;
		case 1:
			bytes[at] ^= (uint8_t)(1u << rng_below(r, 8));
			break;
		case 2:
			len = at;
			break;
		case 3:
			memmove(bytes + at, bytes + at + 1, len - at - 1);
			len--;
			break;
		case 4:
			if (len + at < cap) {
				memcpy(bytes + len, bytes, at);
				len += at;
			}
			break;
		default:
			bytes[at] = 0xff;
		}
	}
	return len;
}

static size_t make(struct rng *r, uint8_t *bytes, size_t cap)
{
	size_t len = coap_hex(messages[rng_below(r, ROWS(messages))], bytes);

	/* A new id most times, and each kind of message. */
	if (rng_below(r, 4)) {
		bytes[2] = (uint8_t)rng_next(r);
		bytes[3] = (uint8_t)rng_next(r);
	}
	if (rng_below(r, 4) == 0)
		bytes[0] = (uint8_t)((bytes[0] & 0xcf) | rng_below(r, 4) << 4);
	return mutate(r, bytes, len, cap);
}

static int pull_all(struct coap_endpoint *e)
{
	uint8_t bytes[COAP_MTU_BYTES];
	struct coap_message m;
	size_t len;
	int n = 0;

	while ((len = coap_endpoint_pull(e, bytes, sizeof bytes)) > 0) {
		/* What it says itself is always well formed. */
		assert_int_equal(coap_parse(bytes, len, &m), COAP_GOOD);
		n++;
	}
	return n;
}

static int64_t some_time(struct rng *r)
{
	return (int64_t)rng_below(r, rng_below(r, 50) ? 20 : 300000) * ONE_MS;
}

static void broken_messages_to_a_server(void **state)
{
	static uint8_t body[3000];
	struct rng r = testing_rng("broken_messages_to_a_server");
	struct one o;
	int requests = 0;
	struct app_event e;

	(void)state;
	one_params(&o);
	o.params.observations = 2;
	o.params.body_bytes = 300;
	o.params.answer_bytes = 2500;
	one_open(&o, APP_SERVER);
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[400];
		size_t len = make(&r, bytes, sizeof bytes);
		uint8_t *exact = malloc(len ? len : 1);
		int said;

		memcpy(exact, bytes, len);
		coap_endpoint_feed(&o.e, exact, len, o.now_ns);
		while (coap_endpoint_next(&o.e, &e)) {
			struct app_response a = { .status = rng_below(&r, 9) ? 200 : 404,
						  .body = body,
						  .body_bytes = rng_below(&r, sizeof body),
						  .stream = e.stream,
						  .observe = true };

			requests += e.kind == APP_REQUEST;
			if (e.kind == APP_REQUEST && rng_below(&r, 8))
				coap_endpoint_respond(&o.e, &a, o.now_ns);
			else if (e.kind == APP_SENT)
				coap_endpoint_notify(&o.e, &a, rng_below(&r, 2), o.now_ns);
			for (size_t i = 0; e.kind == APP_REQUEST && i < e.request.body_bytes; i++)
				body[0] ^= ((const uint8_t *)e.request.body)[i];
		}
		free(exact);
		said = pull_all(&o.e);
		assert_in_range(said, 0, 3);
		o.now_ns += some_time(&r);
		coap_endpoint_expire(&o.e, o.now_ns);
		/* Requests that were never answered: the peer's own places. */
		if (round % 500 == 0)
			coap_endpoint_reset(&o.e);
		pull_all(&o.e);
	}
	assert_in_range(requests, ROUNDS / 20, ROUNDS);
	coap_endpoint_reset(&o.e);
	one_step(&o, "41 01 7d35 20 bb 'temperature'", "61457d3520", "GET /temperature;SENT;");
	one_close(&o);
}

/* Give a broken answer a real id and token, so that it is looked at. */
static void aim(struct rng *r, struct one *o, uint8_t *bytes, size_t len)
{
	if (len < 8 || rng_below(r, 5) == 0)
		return;
	bytes[2] = (uint8_t)(o->said.id >> 8);
	bytes[3] = (uint8_t)o->said.id;
	if ((bytes[0] & 15) == 4)
		memcpy(bytes + 4, o->said.token, 4);
}

static void keep_said(struct one *o)
{
	uint8_t bytes[COAP_MTU_BYTES];
	size_t len;

	while ((len = coap_endpoint_pull(&o->e, bytes, sizeof bytes)) > 0) {
		assert_int_equal(coap_parse(bytes, len, &o->last), COAP_GOOD);
		if (o->last.code != COAP_EMPTY)
			o->said = o->last;
	}
}

static int count_ends(struct one *o)
{
	struct app_event e;
	int ends = 0;

	while (coap_endpoint_next(&o->e, &e)) {
		if (e.kind == APP_RESET || (e.kind == APP_END && !e.response.observe))
			ends++;
		for (size_t i = 0; e.kind == APP_BODY && i < e.len; i++)
			o->slot += ((const uint8_t *)e.bytes)[i];
	}
	return ends;
}

static void broken_messages_to_a_client(void **state)
{
	static char body[100] = "0123456789";
	struct rng r = testing_rng("broken_messages_to_a_client");
	struct one o;
	int asked = 0, ended = 0;

	(void)state;
	one_params(&o);
	o.params.reuse_ids = true;
	o.params.block_bytes = 32;
	o.params.body_bytes = 200;
	one_open(&o, APP_CLIENT);
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[400], *exact;
		size_t len;
		struct app_request q = { .method = rng_below(&r, 2) ? APP_GET : APP_POST,
					 .target = "/r",
					 .observe = rng_below(&r, 3) == 0 };

		if (q.method == APP_POST) {
			q.body = body;
			q.body_bytes = rng_below(&r, sizeof body);
		}
		asked += coap_endpoint_request(&o.e, &q, o.now_ns) == COAP_TOOK;
		keep_said(&o);
		len = make(&r, bytes, sizeof bytes);
		aim(&r, &o, bytes, len);
		exact = malloc(len ? len : 1);
		memcpy(exact, bytes, len);
		coap_endpoint_feed(&o.e, exact, len, o.now_ns);
		ended += count_ends(&o);
		free(exact);
		o.now_ns += some_time(&r);
		coap_endpoint_expire(&o.e, o.now_ns);
		ended += count_ends(&o);
		/* An observation may last for ever. */
		if (round % 50 == 0 && ended < asked) {
			coap_endpoint_cancel(&o.e, 0);
			ended++;
		}
		assert_in_range(asked - ended, 0, 1);
	}
	assert_in_range(asked, ROUNDS / 50, ROUNDS);
	one_close(&o);
}

/* --- a long life --------------------------------------------------------------------- */

struct life {
	int asked, ended;
};

static char page[4000];

static void life_server(struct drive *d, const struct app_event *e)
{
	struct app_response r = { .status = 200, .body = page, .stream = e->stream };

	if (e->kind != APP_REQUEST)
		return;
	r.body_bytes = (uint64_t)atoi(e->request.target + 1);
	coap_endpoint_respond(&d->server, &r, d->now_ns);
}

static void life_client(struct drive *d, const struct app_event *e)
{
	struct life *l = d->user;

	l->ended += e->kind == APP_END || e->kind == APP_RESET;
}

static void live(struct drive *d, int n)
{
	struct life *l = d->user;

	for (int i = 0; i < n; i++) {
		char target[16];
		struct app_request q = { .method = i % 3 ? APP_POST : APP_GET,
					 .target = target,
					 .body = page,
					 .body_bytes = i % 3 ? (size_t)i % 3000 : 0 };

		snprintf(target, sizeof target, "/%d", i * 37 % 4000);
		assert_int_equal(coap_endpoint_request(&d->client, &q, d->now_ns), COAP_TOOK);
		l->asked++;
		drive_settle(d);
		while (l->ended < l->asked)
			assert_true(drive_step(d));
	}
}

static size_t allocated(void)
{
	return mallinfo2().uordblks;
}

static void memory_does_not_grow(void **state)
{
	static struct drive d;
	struct life life = { 0 };
	struct coap_params p;
	size_t before;

	(void)state;
	coap_params_init(&p);
	p.reuse_ids = true;
	drive_open(&d, &p, &p, 1);
	d.user = &life;
	d.on_client = life_client;
	d.on_server = life_server;
	d.double_percent = 10;
	live(&d, 10000);
	while (drive_step(&d))
		;
	before = allocated();
	live(&d, 50000);
	while (drive_step(&d))
		;
	assert_int_equal(allocated(), before);
	assert_true(d.count_server.duplicates > 1000);
	drive_close(&d);
}

/* What a peer that has done nothing special costs a server. */
static void a_peer_is_small(void **state)
{
	struct one o[100];
	size_t before = allocated(), after;

	(void)state;
	for (int i = 0; i < 100; i++) {
		one_params(&o[i]);
		one_open(&o[i], APP_SERVER);
	}
	after = allocated();
	printf("%zu bytes for an endpoint of a server\n", (after - before) / 100);
	assert_true((after - before) / 100 < 10240);
	for (int i = 0; i < 100; i++)
		one_close(&o[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_messages_to_a_server),
		cmocka_unit_test(broken_messages_to_a_client),
		cmocka_unit_test(memory_does_not_grow),
		cmocka_unit_test(a_peer_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
