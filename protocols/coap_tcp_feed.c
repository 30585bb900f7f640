/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_feed - a byte stream cut into messages (RFC 8323 section 3.2), in whatever pieces
 * it comes: head, options, payload. Options are gathered; a client's payload is handed on.
 */
#include <errno.h>
#include <inttypes.h>

#include "protocols/coap_tcp.h"

static size_t least(size_t x, size_t y)
{
	return x < y ? x : y;
}

static void malformed(struct app *a, const char *what)
{
	fail_set(&a->fail, EPROTO, "CoAP: a message %s", what);
	coap_tcp_abort(a);
}

void coap_tcp_begin(struct coap_tcp *t)
{
	t->part = COAP_TCP_HEAD;
	t->head_bytes = 0;
	t->options_at = 0;
	t->m.options_bytes = 0;
	t->drop = false;
	t->of = NULL;
	buf_clear(&t->options);
	buf_clear(&t->body);
}

static void message_is_whole(struct app *a)
{
	struct coap_tcp *t = a->impl;

	if (t->m.code >> 5 == 7)
		coap_tcp_signal(a);
	else if (t->m.code != COAP_EMPTY && a->half == APP_SERVER)
		coap_tcp_server_whole(a);
	else if (t->m.code != COAP_EMPTY)
		coap_tcp_client_whole(a);
	t->part = COAP_TCP_HEAD;
	t->head_bytes = 0;
}

/* Whose it is, and whether its payload is wanted. */
static void options_are_whole(struct app *a)
{
	struct coap_tcp *t = a->impl;
	uint8_t class = t->m.code >> 5;

	t->m.options = (const uint8_t *)t->options.data;
	t->m.options_bytes = t->options_at;
	t->part = COAP_TCP_PAYLOAD;
	t->drop = true;
	if (class != 7 && t->m.code != COAP_EMPTY) {
		if (coap_is_request(t->m.code) != (a->half == APP_SERVER) ||
		    (a->half == APP_CLIENT && !coap_is_response(t->m.code)))
			malformed(a, a->half == APP_SERVER ? "that is no request"
							   : "that is no answer");
		else if (a->half == APP_SERVER)
			coap_tcp_server_head(a);
		else
			coap_tcp_client_head(a);
	}
	if (t->left == 0 && !t->over)
		message_is_whole(a);
}

/* Of options and payload, as our CSM offered. */
static uint64_t most_bytes(const struct app *a)
{
	uint64_t most = UINT32_MAX;

	if (a->half == APP_SERVER)
		most = (uint64_t)a->limits.body_bytes +
		       (a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES);
	return most < UINT32_MAX ? most : UINT32_MAX;
}

static void head_is_whole(struct app *a)
{
	struct coap_tcp *t = a->impl;
	uint64_t bytes = 0;

	if (coap_tcp_head_read(t->head, &t->m, &bytes) != 0) {
		malformed(a, "with a token of more than 8 bytes");
	} else if (!t->greeted && t->m.code != COAP_CSM) {
		malformed(a, "before the peer's settings (CSM)");
	} else if (bytes > most_bytes(a)) {
		fail_set(&a->fail, EMSGSIZE,
			 "CoAP: a message of %" PRIu64 " bytes; at most %" PRIu64 " were offered",
			 bytes, most_bytes(a));
		coap_tcp_abort(a);
	} else {
		t->left = (uint32_t)bytes;
	}
	if (t->over)
		return;
	t->part = COAP_TCP_OPTIONS;
	if (t->left == 0)
		options_are_whole(a);
}

static size_t feed_head(struct app *a, const uint8_t *src, size_t len)
{
	struct coap_tcp *t = a->impl;
	size_t used = 0, whole = coap_tcp_head_bytes(t->head, t->head_bytes);

	while (used < len && (t->head_bytes == 0 || t->head_bytes < whole)) {
		if (t->head_bytes == sizeof t->head) {
			malformed(a, "with a token of more than 8 bytes");
			return len;
		}
		t->head[t->head_bytes++] = src[used++];
		whole = coap_tcp_head_bytes(t->head, t->head_bytes);
	}
	if (t->head_bytes == whole)
		head_is_whole(a);
	return used;
}

/* Bytes of the option that begins at options_at, as far as is known; 0: more are needed. */
static size_t option_bytes(const struct coap_tcp *t)
{
	const uint8_t *b = (const uint8_t *)t->options.data + t->options_at;
	size_t len = t->options.len - t->options_at, at = 1, bytes;
	unsigned delta = b[0] >> 4, length = b[0] & 15;

	at += delta == 13 ? 1 : delta == 14 ? 2 : 0;
	bytes = length;
	if (length == 13)
		bytes = len > at ? 13u + b[at] : 0;
	else if (length == 14)
		bytes = len > at + 1 ? 269u + ((unsigned)b[at] << 8 | b[at + 1]) : 0;
	at += length == 13 ? 1 : length == 14 ? 2 : 0;
	return len >= at ? at + bytes : 0;
}

/* The options that have come are well formed up to here. */
static bool check_options(struct app *a)
{
	struct coap_tcp *t = a->impl;
	struct coap_message m;

	if (coap_parse_body((const uint8_t *)t->options.data, t->options_at, &m) == 0)
		return true;
	malformed(a, "with options that are not well formed");
	return false;
}

/* Take one byte more of the options, or the marker behind them. */
static void take_option_byte(struct app *a, uint8_t byte)
{
	struct coap_tcp *t = a->impl;
	size_t bytes;

	if (t->options.len == t->options_at && byte == 0xff) {
		if (t->left == 0)
			malformed(a, "with a marker and no payload");
		else if (check_options(a))
			options_are_whole(a);
		return;
	}
	buf_byte(&t->options, byte);
	if (t->options.failed) {
		fail_set(&a->fail, EMSGSIZE, "CoAP: options of more than %zu bytes",
			 t->options.max);
		coap_tcp_abort(a);
		return;
	}
	bytes = option_bytes(t);
	if (bytes > 0 && t->options.len - t->options_at == bytes)
		t->options_at = t->options.len;
}

static size_t feed_options(struct app *a, const uint8_t *src, size_t len)
{
	struct coap_tcp *t = a->impl;
	size_t used = 0;

	while (used < len && t->left > 0 && t->part == COAP_TCP_OPTIONS && !t->over) {
		t->left--;
		take_option_byte(a, src[used++]);
	}
	if (t->left > 0 || t->part != COAP_TCP_OPTIONS || t->over)
		return used;
	if (t->options_at != t->options.len)
		malformed(a, "with an option that is cut off");
	else if (check_options(a))
		options_are_whole(a);
	return used;
}

static size_t feed_payload(struct app *a, const uint8_t *src, size_t len)
{
	struct coap_tcp *t = a->impl;
	size_t part = least(len, t->left);

	t->left -= (uint32_t)part;
	if (part > 0 && !t->drop && a->half == APP_SERVER) {
		buf_put(&t->body, src, part);
	} else if (part > 0 && !t->drop && t->of) {
		t->piece = src;
		t->piece_bytes = part;
		t->of->taken_bytes += part;
		coap_tcp_raise(t, t->of, APP_BODY);
	}
	if (t->left == 0)
		message_is_whole(a);
	return part;
}

size_t coap_tcp_feed(struct app *a, const void *src, size_t len)
{
	struct coap_tcp *t = a->impl;
	const uint8_t *bytes = src;
	size_t used = 0;

	while (!t->over && !coap_tcp_ready(t) &&
	       (used < len || (t->part != COAP_TCP_HEAD && t->left == 0))) {
		/* One more request could not be kept: it waits where it is. */
		if (a->half == APP_SERVER && t->open == t->slots_n)
			return used;
		if (t->part == COAP_TCP_HEAD && t->head_bytes == 0)
			coap_tcp_begin(t);
		if (t->part == COAP_TCP_HEAD)
			used += feed_head(a, bytes + used, len - used);
		else if (t->part == COAP_TCP_OPTIONS)
			used += feed_options(a, bytes + used, len - used);
		else
			used += feed_payload(a, bytes + used, len - used);
	}
	return t->over ? len : used;
}
