/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_side - for the tests: one half of CoAP over TCP against bytes written by hand,
 * cut where asked; what came of them as text. A server's requests are all answered.
 */
#ifndef PROTOCOLS_COAP_TCP_SIDE_H
#define PROTOCOLS_COAP_TCP_SIDE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "lib/rng.h"
#include "protocols/app.h"
#include "protocols/coap_hex.h"

#define CSM "00 e1 "

struct side {
	struct app app;
	struct buf events, sent;
	struct app_response answer;
	struct rng *rng; /* where to cut; NULL: all at once */
};

static inline void side_open(struct side *s, enum app_half half, struct rng *rng)
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

static inline void side_close(struct side *s)
{
	app_coap_tcp.close(&s->app);
	buf_release(&s->events);
	buf_release(&s->sent);
}

static inline void side_pull(struct side *s)
{
	uint8_t piece[700];
	size_t n;

	do {
		size_t cap = s->rng ? 1 + (size_t)rng_below(s->rng, sizeof piece) : sizeof piece;

		n = app_coap_tcp.pull(&s->app, piece, cap);
		buf_put(&s->sent, piece, n);
	} while (n > 0);
}

static inline void side_request(struct side *s, const struct app_request *q)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS", "OTHER" };

	buf_printf(&s->events, "%s %s %s ", methods[q->method], q->target,
		   q->content_type ? q->content_type : "-");
	buf_put(&s->events, q->body, q->body_bytes);
	buf_puts(&s->events, "\n");
	s->answer.stream = q->stream;
	assert_int_equal(app_coap_tcp.respond(&s->app, &s->answer), 0);
}

static inline void side_events(struct side *s)
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
static inline void side_feed(struct side *s, const uint8_t *bytes, size_t len)
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

#endif
