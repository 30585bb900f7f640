/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool - what connections of one thread borrow while they have something to do, and give
 * back while they wait: an idle connection keeps nothing but its TLS state. What comes
 * back is lent again, the last first, so that nothing is allocated for a request once
 * the thread has seen its busiest moment. Internal to servers/.
 */
#ifndef SERVERS_POOL_H
#define SERVERS_POOL_H

#include "ciphers/assoc.h"
#include "lib/buf.h"
#include "protocols/app.h"

#define POOL_RX_BYTES 16384

struct server_params;

enum pool_protocol { POOL_HTTP1, POOL_HTTP2, POOL_COAP, POOL_PROTOCOLS };

/* Bytes on their way. */
struct pool_space {
	struct pool_space *next;
	struct assoc_wires wires;
	size_t tx_cap;
	char *tx;  /* tx_cap bytes behind rx */
	char rx[]; /* POOL_RX_BYTES: what was read and the codec has not taken yet */
};

/* An answer until it is sent. */
struct pool_answer {
	struct pool_answer *next;
	struct buf scratch;
	int status;
	bool continued; /* the request was counted with the first block of its answer */
};

/* A codec and the answers it is sending, by slot. */
struct pool_talk {
	struct pool_talk *next;
	struct app app;
	unsigned slots, answers; /* as many are not NULL */
	struct pool_answer *answer[];
};

struct pool {
	const struct server_params *params;
	struct pool_space *spaces;
	struct pool_talk *talks[POOL_PROTOCOLS];
	struct pool_answer *answers;
	size_t kept_bytes; /* of the answers that wait here */
};

/* Everything must have come back. Safe on a zeroed struct. */
void pool_release(struct pool *p);

/* Each NULL: no memory. The wires are empty, the codec is as after open(), scratch too. */
struct pool_space *pool_take_space(struct pool *p);
struct pool_talk *pool_take_talk(struct pool *p, enum pool_protocol protocol);
/* It stands in t->answer[slot] from then on. */
struct pool_answer *pool_take_answer(struct pool *p, struct pool_talk *t, unsigned slot);

void pool_give_space(struct pool *p, struct pool_space *s);
/* With what it still answers. */
void pool_give_talk(struct pool *p, enum pool_protocol protocol, struct pool_talk *t);
/* The answer in this slot, if there is one. */
void pool_give_answer(struct pool *p, struct pool_talk *t, unsigned slot);

#endif
