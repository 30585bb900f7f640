/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_frame - messages with their length in front (RFC 8323 section 3.2), and what
 * waits to be sent: heads in one buffer, content where it was borrowed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_tcp.h"

#define MARKER 0xff

static size_t extension_bytes(unsigned nibble)
{
	return nibble < 13 ? 0 : nibble == 13 ? 1 : nibble == 14 ? 2 : 4;
}

size_t coap_tcp_head_bytes(const uint8_t *head, size_t len)
{
	if (len == 0)
		return 0;
	return 2 + extension_bytes(head[0] >> 4) + (head[0] & 15);
}

int coap_tcp_head_read(const uint8_t *head, struct coap_message *m, uint64_t *body_bytes)
{
	unsigned nibble = head[0] >> 4;
	size_t extension = extension_bytes(nibble);
	uint64_t value = 0;

	for (size_t i = 0; i < extension; i++)
		value = value << 8 | head[1 + i];
	value += nibble < 13 ? nibble : nibble == 13 ? 13 : nibble == 14 ? 269 : 65805;
	*m = (struct coap_message){ .code = head[1 + extension],
				    .token_bytes = (uint8_t)(head[0] & 15) };
	if (m->token_bytes > COAP_TOKEN_BYTES_MAX)
		return -1;
	memcpy(m->token, head + 2 + extension, m->token_bytes);
	*body_bytes = value;
	return 0;
}

static size_t write_head(uint8_t *dst, uint8_t code, const uint8_t *token, size_t token_bytes,
			 size_t len)
{
	unsigned nibble = len < 13 ? (unsigned)len : len < 269 ? 13 : len < 65805 ? 14 : 15;
	size_t extension = extension_bytes(nibble), at = 1;
	size_t value = len - (nibble == 13 ? 13 : nibble == 14 ? 269 : nibble == 15 ? 65805 : 0);

	dst[0] = (uint8_t)(nibble << 4 | token_bytes);
	for (size_t i = extension; i-- > 0;)
		dst[at++] = (uint8_t)(value >> 8 * i);
	dst[at++] = code;
	if (token_bytes > 0)
		memcpy(dst + at, token, token_bytes);
	return at + token_bytes;
}

static struct coap_tcp_item *new_item(struct coap_tcp *t)
{
	if (t->items_n == t->items_cap) {
		unsigned cap = t->items_cap ? 2 * t->items_cap : 8;
		struct coap_tcp_item *items = calloc(cap, sizeof *items);

		if (!items)
			return NULL;
		for (unsigned i = 0; i < t->items_n; i++)
			items[i] = t->items[(t->items_first + i) % t->items_cap];
		free(t->items);
		t->items = items;
		t->items_cap = cap;
		t->items_first = 0;
	}
	return &t->items[(t->items_first + t->items_n++) % t->items_cap];
}

int coap_tcp_send(struct app *a, uint8_t code, const uint8_t *token, size_t token_bytes,
		  const struct coap_writer *w, const void *body, size_t body_bytes,
		  struct coap_tcp_exchange *sent)
{
	struct coap_tcp *t = a->impl;
	size_t options = w ? w->len : 0, before = t->out.len;
	uint8_t head[COAP_TCP_HEAD_BYTES_MAX];
	struct coap_tcp_item *item = new_item(t);

	buf_put(&t->out, head,
		write_head(head, code, token, token_bytes,
			   options + body_bytes + (body_bytes > 0)));
	if (options > 0)
		buf_put(&t->out, w->dst, options);
	if (body_bytes > 0)
		buf_byte(&t->out, MARKER);
	if (!item || t->out.failed) {
		fail_set(&a->fail, ENOMEM, "no memory for a CoAP message");
		coap_tcp_give_up(a);
		return -1;
	}
	*item = (struct coap_tcp_item){ .head_bytes = t->out.len - before,
					.body = body,
					.body_bytes = body_bytes,
					.sent = sent };
	t->signals += !sent;
	return 0;
}

static void item_is_pulled(struct coap_tcp *t, const struct coap_tcp_item *item)
{
	struct coap_tcp_exchange *x = item->sent;

	t->items_first = (t->items_first + 1) % t->items_cap;
	t->items_n--;
	t->signals -= !x;
	if (t->items_n == 0) {
		buf_clear(&t->out);
		t->out_at = 0;
	}
	if (x && x->stage == COAP_TCP_SENDING) {
		x->stage = COAP_TCP_DONE;
		coap_tcp_raise(t, x, APP_SENT);
	} else if (x) {
		x->unsent = false;
		if (x->held)
			coap_tcp_raise(t, x, (enum app_event_kind)__builtin_ctz(x->held));
		x->held = 0;
	}
}

bool coap_tcp_drop(struct coap_tcp *t)
{
	bool whole = t->items_n == 0 || !t->items[t->items_first].begun;

	t->items_n = t->items_first = t->signals = 0;
	t->out_at = 0;
	buf_clear(&t->out);
	return whole;
}

size_t coap_tcp_pull(struct app *a, uint8_t *dst, size_t cap)
{
	struct coap_tcp *t = a->impl;
	size_t put = 0;

	while (t->items_n > 0 && put < cap) {
		struct coap_tcp_item *item = &t->items[t->items_first];
		size_t head = item->head_bytes < cap - put ? item->head_bytes : cap - put, body;

		item->begun = true;
		memcpy(dst + put, t->out.data + t->out_at, head);
		t->out_at += head;
		item->head_bytes -= head;
		put += head;
		body = item->body_bytes < cap - put ? item->body_bytes : cap - put;
		if (body > 0)
			memcpy(dst + put, item->body, body);
		item->body += body;
		item->body_bytes -= body;
		put += body;
		if (item->head_bytes + item->body_bytes == 0)
			item_is_pulled(t, item);
	}
	/* Heads of a stream of messages that never runs dry. */
	if (t->out_at > t->out.len / 2 && t->out_at > 4096) {
		buf_drop(&t->out, t->out_at);
		t->out_at = 0;
	}
	return put;
}
