/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_drive - for the tests: a client of HTTP/2 over the TLS client of tls_drive.h, and
 * frames written by hand for what no codec would send.
 */
#ifndef SERVERS_HTTP2_DRIVE_H
#define SERVERS_HTTP2_DRIVE_H

#include "servers/tls_drive.h"

#include "protocols/app.h"

#define HTTP2_PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define HTTP2_SETTINGS "\0\0\0\4\0\0\0\0\0"

struct http2_client {
	struct client tls;
	struct app app;
	int asked, answered, failed; /* requests; those over with 200, those over otherwise */
	uint64_t body_bytes;
	bool last; /* the server takes no more */
	bool over; /* the server has closed */
};

static inline void http2_open(struct http2_client *h, struct server *s,
			      const struct server_params *p, const char *alpn)
{
	*h = (struct http2_client){ .app = { .ops = &app_http2, .half = APP_CLIENT } };
	h->app.limits.stream_window_bytes = h->app.limits.session_window_bytes = INT32_MAX;
	h->app.limits.streams = 100;
	assert_int_equal(app_http2.open(&h->app), 0);
	client_open_with(&h->tls, s, p, alpn);
	if (client_handshake(&h->tls) != STEP_DONE)
		fail_msg("%s: %s", p->listener[0].engine->name, h->tls.assoc.fail.text);
}

static inline void http2_close(struct http2_client *h)
{
	app_http2.close(&h->app);
	client_close(&h->tls);
}

static inline void http2_ask(struct http2_client *h, const char *target)
{
	struct app_request q = {
		.method = APP_GET, .target = target, .host = "h", .keep_alive = true
	};

	if (app_http2.request(&h->app, &q) != 0)
		fail_msg("request %d: %s", h->asked, h->app.fail.text);
	h->asked++;
}

static inline void http2_push(struct http2_client *h)
{
	char piece[8192];
	size_t len, put;

	while ((len = app_http2.pull(&h->app, piece, sizeof piece)) > 0) {
		for (size_t at = 0; at < len; at += put) {
			assert_int_equal(h->tls.domain.ops->write(&h->tls.assoc, piece + at,
								  len - at, &put),
					 STEP_DONE);
			client_send(&h->tls);
		}
	}
}

static inline void http2_events(struct http2_client *h)
{
	struct app_event e;

	while (app_http2.next(&h->app, &e)) {
		if (e.kind == APP_BODY)
			h->body_bytes += e.len;
		if (e.kind == APP_HEAD_IN)
			assert_int_equal(e.response.status, 200);
		if (e.kind == APP_END) {
			h->answered++;
			h->last |= !e.response.keep_alive;
		}
		h->failed += e.kind == APP_RESET;
		if (e.kind == APP_FAILED)
			fail_msg("%s", h->app.fail.text);
	}
}

/* One step: send what waits, then read once. */
static inline void http2_step(struct http2_client *h)
{
	char piece[16384];
	size_t got = 0, used = 0;
	enum step step;

	http2_push(h);
	step = h->tls.domain.ops->read(&h->tls.assoc, piece, sizeof piece, &got);
	if (step == STEP_FAILED)
		fail_msg("%s", h->tls.assoc.fail.text);
	while (used < got) {
		used += app_http2.feed(&h->app, piece + used, got - used);
		http2_events(h);
	}
	if (step == STEP_CLOSED || (step == STEP_IN && !client_receive(&h->tls))) {
		h->over = true;
		app_http2.end(&h->app);
		http2_events(h);
	}
}

/* Until every request is answered. */
static inline void http2_run(struct http2_client *h)
{
	while (h->answered + h->failed < h->asked) {
		if (h->over)
			fail_msg("closed after %d of %d answers", h->answered, h->asked);
		http2_step(h);
	}
}

/* --- by hand ---------------------------------------------------------------------- */

static inline void frame_put(struct buf *b, int type, int flags, uint32_t id, const void *payload,
			     size_t len)
{
	const uint8_t head[] = { (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len,
				 (uint8_t)type,        (uint8_t)flags,      (uint8_t)(id >> 24),
				 (uint8_t)(id >> 16),  (uint8_t)(id >> 8),  (uint8_t)id };

	buf_put(b, head, sizeof head);
	buf_put(b, payload, len);
}

/* GET over http, in HPACK's static table and literals: a target of up to 126 bytes. */
static inline void frame_get(struct buf *b, uint32_t id, const char *target)
{
	char head[160];
	int len = snprintf(head, sizeof head, "\x82\x86\x04%c%s\x01\x01h", (int)strlen(target),
			   target);

	frame_put(b, 1, 1 | 4, id, head, (size_t)len); /* HEADERS: END_STREAM, END_HEADERS */
}

/* RST_STREAM: CANCEL. */
static inline void frame_cancel(struct buf *b, uint32_t id)
{
	frame_put(b, 3, 0, id, "\0\0\0\x08", 4);
}

static inline void frame_begin(struct buf *b)
{
	buf_clear(b);
	buf_put(b, HTTP2_PREFACE HTTP2_SETTINGS, sizeof HTTP2_PREFACE HTTP2_SETTINGS - 1);
}

#endif
