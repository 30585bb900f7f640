/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_parse - the grammar of HTTP/1.1 (RFC 9112) and what of it steers framing:
 * lines, start lines, header fields, chunks. Strict: what the grammar does not
 * allow is refused, because two readers that guess differently are how requests
 * are smuggled. Internal to protocols/; it knows neither events nor answers.
 *
 * Every function decides by the bytes taken so far alone, so that where the network
 * cut them never changes a result.
 */
#ifndef PROTOCOLS_HTTP1_PARSE_H
#define PROTOCOLS_HTTP1_PARSE_H

#include "protocols/app.h"

/* Lines gather in one buffer and stay there: fields point into it. */
struct http1_lines {
	char *base;
	size_t cap, len;
	size_t start; /* of the line being read */
};

enum http1_line {
	HTTP1_LINE_MORE, /* not complete yet */
	HTTP1_LINE_DONE, /* base + start is the line, NUL instead of CRLF */
	HTTP1_LINE_FULL, /* cap bytes and still not complete */
	HTTP1_LINE_BAD   /* the last byte taken is not allowed there */
};

enum http1_line http1_lines_take(struct http1_lines *l, const char *src, size_t len, size_t *taken);
/* Length of the line that is DONE. */
size_t http1_lines_length(const struct http1_lines *l);
void http1_lines_next(struct http1_lines *l);
void http1_lines_clear(struct http1_lines *l);

/* What a head says, as far as this codec acts on it. Texts point into the lines. */
struct http1_head {
	enum app_method method; /* request */
	const char *target;     /* request */
	int status;             /* response */
	int minor;              /* HTTP/1.minor */
	const char *host;       /* of the target when it was absolute, else of the field */
	bool absolute;          /* the target was in absolute form */
	int hosts;              /* Host fields seen */
	const char *content_type;
	uint64_t length;
	bool has_length, has_coding, chunked, close, keep, expect_continue;
	/* In Accept-Encoding: -1 not named, 0 refused, 1 accepted; star speaks for those not
	 * named. */
	signed char coding[APP_ENCODINGS], star;
	enum app_encoding encoding;
};

void http1_head_clear(struct http1_head *h);

/*
 * Each returns 0, or the status that a server answers, with the reason in f. Lines
 * are NUL-terminated at len and get changed.
 */
int http1_request_line(struct http1_head *h, char *line, size_t len, struct fail *f);
int http1_status_line(struct http1_head *h, char *line, size_t len, struct fail *f);
int http1_field(struct http1_head *h, enum app_half half, char *line, size_t len, struct fail *f);
/* A field behind the last chunk: its form is checked, its meaning dropped. */
int http1_trailer(char *line, size_t len, struct fail *f);
/* After the last field of a request: what must be there, and what must not be together. */
int http1_request_check(const struct http1_head *h, struct fail *f);

/* The other request or response may follow on this connection. */
bool http1_persistent(const struct http1_head *h);
unsigned http1_accepts(const struct http1_head *h);

bool http1_is_token(const char *text, size_t len);
/* A Host field's value; empty is a value too. */
bool http1_is_host(const char *text, size_t len);

enum http1_chunk_state {
	CHUNK_SIZE,
	CHUNK_EXTENSION,
	CHUNK_SIZE_END,
	CHUNK_DATA,
	CHUNK_DATA_CR,
	CHUNK_DATA_END,
	CHUNK_LAST
};

struct http1_chunks {
	enum http1_chunk_state state;
	int digits;
	uint64_t left; /* of the chunk's data */
	size_t extension_bytes;
};

enum http1_chunk {
	HTTP1_CHUNK_MORE, /* everything was taken */
	HTTP1_CHUNK_DATA, /* *data_len bytes of content end what was taken */
	HTTP1_CHUNK_LAST, /* the last chunk's line is over: trailer lines follow */
	HTTP1_CHUNK_BAD
};

enum http1_chunk http1_chunks_take(struct http1_chunks *c, const char *src, size_t len,
				   size_t *taken, size_t *data_len);

#endif
