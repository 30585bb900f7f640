/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp - what the halves of CoAP over TCP and TLS (RFC 8323) share: framing, the
 * exchanges that are open, what waits to be pulled. Internal to protocols/.
 */
#ifndef PROTOCOLS_COAP_TCP_H
#define PROTOCOLS_COAP_TCP_H

#include "lib/buf.h"
#include "protocols/coap_request.h"

#define COAP_TCP_HEAD_BYTES_MAX 14   /* lengths, code, token */
#define COAP_TCP_BASE_BYTES     1152 /* Max-Message-Size until the peer says another */
#define COAP_TCP_ANSWER_ROOM    64   /* head and options of an answer, at most */
#define COAP_TCP_SIGNALS_MAX    256  /* that wait to be pulled; beyond, the peer floods */
#define COAP_TCP_TOKEN_BYTES    4

enum coap_tcp_stage { COAP_TCP_FREE, COAP_TCP_WAITING, COAP_TCP_SENDING, COAP_TCP_DONE };

struct coap_tcp_exchange {
	enum coap_tcp_stage stage;
	uint32_t stream;
	unsigned slot;
	unsigned waiting; /* bit per enum app_event_kind */
	unsigned held;    /* client: as waiting; its last event, until the request is pulled */
	bool unsent;      /* client: its request is not pulled to the last byte */
	bool listed;
	struct coap_tcp_exchange *next; /* listed */
	uint8_t token_bytes;
	uint8_t token[COAP_TOKEN_BYTES_MAX];
	uint8_t method;
	struct coap_block block2; /* server: as asked for */
	uint32_t accept;          /* server */
	uint32_t end;             /* enum coap_end */
	uint8_t code;             /* of the answer */
	uint32_t format, max_age_s;
	uint64_t size, taken_bytes;
};

/* Bytes from the head of `out`, then borrowed content; whose message it is, or NULL. */
struct coap_tcp_item {
	bool begun;
	size_t head_bytes;
	const char *body;
	size_t body_bytes;
	struct coap_tcp_exchange *sent;
};

enum coap_tcp_part { COAP_TCP_HEAD, COAP_TCP_OPTIONS, COAP_TCP_PAYLOAD };

struct coap_tcp {
	struct coap_tcp_exchange **slots; /* made when first needed, then kept */
	unsigned slots_n, open;
	uint32_t streams;
	struct coap_tcp_exchange *first, *last; /* whose events wait */
	bool failed_waits, over;
	bool greeted; /* the peer's CSM has come */
	bool leaving; /* no new requests */
	bool ended;   /* the peer sends no more */
	uint32_t peer_message_bytes;

	/* What feed() is in the middle of. */
	enum coap_tcp_part part;
	uint8_t head[COAP_TCP_HEAD_BYTES_MAX];
	size_t head_bytes;
	struct coap_message m;
	struct buf options;           /* as far as they have come */
	size_t options_at;            /* whole ones */
	uint32_t left;                /* of options and payload */
	struct buf body;              /* server: of the request */
	bool drop;                    /* the payload is of no interest */
	struct coap_tcp_exchange *of; /* client: whose answer it is */
	const void *piece;
	size_t piece_bytes;
	struct coap_request request; /* server: the last that came */

	struct buf out;
	size_t out_at;
	struct coap_tcp_item *items; /* a ring */
	unsigned items_cap, items_first, items_n, signals;
};

/* --- coap_tcp.c -------------------------------------------------------------------------- */

/* NULL: as many as may be are open, or no memory. */
struct coap_tcp_exchange *coap_tcp_new(struct app *a);
/* The next with an event, or NULL. */
struct coap_tcp_exchange *coap_tcp_ready(struct coap_tcp *t);
void coap_tcp_raise(struct coap_tcp *t, struct coap_tcp_exchange *x, enum app_event_kind kind);
/*
 * The association is over: a->fail has been set. A client's requests, whose bodies are not
 * its own, are dropped. false: it has been over already, or no message can follow.
 */
bool coap_tcp_give_up(struct app *a);
/* Abort, and over. */
void coap_tcp_abort(struct app *a);

/* --- coap_tcp_feed.c ---------------------------------------------------------------------- */

/* Ready for the head of a message. */
void coap_tcp_begin(struct coap_tcp *t);
size_t coap_tcp_feed(struct app *a, const void *src, size_t len);

/* --- coap_tcp_frame.c ---------------------------------------------------------------------- */

/* How many bytes the head of a message has, as far as these say; 0: more are needed. */
size_t coap_tcp_head_bytes(const uint8_t *head, size_t len);
/* Of a whole head; body_bytes may be more than 32 bits hold. -1: the token is too long. */
int coap_tcp_head_read(const uint8_t *head, struct coap_message *m, uint64_t *body_bytes);
/*
 * Queue a message: options as written in w, body borrowed until pulled. -1: no memory (and the
 * association is over).
 */
int coap_tcp_send(struct app *a, uint8_t code, const uint8_t *token, size_t token_bytes,
		  const struct coap_writer *w, const void *body, size_t body_bytes,
		  struct coap_tcp_exchange *sent);
size_t coap_tcp_pull(struct app *a, uint8_t *dst, size_t cap);
/* Nothing that waits is sent any more. false: a message is out in part, none can follow it. */
bool coap_tcp_drop(struct coap_tcp *t);

/* --- coap_tcp_signal.c ----------------------------------------------------------------------- */

void coap_tcp_greet(struct app *a);
/* One of class 7, whole. */
void coap_tcp_signal(struct app *a);

/* --- the halves: options are complete; the message is complete ----------------------- */

void coap_tcp_client_head(struct app *a);
void coap_tcp_client_whole(struct app *a);
int coap_tcp_client_request(struct app *a, const struct app_request *q);
void coap_tcp_client_event(struct coap_tcp_exchange *x, const struct coap_tcp *t,
			   struct app_event *e);
void coap_tcp_server_head(struct app *a);
void coap_tcp_server_whole(struct app *a);
int coap_tcp_server_respond(struct app *a, const struct app_response *r);
void coap_tcp_server_event(struct app *a, struct coap_tcp_exchange *x, struct app_event *e);

#endif
