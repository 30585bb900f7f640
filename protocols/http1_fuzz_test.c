/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_fuzz_test - random mutations of good messages, cut at random points: where the
 * network cuts must never change what is understood, and nothing may be read or written
 * out of bounds (run it under sanitizers). CIPHERWATT_SEED repeats a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http1_drive.h"

#define MESSAGE_BYTES 2048
#define ROUNDS        30000

static const char *const requests[] = {
	"GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, br;q=0.5\r\n\r\n",
	"POST /page/9/json?x=%41 HTTP/1.1\r\nHost: localhost:8443\r\nContent-Type: text/plain\r\n"
	"Content-Length: 11\r\nExpect: 100-continue\r\n\r\nhello world",
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
	"5;a=b\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: x\r\n\r\n",
	"GET http://h/x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
	"HEAD /a HTTP/1.1\r\nHost: [::1]:1\r\nConnection: keep-alive, close\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
};

static const char *const responses[] = {
	"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 12\r\nContent-Type: text/plain\r\n\r\n"
	"hello world!",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
	"Content-Encoding: "
	"gzip\r\n\r\n5\r\nhello\r\n1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n",
	"HTTP/1.0 404 Not Found\r\nDate: Mon, 30 Nov 2026 22:15:17 GMT\r\n\r\nnothing here",
	"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
};

static const char *const spice[] = {
	"\r\n",
	"\n",
	"\r",
	" ",
	"\t",
	":",
	",",
	";",
	"0",
	"\x7f",
	"\xff",
	"%",
	"/",
	"HTTP/1.1",
	"\r\n\r\n",
	"chunked",
	"Host: x\r\n",
	"ffffffffffffffff\r\n",
	"Content-Length: 5\r\n",
	"Transfer-Encoding: chunked\r\n",
	"Connection: close\r\n",
	"99999999999999999999",
	"-1",
	"\r\n ",
	"0\r\n\r\n",
};

struct message {
	char bytes[MESSAGE_BYTES];
	size_t len;
};

static struct rng rng;
static uint64_t seed;

static void splice(struct message *m, size_t at, size_t cut, const char *put, size_t len)
{
	cut = cut < m->len - at ? cut : m->len - at;
	if (m->len - cut + len > MESSAGE_BYTES)
		return;
	memmove(m->bytes + at + len, m->bytes + at + cut, m->len - at - cut);
	memcpy(m->bytes + at, put, len);
	m->len += len - cut;
}

static void mutate(struct message *m)
{
	size_t at = (size_t)rng_below(&rng, m->len + 1);
	const char *word = spice[rng_below(&rng, sizeof spice / sizeof *spice)];
	char byte = (char)rng_next(&rng);

	switch (rng_below(&rng, 5)) {
	case 0:
		splice(m, at, 1, &byte, 1);
		break;
	case 1:
		splice(m, at, 0, word, strlen(word));
		break;
	case 2:
		splice(m, at, (size_t)rng_below(&rng, 8), "", 0);
		break;
	case 3:
		splice(m, at, strlen(word), word, strlen(word));
		break;
	default: {
		char copy[40];
		size_t n = m->len - at < sizeof copy ? m->len - at : sizeof copy;

		memcpy(copy, m->bytes + at, n);
		splice(m, (size_t)rng_below(&rng, m->len + 1), 0, copy, n);
	}
	}
}

static void make_message(struct message *m, const char *const *from, size_t n)
{
	int parts = 1 + (int)rng_below(&rng, 3), changes = (int)rng_below(&rng, 4);

	m->len = 0;
	while (parts-- > 0) {
		const char *text = from[rng_below(&rng, n)];

		splice(m, m->len, 0, text, strlen(text));
	}
	while (changes-- > 0)
		mutate(m);
}

/* A request is out, so that there is an answer to read. */
static void begin(struct drive *d, bool head)
{
	struct app_request q = {
		.method = head ? APP_HEAD : APP_GET, .target = "/", .host = "h", .keep_alive = true
	};

	drive_again(d);
	if (d->app.half == APP_CLIENT) {
		app_http1.request(&d->app, &q);
		drive_pull(d);
	}
}

static void check_round(struct drive *whole, struct drive *cut, const struct message *m, int round)
{
	bool head = rng_below(&rng, 8) == 0;

	begin(whole, head);
	begin(cut, head);
	drive_feed(whole, m->bytes, m->len);
	drive_end(whole);
	drive_feed(cut, m->bytes, m->len);
	drive_end(cut);
	if (strcmp(buf_text(&whole->events), buf_text(&cut->events)) != 0 ||
	    strcmp(buf_text(&whole->sent), buf_text(&cut->sent)) != 0)
		fail_msg("seed %llu round %d: cuts changed the result\n%.*s\nwhole: %s\ncut: %s",
			 (unsigned long long)seed, round, (int)m->len, m->bytes,
			 buf_text(&whole->events), buf_text(&cut->events));
}

static void run_half(enum app_half half, const char *const *from, size_t n)
{
	static const struct app_limits limits = { .head_bytes = 256, .body_bytes = 64 };
	struct drive whole, cut;
	int understood = 0;

	drive_open(&whole, half, limits);
	drive_open(&cut, half, limits);
	cut.rng = &rng;
	for (int round = 0; round < ROUNDS; round++) {
		struct message m;

		make_message(&m, from, n);
		check_round(&whole, &cut, &m, round);
		understood += strstr(buf_text(&whole.events),
				     half == APP_SERVER ? "SENT" : "END") != NULL;
	}
	drive_close(&whole);
	drive_close(&cut);
	/* Mutations that break everything, or nothing, would test little. */
	assert_in_range(understood, ROUNDS / 10, ROUNDS * 9 / 10);
}

static void cuts_never_change_requests(void **state)
{
	(void)state;
	run_half(APP_SERVER, requests, sizeof requests / sizeof *requests);
}

static void cuts_never_change_responses(void **state)
{
	(void)state;
	run_half(APP_CLIENT, responses, sizeof responses / sizeof *responses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_never_change_requests),
		cmocka_unit_test(cuts_never_change_responses),
	};
	const char *given = getenv("CIPHERWATT_SEED");

	seed = given ? strtoull(given, NULL, 10) : rng_fresh_seed();
	printf("seed %llu\n", (unsigned long long)seed);
	rng_seed(&rng, seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
