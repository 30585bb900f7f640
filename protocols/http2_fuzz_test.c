/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_fuzz_test - conversations recorded between the two halves, then mutated frame by
 * frame and byte by byte and played to one half alone: where the network cuts must not
 * change what comes of them, memory stays bounded and nothing is read or written out of
 * bounds (run it under sanitizers). CIPHERWATT_TEST_SEED repeats a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "protocols/http2_drive.h"

#define MESSAGE_BYTES 8192
#define FRAMES_MAX    200
#define ROUNDS        5000

static struct rng rng;
static const struct app_limits limits = {
	.head_bytes = 512, .body_bytes = 200, .streams = 5, .resets = 3
};
/* Of the recorded ones: with WINDOW_UPDATEs. When those are sent depends on the cuts. */
static const struct app_limits narrow = {
	.body_bytes = 200, .streams = 5, .stream_window_bytes = 300, .session_window_bytes = 1000
};

struct tape {
	uint8_t bytes[MESSAGE_BYTES];
	size_t len;
	size_t frame[FRAMES_MAX + 1]; /* where each begins; frame[0] is behind the preface */
	size_t frames;
};

/* What one half sent in a good conversation. */
static struct tape from_client, from_server;

static void index_frames(struct tape *t, size_t at)
{
	t->frames = 0;
	while (at + 9 <= t->len && t->frames < FRAMES_MAX) {
		t->frame[t->frames++] = at;
		at += 9 + ((size_t)t->bytes[at] << 16 | (size_t)t->bytes[at + 1] << 8 |
			   t->bytes[at + 2]);
	}
	t->frame[t->frames] = t->len;
	assert_true(t->frames > 8 && t->frames < FRAMES_MAX);
}

static void record(struct tape *t, const struct buf *wire)
{
	assert_true(t->len + wire->len <= sizeof t->bytes);
	memcpy(t->bytes + t->len, wire->data, wire->len);
	t->len += wire->len;
}

static void record_conversation(void)
{
	static char body[250];
	struct job jobs[] = { job_get("/300"), job_post("/9", body, 200),  job_get("/1200"),
			      job_get("/204"), job_post("/70", body, 250), job_get("/2") };
	struct pair p;

	pair_open(&p, narrow, narrow);
	p.jobs = jobs;
	p.n = sizeof jobs / sizeof *jobs;
	p.at_once = 3;
	for (int quiet = 0; quiet < 6;) {
		quiet = 0;
		for (int i = 0; i < 6; i++) {
			if (i == 2 && p.up.len)
				record(&from_client, &p.up);
			if (i == 5 && p.down.len)
				record(&from_server, &p.down);
			quiet += !pair_step(&p, i);
		}
	}
	assert_int_equal(p.sent, 5);
	pair_close(&p);
	index_frames(&from_client, 24);
	index_frames(&from_server, 0);
}

/* --- mutations ------------------------------------------------------------------------ */

static size_t any_frame(const struct tape *t, size_t *len)
{
	size_t i = (size_t)rng_below(&rng, t->frames);

	*len = t->frame[i + 1] - t->frame[i];
	return t->frame[i];
}

/* Put len bytes at src instead of cut bytes. */
static void splice(struct tape *t, size_t at, size_t cut, const uint8_t *src, size_t len)
{
	if (t->len - cut + len > MESSAGE_BYTES)
		return;
	memmove(t->bytes + at + len, t->bytes + at + cut, t->len - at - cut);
	memcpy(t->bytes + at, src, len);
	t->len += len - cut;
}

static void mutate(struct tape *t, const struct tape *good)
{
	uint8_t copy[MESSAGE_BYTES];
	size_t len, from = any_frame(good, &len), at = any_frame(good, &(size_t){ 0 });

	if (at > t->len || from + len > t->len)
		return;
	memcpy(copy, t->bytes + from, len);
	switch (rng_below(&rng, 6)) {
	case 0: /* a frame again, elsewhere */
		splice(t, at, 0, copy, len);
		break;
	case 1: /* a frame less */
		splice(t, from, len, copy, 0);
		break;
	case 2: /* another stream, type, flag or length */
		t->bytes[from + rng_below(&rng, 9)] ^= (uint8_t)(1u << rng_below(&rng, 8));
		break;
	case 3: /* inside a payload */
		if (len > 9)
			t->bytes[from + 9 + rng_below(&rng, len - 9)] = (uint8_t)rng_next(&rng);
		break;
	case 4: { /* a small frame of any kind */
		uint8_t f[13] = { 0, 0, 4 };

		f[3] = (uint8_t)rng_below(&rng, 11);
		f[4] = (uint8_t)rng_next(&rng) & 0x2d;
		f[8] = (uint8_t)rng_below(&rng, 12);
		f[12] = (uint8_t)rng_below(&rng, 16);
		splice(t, at, 0, f, sizeof f);
		break;
	}
	default: /* garbage */
		for (size_t i = 0; i < len && i < 40; i++)
			copy[i] = (uint8_t)rng_next(&rng);
		splice(t, at, 0, copy, len < 40 ? len : 40);
	}
}

/* --- one half alone -------------------------------------------------------------------- */

struct player {
	struct app app;
	struct buf events;
	uint64_t body_bytes[PAIR_SLOTS];
	unsigned hash[PAIR_SLOTS]; /* of the content so far */
	size_t pulled;
	int good; /* exchanges that went well */
};

static void note(struct player *pl, const struct app_event *e)
{
	static const char answer[] = "0123456789012345678901234567890123456789";
	const struct app_response r = { .status = 200,
					.body = answer,
					.body_bytes = sizeof answer,
					.keep_alive = true,
					.stream = e->stream };

	assert_true(e->slot < app_slots(&limits));
	if (e->kind == APP_BODY) {
		pl->hash[e->slot] = hash_bytes(pl->hash[e->slot], e->bytes, e->len);
		pl->body_bytes[e->slot] += e->len;
		return;
	}
	buf_printf(&pl->events, "%u:%d(%d,%u)", e->stream, (int)e->kind, e->response.status,
		   e->code);
	pl->good += e->kind == APP_END || e->kind == APP_REQUEST;
	if (e->kind == APP_REQUEST) {
		buf_printf(&pl->events, "%s,%u", e->request.target,
			   hash_bytes(0, e->request.body, e->request.body_bytes));
		assert_int_equal(app_http2.respond(&pl->app, &r), 0);
	}
	/* What came of a response that is reset later depends on the cuts, and is lost. */
	if (e->kind == APP_END)
		buf_printf(&pl->events, "%u", pl->hash[e->slot]);
	buf_puts(&pl->events, " ");
	if (e->kind == APP_END)
		assert_int_equal(e->response.body_bytes, pl->body_bytes[e->slot]);
	if (e->kind == APP_END || e->kind == APP_RESET)
		pl->body_bytes[e->slot] = pl->hash[e->slot] = 0;
}

static void pull_all(struct player *pl)
{
	char piece[200];
	size_t n;

	while ((n = app_http2.pull(&pl->app, piece, sizeof piece)) > 0)
		pl->pulled += n;
}

/* Content does not count: into how many pieces it falls depends on the cuts. */
static bool events(struct player *pl)
{
	struct app_event e;
	bool any = false;

	while (app_http2.next(&pl->app, &e)) {
		note(pl, &e);
		any |= e.kind != APP_BODY;
	}
	return any;
}

static void begin(struct player *pl)
{
	const struct app_request q = {
		.method = APP_GET, .target = "/", .host = "h", .keep_alive = true
	};

	app_http2.reset(&pl->app);
	buf_clear(&pl->events);
	memset(pl->body_bytes, 0, sizeof pl->body_bytes);
	memset(pl->hash, 0, sizeof pl->hash);
	pl->pulled = 0;
	if (pl->app.half == APP_CLIENT)
		app_http2.request(&pl->app, &q);
	pull_all(pl);
}

/* Pulled only where events came, so that cuts make no difference to what is sent when. */
static void play(struct player *pl, const struct tape *t, bool cuts)
{
	const struct app_request q = {
		.method = APP_GET, .target = "/", .host = "h", .keep_alive = true
	};
	size_t at = 0;

	begin(pl);
	while (at < t->len) {
		size_t part = cuts ? 1 + (size_t)rng_below(&rng, rng_below(&rng, 2) ? 8 : 300)
				   : t->len,
		       used = 0;
		uint8_t *piece;

		part = part < t->len - at ? part : t->len - at;
		piece = malloc(part);
		memcpy(piece, t->bytes + at, part);
		while (used < part) {
			size_t n = app_http2.feed(&pl->app, piece + used, part - used);

			assert_true(n > 0);
			used += n;
			while (events(pl)) {
				pull_all(pl);
				while (pl->app.half == APP_CLIENT &&
				       app_http2.request(&pl->app, &q) == 0)
					;
			}
		}
		free(piece);
		at += part;
	}
	do
		pull_all(pl);
	while (events(pl));
	app_http2.end(&pl->app);
	do
		pull_all(pl);
	while (events(pl));
	buf_printf(&pl->events, "%zu %d", pl->pulled, app_http2.finished(&pl->app));
}

static void run_half(enum app_half half, const struct tape *good)
{
	struct player whole = { .app = { .ops = &app_http2, .half = half, .limits = limits } };
	struct player cut = whole;

	assert_int_equal(app_http2.open(&whole.app), 0);
	assert_int_equal(app_http2.open(&cut.app), 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct tape t = *good;

		for (int changes = (int)rng_below(&rng, 5); changes > 0; changes--)
			mutate(&t, good);
		play(&whole, &t, false);
		play(&cut, &t, true);
		if (strcmp(buf_text(&whole.events), buf_text(&cut.events)) != 0)
			fail_msg("round %d: cuts changed the result\nwhole: %s\ncut:   %s", round,
				 buf_text(&whole.events), buf_text(&cut.events));
		/* Something always ends it: the peer did. */
		assert_true(app_http2.finished(&cut.app));
	}
	/* Mutations that break everything, or nothing, would test little. */
	assert_in_range(whole.good, ROUNDS, ROUNDS * 5);
	app_http2.close(&whole.app);
	app_http2.close(&cut.app);
	buf_release(&whole.events);
	buf_release(&cut.events);
}

static void servers_stand_mutated_clients(void **state)
{
	(void)state;
	run_half(APP_SERVER, &from_client);
}

static void clients_stand_mutated_servers(void **state)
{
	(void)state;
	run_half(APP_CLIENT, &from_server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_stand_mutated_clients),
		cmocka_unit_test(clients_stand_mutated_servers),
	};

	rng = testing_rng("http2_fuzz_test");
	record_conversation();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
