/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1 - what the two halves of the HTTP/1.1 codec share: one allocation per
 * association, the bytes to send and the event that waits. Internal to protocols/.
 */
#ifndef PROTOCOLS_HTTP1_H
#define PROTOCOLS_HTTP1_H

#include "protocols/http1_parse.h"

#define HTTP1_OUT_BYTES 4096 /* a head to send: target, host and content type are bounded */

enum http1_state {
	HTTP1_IDLE,     /* client: no request is out */
	HTTP1_HEAD,     /* reading a start line and fields */
	HTTP1_BODY,     /* reading content of a known length */
	HTTP1_CHUNKS,   /* reading chunked content */
	HTTP1_TRAILER,  /* reading fields after the last chunk */
	HTTP1_TO_CLOSE, /* client: reading content that ends with the connection */
	HTTP1_WAITING,  /* server: the request is the shell's to answer */
	HTTP1_SENDING,  /* server: the answer is being pulled */
	HTTP1_OVER      /* nothing more is read; finished once everything is pulled */
};

struct http1 {
	enum http1_state state;
	bool start_line;  /* the next line is a request or status line */
	bool blank;       /* server: an empty line before the request line was skipped */
	bool ended;       /* the peer sends no more */
	bool persistent;  /* after this exchange another may follow */
	bool to_head;     /* client: the request was HEAD: no content comes back */
	int interim;      /* client: responses before the final one */
	unsigned waiting; /* bit per enum app_event_kind: for next(), lowest first */
	struct http1_lines lines;
	struct http1_head head;
	struct http1_chunks chunks;
	char *body;          /* server: limits.body_bytes */
	uint64_t body_bytes; /* content that has come */
	const void *slice;   /* client: of APP_BODY */
	size_t slice_bytes;
	int failed_status; /* server: of the answer to a broken request */
	const char *send_body;
	uint64_t send_body_bytes;
	size_t out_len, out_at;
	char out[HTTP1_OUT_BYTES];
	char memory[]; /* lines, then body */
};

/* Append to the bytes to send; the caller has checked that they fit. */
void http1_say(struct http1 *h, const char *text);
void http1_say_number(struct http1 *h, uint64_t value);
size_t http1_say_room(const struct http1 *h);

void http1_raise(struct http1 *h, enum app_event_kind kind);
/* Ready to read the next head. */
void http1_expect_head(struct http1 *h);
/*
 * Chunked content, up to one piece of it: *data_len bytes that end what was taken, or 0.
 * Behind the last chunk the state is HTTP1_TRAILER. -1: the reason is in a->fail.
 */
int http1_take_chunks(struct app *a, const char *src, size_t len, size_t *taken, size_t *data_len);

/* The halves, with the meanings of struct app_ops. feed_once() takes at most one event. */
int http1_server_respond(struct app *a, const struct app_response *r);
size_t http1_server_feed_once(struct app *a, const char *src, size_t len);
void http1_server_end(struct app *a);
void http1_server_pulled(struct app *a);
void http1_server_event(struct app *a, struct app_event *e);

int http1_client_request(struct app *a, const struct app_request *q);
size_t http1_client_feed_once(struct app *a, const char *src, size_t len);
void http1_client_end(struct app *a);
void http1_client_event(struct app *a, struct app_event *e);

#endif
