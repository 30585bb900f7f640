/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap - the message format of CoAP (RFC 7252 section 3, RFC 8323 section 3) and its
 * registries: codes, options, content formats. Bytes in, a view of them out, and the
 * other way; nothing is allocated, and a view points into the bytes it was made from.
 * Who sends what when is in coap_endpoint.h and coap_tcp.c.
 */
#ifndef PROTOCOLS_COAP_H
#define PROTOCOLS_COAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"

#define COAP_TOKEN_BYTES_MAX 8
#define COAP_HEAD_BYTES      4    /* on datagrams */
#define COAP_MTU_BYTES       1152 /* RFC 7252 section 4.6: a message that fits most paths */
#define COAP_BLOCK_BYTES_MIN 16
#define COAP_BLOCK_BYTES_MAX 1024

enum coap_type { COAP_CON, COAP_NON, COAP_ACK, COAP_RST };

/* Class and detail as written in RFCs: COAP_CODE(4, 4) is 4.04. */
#define COAP_CODE(class, detail) ((uint8_t)((class) << 5 | (detail)))

enum coap_code {
	COAP_EMPTY = 0,
	COAP_GET = 1,
	COAP_POST = 2,
	COAP_PUT = 3,
	COAP_DELETE = 4,
	COAP_FETCH = 5,
	COAP_PATCH = 6,
	COAP_IPATCH = 7,
	COAP_CREATED = 2 << 5 | 1,
	COAP_DELETED = 2 << 5 | 2,
	COAP_VALID = 2 << 5 | 3,
	COAP_CHANGED = 2 << 5 | 4,
	COAP_CONTENT = 2 << 5 | 5,
	COAP_CONTINUE = 2 << 5 | 31,
	COAP_BAD_REQUEST = 4 << 5 | 0,
	COAP_UNAUTHORIZED = 4 << 5 | 1,
	COAP_BAD_OPTION = 4 << 5 | 2,
	COAP_FORBIDDEN = 4 << 5 | 3,
	COAP_NOT_FOUND = 4 << 5 | 4,
	COAP_METHOD_NOT_ALLOWED = 4 << 5 | 5,
	COAP_NOT_ACCEPTABLE = 4 << 5 | 6,
	COAP_INCOMPLETE = 4 << 5 | 8,
	COAP_CONFLICT = 4 << 5 | 9,
	COAP_PRECONDITION_FAILED = 4 << 5 | 12,
	COAP_TOO_LARGE = 4 << 5 | 13,
	COAP_UNSUPPORTED_FORMAT = 4 << 5 | 15,
	COAP_UNPROCESSABLE = 4 << 5 | 22,
	COAP_TOO_MANY_REQUESTS = 4 << 5 | 29,
	COAP_SERVER_ERROR = 5 << 5 | 0,
	COAP_NOT_IMPLEMENTED = 5 << 5 | 1,
	COAP_BAD_GATEWAY = 5 << 5 | 2,
	COAP_UNAVAILABLE = 5 << 5 | 3,
	COAP_GATEWAY_TIMEOUT = 5 << 5 | 4,
	COAP_NO_PROXYING = 5 << 5 | 5,
	COAP_CSM = 7 << 5 | 1, /* RFC 8323 section 5 */
	COAP_PING = 7 << 5 | 2,
	COAP_PONG = 7 << 5 | 3,
	COAP_RELEASE = 7 << 5 | 4,
	COAP_ABORT = 7 << 5 | 5
};

/* RFC 7252 section 5.10, RFC 7641, RFC 7959. */
enum coap_option_number {
	COAP_IF_MATCH = 1,
	COAP_URI_HOST = 3,
	COAP_ETAG = 4,
	COAP_IF_NONE_MATCH = 5,
	COAP_OBSERVE = 6,
	COAP_URI_PORT = 7,
	COAP_LOCATION_PATH = 8,
	COAP_URI_PATH = 11,
	COAP_CONTENT_FORMAT = 12,
	COAP_MAX_AGE = 14,
	COAP_URI_QUERY = 15,
	COAP_ACCEPT = 17,
	COAP_LOCATION_QUERY = 20,
	COAP_BLOCK2 = 23,
	COAP_BLOCK1 = 27,
	COAP_SIZE2 = 28,
	COAP_PROXY_URI = 35,
	COAP_PROXY_SCHEME = 39,
	COAP_SIZE1 = 60
};

/* --- one message ---------------------------------------------------------------------- */

struct coap_message {
	enum coap_type type; /* datagrams */
	uint8_t code;
	uint16_t id; /* datagrams */
	uint8_t token_bytes;
	uint8_t token[COAP_TOKEN_BYTES_MAX];
	const uint8_t *options; /* as they stand in the message, well formed */
	size_t options_bytes;
	const uint8_t *payload;
	size_t payload_bytes; /* 0: none; there is no payload of length 0 */
};

enum coap_verdict {
	COAP_GOOD,
	COAP_MALFORMED, /* type, code and id are valid: a CON is to be rejected with RST */
	COAP_NOT_COAP   /* too short or not version 1: dropped in silence */
};

/*
 * One datagram. Options are walked once: each delta, length and marker is checked, and
 * numbers stay within 65535. Malformed too: a token of 9 bytes or more, an Empty message
 * with anything behind its head, a marker with no payload, codes of class 1, 6 and 7, and
 * what RFC 7252 section 4.2 and table 1 rule out (a request in ACK or RST, a response in
 * RST, an Empty NON).
 */
enum coap_verdict coap_parse(const void *datagram, size_t len, struct coap_message *m);
/* Options and payload behind a token, in any framing. -1: malformed. */
int coap_parse_body(const uint8_t *src, size_t len, struct coap_message *m);

struct coap_option {
	uint32_t number;
	const uint8_t *value;
	size_t value_bytes;
};

/* Iterate: zero the struct, set m, and call next until false. The options are well formed. */
struct coap_walk {
	const struct coap_message *m;
	size_t at;
	uint32_t number;
};

bool coap_walk_next(struct coap_walk *w, struct coap_option *o);

/* RFC 7252 section 5.4.6. */
static inline bool coap_is_critical(uint32_t number)
{
	return number & 1;
}

static inline bool coap_is_unsafe(uint32_t number)
{
	return number & 2;
}

static inline bool coap_is_no_cache_key(uint32_t number)
{
	return (number & 0x1e) == 0x1c;
}

static inline bool coap_is_request(uint8_t code)
{
	return code >= 1 && code < 32;
}

static inline bool coap_is_response(uint8_t code)
{
	return code >> 5 == 2 || code >> 5 == 4 || code >> 5 == 5;
}

/* "Uri-Path"; NULL: not one of this codec. */
const char *coap_option_name(uint32_t number);
/* Its length is within the registry's bounds. */
bool coap_option_length_ok(uint32_t number, size_t bytes);
/* An option value of 0 to 4 bytes, shortest form not required (RFC 7252 section 3.2). */
uint32_t coap_uint(const struct coap_option *o);

/*
 * Writing: into memory of the caller, options in the order of their numbers. What does not
 * fit, or comes out of order, makes `failed` true and is not written.
 */
struct coap_writer {
	uint8_t *dst;
	size_t cap, len;
	uint32_t number; /* of the last option */
	bool failed;
};

void coap_write_head(struct coap_writer *w, enum coap_type type, uint8_t code, uint16_t id,
		     const uint8_t *token, size_t token_bytes);
void coap_write_option(struct coap_writer *w, uint32_t number, const void *value, size_t bytes);
void coap_write_uint(struct coap_writer *w, uint32_t number, uint32_t value);
/* Marker and payload; nothing where bytes is 0. */
void coap_write_payload(struct coap_writer *w, const void *payload, size_t bytes);

/* --- blocks (RFC 7959 section 2.2) ---------------------------------------------------- */

struct coap_block {
	bool present;
	bool more;
	uint8_t szx; /* 0 to 6; 7 over TCP (BERT) */
	uint32_t number;
};

/* -1: longer than 3 bytes, or the reserved size. */
int coap_block_read(const struct coap_option *o, struct coap_block *b);
uint32_t coap_block_value(const struct coap_block *b);

static inline size_t coap_block_bytes(uint8_t szx)
{
	return (size_t)16 << (szx > 6 ? 6 : szx);
}

/* Largest exponent whose block is no longer; 0 for fewer than 16 bytes. */
uint8_t coap_szx(size_t bytes);

/* --- registries ------------------------------------------------------------------------ */

/* "GET", "4.04 Not Found"; "7.09" where there is no name. Static or in a thread's own text. */
const char *coap_code_name(uint8_t code);

#define COAP_NO_FORMAT UINT32_MAX
/*
 * Content formats (RFC 7252 section 12.3 and later). By name: any case, parameters such as
 * charset=utf-8 ignored; COAP_NO_FORMAT: none. Name: as app_request.content_type; NULL: unknown.
 */
uint32_t coap_format_by_name(const char *content_type);
const char *coap_format_name(uint32_t format);

/*
 * Codes and HTTP status. As RFC 8075 tables 1 and 2, except that an answer keeps class and
 * detail where a table would lose them (4.01 is 401, 4.02 is 402, 4.08 is 408): who reads
 * them counts failures and is no proxy. 200 is 2.05 as an answer to GET and FETCH and 2.04
 * to others. A status without a code becomes the x.00 of its class.
 */
uint8_t coap_code_of_status(int status, uint8_t method);
int coap_status_of_code(uint8_t code);

/* --- what the options of a message say ---------------------------------------------------- */

struct coap_fields {
	const uint8_t *host; /* Uri-Host, not terminated */
	size_t host_bytes;
	uint32_t port;   /* Uri-Port, 0: none */
	uint32_t format; /* or COAP_NO_FORMAT */
	uint32_t accept; /* or COAP_NO_FORMAT */
	bool observed;   /* Observe is there */
	uint32_t observe;
	uint32_t max_age_s; /* 60 where none */
	struct coap_block block1, block2;
	bool sized1, sized2;
	uint32_t size1, size2;
	uint8_t etag[8];
	size_t etag_bytes; /* of the first one; 0: none */
	uint64_t key;      /* hash of code and cache-key options, without blocks and Observe */
	bool conditional;  /* If-Match or If-None-Match */
	bool proxied;      /* Proxy-Uri or Proxy-Scheme */
	/*
	 * The first critical option that is not known here, that is repeated without leave or
	 * whose length or value is outside its bounds; 0: none. An elective one is skipped.
	 */
	uint32_t refused;
};

void coap_fields_read(const struct coap_message *m, struct coap_fields *f);

/*
 * Uri-Path and Uri-Query of a request as "/a%20b?x=1", NUL-terminated. "/" where there are
 * none. -1: longer than cap, or a segment of "." or ".." (RFC 7252 section 5.10.1).
 */
int coap_target_read(const struct coap_message *m, char *dst, size_t cap);
/*
 * The way back (RFC 7252 section 6.4), for a target that url_is_target() lets pass: paths
 * before options from 12 on, queries behind 14. Escapes are resolved. -1: a part is longer
 * than 255 bytes.
 */
int coap_target_write_path(struct coap_writer *w, const char *target);
int coap_target_write_query(struct coap_writer *w, const char *target);

/* --- /.well-known/core (RFC 6690) --------------------------------------------------------- */

struct coap_link {
	const char *target;    /* "/page" */
	const char *type;      /* rt, or NULL */
	const char *interface; /* if, or NULL */
	uint32_t format;       /* ct, or COAP_NO_FORMAT */
	uint64_t size_bytes;   /* sz; 0: not said */
	bool observable;       /* obs */
};

#define COAP_CORE_TARGET "/.well-known/core"
#define COAP_CORE_TYPE   "application/link-format"

bool coap_is_core(const char *target);
/* The links that match the target's query (href=, rt=, if=, ct=; '*' at its end), into empty b. */
void coap_core_write(struct buf *b, const char *target, const struct coap_link *links, size_t n);

#endif
