/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_stream - the streams of an HTTP/2 association: their memory, used again and
 * again, and the events that wait on them in the order in which they came. It must not
 * know nghttp2, nor what the events mean.
 */
#include <stdio.h>
#include <stdlib.h>

#include "protocols/http2.h"

#define KEPT_BODY_BYTES 65536

uint32_t http2_streams_max(const struct app_limits *limits)
{
	uint32_t asked = limits->streams ? limits->streams : APP_STREAMS;

	return asked < HTTP2_STREAMS_MAX ? asked : HTTP2_STREAMS_MAX;
}

/* One more: of a stream that is closed, a frame may wait to be pulled to its end. */
unsigned app_slots(const struct app_limits *limits)
{
	return http2_streams_max(limits) + 1;
}

static void clear(struct http2_stream *s)
{
	s->waiting = 0;
	s->queued = s->shown = s->headed = s->ended = s->last = false;
	s->id = 0;
	s->status = 0;
	s->code = 0;
	s->head_bytes = 0;
	s->body_bytes = s->send_bytes = 0;
	s->send = NULL;
	s->target[0] = s->host[0] = s->content_type[0] = '\0';
	http1_head_clear(&s->head);
}

/* Its texts stay: the last event points to them. */
static void give_back(struct http2 *h, struct http2_stream *s)
{
	h->kept_bytes -= s->body.len;
	if (s->body.cap > KEPT_BODY_BYTES)
		buf_release(&s->body);
	else
		buf_clear(&s->body);
	s->state = HTTP2_FREE;
	s->queued = false;
	s->next = h->unused;
	h->unused = s;
}

static struct http2_stream *make(struct http2 *h)
{
	struct http2_stream *s;

	for (unsigned slot = 0; slot < h->slots; slot++) {
		if (h->streams[slot])
			continue;
		s = calloc(1, sizeof *s);
		if (!s)
			return NULL;
		s->slot = slot;
		h->streams[slot] = s;
		return s;
	}
	return NULL;
}

struct http2_stream *http2_stream_new(struct http2 *h)
{
	struct http2_stream *s = h->unused;

	if (s)
		h->unused = s->next;
	else
		s = make(h);
	if (!s)
		return NULL;
	clear(s);
	s->next = NULL;
	s->state = HTTP2_RECEIVING;
	h->open++;
	return s;
}

void http2_stream_close(struct http2 *h, struct http2_stream *s)
{
	s->state = HTTP2_CLOSED;
	h->open--;
	if (!s->queued)
		give_back(h, s);
}

void http2_raise(struct http2 *h, struct http2_stream *s, enum app_event_kind kind)
{
	s->waiting |= 1u << kind;
	if (s->queued)
		return;
	s->queued = true;
	s->next = NULL;
	if (h->first)
		h->last->next = s;
	else
		h->first = s;
	h->last = s;
}

/* What was borrowed may only be given back when nothing of it is left to pull. */
static bool held(const struct http2 *h, const struct http2_stream *s)
{
	bool ends = (s->waiting & ((1u << APP_END) - 1)) == 0;

	return ends && s == h->rest_of && h->rest[0].len + h->rest[1].len > 0;
}

struct http2_stream *http2_ready(const struct http2 *h)
{
	struct http2_stream *s = h->first;

	return s && held(h, s) ? s->next : s;
}

static void unqueue(struct http2 *h, struct http2_stream *s)
{
	struct http2_stream *before = h->first == s ? NULL : h->first;

	while (before && before->next != s)
		before = before->next;
	if (before)
		before->next = s->next;
	else
		h->first = s->next;
	if (h->last == s)
		h->last = before;
	s->queued = false;
	s->next = NULL;
}

void http2_fetched(struct http2 *h, struct http2_stream *s)
{
	s->waiting &= s->waiting - 1;
	if (s->waiting)
		return;
	unqueue(h, s);
	if (s->state == HTTP2_CLOSED)
		give_back(h, s);
}

void http2_streams_reset(struct http2 *h)
{
	h->first = h->last = h->unused = NULL;
	h->open = 0;
	/* The lowest slots are used first, so that few are ever made. */
	for (unsigned slot = h->slots; slot-- > 0;)
		if (h->streams[slot])
			give_back(h, h->streams[slot]);
}

void http2_streams_free(struct http2 *h)
{
	for (unsigned slot = 0; h->streams && slot < h->slots; slot++) {
		if (h->streams[slot])
			buf_release(&h->streams[slot]->body);
		free(h->streams[slot]);
	}
	free(h->streams);
	h->streams = NULL;
}

int http2_field(struct http2_stream *s, enum app_half half, const char *name, const char *value)
{
	struct fail why = { 0 };
	char line[1024];
	int len = snprintf(line, sizeof line, "%s:%s", name, value);

	/* Nobody means a list that long: what it would accept is not looked for. */
	if (len < 0 || (size_t)len >= sizeof line)
		return 0;
	return http1_field(&s->head, half, line, (size_t)len, &why);
}
