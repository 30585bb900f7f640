/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_one - for the tests: one endpoint against messages written by hand. What it sends
 * and what its events say are texts.
 */
#ifndef PROTOCOLS_COAP_ONE_H
#define PROTOCOLS_COAP_ONE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "protocols/coap_endpoint.h"
#include "protocols/coap_hex.h"

#define ONE_MS ((int64_t)1000000)

struct one {
	struct coap_endpoint e;
	struct coap_params params;
	struct coap_counters count;
	struct rng rng;
	int64_t now_ns;
	struct buf text;
	bool hold;                  /* server: requests are not answered at once */
	struct app_response answer; /* server: else, with this */
	uint32_t stream;            /* server: of the last request; client: of the last event */
	unsigned slot;
	struct coap_message said; /* the last of them that was not Empty: code and token */
	struct coap_message last; /* what was pulled last, taken apart */
	uint8_t last_bytes[2048];
};

static inline void one_params(struct one *o)
{
	*o = (struct one){ .answer = { .status = 200 }, .now_ns = 1000 * ONE_MS };
	coap_params_init(&o->params);
	rng_seed(&o->rng, 7);
}

static inline void one_open(struct one *o, enum app_half half)
{
	assert_int_equal(coap_endpoint_open(&o->e, half, &o->params, &o->rng, &o->count), 0);
}

static inline void one_close(struct one *o)
{
	coap_endpoint_close(&o->e);
	buf_release(&o->text);
}

static inline void one_event(struct one *o, const struct app_event *e)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS", "OTHER" };
	const struct app_request *q = &e->request;

	o->stream = e->stream;
	o->slot = e->slot;
	if (e->kind == APP_REQUEST) {
		buf_printf(&o->text, "%s %s", methods[q->method], q->target);
		buf_printf(&o->text, "%s%s", q->content_type ? " " : "",
			   q->content_type ? q->content_type : "");
		buf_printf(&o->text, "%s%s", q->host ? " host=" : "", q->host ? q->host : "");
		buf_puts(&o->text, q->observe ? " observe" : "");
		if (q->body_bytes)
			buf_printf(&o->text, " %.*s", (int)q->body_bytes, (const char *)q->body);
		buf_puts(&o->text, ";");
		o->answer.stream = e->stream;
		if (!o->hold)
			assert_int_equal(coap_endpoint_respond(&o->e, &o->answer, o->now_ns), 0);
	} else if (e->kind == APP_BODY) {
		buf_printf(&o->text, "%.*s;", (int)e->len, (const char *)e->bytes);
	} else if (e->kind == APP_RESET) {
		buf_printf(&o->text, "RESET %u;", e->code);
	} else if (e->kind == APP_SENT) {
		buf_puts(&o->text, "SENT;");
	} else {
		buf_printf(&o->text, "%s %d%s;", e->kind == APP_END ? "END" : "HEAD",
			   e->response.status, e->response.observe ? " observing" : "");
	}
}

static inline void one_events(struct one *o)
{
	struct app_event e;

	while (coap_endpoint_next(&o->e, &e))
		one_event(o, &e);
}

/* Everything it has to send, as "hex hex", and the events that come of it. */
static inline void one_check(struct one *o, const char *sent, const char *events)
{
	struct buf got = { 0 };
	char hex[4100];
	size_t len;
	int n = 0;

	one_events(o);
	while ((len = coap_endpoint_pull(&o->e, o->last_bytes, sizeof o->last_bytes)) > 0) {
		buf_printf(&got, "%s%s", n++ ? " " : "", coap_unhex(o->last_bytes, len, hex));
		assert_int_equal(coap_parse(o->last_bytes, len, &o->last), COAP_GOOD);
		if (o->last.code != COAP_EMPTY)
			o->said = o->last;
		one_events(o);
	}
	if (sent && strcmp(buf_text(&got), sent) != 0)
		fail_msg("sent %s, not %s", buf_text(&got), sent);
	if (events && strcmp(buf_text(&o->text), events) != 0)
		fail_msg("events %s, not %s", buf_text(&o->text), events);
	buf_release(&got);
	buf_clear(&o->text);
}

static inline void one_feed_bytes(struct one *o, const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);

	memcpy(exact, bytes, len);
	coap_endpoint_feed(&o->e, exact, len, o->now_ns);
	one_events(o);
	free(exact);
}

static inline void one_feed(struct one *o, const char *hex)
{
	uint8_t bytes[2048];

	one_feed_bytes(o, bytes, coap_hex(hex, bytes));
}

/* Feed, then check. */
static inline void one_step(struct one *o, const char *hex, const char *sent, const char *events)
{
	one_feed(o, hex);
	one_check(o, sent, events);
}

static inline void one_wait(struct one *o, int64_t ns, const char *sent, const char *events)
{
	o->now_ns += ns;
	coap_endpoint_expire(&o->e, o->now_ns);
	one_check(o, sent, events);
}

/* The fields of what was pulled last. */
static inline struct coap_fields one_fields(const struct one *o)
{
	struct coap_fields f;

	coap_fields_read(&o->last, &f);
	return f;
}

/* --- a client ------------------------------------------------------------------------ */

static inline enum coap_took one_ask(struct one *o, const char *body)
{
	struct app_request q = { .method = body ? APP_POST : APP_GET,
				 .target = "/r",
				 .body = body,
				 .body_bytes = body ? strlen(body) : 0 };

	return coap_endpoint_request(&o->e, &q, o->now_ns);
}

static inline void one_begin(struct one *o)
{
	one_open(o, APP_CLIENT);
	assert_int_equal(one_ask(o, NULL), COAP_TOOK);
	one_check(o, NULL, "");
}

/* An answer to what was asked last, its token turned by xor. */
static inline void one_answer(struct one *o, enum coap_type type, uint8_t code, uint16_t id,
			      unsigned turn, const char *rest)
{
	uint8_t bytes[2048], token[COAP_TOKEN_BYTES_MAX];
	struct coap_writer w = { .dst = bytes, .cap = sizeof bytes };

	memcpy(token, o->said.token, sizeof token);
	token[0] ^= (uint8_t)turn;
	coap_write_head(&w, type, code, id, token, o->said.token_bytes);
	w.len += coap_hex(rest, bytes + w.len);
	one_feed_bytes(o, bytes, w.len);
}

#endif
