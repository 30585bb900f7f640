/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_layer - what the parts of struct coap_endpoint share: its slots, the messages it
 * remembers, the answers it keeps, the datagrams that wait. Internal to protocols/.
 */
#ifndef PROTOCOLS_COAP_LAYER_H
#define PROTOCOLS_COAP_LAYER_H

#include "protocols/coap_endpoint.h"
#include "protocols/coap_request.h"

#define COAP_ID_GROUPS  64
#define COAP_GROUP_IDS  (65536 / COAP_ID_GROUPS)
#define COAP_TRANSFERS  4  /* server: bodies in blocks at once, each way */
#define COAP_SPARE_OUT  16 /* ACKs, RSTs and replays that may wait beside one per slot */
#define COAP_HEAD_ROOM  64 /* head, token and options of an answer, at most */
#define COAP_OWN_TOKEN  4  /* bytes of a client's tokens */
#define COAP_NEVER_DUE  INT64_MAX
#define COAP_NO_SLOT    UINT32_MAX
#define COAP_WINDOW_IDS 2048 /* of the peer, known to have come although the answer is gone */
#define COAP_SEQUENCE   0xffffffu

/* A message of the peer that is remembered, and what was said to it. */
enum coap_seen_state {
	COAP_SEEN_NONE,
	COAP_SEEN_OPEN,   /* a request that is being answered: nothing was said yet */
	COAP_SEEN_ACKED,  /* an Empty ACK */
	COAP_SEEN_RESET,  /* RST */
	COAP_SEEN_ANSWER, /* the answer kept at `at` */
	COAP_SEEN_SILENT  /* nothing is to be said */
};

struct coap_seen {
	uint64_t hash; /* of the whole datagram */
	int64_t until_ns;
	uint64_t at;
	uint32_t len;
	uint16_t id;
	uint8_t state;
};

/* What an answer needs to know of its request. */
struct coap_asked {
	enum coap_type type;
	uint8_t method;
	uint16_t id;
	uint8_t token_bytes;
	uint8_t token[COAP_TOKEN_BYTES_MAX];
	struct coap_seen *seen; /* NULL: an answer to nobody's message, or forgotten */
	struct coap_block block1, block2;
	uint32_t accept;
	uint64_t key;
};

enum coap_stage {
	COAP_FREE,
	COAP_CON_OUT,  /* a CON is not acknowledged: client's request, server's separate answer */
	COAP_WAITING,  /* client: for the answer; server: for the shell's respond() */
	COAP_DONE,     /* the last event waits, or (server) the answer waits to be pulled */
	COAP_OBSERVING /* between two notifications */
};

struct coap_exchange {
	enum coap_stage stage;
	uint32_t stream;
	unsigned slot;
	unsigned waiting;           /* bit per enum app_event_kind */
	bool listed;                /* among those whose events wait */
	bool queued;                /* its datagram waits to be pulled */
	bool observing;             /* the stream outlives its answer */
	bool acked;                 /* server: an Empty ACK was sent */
	bool observe;               /* the request asked for it */
	struct coap_exchange *next; /* listed */
	uint32_t end;               /* enum coap_end */
	uint16_t id;                /* of its datagram */
	unsigned tries;
	int64_t interval_ns, due_ns;
	uint8_t *datagram; /* server: made when first needed, then kept */
	size_t datagram_bytes;
	struct coap_asked asked; /* server; client: method and the token of the last message */
	uint32_t sequence;       /* of the last notification */

	/* Client. */
	size_t base_bytes; /* of the datagram: up to the options before blocks */
	uint32_t base_number;
	const uint8_t *body;
	size_t body_bytes, body_at; /* body_at: where the block that is out begins */
	uint8_t szx1;
	bool blocks1; /* the body goes in blocks */
	uint8_t observe_token[COAP_OWN_TOKEN];
	int64_t sequence_at_ns;
	uint8_t code;
	uint32_t format, max_age_s;
	bool sized;
	uint64_t size, taken_bytes; /* of the answer's body */
	uint8_t etag[8];
	size_t etag_bytes;
	const void *piece;
	size_t piece_bytes;
};

enum coap_out_kind { COAP_OUT_EMPTY, COAP_OUT_KEPT, COAP_OUT_SLOT };

struct coap_out {
	enum coap_out_kind kind;
	enum coap_type type; /* Empty */
	uint16_t id;         /* Empty */
	uint32_t slot;       /* COAP_NO_SLOT: nobody waits for it to be pulled */
	uint32_t stream, len;
	uint64_t at;
};

/* Server: a body that comes or goes in blocks; of one too long to be kept, hashes of its pieces. */
struct coap_transfer {
	bool used;
	uint64_t key;
	int64_t touched_ns;
	struct buf body;
	size_t size; /* of what is not kept */
	uint8_t code;
	uint32_t format, max_age_s;
	uint64_t etag;
};

struct coap_layer {
	int64_t now_ns; /* the latest that was told */
	struct coap_exchange *slots;
	unsigned slots_n;
	unsigned open, observing;
	uint32_t streams;
	struct coap_exchange *first, *last; /* whose events wait */
	int64_t due_ns;                     /* no timer is earlier */

	uint16_t next_id;
	int64_t id_free_ns[COAP_ID_GROUPS];
	bool pinged;
	uint16_t ping_id;

	struct coap_seen *seen;
	unsigned seen_next;
	bool windowed;
	uint16_t window_top; /* the newest id of the peer */
	int64_t window_ns;   /* when it came */
	uint64_t window[COAP_WINDOW_IDS / 64];
	uint8_t *kept; /* a ring of answers: params.recent_bytes and one datagram more */
	uint64_t kept_next, kept_end; /* where the next begins; behind the furthest byte written */

	struct coap_out *out;
	unsigned out_cap, out_first, out_n;

	struct coap_transfer in[COAP_TRANSFERS], back[COAP_TRANSFERS], named[COAP_TRANSFERS];
	struct coap_request request; /* server: the last that came */
};

/* --- coap_open.c --------------------------------------------------------------------- */

/* Memory for e->params, all of it empty. -1: e->fail. */
int coap_layer_new(struct coap_endpoint *e);
void coap_layer_free(struct coap_endpoint *e);

/* --- coap_memory.c ------------------------------------------------------------------- */

/* false: none is free for now (counted). */
bool coap_take_id(struct coap_endpoint *e, int64_t lifetime_ns, uint16_t *id);
uint64_t coap_hash(const void *src, size_t len);
enum coap_novelty { COAP_NEW, COAP_AGAIN, COAP_FORGOTTEN };

/*
 * Has this message of the peer come before? COAP_AGAIN: *seen says what was said to it.
 * COAP_FORGOTTEN: it has, among the last COAP_WINDOW_IDS ids, but no more is known.
 */
enum coap_novelty coap_seen_find(struct coap_endpoint *e, uint16_t id, uint64_t hash,
				 struct coap_seen **seen);
/* Remember one more; NULL: every place is taken by an open request. */
struct coap_seen *coap_seen_add(struct coap_endpoint *e, enum coap_type type, uint16_t id,
				uint64_t hash);
/* Memory for one answer of mtu_bytes at most, *at its name; commit with its true length. */
uint8_t *coap_keep(struct coap_endpoint *e, uint64_t *at);
void coap_kept(struct coap_endpoint *e, uint64_t at, size_t len);
/* NULL: overwritten. */
const uint8_t *coap_kept_at(const struct coap_endpoint *e, uint64_t at);
void coap_out_empty(struct coap_endpoint *e, enum coap_type type, uint16_t id);
/* false: no room; it will never be pulled. x: whose APP_SENT it is, or NULL. */
bool coap_out_kept(struct coap_endpoint *e, uint64_t at, size_t len, const struct coap_exchange *x);
void coap_out_slot(struct coap_endpoint *e, struct coap_exchange *x);
/* Known and not too old, or NULL. */
struct coap_transfer *coap_transfer_find(struct coap_endpoint *e, struct coap_transfer *t,
					 uint64_t key);
/* That one begun anew, or the one that was left alone longest. */
struct coap_transfer *coap_transfer_begin(struct coap_endpoint *e, struct coap_transfer *t,
					  uint64_t key);

/* --- coap_exchange.c ------------------------------------------------------------------- */

/* A free slot with a new stream, or NULL. */
struct coap_exchange *coap_exchange_new(struct coap_endpoint *e);
void coap_exchange_free(struct coap_endpoint *e, struct coap_exchange *x);
struct coap_exchange *coap_exchange_of(struct coap_endpoint *e, uint32_t stream);
void coap_raise(struct coap_endpoint *e, struct coap_exchange *x, enum app_event_kind kind);
/* APP_SENT that nobody has fetched: their slots are free. */
void coap_forget_sent(struct coap_endpoint *e);
/* APP_RESET, its last event. */
void coap_end(struct coap_endpoint *e, struct coap_exchange *x, enum coap_end why);
void coap_set_due(struct coap_endpoint *e, struct coap_exchange *x, int64_t due_ns);
/* Largest exponent of a block that params allow. */
uint8_t coap_szx_max(const struct coap_endpoint *e);
/* The CON is acknowledged, or its retransmissions are of no use any more. */
void coap_settle(struct coap_exchange *x);

/* --- coap_endpoint.c ------------------------------------------------------------------- */

/* Its datagram goes out; a CON again and again until coap_settle(). */
void coap_send(struct coap_endpoint *e, struct coap_exchange *x, bool confirmable);

/* --- the halves -------------------------------------------------------------------------- */

void coap_client_answer(struct coap_endpoint *e, const struct coap_message *m, uint64_t hash);
void coap_client_acked(struct coap_endpoint *e, struct coap_exchange *x);
void coap_client_event(struct coap_endpoint *e, struct coap_exchange *x, struct app_event *ev);

/* forgotten: it has come before, and what was said is not known any more. */
void coap_server_request(struct coap_endpoint *e, const struct coap_message *m, uint64_t hash,
			 bool forgotten);
void coap_server_event(struct coap_endpoint *e, struct coap_exchange *x, struct app_event *ev);
void coap_server_acked(struct coap_endpoint *e, struct coap_exchange *x);
/* The shell took longer than separate_ns. */
void coap_server_late(struct coap_endpoint *e, struct coap_exchange *x);
/* Its answer has been pulled, or never will be. */
void coap_server_sent(struct coap_endpoint *e, struct coap_exchange *x);

/* --- coap_etag.c -------------------------------------------------------------------------- */

/* Of a body that is kept; never 0. */
uint64_t coap_etag(const uint8_t *body, size_t bytes);
/*
 * Of one that the shell gives anew for each block, this one being at `at`. The whole of it is
 * read for the first block, and when a later one is not of the body that was read: blocks of
 * one name are of one body.
 */
uint64_t coap_etag_at(struct coap_endpoint *e, uint64_t key, const uint8_t *body, size_t bytes,
		      size_t at);

/* --- coap_answer.c ------------------------------------------------------------------------ */

/* What a server answers itself; size1: with that option, 0: without. */
void coap_refuse(struct coap_endpoint *e, const struct coap_asked *q, uint8_t code, uint32_t size1);
/* 2.31 with the block that came. */
void coap_continue(struct coap_endpoint *e, const struct coap_asked *q);
/* A block of a body that is kept. */
void coap_answer_block(struct coap_endpoint *e, const struct coap_asked *q,
		       struct coap_transfer *t);

#endif
