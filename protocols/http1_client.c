/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_client - requests out, responses in (RFC 9110, RFC 9112). Content is not
 * gathered: each piece is an event. A response that is cut short or does not follow the
 * grammar is a failure, never a short success.
 */
#include <errno.h>
#include <string.h>

#include "protocols/http1.h"
#include "protocols/http_request.h"

/* RFC 9110 section 15.2 sets no limit; endless ones would keep a request from ever ending. */
#define INTERIM_MAX 16

/* Everything of the request that can never be sent, and that the head fits. */
static int check_request(struct app *a, const struct app_request *q)
{
	size_t type = q->content_type ? strlen(q->content_type) : 0;

	if (http_request_check(q, &a->fail) != 0)
		return -1;
	if (type > 512)
		return fail_set(&a->fail, EINVAL, "a content type of %zu bytes", type);
	return 0;
}

static void say_request(struct http1 *h, const struct app_request *q)
{
	char accepts[HTTP_ACCEPTS_BYTES];

	http1_say(h, http_method_name(q->method));
	http1_say(h, " ");
	http1_say(h, q->target);
	http1_say(h, " HTTP/1.1\r\nHost: ");
	http1_say(h, q->host);
	http1_say(h, "\r\nUser-Agent: cipherwatt\r\nAccept-Encoding: ");
	http1_say(h, http_accepts(q->accepts, accepts));
	http1_say(h, "\r\n");
	if (!q->keep_alive)
		http1_say(h, "Connection: close\r\n");
	if (q->content_type) {
		http1_say(h, "Content-Type: ");
		http1_say(h, q->content_type);
		http1_say(h, "\r\n");
	}
	if (q->body_bytes > 0 || q->method == APP_POST) {
		http1_say(h, "Content-Length: ");
		http1_say_number(h, q->body_bytes);
		http1_say(h, "\r\n");
	}
	http1_say(h, "\r\n");
}

int http1_client_request(struct app *a, const struct app_request *q)
{
	struct http1 *h = a->impl;

	if (h->state != HTTP1_IDLE || h->waiting || h->out_len > 0 || h->send_body_bytes > 0)
		return -1;
	if (check_request(a, q) != 0)
		return -1;
	http1_expect_head(h);
	h->persistent = q->keep_alive;
	h->to_head = q->method == APP_HEAD;
	h->interim = 0;
	h->send_body = q->body;
	h->send_body_bytes = q->body_bytes;
	say_request(h, q);
	return 0;
}

static void give_up(struct app *a)
{
	struct http1 *h = a->impl;

	h->state = HTTP1_OVER;
	h->persistent = false;
	h->out_len = h->out_at = 0;
	h->send_body_bytes = 0;
	http1_raise(h, APP_FAILED);
}

static void response_is_whole(struct http1 *h)
{
	/* A request that is not all sent yet can no longer be followed by another. */
	if (h->out_len > 0 || h->send_body_bytes > 0) {
		h->persistent = false;
		h->out_len = h->out_at = 0;
		h->send_body_bytes = 0;
	}
	h->state = h->persistent ? HTTP1_IDLE : HTTP1_OVER;
	http1_raise(h, APP_END);
}

/* RFC 9112 section 6.3, for responses. */
static int head_is_whole(struct app *a)
{
	struct http1 *h = a->impl;
	const struct http1_head *head = &h->head;

	if (head->status == 101)
		return fail_set(&a->fail, EPROTO, "the server changed protocols unasked");
	if (head->status < 200) {
		if (++h->interim > INTERIM_MAX)
			return fail_set(&a->fail, EPROTO, "more than %d interim responses",
					INTERIM_MAX);
		http1_expect_head(h);
		return 0;
	}
	if (head->has_coding && (head->has_length || head->minor == 0))
		return fail_set(&a->fail, EPROTO, "the answer's length is stated in two ways");
	h->persistent = h->persistent && http1_persistent(head);
	http1_raise(h, APP_HEAD_IN);
	if (h->to_head || head->status == 204 || head->status == 304) {
		response_is_whole(h);
	} else if (head->chunked) {
		h->state = HTTP1_CHUNKS;
	} else if (!head->has_length) {
		h->persistent = false;
		h->state = HTTP1_TO_CLOSE;
	} else if (head->length > 0) {
		h->state = HTTP1_BODY;
	} else {
		response_is_whole(h);
	}
	return 0;
}

static int take_line(struct app *a, char *line, size_t len)
{
	struct http1 *h = a->impl;

	if (h->state == HTTP1_TRAILER && len > 0)
		return http1_trailer(line, len, &a->fail);
	if (h->state == HTTP1_TRAILER) {
		response_is_whole(h);
		return 0;
	}
	if (h->start_line) {
		h->start_line = false;
		return http1_status_line(&h->head, line, len, &a->fail);
	}
	return len > 0 ? http1_field(&h->head, APP_CLIENT, line, len, &a->fail) : head_is_whole(a);
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
		if (take_line(a, l->base + l->start, http1_lines_length(l)) != 0)
			give_up(a);
		/* After an interim response the buffer has been emptied already. */
		http1_lines_next(l);
		break;
	case HTTP1_LINE_FULL:
		fail_set(&a->fail, EMSGSIZE, "a response head of more than %zu bytes", l->cap);
		give_up(a);
		break;
	case HTTP1_LINE_BAD:
		fail_set(&a->fail, EPROTO, "byte 0x%02x in a response head, %zu bytes in",
			 (unsigned char)l->base[l->len - 1], l->len);
		give_up(a);
		break;
	}
	return taken;
}

static void give_slice(struct http1 *h, const char *data, size_t len)
{
	h->slice = data;
	h->slice_bytes = len;
	h->body_bytes += len;
	http1_raise(h, APP_BODY);
}

static size_t feed_chunks(struct app *a, const char *src, size_t len)
{
	size_t taken, data_len;

	if (http1_take_chunks(a, src, len, &taken, &data_len) != 0)
		give_up(a);
	else if (data_len > 0)
		give_slice(a->impl, src + taken - data_len, data_len);
	return taken;
}

static size_t feed_body(struct http1 *h, const char *src, size_t len)
{
	uint64_t left = h->head.length - h->body_bytes;
	size_t part = len < left ? len : (size_t)left;

	give_slice(h, src, part);
	if (h->body_bytes == h->head.length)
		response_is_whole(h);
	return part;
}

size_t http1_client_feed_once(struct app *a, const char *src, size_t len)
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
	case HTTP1_TO_CLOSE:
		give_slice(h, src, len);
		return len;
	case HTTP1_IDLE:
		fail_set(&a->fail, EPROTO, "the server sent bytes that were not asked for");
		give_up(a);
		return len;
	default:
		return len;
	}
}

void http1_client_end(struct app *a)
{
	struct http1 *h = a->impl;

	switch (h->state) {
	case HTTP1_OVER:
		return;
	case HTTP1_IDLE:
		h->state = HTTP1_OVER;
		return;
	case HTTP1_TO_CLOSE:
		response_is_whole(h);
		return;
	case HTTP1_HEAD:
		fail_set(&a->fail, ECONNRESET,
			 h->lines.len > 0 ? "the server closed in the middle of a response head"
					  : "the server closed without an answer");
		break;
	default:
		fail_set(&a->fail, ECONNRESET,
			 "the response was cut short after %llu bytes of content",
			 (unsigned long long)h->body_bytes);
	}
	give_up(a);
}

void http1_client_event(struct app *a, struct app_event *e)
{
	struct http1 *h = a->impl;

	if (e->kind == APP_BODY) {
		e->bytes = h->slice;
		e->len = h->slice_bytes;
	}
	if (e->kind != APP_HEAD_IN && e->kind != APP_END)
		return;
	e->response = (struct app_response){
		.status = h->head.status,
		.content_type = h->head.content_type,
		.encoding = h->head.encoding,
		.body_bytes = e->kind == APP_END ? h->body_bytes : h->head.length,
		.keep_alive = h->persistent,
	};
}
