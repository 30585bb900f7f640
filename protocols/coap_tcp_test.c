/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_test - CoAP over a byte stream (RFC 8323): both halves against each other in
 * pieces of any size, and a server against messages written by hand, good and bad.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "lib/testing.h"
#include "protocols/app.h"
#include "protocols/coap.h"
#include "protocols/coap_hex.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))
#define CSM         "00 e1 "

/* --- a server against bytes ----------------------------------------------------------------- */

struct side {
	struct app app;
	struct buf events, sent;
	struct app_response answer;
	struct rng *rng; /* where to cut; NULL: all at once */
};

static void side_open(struct side *s, enum app_half half, struct rng *rng)
{
	*s = (struct side){
		.app = { .ops = &app_coap_tcp,
			 .half = half,
			 .limits = { .head_bytes = 256, .body_bytes = 64 } },
		.answer = { .status = 200,
			    .content_type = "application/json",
			    .body = "hello",
			    .body_bytes = 5,
			    .keep_alive = true },
		.rng = rng,
	};
	assert_int_equal(app_coap_tcp.open(&s->app), 0);
}

static void side_close(struct side *s)
{
	app_coap_tcp.close(&s->app);
	buf_release(&s->events);
	buf_release(&s->sent);
}

static void side_pull(struct side *s)
{
	uint8_t piece[700];
	size_t n;

	do {
		size_t cap = s->rng ? 1 + (size_t)rng_below(s->rng, sizeof piece) : sizeof piece;

		n = app_coap_tcp.pull(&s->app, piece, cap);
		buf_put(&s->sent, piece, n);
	} while (n > 0);
}

static void side_request(struct side *s, const struct app_request *q)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS", "OTHER" };

	buf_printf(&s->events, "%s %s %s ", methods[q->method], q->target,
		   q->content_type ? q->content_type : "-");
	buf_put(&s->events, q->body, q->body_bytes);
	buf_puts(&s->events, "\n");
	s->answer.stream = q->stream;
	assert_int_equal(app_coap_tcp.respond(&s->app, &s->answer), 0);
}

static void side_events(struct side *s)
{
	struct app_event e;

	while (app_coap_tcp.next(&s->app, &e)) {
		if (e.kind == APP_REQUEST)
			side_request(s, &e.request);
		else if (e.kind == APP_HEAD_IN)
			buf_printf(&s->events, "HEAD %d %u\n", e.response.status, e.slot);
		else if (e.kind == APP_BODY)
			buf_put(&s->events, e.bytes, e.len);
		else if (e.kind == APP_END)
			buf_printf(&s->events, "END %d\n", (int)e.response.body_bytes);
		else if (e.kind == APP_RESET)
			buf_printf(&s->events, "RESET %s\n", e.why);
		else if (e.kind == APP_FAILED)
			buf_printf(&s->events, "FAILED\n");
		side_pull(s);
	}
}

/* Cut pieces come from an exact allocation, so that a sanitizer sees reads beyond. */
static void side_feed(struct side *s, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		size_t part = s->rng ? 1 + (size_t)rng_below(s->rng, 5) : len;
		uint8_t *piece;

		part = part < len ? part : len;
		piece = malloc(part);
		memcpy(piece, bytes, part);
		for (size_t used = 0; used < part;) {
			used += app_coap_tcp.feed(&s->app, piece + used, part - used);
			side_events(s);
			side_pull(s);
			side_events(s);
		}
		free(piece);
		bytes += part;
		len -= part;
	}
}

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

/* --- a client against bytes ---------------------------------------------------------------------
 */

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
	side_feed(&s, bytes, coap_hex("30 e1 22 1000", bytes));
	assert_int_equal(app_coap_tcp.request(&s.app, &q), 0);
	q.body_bytes = 1000;
	side_pull(&s);
	side_feed(&s, bytes, coap_hex("30 e1 22 0100", bytes));
	assert_int_equal(app_coap_tcp.request(&s.app, &q), -1);
	assert_non_null(strstr(s.app.fail.text, "up to 256"));
	side_close(&s);
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

/* --- both halves
 * ------------------------------------------------------------------------------------ */

#define JOBS 40

struct pair {
	struct app client, server;
	struct rng rng;
	size_t ask_bytes[JOBS], answer_bytes[JOBS], got[JOBS];
	int asked, served, sent, ended, job_of_slot[APP_STREAMS];
	char ask[JOBS][3000];
};

static char answer_text[200000];

static void pair_server(struct pair *p)
{
	struct app_event e;

	while (app_coap_tcp.next(&p->server, &e)) {
		int job;

		p->sent += e.kind == APP_SENT;
		if (e.kind != APP_REQUEST)
			continue;
		job = atoi(e.request.target + 1);
		assert_int_equal(e.request.body_bytes, p->ask_bytes[job]);
		if (e.request.body_bytes > 0)
			assert_memory_equal(e.request.body, p->ask[job], p->ask_bytes[job]);
		p->served++;
		assert_int_equal(app_coap_tcp.respond(
					 &p->server,
					 &(struct app_response){ .status = 200,
								 .body = answer_text + job,
								 .body_bytes = p->answer_bytes[job],
								 .stream = e.stream,
								 .keep_alive = true }),
				 0);
	}
}

static void pair_client(struct pair *p)
{
	struct app_event e;

	while (app_coap_tcp.next(&p->client, &e)) {
		int job = p->job_of_slot[e.slot];

		if (e.kind == APP_BODY) {
			assert_memory_equal(e.bytes, answer_text + job + p->got[job], e.len);
			p->got[job] += e.len;
		} else if (e.kind == APP_END) {
			assert_int_equal(p->got[job], p->answer_bytes[job]);
			p->ended++;
		} else {
			assert_int_equal(e.kind, APP_HEAD_IN);
			assert_int_equal(e.response.body_bytes, p->answer_bytes[job]);
		}
	}
}

static void pair_move(struct pair *p, bool to_server)
{
	struct app *from = to_server ? &p->client : &p->server;
	struct app *to = to_server ? &p->server : &p->client;
	size_t cap = 1 + (size_t)rng_below(&p->rng, rng_below(&p->rng, 2) ? 40 : 5000);
	char *piece = malloc(cap);
	size_t len = app_coap_tcp.pull(from, piece, cap), used = 0;

	while (used < len) {
		used += app_coap_tcp.feed(to, piece + used, len - used);
		if (to_server)
			pair_server(p);
		else
			pair_client(p);
	}
	free(piece);
	pair_server(p); /* what was sent */
}

static void pair_ask(struct pair *p)
{
	char target[16];
	struct app_request q = { .method = p->ask_bytes[p->asked] ? APP_POST : APP_GET,
				 .target = target,
				 .body = p->ask[p->asked],
				 .body_bytes = p->ask_bytes[p->asked],
				 .keep_alive = true };

	snprintf(target, sizeof target, "/%d", p->asked);
	if (app_coap_tcp.request(&p->client, &q) != 0)
		return;
	p->job_of_slot[p->client.slot] = p->asked++;
}

static void run_pair(uint64_t seed)
{
	static struct pair p;
	int steps = 0;

	p = (struct pair){ 0 };
	rng_seed(&p.rng, seed);
	p.client = (struct app){ .ops = &app_coap_tcp, .half = APP_CLIENT };
	p.server = (struct app){ .ops = &app_coap_tcp,
				 .half = APP_SERVER,
				 .limits = { .body_bytes = 3000 } };
	assert_int_equal(app_coap_tcp.open(&p.client), 0);
	assert_int_equal(app_coap_tcp.open(&p.server), 0);
	for (int i = 0; i < JOBS; i++) {
		p.ask_bytes[i] = rng_below(&p.rng, 3) ? 0 : (size_t)rng_below(&p.rng, 3000);
		p.answer_bytes[i] = (size_t)rng_below(&p.rng, rng_below(&p.rng, 8) ? 600 : 150000);
		for (size_t k = 0; k < p.ask_bytes[i]; k++)
			p.ask[i][k] = (char)rng_next(&p.rng);
	}
	while (p.ended < JOBS && steps++ < 1000000) {
		if (p.asked < JOBS && rng_below(&p.rng, 4) == 0)
			pair_ask(&p);
		pair_move(&p, rng_below(&p.rng, 2));
	}
	assert_int_equal(p.ended, JOBS);
	assert_int_equal(p.served, JOBS);
	assert_int_equal(p.sent, JOBS);
	app_coap_tcp.close(&p.client);
	app_coap_tcp.close(&p.server);
}

static void both_halves(void **state)
{
	struct rng rng = testing_rng("both_halves");

	(void)state;
	for (size_t i = 0; i < sizeof answer_text; i++)
		answer_text[i] = (char)(i * 31 + i / 251);
	for (int i = 0; i < 60; i++)
		run_pair(rng_next(&rng));
}

/* --- hostile bytes
 * ---------------------------------------------------------------------------------------- */

static size_t mutate(struct rng *r, uint8_t *bytes, size_t len, size_t cap)
{
	for (int changes = 1 + (int)rng_below(r, 3); changes > 0 && len > 0; changes--) {
		size_t at = (size_t)rng_below(r, len);

		switch (rng_below(r, 4)) {
		case 0:
			bytes[at] = (uint8_t)rng_next(r);
			break;
		case 1:
			bytes[at] ^= (uint8_t)(1u << rng_below(r, 8));
			break;
		case 2:
			len = at;
			break;
		default:
			if (len + at < cap) {
				memcpy(bytes + len, bytes, at);
				len += at;
			}
		}
	}
	return len;
}

/* Whatever comes, pieces never change what is made of it. */
static void cuts_change_nothing(void **state)
{
	struct rng rng = testing_rng("cuts_change_nothing");
	int understood = 0;

	(void)state;
	for (int round = 0; round < 10000; round++) {
		struct side whole, cut;
		uint8_t bytes[600];
		size_t len = coap_hex(served[rng_below(&rng, ROWS(served))].hex, bytes);

		len += coap_hex(served[rng_below(&rng, ROWS(served))].hex, bytes + len);
		len = mutate(&rng, bytes, len, sizeof bytes);
		side_open(&whole, APP_SERVER, NULL);
		side_open(&cut, APP_SERVER, &rng);
		side_feed(&whole, bytes, len);
		side_feed(&cut, bytes, len);
		if (strcmp(buf_text(&whole.events), buf_text(&cut.events)) != 0 ||
		    whole.sent.len != cut.sent.len ||
		    (cut.sent.len > 0 && memcmp(whole.sent.data, cut.sent.data, cut.sent.len) != 0))
			fail_msg("round %d: whole %s cut %s", round, buf_text(&whole.events),
				 buf_text(&cut.events));
		understood += strstr(buf_text(&whole.events), "GET") != NULL;
		side_close(&whole);
		side_close(&cut);
	}
	assert_in_range(understood, 1000, 9000);
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
		cmocka_unit_test(blocks_for_small_peers),
		cmocka_unit_test(both_halves),
		cmocka_unit_test(cuts_change_nothing),
		cmocka_unit_test(a_flood_of_pings_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
