/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_server - requests in, answers out, over a stream (RFC 8323). An answer that is
 * longer than the peer's messages may be goes in blocks, each asked for on its own, where
 * asking twice does no harm.
 */
#include <errno.h>
#include <string.h>

#include "protocols/coap_tcp.h"

/* What is answered here, without the shell. */
static void refuse(struct app *a, uint8_t code)
{
	struct coap_tcp *t = a->impl;

	t->drop = true;
	a->refused++;
	coap_tcp_send(a, code, t->m.token, t->m.token_bytes, NULL, NULL, 0, NULL);
	if (t->signals <= COAP_TCP_SIGNALS_MAX || t->over)
		return;
	fail_set(&a->fail, EPROTO, "CoAP: more than %d bad requests in a row",
		 COAP_TCP_SIGNALS_MAX);
	coap_tcp_abort(a);
}

void coap_tcp_server_head(struct app *a)
{
	struct coap_tcp *t = a->impl;
	uint8_t code = coap_request_read(&t->m, &t->request);
	const struct coap_fields *f = &t->request.fields;

	if (code == 0 && f->block1.present && (f->block1.more || f->block1.number > 0))
		code = COAP_BAD_OPTION; /* not offered: RFC 8323 section 5.3.2 */
	if (code == 0 && t->left > a->limits.body_bytes)
		code = COAP_TOO_LARGE;
	if (code)
		refuse(a, code);
	else
		t->drop = false;
}

void coap_tcp_server_whole(struct app *a)
{
	struct coap_tcp *t = a->impl;
	struct coap_tcp_exchange *x;

	if (t->drop || t->leaving)
		return;
	x = t->body.failed ? NULL : coap_tcp_new(a);
	if (!x) {
		refuse(a, COAP_UNAVAILABLE);
		return;
	}
	x->method = t->m.code;
	x->token_bytes = t->m.token_bytes;
	memcpy(x->token, t->m.token, sizeof x->token);
	x->accept = t->request.fields.accept;
	x->block2 = t->request.fields.block2;
	coap_tcp_raise(t, x, APP_REQUEST);
}

void coap_tcp_server_event(struct app *a, struct coap_tcp_exchange *x, struct app_event *e)
{
	struct coap_tcp *t = a->impl;

	if (e->kind == APP_SENT)
		e->response.status = coap_status_of_code(x->code);
	if (e->kind != APP_REQUEST)
		return;
	coap_request_show(&t->request, &e->request);
	e->request.body = t->body.data;
	e->request.body_bytes = t->body.len;
	e->request.stream = x->stream;
	e->request.keep_alive = !t->leaving;
	e->request.continued = x->block2.number > 0;
}

/*
 * The part of a body that goes into one message; 0 or the code that says why there is none.
 * Peers whose CSM does not name blocks get them too: they have said nothing (RFC 8323 section
 * 5.3.2: "no information"), and there is no other way to answer them.
 */
static uint8_t cut(const struct coap_tcp *t, const struct coap_tcp_exchange *x, size_t body_bytes,
		   struct coap_block *b, size_t *at, size_t *bytes)
{
	size_t room = t->peer_message_bytes > COAP_TCP_ANSWER_ROOM
			      ? t->peer_message_bytes - COAP_TCP_ANSWER_ROOM
			      : 0;
	uint8_t szx = coap_szx(room);

	*at = 0;
	*bytes = body_bytes;
	*b = (struct coap_block){ 0 };
	if (!x->block2.present && body_bytes <= room)
		return 0;
	if (x->method != COAP_GET || room < COAP_BLOCK_BYTES_MIN)
		return COAP_SERVER_ERROR;
	if (x->block2.present && x->block2.szx < szx)
		szx = x->block2.szx;
	*at = (size_t)x->block2.number * coap_block_bytes(x->block2.szx);
	if (*at > 0 && *at >= body_bytes)
		return COAP_BAD_REQUEST;
	*bytes = body_bytes - *at;
	*b = (struct coap_block){ .present = true,
				  .szx = szx,
				  .more = *bytes > coap_block_bytes(szx),
				  .number = (uint32_t)(*at / coap_block_bytes(szx)) };
	if (b->more)
		*bytes = coap_block_bytes(szx);
	return 0;
}

static int send_answer(struct app *a, struct coap_tcp_exchange *x, const struct app_response *r)
{
	struct coap_tcp *t = a->impl;
	uint8_t options[COAP_TCP_ANSWER_ROOM], code = coap_code_of_status(r->status, x->method);
	struct coap_writer w = { .dst = options, .cap = sizeof options };
	uint32_t format = r->content_type ? coap_format_by_name(r->content_type) : COAP_NO_FORMAT;
	struct coap_block b;
	size_t at, bytes;
	uint8_t bad = cut(t, x, (size_t)r->body_bytes, &b, &at, &bytes);

	if (code >> 5 == 2 && r->body_bytes > 0 && x->accept != COAP_NO_FORMAT &&
	    x->accept != format)
		bad = COAP_NOT_ACCEPTABLE;
	x->code = bad ? bad : code;
	if (bad)
		return coap_tcp_send(a, bad, x->token, x->token_bytes, NULL, NULL, 0, x);
	if (format != COAP_NO_FORMAT && r->body_bytes > 0)
		coap_write_uint(&w, COAP_CONTENT_FORMAT, format);
	if (r->max_age_s)
		coap_write_uint(&w, COAP_MAX_AGE, r->max_age_s);
	if (b.present)
		coap_write_uint(&w, COAP_BLOCK2, coap_block_value(&b));
	return coap_tcp_send(a, code, x->token, x->token_bytes, &w,
			     bytes > 0 ? (const char *)r->body + at : NULL, bytes, x);
}

int coap_tcp_server_respond(struct app *a, const struct app_response *r)
{
	struct coap_tcp *t = a->impl;

	for (unsigned i = 0; i < t->slots_n && t->slots[i]; i++) {
		struct coap_tcp_exchange *x = t->slots[i];

		if (x->stage != COAP_TCP_WAITING || x->stream != r->stream)
			continue;
		x->stage = COAP_TCP_SENDING;
		if (send_answer(a, x, r) != 0)
			return -1;
		if (!r->keep_alive && !t->leaving) {
			t->leaving = true;
			return coap_tcp_send(a, COAP_RELEASE, NULL, 0, NULL, NULL, 0, NULL);
		}
		return 0;
	}
	return -1;
}
