/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp - CoAP over TCP and TLS (RFC 8323) behind struct app_ops: exchanges and the
 * events that wait on them. Bytes are taken in coap_tcp_feed.c, and sent in coap_tcp_frame.c.
 */
#include "protocols/coap_tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_endpoint.h"

/* --- exchanges and events -------------------------------------------------------------------- */

struct coap_tcp_exchange *coap_tcp_new(struct app *a)
{
	struct coap_tcp *t = a->impl;

	for (unsigned i = 0; i < t->slots_n; i++) {
		struct coap_tcp_exchange *x = t->slots[i];

		if (!x)
			x = t->slots[i] = calloc(1, sizeof *x);
		if (!x)
			return NULL;
		if (x->stage != COAP_TCP_FREE || x->listed)
			continue;
		*x = (struct coap_tcp_exchange){ .stage = COAP_TCP_WAITING,
						 .stream = ++t->streams,
						 .slot = i };
		t->open++;
		return x;
	}
	return NULL;
}

void coap_tcp_raise(struct coap_tcp *t, struct coap_tcp_exchange *x, enum app_event_kind kind)
{
	x->waiting |= 1u << kind;
	if (x->listed)
		return;
	x->listed = true;
	x->next = NULL;
	if (t->last)
		t->last->next = x;
	else
		t->first = x;
	t->last = x;
}

struct coap_tcp_exchange *coap_tcp_ready(struct coap_tcp *t)
{
	while (t->first) {
		struct coap_tcp_exchange *x = t->first;

		if (x->waiting)
			return x;
		x->listed = false;
		t->first = x->next;
		if (!t->first)
			t->last = NULL;
	}
	return NULL;
}

bool coap_tcp_give_up(struct app *a)
{
	struct coap_tcp *t = a->impl;

	if (t->over)
		return false;
	t->over = t->leaving = t->failed_waits = true;
	return a->half == APP_SERVER || coap_tcp_drop(t);
}

void coap_tcp_abort(struct app *a)
{
	if (coap_tcp_give_up(a))
		coap_tcp_send(a, COAP_ABORT, NULL, 0, NULL, NULL, 0, NULL);
}

static bool next(struct app *a, struct app_event *e)
{
	struct coap_tcp *t = a->impl;
	struct coap_tcp_exchange *x = coap_tcp_ready(t);

	*e = (struct app_event){ .kind = APP_NOTHING };
	if (!x) {
		if (t->failed_waits)
			e->kind = APP_FAILED;
		t->failed_waits = false;
		return e->kind == APP_FAILED;
	}
	e->kind = (enum app_event_kind)__builtin_ctz(x->waiting);
	x->waiting &= x->waiting - 1;
	e->stream = x->stream;
	e->slot = x->slot;
	if (a->half == APP_CLIENT)
		coap_tcp_client_event(x, t, e);
	else
		coap_tcp_server_event(a, x, e);
	if (x->stage == COAP_TCP_DONE && x->waiting == 0 && x->held == 0) {
		x->stage = COAP_TCP_FREE;
		t->open--;
	}
	return true;
}

/* --- the rest of struct app_ops --------------------------------------------------------- */

static void end(struct app *a)
{
	struct coap_tcp *t = a->impl;

	if (t->ended || t->over)
		return;
	t->ended = t->leaving = true;
	if (a->half == APP_SERVER || t->open == 0)
		return;
	fail_set(&a->fail, ECONNRESET, "the server closed without an answer");
	coap_tcp_give_up(a);
}

static void reset(struct app *a)
{
	struct coap_tcp *t = a->impl;

	for (unsigned i = 0; i < t->slots_n && t->slots[i]; i++)
		*t->slots[i] = (struct coap_tcp_exchange){ 0 };
	t->open = 0;
	t->first = t->last = NULL;
	t->failed_waits = t->over = t->greeted = t->leaving = t->ended = false;
	t->peer_message_bytes = COAP_TCP_BASE_BYTES;
	coap_tcp_drop(t);
	coap_tcp_begin(t);
	a->stream = a->slot = 0;
	fail_clear(&a->fail);
	coap_tcp_greet(a);
}

static void close_codec(struct app *a)
{
	struct coap_tcp *t = a->impl;

	if (!t)
		return;
	for (unsigned i = 0; t->slots && i < t->slots_n; i++)
		free(t->slots[i]);
	free(t->slots);
	free(t->items);
	buf_release(&t->options);
	buf_release(&t->body);
	buf_release(&t->out);
	free(t);
	a->impl = NULL;
}

static int open_codec(struct app *a)
{
	struct coap_tcp *t = calloc(1, sizeof *t);

	a->impl = t;
	if (t) {
		t->slots_n = app_slots(&a->limits);
		t->slots = calloc(t->slots_n, sizeof(struct coap_tcp_exchange *));
		t->options.max = a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES;
		t->body.max = a->limits.body_bytes;
	}
	if (!t || !t->slots) {
		close_codec(a);
		return fail_set(&a->fail, ENOMEM, "no memory for a CoAP association");
	}
	reset(a);
	return a->fail.code ? -1 : 0;
}

static int request(struct app *a, const struct app_request *q)
{
	return a->half == APP_CLIENT ? coap_tcp_client_request(a, q) : -1;
}

static int respond(struct app *a, const struct app_response *r)
{
	return a->half == APP_SERVER ? coap_tcp_server_respond(a, r) : -1;
}

static size_t pull(struct app *a, void *dst, size_t cap)
{
	return coap_tcp_pull(a, dst, cap);
}

static bool finished(const struct app *a)
{
	const struct coap_tcp *t = a->impl;

	return t->items_n == 0 && (t->over || (t->leaving && t->open == 0));
}

const struct app_ops app_coap_tcp = {
	.name = "coap",
	.open = open_codec,
	.close = close_codec,
	.reset = reset,
	.request = request,
	.respond = respond,
	.feed = coap_tcp_feed,
	.end = end,
	.next = next,
	.pull = pull,
	.finished = finished,
};
