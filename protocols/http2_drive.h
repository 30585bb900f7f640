/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_drive - for the tests: a client and a server half joined in memory, cut and
 * scheduled at random where asked. The client has a list of jobs; the server answers
 * "/N" with N bytes, in any order, from memory that it frees as soon as it may, so that
 * a sanitizer sees who reads too late.
 */
#ifndef PROTOCOLS_HTTP2_DRIVE_H
#define PROTOCOLS_HTTP2_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/rng.h"
#include "protocols/app.h"

#define PAIR_SLOTS 128

struct job {
	struct app_request q;
	bool begun, over, failed, retry;
	uint32_t id, code;
	int status;
	uint64_t bytes, declared;
	unsigned hash;
	bool keep_alive;
};

struct owed {
	bool waits; /* for an answer */
	struct app_response r;
	char *body;
};

struct pair {
	struct app client, server;
	struct rng *rng; /* NULL: everything at once, in order */
	struct buf up, down;
	struct job *jobs;
	int n, in_flight, at_once, in_flight_max;
	struct job *by_slot[PAIR_SLOTS];
	struct owed owed[PAIR_SLOTS];
	int seen, open, open_max, sent, refused, resets; /* at the server */
	bool client_failed, server_failed, drain;        /* drain: answers end the association */
};

static inline unsigned hash_bytes(unsigned hash, const void *src, size_t len)
{
	const unsigned char *bytes = src;

	for (size_t i = 0; i < len; i++)
		hash = hash * 31 + bytes[i];
	return hash;
}

static inline void pair_open(struct pair *p, struct app_limits client, struct app_limits server)
{
	*p = (struct pair){ .at_once = 1 };
	p->client = (struct app){ .ops = &app_http2, .half = APP_CLIENT, .limits = client };
	p->server = (struct app){ .ops = &app_http2, .half = APP_SERVER, .limits = server };
	assert_int_equal(app_http2.open(&p->client), 0);
	assert_int_equal(app_http2.open(&p->server), 0);
	assert_true(app_slots(&client) <= PAIR_SLOTS && app_slots(&server) <= PAIR_SLOTS);
}

static inline void pair_forget(struct pair *p)
{
	for (int i = 0; i < PAIR_SLOTS; i++) {
		free(p->owed[i].body);
		p->owed[i] = (struct owed){ 0 };
		p->by_slot[i] = NULL;
	}
	buf_clear(&p->up);
	buf_clear(&p->down);
	p->in_flight = p->open = 0;
}

static inline void pair_close(struct pair *p)
{
	app_http2.close(&p->client);
	app_http2.close(&p->server);
	pair_forget(p);
	buf_release(&p->up);
	buf_release(&p->down);
}

static inline size_t some(struct pair *p, size_t most)
{
	if (!p->rng || most == 0)
		return most;
	return 1 + (size_t)rng_below(p->rng, rng_below(p->rng, 2) ? most : (most < 12 ? most : 12));
}

/* --- the server's shell ---------------------------------------------------------- */

static inline void owe(struct pair *p, const struct app_event *e)
{
	struct owed *o = &p->owed[e->slot];
	size_t size = strtoul(e->request.target + 1, NULL, 10);
	unsigned salt = hash_bytes(7, e->request.body, e->request.body_bytes);

	assert_null(o->body);
	assert_int_equal(e->stream, e->request.stream);
	o->body = malloc(size + 1);
	for (size_t i = 0; i < size; i++)
		o->body[i] = (char)((i >> 8) + i * 7 + salt);
	o->waits = true;
	o->r = (struct app_response){ .status = size == 204 ? 204 : 200,
				      .content_type = "text/plain",
				      .body = o->body,
				      .body_bytes = size,
				      .keep_alive = !p->drain,
				      .stream = e->stream };
	p->seen++;
	if (++p->open > p->open_max)
		p->open_max = p->open;
}

static inline void settle(struct pair *p, unsigned slot)
{
	/* Overwritten: memory that is freed and still read must not look right. */
	if (p->owed[slot].body)
		memset(p->owed[slot].body, '!', p->owed[slot].r.body_bytes);
	free(p->owed[slot].body);
	p->owed[slot] = (struct owed){ 0 };
	p->open--;
}

static inline void server_events(struct pair *p)
{
	struct app_event e;

	while (app_http2.next(&p->server, &e)) {
		if (e.kind == APP_REQUEST) {
			owe(p, &e);
		} else if (e.kind == APP_SENT) {
			p->sent++;
			settle(p, e.slot);
		} else if (e.kind == APP_RESET && e.response.status) {
			p->refused++;
		} else if (e.kind == APP_RESET) {
			p->resets++;
			settle(p, e.slot);
		} else {
			assert_int_equal(e.kind, APP_FAILED);
			p->server_failed = true;
		}
	}
}

/* One of those that wait, or all of them in order. */
static inline bool server_answers(struct pair *p)
{
	unsigned from = p->rng ? (unsigned)rng_below(p->rng, PAIR_SLOTS) : 0;
	bool any = false;

	for (unsigned i = 0; i < PAIR_SLOTS; i++) {
		struct owed *o = &p->owed[(from + i) % PAIR_SLOTS];

		if (!o->waits)
			continue;
		o->waits = false;
		any = true;
		assert_int_equal(app_http2.respond(&p->server, &o->r), 0);
		assert_int_equal(app_http2.respond(&p->server, &o->r), -1);
		if (p->rng)
			break;
	}
	return any;
}

/* --- the client's shell ------------------------------------------------------------ */

static inline void job_over(struct pair *p, unsigned slot, bool failed)
{
	struct job *j = p->by_slot[slot];

	j->over = true;
	j->failed = failed;
	p->by_slot[slot] = NULL;
	p->in_flight--;
}

static inline void client_event(struct pair *p, const struct app_event *e)
{
	struct job *j = p->by_slot[e->slot];

	if (e->kind == APP_FAILED) {
		p->client_failed = true;
		return;
	}
	assert_non_null(j);
	assert_int_equal(j->id, e->stream);
	if (e->kind == APP_HEAD_IN) {
		j->status = e->response.status;
		j->declared = e->response.body_bytes;
		assert_string_equal(e->response.content_type ? e->response.content_type : "-",
				    j->status == 200 || j->status == 204 ? "text/plain" : "-");
	} else if (e->kind == APP_BODY) {
		j->hash = hash_bytes(j->hash, e->bytes, e->len);
		j->bytes += e->len;
	} else if (e->kind == APP_END) {
		assert_int_equal(e->response.body_bytes, j->bytes);
		j->keep_alive = e->response.keep_alive;
		job_over(p, e->slot, false);
	} else {
		assert_int_equal(e->kind, APP_RESET);
		j->code = e->code;
		j->retry = e->retry;
		assert_non_null(e->why);
		job_over(p, e->slot, true);
	}
}

static inline void client_events(struct pair *p)
{
	struct app_event e;

	while (app_http2.next(&p->client, &e))
		client_event(p, &e);
}

static inline bool client_asks(struct pair *p)
{
	bool any = false;

	for (int i = 0; i < p->n && p->in_flight < p->at_once; i++) {
		struct job *j = &p->jobs[i];

		if (j->begun)
			continue;
		if (app_http2.request(&p->client, &j->q) != 0) {
			assert_int_equal(p->client.fail.code, 0);
			break;
		}
		j->begun = any = true;
		j->id = p->client.stream;
		assert_null(p->by_slot[p->client.slot]);
		p->by_slot[p->client.slot] = j;
		if (++p->in_flight > p->in_flight_max)
			p->in_flight_max = p->in_flight;
	}
	return any;
}

/* --- between them -------------------------------------------------------------------- */

static inline bool pair_pull(struct pair *p, struct app *a, struct buf *wire)
{
	size_t cap = some(p, 16384), got;
	char *piece = malloc(cap);

	got = app_http2.pull(a, piece, cap);
	assert_true(got <= cap);
	buf_put(wire, piece, got);
	free(piece);
	if (a == &p->server)
		server_events(p);
	else
		client_events(p);
	return got > 0;
}

/* From an exact allocation, so that a sanitizer sees reads beyond. */
static inline bool pair_feed(struct pair *p, struct app *a, struct buf *wire)
{
	size_t len = some(p, wire->len), used = 0;
	char *piece = malloc(len + 1);

	memcpy(piece, len ? wire->data : "", len);
	while (used < len) {
		size_t taken = app_http2.feed(a, piece + used, len - used);

		assert_true(taken > 0);
		used += taken;
		if (a == &p->server)
			server_events(p);
		else
			client_events(p);
	}
	buf_drop(wire, len);
	free(piece);
	return len > 0;
}

static inline bool pair_step(struct pair *p, int what)
{
	switch (what) {
	case 0:
		return client_asks(p);
	case 1:
		return pair_pull(p, &p->client, &p->up);
	case 2:
		return pair_feed(p, &p->server, &p->up);
	case 3:
		return server_answers(p);
	case 4:
		return pair_pull(p, &p->server, &p->down);
	default:
		return pair_feed(p, &p->client, &p->down);
	}
}

/* Until nothing moves any more. */
static inline void pair_run(struct pair *p)
{
	int quiet = 0;

	while (quiet < 6) {
		int from = p->rng ? (int)rng_below(p->rng, 6) : 0;

		quiet = 0;
		for (int i = 0; i < 6; i++)
			quiet += !pair_step(p, (from + i) % 6);
	}
}

static inline struct job job_get(const char *target)
{
	return (struct job){
		.q = { .method = APP_GET, .target = target, .host = "h", .keep_alive = true }
	};
}

static inline struct job job_post(const char *target, const void *body, size_t len)
{
	return (struct job){ .q = { .method = APP_POST,
				    .target = target,
				    .host = "h:8443",
				    .content_type = "text/plain",
				    .body = body,
				    .body_bytes = len,
				    .keep_alive = true } };
}

static inline unsigned expected_hash(size_t size, const void *body, size_t len)
{
	unsigned salt = hash_bytes(7, body, len), hash = 0;

	for (size_t i = 0; i < size; i++) {
		char c = (char)((i >> 8) + i * 7 + salt);

		hash = hash_bytes(hash, &c, 1);
	}
	return hash;
}

/* It has got exactly what the server makes of its target and body. */
static inline void check_job(const struct job *j)
{
	size_t size = strtoul(j->q.target + 1, NULL, 10);
	bool bare = j->q.method == APP_HEAD || size == 204;

	assert_true(j->over);
	assert_false(j->failed);
	assert_int_equal(j->status, size == 204 ? 204 : 200);
	assert_int_equal(j->declared, size == 204 ? 0 : size);
	assert_int_equal(j->bytes, bare ? 0 : size);
	assert_int_equal(j->hash, bare ? 0 : expected_hash(size, j->q.body, j->q.body_bytes));
}

#define JOBS 40

static inline void make_jobs(struct rng *rng, struct job *jobs, char targets[][16], char *body,
			     size_t body_max)
{
	for (int i = 0; i < JOBS; i++) {
		size_t size = (size_t)rng_below(rng, rng_below(rng, 3) ? 300 : 30000);
		size_t body_bytes = (size_t)rng_below(rng, body_max);

		snprintf(targets[i], sizeof targets[i], "/%zu", size);
		jobs[i] = rng_below(rng, 3) ? job_get(targets[i])
					    : job_post(targets[i], body, body_bytes);
		if (rng_below(rng, 10) == 0)
			jobs[i].q.method = APP_HEAD;
	}
}

#endif
