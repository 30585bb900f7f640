/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_server - requests in, responses out (RFC 9110, RFC 9112). One request at a
 * time: the next of a pipeline is read when the one before is answered to its last
 * byte. What cannot be understood is answered with its status, and then the
 * association is over: where the next request would start is no longer sure.
 */
#include <errno.h>
#include <string.h>

#include "protocols/http1.h"

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{ 200, "OK" },
	{ 204, "No Content" },
	{ 400, "Bad Request" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 417, "Expectation Failed" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

/* An unknown status has an empty reason: the grammar allows it (RFC 9112 section 4). */
static const char *reason_of(int status)
{
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "";
}

static void say_field(struct http1 *h, const char *name, const char *value)
{
	http1_say(h, name);
	http1_say(h, ": ");
	http1_say(h, value);
	http1_say(h, "\r\n");
}

static void say_status(struct app *a, int status)
{
	struct http1 *h = a->impl;

	http1_say(h, "HTTP/1.1 ");
	http1_say_number(h, (uint64_t)status);
	http1_say(h, " ");
	http1_say(h, reason_of(status));
	http1_say(h, "\r\nServer: cipherwatt\r\n");
	if (a->date)
		say_field(h, "Date", a->date);
}

static void say_length(struct http1 *h, uint64_t length)
{
	http1_say(h, "Content-Length: ");
	http1_say_number(h, length);
	http1_say(h, "\r\n");
}

/* The peer broke the protocol: answer, and be over. */
static void refuse(struct app *a, int status)
{
	struct http1 *h = a->impl;

	h->failed_status = status;
	say_status(a, status);
	say_length(h, 0);
	http1_say(h, "Connection: close\r\n\r\n");
	h->state = HTTP1_OVER;
	http1_raise(h, APP_FAILED);
}

static void request_is_whole(struct http1 *h)
{
	h->state = HTTP1_WAITING;
	http1_raise(h, APP_REQUEST);
}

static void begin_body(struct app *a)
{
	struct http1 *h = a->impl;

	if (h->head.has_length && h->head.length > a->limits.body_bytes) {
		fail_set(&a->fail, EMSGSIZE, "a request body of more than %zu bytes",
			 a->limits.body_bytes);
		refuse(a, 413);
		return;
	}
	if (!h->head.chunked && h->head.length == 0) {
		request_is_whole(h);
		return;
	}
	if (h->head.expect_continue)
		http1_say(h, "HTTP/1.1 100 Continue\r\n\r\n");
	h->state = h->head.chunked ? HTTP1_CHUNKS : HTTP1_BODY;
}

static void head_line(struct app *a, char *line, size_t len)
{
	struct http1 *h = a->impl;
	int status;

	if (h->start_line && len == 0 && !h->blank) {
		/* RFC 9112 section 2.2: an empty line before the request line is skipped. */
		h->blank = true;
		http1_lines_clear(&h->lines);
		return;
	}
	if (h->start_line) {
		h->start_line = false;
		status = http1_request_line(&h->head, line, len, &a->fail);
	} else if (len > 0) {
		status = http1_field(&h->head, APP_SERVER, line, len, &a->fail);
	} else {
		status = http1_request_check(&h->head, &a->fail);
		h->persistent = http1_persistent(&h->head);
		if (status == 0)
			begin_body(a);
	}
	if (status != 0)
		refuse(a, status);
}

static void trailer_line(struct app *a, char *line, size_t len)
{
	if (len == 0)
		request_is_whole(a->impl);
	else if (http1_trailer(line, len, &a->fail) != 0)
		refuse(a, 400);
}

static size_t feed_line(struct app *a, const char *src, size_t len)
{
	struct http1 *h = a->impl;
	struct http1_lines *l = &h->lines;
	size_t taken;

	switch (http1_lines_take(l, src, len, &taken)) {
	case HTTP1_LINE_MORE:
		break;
	case HTTP1_LINE_DONE:
		if (h->state == HTTP1_HEAD)
			head_line(a, l->base + l->start, http1_lines_length(l));
		else
			trailer_line(a, l->base + l->start, http1_lines_length(l));
		http1_lines_next(l);
		break;
	case HTTP1_LINE_FULL:
		fail_set(&a->fail, EMSGSIZE, "a request head of more than %zu bytes", l->cap);
		refuse(a, h->start_line ? 414 : 431);
		break;
	case HTTP1_LINE_BAD:
		fail_set(&a->fail, EPROTO, "byte 0x%02x in a request head, %zu bytes in",
			 (unsigned char)l->base[l->len - 1], l->len);
		refuse(a, 400);
		break;
	}
	return taken;
}

static size_t feed_body(struct http1 *h, const char *src, size_t len)
{
	size_t left = (size_t)(h->head.length - h->body_bytes), part = len < left ? len : left;

	memcpy(h->body + h->body_bytes, src, part);
	h->body_bytes += part;
	if (h->body_bytes == h->head.length)
		request_is_whole(h);
	return part;
}

static void keep_chunk(struct app *a, const char *data, size_t len)
{
	struct http1 *h = a->impl;
	uint64_t room = a->limits.body_bytes - h->body_bytes;

	if (len > room || h->chunks.left > room - len) {
		fail_set(&a->fail, EMSGSIZE, "a request body of more than %zu bytes",
			 a->limits.body_bytes);
		refuse(a, 413);
		return;
	}
	memcpy(h->body + h->body_bytes, data, len);
	h->body_bytes += len;
}

static size_t feed_chunks(struct app *a, const char *src, size_t len)
{
	size_t taken, data_len;

	if (http1_take_chunks(a, src, len, &taken, &data_len) != 0)
		refuse(a, 400);
	else if (data_len > 0)
		keep_chunk(a, src + taken - data_len, data_len);
	return taken;
}

size_t http1_server_feed_once(struct app *a, const char *src, size_t len)
{
	struct http1 *h = a->impl;

	switch (h->state) {
	case HTTP1_HEAD:
	case HTTP1_TRAILER:
		return feed_line(a, src, len);
	case HTTP1_BODY:
		return feed_body(h, src, len);
	case HTTP1_CHUNKS:
		return feed_chunks(a, src, len);
	default:
		return len;
	}
}

void http1_server_end(struct app *a)
{
	struct http1 *h = a->impl;

	if (h->state == HTTP1_WAITING || h->state == HTTP1_SENDING || h->state == HTTP1_OVER)
		return;
	if (h->state != HTTP1_HEAD || h->lines.len > 0) {
		fail_set(&a->fail, ECONNRESET, "the peer closed in the middle of a request");
		http1_raise(h, APP_FAILED);
	}
	h->state = HTTP1_OVER;
}

void http1_server_event(struct app *a, struct app_event *e)
{
	struct http1 *h = a->impl;

	if (e->kind == APP_FAILED)
		e->response.status = h->failed_status;
	if (e->kind != APP_REQUEST)
		return;
	e->request = (struct app_request){
		.method = h->head.method,
		.target = h->head.target,
		.host = h->head.host,
		.accepts = http1_accepts(&h->head),
		.content_type = h->head.content_type,
		.body = h->body_bytes ? h->body : NULL,
		.body_bytes = (size_t)h->body_bytes,
		.keep_alive = h->persistent && !h->ended,
	};
}

static bool has_content(int status)
{
	return status != 204 && status != 304;
}

static void say_response(struct app *a, const struct app_response *r)
{
	struct http1 *h = a->impl;
	const char *coding = app_encoding_name(r->encoding);

	say_status(a, r->status);
	if (has_content(r->status))
		say_length(h, r->body_bytes);
	if (r->content_type)
		say_field(h, "Content-Type", r->content_type);
	if (coding)
		say_field(h, "Content-Encoding", coding);
	if (r->vary)
		say_field(h, "Vary", "Accept-Encoding");
	if (r->allow)
		say_field(h, "Allow", r->allow);
	if (!h->persistent)
		say_field(h, "Connection", "close");
	else if (h->head.minor == 0)
		say_field(h, "Connection", "keep-alive");
	http1_say(h, "\r\n");
}

int http1_server_respond(struct app *a, const struct app_response *r)
{
	struct http1 *h = a->impl;
	size_t texts = (r->content_type ? strlen(r->content_type) : 0) +
		       (r->allow ? strlen(r->allow) : 0) + (a->date ? strlen(a->date) : 0);

	if (h->state != HTTP1_WAITING)
		return -1;
	/* 512: the fixed words of the longest head. */
	if (r->status < 200 || r->status > 599 || texts + 512 > http1_say_room(h))
		return fail_set(&a->fail, EINVAL, "a response with status %d cannot be written",
				r->status);
	h->persistent = h->persistent && r->keep_alive && !h->ended;
	say_response(a, r);
	if (h->head.method != APP_HEAD && has_content(r->status)) {
		h->send_body = r->body;
		h->send_body_bytes = r->body_bytes;
	}
	h->state = HTTP1_SENDING;
	return 0;
}

void http1_server_pulled(struct app *a)
{
	struct http1 *h = a->impl;

	if (h->state != HTTP1_SENDING)
		return;
	http1_raise(h, APP_SENT);
	if (h->persistent && !h->ended)
		http1_expect_head(h);
	else
		h->state = HTTP1_OVER;
}
