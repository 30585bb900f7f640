/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app - an application protocol without sockets: bytes in, events out, and the
 * other way. Both halves of a protocol stand behind the same table.
 *
 * The shell that owns the socket feeds what it received until feed() stops
 * taking, asks next() until there is no event, and pulls bytes to send whenever
 * the association has room, at the latest before it feeds again: what a peer makes a
 * core say waits in memory until then. Cores never read a clock and never block.
 *
 * HTTP/2 carries several exchanges at once, each on a stream. Events, requests and
 * answers say which: by the stream's id and by its slot, a number below app_slots()
 * that belongs to that stream until its last event (APP_SENT, APP_END, APP_RESET) has
 * been fetched. In HTTP/1.1 both are 0.
 */
#ifndef PROTOCOLS_APP_H
#define PROTOCOLS_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/fail.h"

enum app_half { APP_CLIENT, APP_SERVER };
enum app_method { APP_GET, APP_HEAD, APP_POST, APP_OPTIONS, APP_METHOD_OTHER };

/* Content codings; a bit set says what a client accepts. */
enum app_encoding { APP_IDENTITY, APP_GZIP, APP_BROTLI, APP_ZSTD, APP_ENCODINGS };

#define APP_TARGET_BYTES 1024
#define APP_HEAD_BYTES   16384
#define APP_STREAMS      100
#define APP_WINDOW_BYTES 65535
#define APP_RESETS       1000

struct app_limits {
	size_t head_bytes; /* request or status line with all headers; 0: APP_HEAD_BYTES */
	size_t body_bytes; /* of a request; a longer one is answered 413 */
	/*
	 * HTTP/2 only. 0 takes the default. streams: that may be open at once; a server
	 * announces it and refuses what is beyond, a client never opens more. Windows: how
	 * many bytes of content the peer may send ahead, on a stream and on all together.
	 * resets: streams of a server that may end badly beyond those that ended well,
	 * before the whole association is ended.
	 */
	uint32_t streams;              /* APP_STREAMS */
	uint32_t stream_window_bytes;  /* APP_WINDOW_BYTES; at most 2^31 - 1 */
	uint32_t session_window_bytes; /* APP_WINDOW_BYTES; at most 2^31 - 1 */
	uint32_t resets;               /* APP_RESETS */
};

/* Pointers into a request live until the next call on the same app. */
struct app_request {
	enum app_method method;
	const char *target; /* origin form, NUL-terminated: "/page/512"; "*" with OPTIONS */
	const char *host;   /* client: what to send as Host; server: what came, or NULL */
	unsigned accepts;   /* bit per enum app_encoding; identity always */
	const char *content_type;
	const void *body;
	size_t body_bytes;
	bool keep_alive;    /* another request may follow on this association */
	uint32_t stream;    /* HTTP/2 stream, set by the server half; 0 in HTTP/1.1 */
	const char *scheme; /* client, HTTP/2: "http", or NULL for "https" */
	const char *accept; /* CoAP: the only content type that is wanted; NULL: any */
	bool observe;       /* CoAP: tell of changes too (RFC 7641) */
	/* Server, CoAP: for a later block of an answer, whose first is a request of its own. */
	bool continued;
};

struct app_response {
	int status;               /* 200 */
	const char *content_type; /* static text, or NULL for none */
	enum app_encoding encoding;
	bool vary;         /* the answer depends on Accept-Encoding */
	const char *allow; /* methods for an Allow header (405, OPTIONS), static text; NULL: none */
	/* Borrowed until the whole of it has been pulled, or close(). */
	const void *body;
	/* Client: as declared in APP_HEAD_IN (0: unknown), as come in APP_END. */
	uint64_t body_bytes;
	bool keep_alive; /* server: false closes; client: another request may follow */
	uint32_t stream;
	/* CoAP */
	uint32_t max_age_s; /* server: 0 says nothing; client: 60 where the server says nothing */
	bool observe;       /* server: granted; client: further answers will come */
};

enum app_event_kind {
	APP_NOTHING,
	APP_REQUEST, /* server: a whole request */
	APP_HEAD_IN, /* client: status and headers of a response */
	APP_BODY,    /* client: bytes of its body */
	APP_END,     /* client: the response is complete */
	APP_SENT,    /* server: the response has been pulled to its last byte */
	/*
	 * The peer broke the protocol: app->fail. A server has queued the answer itself:
	 * response.status, 0 when there is none. Pull until finished(), then close.
	 */
	APP_FAILED,
	/*
	 * HTTP/2: this stream is over and the association goes on; what was borrowed for it
	 * is free again. Client: there is no, or no whole, response: code, why and retry.
	 * Server: the peer has reset it before APP_SENT (response.status is 0: drop what
	 * was being prepared), or the codec has refused a request that was never shown,
	 * with response.status.
	 */
	APP_RESET
};

struct app_event {
	enum app_event_kind kind;
	struct app_request request;
	/* APP_HEAD_IN, APP_END; APP_FAILED, and APP_SENT of CoAP, which may say no: status */
	struct app_response response;
	const void *bytes; /* APP_BODY: borrowed from the buffer given to feed() */
	size_t len;
	uint32_t stream;
	unsigned slot;
	/*
	 * APP_RESET: error code of RFC 9113 section 7, in CoAP an enum coap_end.
	 * CoAP, APP_HEAD_IN and APP_END: the answer's own code.
	 */
	uint32_t code;
	const char *why; /* APP_RESET: its name, static text */
	bool retry;      /* APP_RESET: the server has not looked at the request */
};

struct app {
	const struct app_ops *ops;
	enum app_half half;
	struct app_limits limits;
	const char *date; /* server: text of the Date header, kept true by the shell; NULL: none */
	void *impl;
	struct fail fail;
	/* Client, HTTP/2: of the last request that was taken. */
	uint32_t stream;
	unsigned slot;
	/*
	 * Client, CoAP over TCP: the last request was not taken because the server has not said
	 * yet how long a message it takes. Ask again when something has come.
	 */
	bool ungreeted;
	/* Server, CoAP over TCP: requests answered with no and not shown; counts on for ever. */
	uint64_t refused;
};

struct app_ops {
	const char *name; /* "http/1.1", as in ALPN */
	int (*open)(struct app *a);
	void (*close)(struct app *a);
	/*
	 * Back to the state after open() without freeing: associations are recycled.
	 * HTTP/2 begins a new session of its library, which takes the old one's memory;
	 * when there is none, the next event is APP_FAILED.
	 */
	void (*reset)(struct app *a);
	/*
	 * Client: queue a request; its body is borrowed until its last event has been fetched,
	 * or close(). An answer may come before all of it has been pulled: HTTP/1.1 then sends
	 * no more of it and closes, HTTP/2 resets the stream; CoAP over TCP, which can do
	 * neither, has the last event wait for the rest to be pulled. -1: it cannot be sent
	 * now (a->fail when it never can). HTTP/2 cannot now when limits.streams or the
	 * peer's SETTINGS_MAX_CONCURRENT_STREAMS are open (one until the peer's SETTINGS
	 * have come), after GOAWAY, or when the stream ids are used up; when nothing is
	 * open either, it will take no more on this association, but for a->ungreeted.
	 * Without keep_alive it is the last one, and the server is asked to close.
	 */
	int (*request)(struct app *a, const struct app_request *q);
	/*
	 * Server: queue the answer to the request with the same stream. In HTTP/2 in any
	 * order; without keep_alive no further streams are taken.
	 */
	int (*respond)(struct app *a, const struct app_response *r);
	/*
	 * Take bytes from the peer, up to and including the next event. Returns how many
	 * were taken; 0 while an event waits to be fetched with next(), and in an HTTP/1.1
	 * server while a request is not answered to the last byte (APP_SENT). What comes
	 * after the end of the conversation is taken and dropped. In HTTP/2 events wait
	 * for no other stream, and one call may bring events of several.
	 */
	size_t (*feed)(struct app *a, const void *src, size_t len);
	/* The peer closed its side: may complete a response, or fail it. */
	void (*end)(struct app *a);
	/*
	 * Fetch the waiting event; false: none. HTTP/2 holds the last event of a stream
	 * back while bytes of its frames, begun with a pull(), are not pulled yet.
	 */
	bool (*next)(struct app *a, struct app_event *e);
	/* Up to cap bytes to send into dst; 0: nothing to send. */
	size_t (*pull)(struct app *a, void *dst, size_t cap);
	/* After the last pull: this association should be closed (Connection: close, failure). */
	bool (*finished)(const struct app *a);
};

extern const struct app_ops app_http1;
extern const struct app_ops app_http2; /* "h2" */
/* "coap": RFC 8323, over TCP and TLS. Its exchanges have streams and slots as HTTP/2's. */
extern const struct app_ops app_coap_tcp;

/* How many slots an association with these limits uses in HTTP/2: for arrays beside it. */
unsigned app_slots(const struct app_limits *limits);

/* Texts of the registries: "gzip", "br", "zstd"; NULL for identity. */
const char *app_encoding_name(enum app_encoding e);
/* Any case, "x-gzip" and "identity" too; APP_ENCODINGS where none is called so. */
enum app_encoding app_encoding_by_name(const char *name);

#endif
