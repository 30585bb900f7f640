/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_exchange - the slots of an endpoint, from a request to the last event of it, and the
 * events that wait, in the order in which they came up.
 */
#include "protocols/coap_layer.h"

struct coap_exchange *coap_exchange_new(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;
	unsigned most = e->half == APP_CLIENT ? e->params.nstart : e->params.exchanges;

	for (unsigned i = 0; l->open < most && i < l->slots_n; i++) {
		struct coap_exchange *x = &l->slots[i];
		uint8_t *datagram = x->datagram;
		bool listed = x->listed;

		if (x->stage != COAP_FREE || listed)
			continue;
		*x = (struct coap_exchange){ .stage = COAP_WAITING,
					     .stream = ++l->streams,
					     .slot = i,
					     .datagram = datagram,
					     .due_ns = COAP_NEVER_DUE };
		l->open++;
		return x;
	}
	return NULL;
}

void coap_exchange_free(struct coap_endpoint *e, struct coap_exchange *x)
{
	if (x->observing && e->half == APP_SERVER)
		e->layer->observing--;
	else
		e->layer->open--;
	x->stage = COAP_FREE;
	x->queued = x->observing = false;
	x->waiting = 0;
	x->due_ns = COAP_NEVER_DUE;
	if (e->layer->open + e->layer->observing == 0)
		e->layer->due_ns = COAP_NEVER_DUE;
}

struct coap_exchange *coap_exchange_of(struct coap_endpoint *e, uint32_t stream)
{
	for (unsigned i = 0; i < e->layer->slots_n; i++)
		if (e->layer->slots[i].stage != COAP_FREE && e->layer->slots[i].stream == stream)
			return &e->layer->slots[i];
	return NULL;
}

void coap_raise(struct coap_endpoint *e, struct coap_exchange *x, enum app_event_kind kind)
{
	struct coap_layer *l = e->layer;

	x->waiting |= 1u << kind;
	if (x->listed)
		return;
	x->listed = true;
	x->next = NULL;
	if (l->last)
		l->last->next = x;
	else
		l->first = x;
	l->last = x;
}

void coap_settle(struct coap_exchange *x)
{
	x->queued = false;
	x->due_ns = COAP_NEVER_DUE;
}

void coap_end(struct coap_endpoint *e, struct coap_exchange *x, enum coap_end why)
{
	coap_settle(x);
	x->stage = COAP_DONE;
	x->end = why;
	x->waiting = 0;
	coap_raise(e, x, APP_RESET);
}

void coap_set_due(struct coap_endpoint *e, struct coap_exchange *x, int64_t due_ns)
{
	x->due_ns = due_ns;
	if (due_ns < e->layer->due_ns)
		e->layer->due_ns = due_ns;
}

uint8_t coap_szx_max(const struct coap_endpoint *e)
{
	size_t room = e->params.mtu_bytes - COAP_HEAD_ROOM;

	return coap_szx(room < e->params.block_bytes ? room : e->params.block_bytes);
}

static const char *why(uint32_t end)
{
	static const char *const words[] = {
		[COAP_END_NO_ACK] = "not acknowledged",
		[COAP_END_NO_ANSWER] = "no answer in time",
		[COAP_END_RESET] = "reset by the peer",
		[COAP_END_OPTION] = "a critical option that is not understood",
		[COAP_END_BLOCK] = "blocks that do not fit together",
		[COAP_END_TOO_LARGE] = "a body that is too long",
		[COAP_END_NO_ID] = "no message id is free",
		[COAP_END_CANCELLED] = "the observation was given up",
		[COAP_END_NO_MEMORY] = "no memory",
	};

	return words[end];
}

static struct coap_exchange *next_listed(struct coap_layer *l)
{
	while (l->first) {
		struct coap_exchange *x = l->first;

		if (x->waiting)
			return x;
		x->listed = false;
		l->first = x->next;
		if (!l->first)
			l->last = NULL;
	}
	return NULL;
}

void coap_forget_sent(struct coap_endpoint *e)
{
	for (struct coap_exchange *x = e->layer->first, *next; x; x = next) {
		next = x->next;
		x->waiting &= ~(1u << APP_SENT);
		if (x->stage == COAP_DONE && x->waiting == 0)
			coap_exchange_free(e, x);
	}
}

bool coap_endpoint_next(struct coap_endpoint *e, struct app_event *ev)
{
	struct coap_exchange *x = next_listed(e->layer);

	*ev = (struct app_event){ .kind = APP_NOTHING };
	if (!x)
		return false;
	ev->kind = (enum app_event_kind)__builtin_ctz(x->waiting);
	x->waiting &= x->waiting - 1;
	ev->stream = x->stream;
	ev->slot = x->slot;
	if (ev->kind == APP_RESET) {
		ev->code = x->end;
		ev->why = why(x->end);
	} else if (e->half == APP_CLIENT) {
		coap_client_event(e, x, ev);
	} else {
		coap_server_event(e, x, ev);
	}
	if (x->stage == COAP_DONE && x->waiting == 0 && ev->kind != APP_REQUEST)
		coap_exchange_free(e, x);
	return true;
}
