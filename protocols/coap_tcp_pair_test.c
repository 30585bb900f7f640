/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_pair_test - both halves of CoAP over a byte stream against each other in pieces
 * of any size, many exchanges at once; and thousands of broken streams to a server.
 */
#include "lib/testing.h"
#include "protocols/coap_tcp_side.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* --- both halves --------------------------------------------------------------------- */

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
	/* Round the lengths where the form of a length changes; the marker is one byte. */
	static const size_t edges[] = { 0, 11, 12, 13, 267, 268, 269, 65803, 65804, 65805 };
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
		if (i < (int)ROWS(edges))
			p.answer_bytes[i] = edges[i];
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

/* --- hostile bytes ------------------------------------------------------------------- */

static const char *const streams[] = {
	CSM "01 01 7f",
	CSM "c1 01 20 bb 'temperature'",
	CSM "72 02 1234 b1 'p' 11 32 ff '{}'",
	CSM "00 00 00 00 01 01 7f",
	"30 e1 22 0480 01 01 7f",
	CSM "02 e2 0a0b",
	CSM "00 e4 01 01 7f",
	CSM "21 01 7f 91 00",
	CSM "31 01 7f d1 0a 06",
	CSM "11 01 7f ff",
	CSM "e1 2000 01 7f",
	"21 01 7e b1 'a' 01 01 7d",
	"42 02 0102 ff 'abc'",
};

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
		size_t len = coap_hex(streams[rng_below(&rng, ROWS(streams))], bytes);

		len += coap_hex(streams[rng_below(&rng, ROWS(streams))], bytes + len);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_halves),
		cmocka_unit_test(cuts_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
