/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_client - requests out, responses in, on many streams at once (RFC 9113). Content
 * is not gathered: each piece is an event. It never opens a stream that the peer's
 * SETTINGS do not allow; a response that is cut short or malformed is a reset stream.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http2_session.h"
#include "protocols/http_request.h"

/* Until the peer has said what it allows: one, so that the first request need not wait. */
static bool may_open(const struct app *a)
{
	const struct http2 *h = a->impl;
	uint32_t max = http2_streams_max(&a->limits), peer;

	if (h->over || h->leaving)
		return false;
	peer = h->settled ? nghttp2_session_get_remote_settings(
				    h->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
			  : 1;
	return h->open < (max < peer ? max : peer) &&
	       nghttp2_session_check_request_allowed(h->session);
}

static int32_t submit(struct http2 *h, struct http2_stream *s, const struct app_request *q)
{
	nghttp2_data_provider content = { .source.ptr = s, .read_callback = http2_read_content };
	char length[HTTP2_NUMBER_BYTES], accepts[HTTP_ACCEPTS_BYTES];
	struct http2_fields f = { 0 };

	http2_say(&f, ":method", http_method_name(q->method));
	http2_say(&f, ":scheme", q->scheme ? q->scheme : "https");
	http2_say(&f, ":authority", q->host);
	http2_say(&f, ":path", q->target);
	http2_say(&f, "user-agent", "cipherwatt");
	http2_say(&f, "accept-encoding", http_accepts(q->accepts, accepts));
	if (q->content_type)
		http2_say(&f, "content-type", q->content_type);
	if (q->body_bytes > 0 || q->method == APP_POST)
		http2_say(&f, "content-length", http2_number(length, q->body_bytes));
	return nghttp2_submit_request(h->session, NULL, f.nv, f.n,
				      q->body_bytes > 0 ? &content : NULL, s);
}

int http2_client_request(struct app *a, const struct app_request *q)
{
	struct http2 *h = a->impl;
	struct http2_stream *s;
	int32_t id;

	if (!may_open(a) || http_request_check(q, &a->fail) != 0)
		return -1;
	s = http2_stream_new(h);
	if (!s)
		return -1;
	s->send = q->body;
	s->send_bytes = q->body_bytes;
	s->last = !q->keep_alive;
	id = submit(h, s, q);
	if (id < 0) {
		http2_stream_close(h, s);
		return fail_set(&a->fail, ENOMEM, "an HTTP/2 request: %s", nghttp2_strerror(id));
	}
	h->leaving = s->last;
	s->id = (uint32_t)id;
	a->stream = s->id;
	a->slot = s->slot;
	return 0;
}

int http2_client_field(struct app *a, struct http2_stream *s, const char *name, const char *value)
{
	size_t limit = a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES;

	if (s->head_bytes > limit)
		return -1;
	if (s->headed)
		return 0;
	if (strcmp(name, ":status") == 0) {
		/* Three digits, as nghttp2 has checked. */
		s->status = (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0');
	} else if (strcmp(name, "content-type") == 0) {
		snprintf(s->content_type, sizeof s->content_type, "%s", value);
	} else if (strcmp(name, "content-length") == 0 || strcmp(name, "content-encoding") == 0) {
		return http2_field(s, APP_CLIENT, name, value) == 0 ? 0 : -1;
	}
	return 0;
}

static void response_is_whole(struct http2 *h, struct http2_stream *s)
{
	s->state = HTTP2_WHOLE;
	s->ended = true;
	http2_raise(h, s, APP_END);
	/* A request that is not all sent yet need not be any more. */
	if (nghttp2_session_get_stream_local_close(h->session, (int32_t)s->id) == 0)
		nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, (int32_t)s->id,
					  NGHTTP2_CANCEL);
}

void http2_client_frame(struct app *a, struct http2_stream *s, bool end)
{
	struct http2 *h = a->impl;

	if (s->state != HTTP2_RECEIVING)
		return;
	if (!s->headed && s->status < 200) {
		/* An interim response: the next head starts afresh. */
		s->head_bytes = 0;
		http1_head_clear(&s->head);
		return;
	}
	if (!s->headed)
		http2_raise(h, s, APP_HEAD_IN);
	s->headed = true;
	if (end)
		response_is_whole(h, s);
}

void http2_client_data(struct app *a, struct http2_stream *s, const void *src, size_t len)
{
	struct http2 *h = a->impl;

	if (s->state != HTTP2_RECEIVING)
		return;
	h->slice = src;
	h->slice_bytes = len;
	s->body_bytes += len;
	http2_raise(h, s, APP_BODY);
}

void http2_client_closed(struct app *a, struct http2_stream *s, uint32_t code)
{
	if (s->ended)
		return;
	s->ended = true;
	s->code = code;
	http2_raise(a->impl, s, APP_RESET);
}

void http2_client_end(struct app *a)
{
	struct http2 *h = a->impl;

	for (unsigned slot = 0; slot < h->slots; slot++) {
		if (!h->streams[slot] || h->streams[slot]->state != HTTP2_RECEIVING)
			continue;
		fail_set(&a->fail, ECONNRESET, "the server closed with %u streams open", h->open);
		http2_give_up(a);
		h->broken = true;
		return;
	}
}

void http2_client_event(struct app *a, struct http2_stream *s, struct app_event *e)
{
	const struct http2 *h = a->impl;

	if (e->kind == APP_BODY) {
		e->bytes = h->slice;
		e->len = h->slice_bytes;
	}
	if (e->kind == APP_RESET)
		e->retry = s->code == NGHTTP2_REFUSED_STREAM;
	e->response = (struct app_response){
		.status = s->status,
		.content_type = s->content_type[0] ? s->content_type : NULL,
		.encoding = s->head.encoding,
		.body_bytes = e->kind == APP_END ? s->body_bytes : s->head.length,
		.keep_alive = !h->leaving && !h->over,
		.stream = s->id,
	};
}
