/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_session - the session of nghttp2: its options, the SETTINGS it begins with and
 * its callbacks, which find the stream and call the half. It must not know what a
 * request or an answer is.
 */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http2_session.h"

static bool is_server(const struct app *a)
{
	return a->half == APP_SERVER;
}

void http2_give_up(struct app *a)
{
	struct http2 *h = a->impl;

	if (!h->over)
		h->failed_waits = true;
	h->over = true;
}

void http2_go_away(struct app *a, uint32_t code)
{
	struct http2 *h = a->impl;

	nghttp2_session_terminate_session(h->session, code);
	http2_give_up(a);
}

struct http2_stream *http2_find(struct http2 *h, uint32_t id)
{
	return nghttp2_session_get_stream_user_data(h->session, (int32_t)id);
}

/* --- what nghttp2 calls ------------------------------------------------------- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
	struct app *a = data;

	(void)session;
	if (is_server(a) && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		http2_server_begin(a, (uint32_t)frame->hd.stream_id);
	return 0;
}

/* nghttp2 ends names and values with a NUL of its own, and lets none be inside. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
		     void *data)
{
	struct app *a = data;
	struct http2_stream *s = http2_find(a->impl, (uint32_t)frame->hd.stream_id);
	int rv;

	(void)session;
	(void)flags;
	if (!s)
		return 0;
	s->head_bytes += name_bytes + value_bytes + 32;
	rv = is_server(a) ? http2_server_field(a, s, (const char *)name, (const char *)value)
			  : http2_client_field(a, s, (const char *)name, (const char *)value);
	return rv == 0 ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static void went_away(struct app *a, const nghttp2_goaway *g)
{
	struct http2 *h = a->impl;

	h->leaving = true;
	if (g->error_code == NGHTTP2_NO_ERROR)
		return;
	fail_set(&a->fail, ECONNRESET, "the peer ended the HTTP/2 association: %s%s%.*s",
		 nghttp2_http2_strerror(g->error_code), g->opaque_data_len ? ": " : "",
		 (int)(g->opaque_data_len < 100 ? g->opaque_data_len : 100),
		 g->opaque_data_len ? (const char *)g->opaque_data : "");
	http2_give_up(a);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
	struct http2_stream *s;

	(void)session;
	if (frame->hd.type == NGHTTP2_SETTINGS)
		h->settled = true;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		went_away(a, &frame->goaway);
	if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
		return 0;
	s = http2_find(h, (uint32_t)frame->hd.stream_id);
	if (!s)
		return 0;
	if (is_server(a))
		http2_server_frame(a, s, end);
	else
		http2_client_frame(a, s, end);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *src,
		   size_t len, void *data)
{
	struct app *a = data;
	struct http2_stream *s = http2_find(a->impl, (uint32_t)id);

	(void)session;
	(void)flags;
	if (!s || len == 0)
		return 0;
	if (is_server(a))
		http2_server_data(a, s, src, len);
	else
		http2_client_data(a, s, src, len);
	return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	struct http2_stream *s = http2_find(h, (uint32_t)id);

	(void)session;
	if (is_server(a))
		http2_server_closed(a, s, code);
	else if (s)
		http2_client_closed(a, s, code);
	if (s)
		http2_stream_close(h, s);
	return 0;
}

/* nghttp2 found the peer wrong and says so, or the association is left. */
static void sent_goaway(struct app *a, uint32_t code)
{
	struct http2 *h = a->impl;

	h->leaving = true;
	if (code == NGHTTP2_NO_ERROR || h->over)
		return;
	fail_set(&a->fail, EPROTO, "the peer broke HTTP/2: %s%s%s", nghttp2_http2_strerror(code),
		 h->why[0] ? ": " : "", h->why);
	http2_give_up(a);
}

static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	struct http2_stream *s = http2_find(h, (uint32_t)frame->hd.stream_id);
	bool message = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;

	if (frame->hd.type == NGHTTP2_GOAWAY)
		sent_goaway(a, frame->goaway.error_code);
	h->rest_of = message ? s : NULL;
	if (!s || !message)
		return 0;
	if (is_server(a) && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		http2_server_sent(a, s);
	if (!is_server(a) && frame->hd.type == NGHTTP2_HEADERS && s->last)
		nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, NULL, 0);
	return 0;
}

/* A request that was queued when GOAWAY came: nghttp2 has no stream for it yet. */
static int on_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int code, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	bool request = frame->hd.type == NGHTTP2_HEADERS &&
		       frame->headers.cat == NGHTTP2_HCAT_REQUEST && !is_server(a);

	(void)session;
	(void)code;
	for (unsigned slot = 0; request && slot < h->slots; slot++) {
		struct http2_stream *s = h->streams[slot];

		if (!s || s->id != (uint32_t)frame->hd.stream_id || s->state != HTTP2_RECEIVING)
			continue;
		nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, NULL);
		http2_client_closed(a, s, NGHTTP2_REFUSED_STREAM);
		http2_stream_close(h, s);
	}
	return 0;
}

static int on_error(nghttp2_session *session, int code, const char *text, size_t len, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;

	(void)session;
	(void)code;
	snprintf(h->why, sizeof h->why, "%.*s", (int)len, text);
	return 0;
}

/* --- what is sent -------------------------------------------------------------- */

void http2_say(struct http2_fields *f, const char *name, const char *value)
{
	f->nv[f->n++] = (nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name,
				      .namelen = strlen(name),
				      .value = (uint8_t *)(uintptr_t)value,
				      .valuelen = strlen(value),
				      .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME };
}

const char *http2_number(char digits[HTTP2_NUMBER_BYTES], uint64_t value)
{
	snprintf(digits, HTTP2_NUMBER_BYTES, "%llu", (unsigned long long)value);
	return digits;
}

/*
 * A frame that fills what is left of the buffer, so that a full one is one TLS record.
 * nghttp2 makes it smaller where the windows say so.
 */
static ssize_t frame_bytes(nghttp2_session *session, uint8_t type, int32_t id, int32_t session_room,
			   int32_t stream_room, uint32_t frame_max, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	size_t room = h->cap - h->put;

	(void)session;
	(void)type;
	(void)id;
	(void)session_room;
	(void)stream_room;
	if (room <= HTTP2_FRAME_HEAD_BYTES + HTTP2_FRAME_BYTES_MIN)
		return (ssize_t)frame_max;
	room -= HTTP2_FRAME_HEAD_BYTES;
	return (ssize_t)(room < frame_max ? room : frame_max);
}

ssize_t http2_read_content(nghttp2_session *session, int32_t id, uint8_t *buf, size_t len,
			   uint32_t *flags, nghttp2_data_source *source, void *data)
{
	const struct http2_stream *s = source->ptr;

	(void)session;
	(void)id;
	(void)buf;
	(void)data;
	*flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (len >= s->send_bytes)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)(len < s->send_bytes ? len : s->send_bytes);
}

static int on_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head,
			size_t len, nghttp2_data_source *source, void *data)
{
	struct app *a = data;
	struct http2 *h = a->impl;
	struct http2_stream *s = source->ptr;

	(void)session;
	(void)frame;
	memcpy(h->rest_head, head, HTTP2_FRAME_HEAD_BYTES);
	http2_write(h, h->rest_head, HTTP2_FRAME_HEAD_BYTES, s->send, len);
	s->send += len;
	s->send_bytes -= len;
	h->sent_data = true;
	/* One frame at a time: what does not fit must be pulled before the next. */
	return NGHTTP2_ERR_PAUSE;
}

/* --- the session ------------------------------------------------------------------ */

static void set_callbacks(nghttp2_session_callbacks *c)
{
	nghttp2_session_callbacks_set_on_begin_headers_callback(c, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(c, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(c, on_close);
	nghttp2_session_callbacks_set_on_frame_send_callback(c, on_sent);
	nghttp2_session_callbacks_set_on_frame_not_send_callback(c, on_not_sent);
	nghttp2_session_callbacks_set_error_callback2(c, on_error);
	nghttp2_session_callbacks_set_data_source_read_length_callback(c, frame_bytes);
	nghttp2_session_callbacks_set_send_data_callback(c, on_send_data);
}

static void set_options(nghttp2_option *o)
{
	nghttp2_option_set_no_closed_streams(o, 1);
	nghttp2_option_set_max_outbound_ack(o, HTTP2_ACKS_MAX);
	nghttp2_option_set_max_settings(o, HTTP2_SETTINGS_MAX);
	nghttp2_option_set_max_continuations(o, HTTP2_CONTINUATIONS_MAX);
	/* limits.resets is the limit, by count and for every kind of bad end; this one goes
	 * by the clock. */
	nghttp2_option_set_stream_reset_rate_limit(o, UINT32_MAX, UINT32_MAX);
}

int http2_session_open(struct app *a)
{
	struct http2 *h = a->impl;

	if (nghttp2_session_callbacks_new(&h->callbacks) != 0 ||
	    nghttp2_option_new(&h->option) != 0)
		return fail_set(&a->fail, ENOMEM, "no memory for an HTTP/2 association");
	set_callbacks(h->callbacks);
	set_options(h->option);
	return 0;
}

void http2_session_close(struct app *a)
{
	struct http2 *h = a->impl;

	http2_session_stop(a);
	nghttp2_session_callbacks_del(h->callbacks);
	nghttp2_option_del(h->option);
}

void http2_session_stop(struct app *a)
{
	struct http2 *h = a->impl;

	nghttp2_session_del(h->session);
	h->session = NULL;
}

static uint32_t window(uint32_t asked)
{
	if (asked == 0)
		return APP_WINDOW_BYTES;
	return asked < INT32_MAX ? asked : INT32_MAX;
}

/* All that is announced but the number of streams: see greet() in http2.c. */
static int submit_settings(struct app *a)
{
	struct http2 *h = a->impl;
	size_t head = a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES;
	nghttp2_settings_entry s[] = {
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window(a->limits.stream_window_bytes) },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)head },
		/* No tree of priorities, in any version of nghttp2: answers in order. */
		{ NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1 },
	};
	int rv;

	if (!is_server(a))
		s[2] = (nghttp2_settings_entry){ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 };
	rv = nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, s, sizeof s / sizeof *s);
	if (rv == 0)
		rv = nghttp2_session_set_local_window_size(
			h->session, NGHTTP2_FLAG_NONE, 0,
			(int32_t)window(a->limits.session_window_bytes));
	return rv;
}

int http2_session_start(struct app *a)
{
	struct http2 *h = a->impl;
	int rv = is_server(a)
			 ? nghttp2_session_server_new2(&h->session, h->callbacks, a, h->option)
			 : nghttp2_session_client_new2(&h->session, h->callbacks, a, h->option);

	if (rv == 0 && submit_settings(a) == 0)
		return 0;
	return fail_set(&a->fail, ENOMEM, "no memory for an HTTP/2 association");
}
