/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2 - what the halves of the HTTP/2 codec (RFC 9113) share: one session of nghttp2,
 * fed and pulled from memory, its streams and the events that wait. Internal to
 * protocols/. nghttp2 knows frames, HPACK, flow control and what makes a message
 * malformed; this codec knows requests, answers and what a peer may cost.
 */
#ifndef PROTOCOLS_HTTP2_H
#define PROTOCOLS_HTTP2_H

#include "lib/buf.h"
#include "protocols/http1_parse.h"

#define HTTP2_PREFACE_BYTES    24
#define HTTP2_FRAME_HEAD_BYTES 9
#define HTTP2_TEXT_BYTES       512  /* host, content type */
#define HTTP2_FRAME_BYTES_MIN  1024 /* of content: a smaller rest of a buffer is not aimed at */
#define HTTP2_STREAMS_MAX      100000
/* Request bodies kept at once on one association, in limits.body_bytes; beyond: 503. */
#define HTTP2_BODIES_MAX 8
/* Frames that answer SETTINGS and PING and wait to be pulled; beyond, the peer floods. */
#define HTTP2_ACKS_MAX          256
#define HTTP2_SETTINGS_MAX      32
#define HTTP2_CONTINUATIONS_MAX 8

struct nghttp2_session;
struct nghttp2_session_callbacks;
struct nghttp2_option;

enum http2_state {
	HTTP2_FREE,
	HTTP2_RECEIVING, /* server: the request; client: waiting for, and reading, the response */
	HTTP2_WAITING,   /* server: the request is the shell's to answer */
	HTTP2_SENDING,   /* server: the answer is being pulled */
	HTTP2_REFUSED,   /* server: answered here; what still comes is dropped */
	HTTP2_WHOLE,     /* client: the response is complete */
	HTTP2_CLOSED     /* nghttp2 has forgotten it; events may still wait */
};

struct http2_stream {
	struct http2_stream *next; /* of those whose events wait, or of the free ones */
	enum http2_state state;
	uint32_t id;
	unsigned slot;
	unsigned waiting; /* bit per enum app_event_kind: for next(), lowest first */
	bool queued;      /* it is in the list of those whose events wait */
	bool shown;       /* server: the shell has been given the request */
	bool headed;      /* the head is complete: fields that follow are trailers */
	bool ended;       /* its last event was raised: what comes after is of no interest */
	bool last;        /* client: no request follows this one */
	int status;
	uint32_t code;     /* of APP_RESET */
	size_t head_bytes; /* as RFC 9113 section 6.5.2 counts them */
	struct http1_head head;
	uint64_t body_bytes; /* content that has come */
	struct buf body;     /* server: that content */
	const char *send;    /* borrowed content to send */
	uint64_t send_bytes;
	char target[APP_TARGET_BYTES];
	char host[HTTP2_TEXT_BYTES];
	char content_type[HTTP2_TEXT_BYTES];
};

struct http2 {
	struct nghttp2_session *session;
	struct nghttp2_session_callbacks *callbacks;
	struct nghttp2_option *option;

	struct http2_stream **streams; /* by slot; made when first needed, then kept */
	unsigned slots;
	unsigned open; /* streams that nghttp2 has not closed */
	struct http2_stream *unused;
	struct http2_stream *first, *last; /* whose events wait */
	bool failed_waits;                 /* APP_FAILED waits behind those */
	bool failed;                       /* it has been fetched: there are no more events */

	bool greeted;  /* server: the first frame, SETTINGS, has been written */
	bool settled;  /* client: the peer's SETTINGS have come */
	bool leaving;  /* no new streams: GOAWAY sent, asked for or received */
	bool ended;    /* the peer sends no more */
	bool over;     /* what comes is dropped; what nghttp2 still has is pulled */
	bool broken;   /* nghttp2 must not be called any more */
	char why[160]; /* what nghttp2 said last about the peer */

	uint64_t well, badly; /* server: streams that ended so */
	size_t kept_bytes;    /* server: of request bodies */

	/* What feed() is in the middle of. */
	size_t preface_left; /* server */
	uint8_t frame_head[HTTP2_FRAME_HEAD_BYTES];
	size_t frame_head_bytes, frame_left;
	const void *slice; /* client: of APP_BODY */
	size_t slice_bytes;

	/* Where pull() writes, and what of a frame did not fit. */
	char *dst;
	size_t cap, put;
	struct {
		const void *bytes;
		size_t len;
	} rest[2]; /* frame head or control frame; borrowed content */
	uint8_t rest_head[HTTP2_FRAME_HEAD_BYTES + 64];
	struct http2_stream *rest_of; /* the stream of the frame last handed out */
	bool sent_data;               /* the last step of nghttp2 has written content itself */
};

/* http2_stream.c */

uint32_t http2_streams_max(const struct app_limits *limits);
/* NULL: none is free, or no memory. */
struct http2_stream *http2_stream_new(struct http2 *h);
/* nghttp2 knows it no more. It is used again once its events have been fetched. */
void http2_stream_close(struct http2 *h, struct http2_stream *s);
void http2_raise(struct http2 *h, struct http2_stream *s, enum app_event_kind kind);
/* The next stream with an event that may be fetched, or NULL. */
struct http2_stream *http2_ready(const struct http2 *h);
/* Its lowest event has been taken. The stream may be used for another from then on. */
void http2_fetched(struct http2 *h, struct http2_stream *s);
void http2_streams_reset(struct http2 *h);
void http2_streams_free(struct http2 *h);
/* Let the grammar of HTTP/1.1 read it: the status of http1_field(). */
int http2_field(struct http2_stream *s, enum app_half half, const char *name, const char *value);

/* http2.c: write these two to where pull() goes; what does not fit stays, borrowed. */
void http2_write(struct http2 *h, const void *head, size_t head_bytes, const void *content,
		 size_t content_bytes);

/* http2_session.c: the session of nghttp2 and what it calls back. */

/* Callbacks and options; start() makes a session with them, again after each stop(). */
int http2_session_open(struct app *a);
int http2_session_start(struct app *a);
void http2_session_stop(struct app *a);
void http2_session_close(struct app *a);
/* The association is over and APP_FAILED raised; a->fail has been set. */
void http2_give_up(struct app *a);
/* The same after telling the peer: GOAWAY with that code. */
void http2_go_away(struct app *a, uint32_t code);
struct http2_stream *http2_find(struct http2 *h, uint32_t id);

/*
 * The halves: respond, request, end and event with the meanings of struct app_ops; the
 * others are called by http2_session.c. field: 0, or -1 to reset the stream. frame: a
 * head or a piece of content is complete; end: nothing follows. closed: before the stream
 * is given back; s is NULL for one that was refused.
 */
int http2_server_respond(struct app *a, const struct app_response *r);
void http2_server_begin(struct app *a, uint32_t id);
int http2_server_field(struct app *a, struct http2_stream *s, const char *name, const char *value);
void http2_server_frame(struct app *a, struct http2_stream *s, bool end);
void http2_server_data(struct app *a, struct http2_stream *s, const void *src, size_t len);
void http2_server_sent(struct app *a, struct http2_stream *s);
void http2_server_closed(struct app *a, struct http2_stream *s, uint32_t code);
void http2_server_event(struct app *a, struct http2_stream *s, struct app_event *e);

int http2_client_request(struct app *a, const struct app_request *q);
int http2_client_field(struct app *a, struct http2_stream *s, const char *name, const char *value);
void http2_client_frame(struct app *a, struct http2_stream *s, bool end);
void http2_client_data(struct app *a, struct http2_stream *s, const void *src, size_t len);
void http2_client_closed(struct app *a, struct http2_stream *s, uint32_t code);
void http2_client_end(struct app *a);
void http2_client_event(struct app *a, struct http2_stream *s, struct app_event *e);

#endif
