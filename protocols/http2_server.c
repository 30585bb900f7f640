/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_server - requests in, answers out, on many streams at once (RFC 9113 section 8).
 * A request that cannot be taken costs its stream only. A peer whose streams end badly
 * again and again costs work and gives none: then the association is over.
 */
#include <errno.h>
#include <string.h>

#include "protocols/http2_session.h"
#include "protocols/url.h"

static bool has_content(int status)
{
	return status != 204 && status != 304;
}

static void say_status(struct app *a, struct http2_fields *f, char *digits, int status)
{
	http2_say(f, ":status", http2_number(digits, (uint64_t)status));
	http2_say(f, "server", "cipherwatt");
	if (a->date)
		http2_say(f, "date", a->date);
}

static int submit(struct app *a, struct http2_stream *s, const struct http2_fields *f)
{
	struct http2 *h = a->impl;
	nghttp2_data_provider content = { .source.ptr = s, .read_callback = http2_read_content };

	if (nghttp2_submit_response(h->session, (int32_t)s->id, f->nv, f->n,
				    s->send_bytes > 0 ? &content : NULL) == 0)
		return 0;
	return fail_set(&a->fail, ENOMEM, "no memory for an answer");
}

/* This request is answered here. The client may still be sending it. */
static void refuse(struct app *a, struct http2_stream *s, int status)
{
	struct http2 *h = a->impl;
	struct http2_fields f = { 0 };
	char digits[HTTP2_NUMBER_BYTES];

	s->state = HTTP2_REFUSED;
	s->status = status;
	s->ended = true;
	say_status(a, &f, digits, status);
	http2_say(&f, "content-length", "0");
	if (submit(a, s, &f) != 0)
		http2_go_away(a, NGHTTP2_INTERNAL_ERROR);
	http2_raise(h, s, APP_RESET);
}

void http2_server_begin(struct app *a, uint32_t id)
{
	struct http2 *h = a->impl;
	struct http2_stream *s =
		h->open < http2_streams_max(&a->limits) ? http2_stream_new(h) : NULL;

	if (s) {
		s->id = id;
		nghttp2_session_set_stream_user_data(h->session, (int32_t)id, s);
	} else {
		nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, (int32_t)id,
					  NGHTTP2_REFUSED_STREAM);
	}
}

static enum app_method method_of(const char *name)
{
	static const char *const names[] = { "GET", "HEAD", "POST", "OPTIONS" };

	for (int i = 0; i < APP_METHOD_OTHER; i++)
		if (strcmp(names[i], name) == 0)
			return (enum app_method)i;
	return APP_METHOD_OTHER;
}

/* 0, or status when the text is too long. */
static int keep(char *dst, size_t cap, const char *text, int status)
{
	size_t len = strlen(text);

	if (len >= cap)
		return status;
	memcpy(dst, text, len + 1);
	return 0;
}

static int read_field(struct http2_stream *s, const char *name, const char *value)
{
	if (strcmp(name, ":method") == 0)
		s->head.method = method_of(value);
	else if (strcmp(name, ":path") == 0)
		return keep(s->target, sizeof s->target, value, 414);
	else if (strcmp(name, ":authority") == 0 || (strcmp(name, "host") == 0 && !s->host[0]))
		return keep(s->host, sizeof s->host, value, 400);
	else if (strcmp(name, "content-type") == 0)
		return keep(s->content_type, sizeof s->content_type, value, 431);
	else if (strcmp(name, "content-length") == 0 || strcmp(name, "content-encoding") == 0 ||
		 strcmp(name, "accept-encoding") == 0)
		return http2_field(s, APP_SERVER, name, value);
	return 0;
}

int http2_server_field(struct app *a, struct http2_stream *s, const char *name, const char *value)
{
	size_t limit = a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES;

	if (s->status == 0 && s->head_bytes > limit)
		s->status = 431;
	if (s->status == 0 && !s->headed)
		s->status = read_field(s, name, value);
	return 0;
}

/* 0, or the status of the answer to a head that cannot be taken. */
static int check_head(const struct app *a, const struct http2_stream *s)
{
	bool asterisk = s->head.method == APP_OPTIONS && strcmp(s->target, "*") == 0;

	if (s->status != 0)
		return s->status;
	if (s->target[0] == '\0')
		return 501; /* CONNECT */
	if (!asterisk && !url_is_target(s->target, strlen(s->target)))
		return 400;
	if (!http1_is_host(s->host, strlen(s->host)))
		return 400;
	return s->head.has_length && s->head.length > a->limits.body_bytes ? 413 : 0;
}

void http2_server_frame(struct app *a, struct http2_stream *s, bool end)
{
	int status;

	if (s->state != HTTP2_RECEIVING)
		return;
	status = s->headed ? s->status : check_head(a, s);
	s->headed = true;
	if (status != 0) {
		refuse(a, s, status);
	} else if (end) {
		s->state = HTTP2_WAITING;
		s->shown = true;
		http2_raise(a->impl, s, APP_REQUEST);
	}
}

/* Judged when the frame is complete: not where the network happened to cut it. */
void http2_server_data(struct app *a, struct http2_stream *s, const void *src, size_t len)
{
	struct http2 *h = a->impl;

	if (s->state != HTTP2_RECEIVING || s->status != 0)
		return;
	if (len > a->limits.body_bytes - s->body.len) {
		s->status = 413;
		return;
	}
	if (h->kept_bytes + len > HTTP2_BODIES_MAX * a->limits.body_bytes) {
		s->status = 503;
		return;
	}
	buf_put(&s->body, src, len);
	if (s->body.failed)
		s->status = 503;
	else
		h->kept_bytes += len;
}

void http2_server_sent(struct app *a, struct http2_stream *s)
{
	struct http2 *h = a->impl;

	if (s->state == HTTP2_SENDING) {
		s->ended = true;
		h->well++;
		http2_raise(h, s, APP_SENT);
	} else if (s->state == HTTP2_REFUSED &&
		   nghttp2_session_get_stream_remote_close(h->session, (int32_t)s->id) == 0) {
		/* RFC 9113 section 8.1: the answer is whole, the rest need not be sent. */
		nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, (int32_t)s->id,
					  NGHTTP2_NO_ERROR);
	}
}

void http2_server_closed(struct app *a, struct http2_stream *s, uint32_t code)
{
	struct http2 *h = a->impl;

	if (s && s->ended)
		return;
	if (s && s->shown) {
		s->code = code;
		http2_raise(h, s, APP_RESET);
	}
	if (++h->badly <= h->well + (a->limits.resets ? a->limits.resets : APP_RESETS) || h->over)
		return;
	fail_set(&a->fail, EPROTO, "%llu streams ended badly and %llu well",
		 (unsigned long long)h->badly, (unsigned long long)h->well);
	http2_go_away(a, NGHTTP2_ENHANCE_YOUR_CALM);
}

void http2_server_event(struct app *a, struct http2_stream *s, struct app_event *e)
{
	const struct http2 *h = a->impl;

	e->response.stream = s->id;
	if (e->kind == APP_RESET)
		e->response.status = s->state == HTTP2_REFUSED || !s->shown ? s->status : 0;
	if (e->kind != APP_REQUEST)
		return;
	e->request = (struct app_request){
		.method = s->head.method,
		.target = s->target,
		.host = s->host[0] ? s->host : NULL,
		.accepts = http1_accepts(&s->head),
		.content_type = s->content_type[0] ? s->content_type : NULL,
		.body = s->body.len ? s->body.data : NULL,
		.body_bytes = s->body.len,
		.keep_alive = !h->leaving,
		.stream = s->id,
	};
}

/* No further streams: those beyond the last one seen are told to go elsewhere. */
static void leave(struct http2 *h)
{
	if (!h->leaving)
		nghttp2_submit_goaway(h->session, NGHTTP2_FLAG_NONE,
				      nghttp2_session_get_last_proc_stream_id(h->session),
				      NGHTTP2_NO_ERROR, NULL, 0);
	h->leaving = true;
}

int http2_server_respond(struct app *a, const struct app_response *r)
{
	struct http2 *h = a->impl;
	struct http2_stream *s = r->stream ? http2_find(h, r->stream) : NULL;
	const char *coding = app_encoding_name(r->encoding);
	char status[HTTP2_NUMBER_BYTES], length[HTTP2_NUMBER_BYTES];
	struct http2_fields f = { 0 };

	if (!s || s->state != HTTP2_WAITING || h->over)
		return -1;
	if (r->status < 200 || r->status > 599)
		return fail_set(&a->fail, EINVAL, "a response with status %d cannot be written",
				r->status);
	say_status(a, &f, status, r->status);
	if (has_content(r->status))
		http2_say(&f, "content-length", http2_number(length, r->body_bytes));
	if (r->content_type)
		http2_say(&f, "content-type", r->content_type);
	if (coding)
		http2_say(&f, "content-encoding", coding);
	if (r->vary)
		http2_say(&f, "vary", "accept-encoding");
	if (r->allow)
		http2_say(&f, "allow", r->allow);
	if (s->head.method != APP_HEAD && has_content(r->status)) {
		s->send = r->body;
		s->send_bytes = r->body_bytes;
	}
	s->state = HTTP2_SENDING;
	if (!r->keep_alive)
		leave(h);
	return submit(a, s, &f);
}
