/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1 - the HTTP/1.1 codec behind struct app_ops: memory, bytes to send, the event
 * that waits. What a half does with bytes is in http1_server.c and http1_client.c.
 */
#include "protocols/http1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* RFC 9110 section 8.4.1, RFC 7932, RFC 8878. */
static const char *const encoding_name[APP_ENCODINGS] = {
	[APP_IDENTITY] = "identity",
	[APP_GZIP] = "gzip",
	[APP_BROTLI] = "br",
	[APP_ZSTD] = "zstd",
};

const char *app_encoding_name(enum app_encoding e)
{
	return e == APP_IDENTITY ? NULL : encoding_name[e];
}

enum app_encoding app_encoding_by_name(const char *name)
{
	int e = 0;

	if (strcasecmp(name, "x-gzip") == 0)
		return APP_GZIP;
	while (e < APP_ENCODINGS && strcasecmp(name, encoding_name[e]) != 0)
		e++;
	return (enum app_encoding)e;
}

void http1_say(struct http1 *h, const char *text)
{
	size_t len = strlen(text);

	memcpy(h->out + h->out_len, text, len);
	h->out_len += len;
}

void http1_say_number(struct http1 *h, uint64_t value)
{
	char digits[21], *p = digits + sizeof digits - 1;

	*p = '\0';
	do {
		*--p = (char)('0' + value % 10);
	} while ((value /= 10) > 0);
	http1_say(h, p);
}

size_t http1_say_room(const struct http1 *h)
{
	return sizeof h->out - h->out_len;
}

void http1_raise(struct http1 *h, enum app_event_kind kind)
{
	h->waiting |= 1u << kind;
}

void http1_expect_head(struct http1 *h)
{
	http1_lines_clear(&h->lines);
	http1_head_clear(&h->head);
	h->chunks = (struct http1_chunks){ 0 };
	h->body_bytes = 0;
	h->start_line = true;
	h->blank = false;
	h->state = HTTP1_HEAD;
}

int http1_take_chunks(struct app *a, const char *src, size_t len, size_t *taken, size_t *data_len)
{
	struct http1 *h = a->impl;

	switch (http1_chunks_take(&h->chunks, src, len, taken, data_len)) {
	case HTTP1_CHUNK_LAST:
		h->state = HTTP1_TRAILER;
		break;
	case HTTP1_CHUNK_BAD:
		return fail_set(&a->fail, EPROTO, "a chunk is not well formed");
	case HTTP1_CHUNK_MORE:
	case HTTP1_CHUNK_DATA:
		break;
	}
	return 0;
}

static void reset(struct app *a)
{
	struct http1 *h = a->impl;

	http1_expect_head(h);
	if (a->half == APP_CLIENT)
		h->state = HTTP1_IDLE;
	h->ended = h->persistent = h->to_head = false;
	h->waiting = 0;
	h->failed_status = 0;
	h->send_body_bytes = 0;
	h->out_len = h->out_at = 0;
	fail_clear(&a->fail);
}

static int open_codec(struct app *a)
{
	size_t head_bytes = a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES;
	size_t body_bytes = a->half == APP_SERVER ? a->limits.body_bytes : 0;
	struct http1 *h = malloc(sizeof *h + head_bytes + body_bytes);

	if (!h)
		return fail_set(&a->fail, ENOMEM, "no memory for an HTTP/1.1 association");
	memset(h, 0, sizeof *h);
	h->lines.base = h->memory;
	h->lines.cap = head_bytes;
	h->body = h->memory + head_bytes;
	a->impl = h;
	reset(a);
	return 0;
}

static void close_codec(struct app *a)
{
	free(a->impl);
	a->impl = NULL;
}

static int request(struct app *a, const struct app_request *q)
{
	return a->half == APP_CLIENT ? http1_client_request(a, q) : -1;
}

static int respond(struct app *a, const struct app_response *r)
{
	return a->half == APP_SERVER ? http1_server_respond(a, r) : -1;
}

static size_t feed(struct app *a, const void *src, size_t len)
{
	struct http1 *h = a->impl;
	const char *bytes = src;
	size_t used = 0;

	while (used < len && h->waiting == 0) {
		if (h->state == HTTP1_WAITING || h->state == HTTP1_SENDING)
			break;
		if (h->state == HTTP1_OVER)
			return len;
		used += a->half == APP_SERVER ? http1_server_feed_once(a, bytes + used, len - used)
					      : http1_client_feed_once(a, bytes + used, len - used);
	}
	return used;
}

static void end(struct app *a)
{
	struct http1 *h = a->impl;

	h->ended = true;
	if (a->half == APP_SERVER)
		http1_server_end(a);
	else
		http1_client_end(a);
}

static bool next(struct app *a, struct app_event *e)
{
	struct http1 *h = a->impl;

	*e = (struct app_event){ .kind = APP_NOTHING };
	if (h->waiting == 0)
		return false;
	e->kind = (enum app_event_kind)__builtin_ctz(h->waiting);
	h->waiting &= h->waiting - 1;
	if (a->half == APP_SERVER)
		http1_server_event(a, e);
	else
		http1_client_event(a, e);
	return true;
}

static size_t pull_part(char *dst, size_t cap, const char *src, uint64_t len)
{
	size_t part = len < cap ? (size_t)len : cap;

	if (part > 0)
		memcpy(dst, src, part);
	return part;
}

static size_t pull(struct app *a, void *dst, size_t cap)
{
	struct http1 *h = a->impl;
	size_t head = pull_part(dst, cap, h->out + h->out_at, h->out_len - h->out_at), body = 0;

	h->out_at += head;
	if (h->out_at == h->out_len) {
		h->out_at = h->out_len = 0;
		body = pull_part((char *)dst + head, cap - head, h->send_body, h->send_body_bytes);
		h->send_body += body;
		h->send_body_bytes -= body;
		if (h->send_body_bytes == 0 && a->half == APP_SERVER)
			http1_server_pulled(a);
	}
	return head + body;
}

static bool finished(const struct app *a)
{
	const struct http1 *h = a->impl;

	return h->state == HTTP1_OVER && h->out_len == 0 && h->send_body_bytes == 0;
}

const struct app_ops app_http1 = {
	.name = "http/1.1",
	.open = open_codec,
	.close = close_codec,
	.reset = reset,
	.request = request,
	.respond = respond,
	.feed = feed,
	.end = end,
	.next = next,
	.pull = pull,
	.finished = finished,
};
