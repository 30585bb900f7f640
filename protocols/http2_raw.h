/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_raw - for the tests: one half of the codec against frames written by hand, so
 * that a peer may do what no library would. Heads use HPACK's static table and literals
 * only, which makes them bytes that can be read here.
 */
#ifndef PROTOCOLS_HTTP2_RAW_H
#define PROTOCOLS_HTTP2_RAW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "protocols/app.h"

enum {
	DATA,
	HEADERS,
	PRIORITY,
	RST_STREAM,
	SETTINGS,
	PUSH_PROMISE,
	PING,
	GOAWAY,
	WINDOW_UPDATE,
	CONTINUATION
};
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };
enum {
	NO_ERROR,
	PROTOCOL_ERROR,
	FLOW_CONTROL_ERROR = 3,
	REFUSED_STREAM = 7,
	CANCEL = 8,
	ENHANCE_YOUR_CALM = 11
};

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define GET     "\x82\x84\x87\x01\x01h" /* GET, "/", https, authority "h" */
#define POST    "\x83\x84\x87\x01\x01h"
#define OK      "\x88"

struct raw {
	struct app app;
	struct buf in, out;    /* from the hand-written peer; from the codec */
	struct buf events;     /* as text */
	bool stays_unanswered; /* server: requests wait for raw_answer() */
};

static inline void raw_frame(struct raw *r, int type, int flags, uint32_t id, const void *payload,
			     size_t len)
{
	const uint8_t head[] = { (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len,
				 (uint8_t)type,        (uint8_t)flags,      (uint8_t)(id >> 24),
				 (uint8_t)(id >> 16),  (uint8_t)(id >> 8),  (uint8_t)id };

	buf_put(&r->in, head, sizeof head);
	buf_put(&r->in, payload, len);
}

static inline void raw_number(struct raw *r, int type, uint32_t id, uint32_t value)
{
	const uint8_t n[] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
			      (uint8_t)value };

	raw_frame(r, type, 0, id, n, sizeof n);
}

/* A head of fixed bytes and, where name is given, one literal field of up to 126 bytes. */
static inline void raw_head(struct raw *r, int flags, uint32_t id, const char *fixed,
			    const char *name, const char *value)
{
	uint8_t head[512];
	size_t len = strlen(fixed);

	memcpy(head, fixed, len);
	if (name) {
		head[len++] = 0;
		head[len++] = (uint8_t)strlen(name);
		memcpy(head + len, name, strlen(name));
		len += strlen(name);
		head[len++] = (uint8_t)strlen(value);
		memcpy(head + len, value, strlen(value));
		len += strlen(value);
	}
	raw_frame(r, HEADERS, flags, id, head, len);
}

static inline void raw_open(struct raw *r, enum app_half half, struct app_limits limits)
{
	*r = (struct raw){ .app = { .ops = &app_http2, .half = half, .limits = limits } };
	assert_int_equal(app_http2.open(&r->app), 0);
	if (half == APP_SERVER)
		buf_puts(&r->in, PREFACE);
	raw_frame(r, SETTINGS, 0, 0, "", 0);
}

static inline void raw_close(struct raw *r)
{
	app_http2.close(&r->app);
	buf_release(&r->in);
	buf_release(&r->out);
	buf_release(&r->events);
}

static inline void raw_answer(struct raw *r, uint32_t id)
{
	const struct app_response a = {
		.status = 200, .body = "hello", .body_bytes = 5, .keep_alive = true, .stream = id
	};

	assert_int_equal(app_http2.respond(&r->app, &a), 0);
}

static inline void raw_event(struct raw *r, const struct app_event *e)
{
	static const char *const names[] = { "NOTHING", "REQUEST", "HEAD",   "BODY",
					     "END",     "SENT",    "FAILED", "RESET" };

	buf_printf(&r->events, "%u:%s", e->stream, names[e->kind]);
	if (e->kind == APP_REQUEST && e->request.body_bytes)
		buf_printf(&r->events, "(%zu)", e->request.body_bytes);
	if (e->kind == APP_REQUEST && e->request.content_type)
		buf_printf(&r->events, "[%s]", e->request.content_type);
	if (e->kind == APP_HEAD_IN || (r->app.half == APP_SERVER && e->response.status))
		buf_printf(&r->events, "(%d)", e->response.status);
	else if (e->kind == APP_RESET)
		buf_printf(&r->events, "(%u%s)", e->code, e->retry ? " retry" : "");
	buf_puts(&r->events, " ");
	if (e->kind == APP_REQUEST && !r->stays_unanswered)
		raw_answer(r, e->stream);
}

static inline bool raw_events(struct raw *r)
{
	struct app_event e;
	bool any = false;

	for (; app_http2.next(&r->app, &e); any = true)
		raw_event(r, &e);
	return any;
}

static inline void raw_pull(struct raw *r)
{
	char piece[1000];
	size_t n;

	do {
		n = app_http2.pull(&r->app, piece, sizeof piece);
		buf_put(&r->out, piece, n);
	} while (n > 0 || raw_events(r));
}

/* Give it all that was written; events as text, since the last call. */
static inline const char *raw_run(struct raw *r)
{
	buf_clear(&r->events);
	for (size_t used = 0; used < r->in.len;) {
		size_t n = app_http2.feed(&r->app, r->in.data + used, r->in.len - used);

		assert_true(n > 0);
		used += n;
		raw_events(r);
	}
	buf_clear(&r->in);
	raw_pull(r);
	return buf_text(&r->events);
}

static inline uint32_t raw_u32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The last frame of that type on that stream that was sent: its payload, or NULL. */
static inline const uint8_t *raw_sent(const struct raw *r, int type, uint32_t id)
{
	const uint8_t *b = (const uint8_t *)r->out.data, *found = NULL;

	for (size_t at = r->app.half == APP_CLIENT ? 24 : 0; at + 9 <= r->out.len;) {
		size_t len = raw_u32(b + at) >> 8;

		if (b[at + 3] == type && raw_u32(b + at + 5) == id)
			found = b + at + 9;
		at += 9 + len;
	}
	return found;
}

/* The code of RST_STREAM (GOAWAY with id 0), -1: none was sent. */
static inline int raw_code(const struct raw *r, uint32_t id)
{
	const uint8_t *payload = raw_sent(r, id ? RST_STREAM : GOAWAY, id);

	return payload ? (int)raw_u32(id ? payload : payload + 4) : -1;
}

#endif
