/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2 - the HTTP/2 codec behind struct app_ops: one frame at a time in, so that the
 * events of one call are few and wait on their streams, and frames out, of which content
 * is copied once, from where it was borrowed to where pull() was told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/http2_session.h"

/* nghttp2 cannot go on with this session. */
static void give_up_session(struct app *a, int code)
{
	struct http2 *h = a->impl;

	if (code == NGHTTP2_ERR_BAD_CLIENT_MAGIC)
		fail_set(&a->fail, EPROTO,
			 "not an HTTP/2 client: it does not begin with the preface of RFC 9113");
	else if (code == NGHTTP2_ERR_NOMEM)
		fail_set(&a->fail, ENOMEM, "no memory for an HTTP/2 association");
	else
		fail_set(&a->fail, EPROTO, "HTTP/2: %s%s%s", nghttp2_strerror(code),
			 h->why[0] ? ": " : "", h->why);
	http2_give_up(a);
	h->broken = true;
}

static void start(struct app *a)
{
	struct http2 *h = a->impl;

	h->preface_left = a->half == APP_SERVER ? HTTP2_PREFACE_BYTES : 0;
	if (http2_session_start(a) == 0)
		return;
	http2_give_up(a);
	h->broken = true;
}

static void reset(struct app *a)
{
	struct http2 *h = a->impl;

	http2_session_stop(a);
	http2_streams_reset(h);
	h->failed_waits = h->failed = h->greeted = h->settled = false;
	h->leaving = h->ended = h->over = h->broken = false;
	h->why[0] = '\0';
	h->well = h->badly = 0;
	h->frame_head_bytes = h->frame_left = 0;
	h->rest[0].len = h->rest[1].len = 0;
	h->rest_of = NULL;
	a->stream = a->slot = 0;
	fail_clear(&a->fail);
	start(a);
}

static void close_codec(struct app *a)
{
	struct http2 *h = a->impl;

	if (!h)
		return;
	http2_session_close(a);
	http2_streams_free(h);
	free(h);
	a->impl = NULL;
}

static int open_codec(struct app *a)
{
	struct http2 *h = calloc(1, sizeof *h);

	a->impl = h;
	if (!h)
		return fail_set(&a->fail, ENOMEM, "no memory for an HTTP/2 association");
	h->slots = app_slots(&a->limits);
	h->streams = calloc(h->slots, sizeof(struct http2_stream *));
	if (!h->streams)
		fail_set(&a->fail, ENOMEM, "no memory for %u HTTP/2 streams", h->slots);
	else if (http2_session_open(a) == 0)
		start(a);
	if (a->fail.code == 0)
		return 0;
	close_codec(a);
	return -1;
}

static int request(struct app *a, const struct app_request *q)
{
	return a->half == APP_CLIENT ? http2_client_request(a, q) : -1;
}

static int respond(struct app *a, const struct app_response *r)
{
	return a->half == APP_SERVER ? http2_server_respond(a, r) : -1;
}

/* --- bytes from the peer --------------------------------------------------------- */

static size_t least(size_t x, size_t y)
{
	return x < y ? x : y;
}

/* How many of these bytes go no further than the end of a frame. */
static size_t up_to_frame_end(struct http2 *h, const uint8_t *src, size_t len)
{
	const uint8_t *b = h->frame_head;
	size_t part = 0, rest;

	if (h->preface_left > 0) {
		part = least(len, h->preface_left);
		h->preface_left -= part;
		return part;
	}
	if (h->frame_left == 0) {
		part = least(len, HTTP2_FRAME_HEAD_BYTES - h->frame_head_bytes);
		memcpy(h->frame_head + h->frame_head_bytes, src, part);
		h->frame_head_bytes += part;
		if (h->frame_head_bytes < HTTP2_FRAME_HEAD_BYTES)
			return part;
		h->frame_left = (size_t)b[0] << 16 | (size_t)b[1] << 8 | b[2];
		h->frame_head_bytes = 0;
	}
	rest = least(len - part, h->frame_left);
	h->frame_left -= rest;
	return part + rest;
}

static size_t feed(struct app *a, const void *src, size_t len)
{
	struct http2 *h = a->impl;
	const uint8_t *bytes = src;
	size_t used = 0;

	while (used < len && !h->over && !http2_ready(h)) {
		size_t part = up_to_frame_end(h, bytes + used, len - used);
		ssize_t taken = nghttp2_session_mem_recv(h->session, bytes + used, part);

		if (taken < 0)
			give_up_session(a, (int)taken);
		used += part;
	}
	return h->over ? len : used;
}

static void end(struct app *a)
{
	struct http2 *h = a->impl;

	if (h->ended || h->over)
		return;
	h->ended = h->leaving = true;
	/* A server still sends what it owes; a request that is not whole will never be. */
	if (a->half == APP_CLIENT)
		http2_client_end(a);
}

/* --- events ------------------------------------------------------------------------ */

static bool next_failure(struct http2 *h, struct app_event *e)
{
	if (!h->failed_waits)
		return false;
	h->failed_waits = false;
	h->failed = true;
	e->kind = APP_FAILED;
	return true;
}

static bool next(struct app *a, struct app_event *e)
{
	struct http2 *h = a->impl;
	struct http2_stream *s = h->failed ? NULL : http2_ready(h);

	*e = (struct app_event){ .kind = APP_NOTHING };
	if (!s)
		return next_failure(h, e);
	e->kind = (enum app_event_kind)__builtin_ctz(s->waiting);
	e->stream = s->id;
	e->slot = s->slot;
	if (e->kind == APP_RESET) {
		e->code = s->code;
		e->why = nghttp2_http2_strerror(s->code);
	}
	if (a->half == APP_SERVER)
		http2_server_event(a, s, e);
	else
		http2_client_event(a, s, e);
	http2_fetched(h, s);
	return true;
}

/* --- bytes to the peer ---------------------------------------------------------------- */

static bool has_rest(const struct http2 *h)
{
	return h->rest[0].len + h->rest[1].len > 0;
}

static void write_rest(struct http2 *h)
{
	for (int i = 0; i < 2; i++) {
		size_t part = least(h->rest[i].len, h->cap - h->put);

		if (part == 0)
			continue;
		memcpy(h->dst + h->put, h->rest[i].bytes, part);
		h->put += part;
		h->rest[i].bytes = (const char *)h->rest[i].bytes + part;
		h->rest[i].len -= part;
	}
}

void http2_write(struct http2 *h, const void *head, size_t head_bytes, const void *content,
		 size_t content_bytes)
{
	h->rest[0].bytes = head;
	h->rest[0].len = head_bytes;
	h->rest[1].bytes = content;
	h->rest[1].len = content_bytes;
	write_rest(h);
}

/*
 * A server's SETTINGS, with one entry more. nghttp2 would end the whole association for
 * one stream beyond the number that it has announced; so it is not told, and
 * http2_server_begin() refuses that one stream.
 */
static void greet(struct app *a, const uint8_t *frame, size_t len)
{
	struct http2 *h = a->impl;
	uint32_t streams = http2_streams_max(&a->limits);
	uint8_t entry[] = { 0,
			    NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
			    (uint8_t)(streams >> 24),
			    (uint8_t)(streams >> 16),
			    (uint8_t)(streams >> 8),
			    (uint8_t)streams };

	h->greeted = true;
	memcpy(h->rest_head, frame, len);
	memcpy(h->rest_head + len, entry, sizeof entry);
	h->rest_head[2] = (uint8_t)(h->rest_head[2] + sizeof entry);
	http2_write(h, h->rest_head, len + sizeof entry, NULL, 0);
}

/* One frame more. */
static bool write_frame(struct app *a)
{
	struct http2 *h = a->impl;
	const uint8_t *frame;
	ssize_t len;

	if (h->broken)
		return false;
	h->sent_data = false;
	len = nghttp2_session_mem_send(h->session, &frame);
	if (len < 0)
		give_up_session(a, (int)len);
	else if (len > 0 && a->half == APP_SERVER && !h->greeted)
		greet(a, frame, (size_t)len);
	else if (len > 0)
		http2_write(h, frame, (size_t)len, NULL, 0);
	return len > 0 || h->sent_data;
}

static size_t pull(struct app *a, void *dst, size_t cap)
{
	struct http2 *h = a->impl;

	h->dst = dst;
	h->cap = cap;
	h->put = 0;
	write_rest(h);
	while (h->put < h->cap && write_frame(a))
		;
	return h->put;
}

static bool shell_owes(const struct http2 *h)
{
	for (unsigned slot = 0; slot < h->slots; slot++)
		if (h->streams[slot] && h->streams[slot]->state == HTTP2_WAITING)
			return true;
	return false;
}

static bool finished(const struct app *a)
{
	const struct http2 *h = a->impl;

	if (has_rest(h))
		return false;
	if (h->broken)
		return true;
	if (nghttp2_session_want_write(h->session))
		return false;
	if (h->over || !h->leaving)
		return h->over;
	/* A peer that has left opens no window either: what still waits for one is lost. */
	return h->open == 0 || (h->ended && !shell_owes(h));
}

const struct app_ops app_http2 = {
	.name = "h2",
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
