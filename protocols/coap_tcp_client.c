/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_client - requests out, answers in, over a stream (RFC 8323): a message layer is
 * not needed, the token alone says whose answer it is. Content is handed on as it comes.
 */
#include <errno.h>
#include <string.h>

#include "protocols/coap_endpoint.h"
#include "protocols/coap_tcp.h"

static uint32_t token_value(const uint8_t *token)
{
	return (uint32_t)token[0] << 24 | (uint32_t)token[1] << 16 | (uint32_t)token[2] << 8 |
	       token[3];
}

static struct coap_tcp_exchange *by_token(const struct coap_tcp *t, const struct coap_message *m)
{
	uint32_t stream = m->token_bytes == COAP_TCP_TOKEN_BYTES ? token_value(m->token) : 0;

	for (unsigned i = 0; i < t->slots_n && t->slots[i]; i++)
		if (t->slots[i]->stage == COAP_TCP_WAITING && t->slots[i]->stream == stream)
			return t->slots[i];
	return NULL;
}

/* Half a message cannot be taken back, and its body is the caller's until the last event. */
static void end_with(struct coap_tcp *t, struct coap_tcp_exchange *x, enum app_event_kind last)
{
	x->stage = COAP_TCP_DONE;
	if (x->unsent)
		x->held = 1u << last;
	else
		coap_tcp_raise(t, x, last);
}

void coap_tcp_client_head(struct app *a)
{
	struct coap_tcp *t = a->impl;
	struct coap_tcp_exchange *x = by_token(t, &t->m);
	struct coap_fields f;

	/* RFC 8323 section 3.3: an answer to nothing that is waited for is dropped. */
	if (!x)
		return;
	coap_fields_read(&t->m, &f);
	if (f.refused || (f.block2.present && (f.block2.more || f.block2.number > 0))) {
		x->end = f.refused ? COAP_END_OPTION : COAP_END_BLOCK;
		end_with(t, x, APP_RESET);
		return;
	}
	x->code = t->m.code;
	x->format = f.format;
	x->max_age_s = f.max_age_s;
	x->size = t->left;
	t->of = x;
	t->drop = false;
	coap_tcp_raise(t, x, APP_HEAD_IN);
}

void coap_tcp_client_whole(struct app *a)
{
	struct coap_tcp *t = a->impl;

	if (t->of)
		end_with(t, t->of, APP_END);
}

/* Does the peer take it? -1: never, a->fail, or not yet, a->ungreeted. */
static int check_size(struct app *a, size_t bytes)
{
	const struct coap_tcp *t = a->impl;

	if (COAP_TCP_HEAD_BYTES_MAX + 1 + bytes <= t->peer_message_bytes)
		return 0;
	a->ungreeted = !t->greeted;
	if (a->ungreeted)
		return -1;
	return fail_set(&a->fail, EMSGSIZE,
			"a request of %zu bytes: the server takes messages of up to %u", bytes,
			t->peer_message_bytes);
}

int coap_tcp_client_request(struct app *a, const struct app_request *q)
{
	struct coap_tcp *t = a->impl;
	uint8_t options[APP_TARGET_BYTES + 512], token[COAP_TCP_TOKEN_BYTES];
	struct coap_writer w = { .dst = options, .cap = sizeof options };
	struct coap_tcp_exchange *x;
	uint8_t method;

	a->ungreeted = false;
	if (t->leaving || t->over || a->fail.code)
		return -1;
	if (q->observe)
		return fail_set(&a->fail, EINVAL, "observation is not offered over TCP");
	method = coap_request_code(q, &a->fail);
	if (method == 0 || coap_request_write(&w, q, &a->fail) != 0 ||
	    check_size(a, w.len + q->body_bytes) != 0)
		return -1;
	x = coap_tcp_new(a);
	if (!x)
		return -1;
	x->method = method;
	for (int i = 0; i < COAP_TCP_TOKEN_BYTES; i++)
		token[i] = (uint8_t)(x->stream >> (24 - 8 * i));
	x->unsent = true;
	if (coap_tcp_send(a, method, token, sizeof token, &w, q->body, q->body_bytes, x) != 0)
		return -1;
	t->leaving = !q->keep_alive;
	a->stream = x->stream;
	a->slot = x->slot;
	/* The peer closes when it has answered (RFC 8323 section 5.5). */
	return t->leaving ? coap_tcp_send(a, COAP_RELEASE, NULL, 0, NULL, NULL, 0, NULL) : 0;
}

void coap_tcp_client_event(struct coap_tcp_exchange *x, const struct coap_tcp *t,
			   struct app_event *e)
{
	if (e->kind == APP_BODY) {
		e->bytes = t->piece;
		e->len = t->piece_bytes;
		return;
	}
	if (e->kind == APP_RESET) {
		e->code = x->end;
		e->why = x->end == COAP_END_OPTION ? "a critical option that is not understood"
						   : "blocks that were not asked for";
		return;
	}
	e->code = x->code;
	e->response = (struct app_response){
		.status = coap_status_of_code(x->code),
		.content_type = x->format == COAP_NO_FORMAT ? NULL : coap_format_name(x->format),
		.body_bytes = e->kind == APP_END ? x->taken_bytes : x->size,
		.keep_alive = !t->leaving,
		.stream = x->stream,
		.max_age_s = x->max_age_s,
	};
}
