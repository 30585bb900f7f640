/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_ask - requests out: the options of a request once, and behind them what differs
 * from message to message, blocks of its body (Block1) or the wish for a block of the
 * answer's (Block2). Each message has an id and a token of its own.
 */
#include <errno.h>
#include <string.h>

#include "protocols/coap_client.h"
#include "protocols/coap_request.h"

#define BLOCKS_ROOM 16 /* Block1, Block2, Size1 and the marker */

/* The options in front of the blocks, behind a head that is written with each message. */
static int write_base(struct coap_endpoint *e, struct coap_exchange *x, const struct app_request *q)
{
	struct coap_writer w = { .dst = x->datagram,
				 .cap = e->params.mtu_bytes - COAP_BLOCK_BYTES_MIN - BLOCKS_ROOM,
				 .len = COAP_HEAD_BYTES + COAP_OWN_TOKEN };

	if (coap_request_write(&w, q, &e->fail) != 0)
		return -1;
	x->base_bytes = w.len;
	x->base_number = w.number;
	return 0;
}

/* --- one message ----------------------------------------------------------------------------- */

static bool token_taken(const struct coap_endpoint *e, const uint8_t *token)
{
	for (unsigned i = 0; i < e->layer->slots_n; i++) {
		const struct coap_exchange *x = &e->layer->slots[i];

		if (x->stage != COAP_FREE &&
		    (memcmp(x->asked.token, token, COAP_OWN_TOKEN) == 0 ||
		     (x->observing && memcmp(x->observe_token, token, COAP_OWN_TOKEN) == 0)))
			return true;
	}
	return false;
}

static void new_token(struct coap_endpoint *e, struct coap_exchange *x)
{
	uint8_t token[COAP_OWN_TOKEN];

	do {
		uint64_t word = rng_next(e->rng);

		memcpy(token, &word, sizeof token);
	} while (token_taken(e, token));
	memcpy(x->asked.token, token, sizeof token);
}

/* The options of the base without Observe, in place: blocks are asked for without it. */
static void drop_observe(struct coap_exchange *x)
{
	struct coap_message m = { .options = x->datagram + COAP_HEAD_BYTES + COAP_OWN_TOKEN,
				  .options_bytes =
					  x->base_bytes - COAP_HEAD_BYTES - COAP_OWN_TOKEN };
	struct coap_walk walk = { .m = &m };
	struct coap_option o;
	uint8_t copy[APP_TARGET_BYTES + 512];
	struct coap_writer w = { .dst = copy, .cap = sizeof copy };

	while (coap_walk_next(&walk, &o))
		if (o.number != COAP_OBSERVE)
			coap_write_option(&w, o.number, o.value, o.value_bytes);
	if (w.failed)
		return;
	memcpy(x->datagram + COAP_HEAD_BYTES + COAP_OWN_TOKEN, copy, w.len);
	x->base_bytes = COAP_HEAD_BYTES + COAP_OWN_TOKEN + w.len;
	x->base_number = w.number;
}

static void write_blocks(const struct coap_exchange *x, struct coap_writer *w, size_t bytes,
			 uint8_t szx_max)
{
	struct coap_block b1 = { .szx = x->szx1, .more = x->body_at + bytes < x->body_bytes };
	struct coap_block b2 = x->asked.block2;

	/* RFC 7959 section 2.4: say at once that the answer's blocks must be small. */
	if (!b2.present && szx_max < 6 && !(x->blocks1 && b1.more))
		b2 = (struct coap_block){ .present = true, .szx = szx_max };
	if (b2.present)
		coap_write_uint(w, COAP_BLOCK2, coap_block_value(&b2));
	if (!x->blocks1)
		return;
	b1.number = (uint32_t)(x->body_at / coap_block_bytes(x->szx1));
	coap_write_uint(w, COAP_BLOCK1, coap_block_value(&b1));
	if (x->body_at == 0)
		coap_write_uint(w, COAP_SIZE1, (uint32_t)x->body_bytes);
}

/* -1: no message id is free. */
static int send_message(struct coap_endpoint *e, struct coap_exchange *x)
{
	struct coap_writer w = { .dst = x->datagram, .cap = e->params.mtu_bytes };
	size_t left = x->body ? x->body_bytes - x->body_at : 0, bytes = left;
	bool con = !e->params.non;
	uint16_t id;

	if (x->blocks1 && bytes > coap_block_bytes(x->szx1))
		bytes = coap_block_bytes(x->szx1);
	if (!coap_take_id(e, con ? e->params.exchange_lifetime_ns : e->params.non_lifetime_ns, &id))
		return -1;
	new_token(e, x);
	x->id = id;
	x->asked.type = con ? COAP_CON : COAP_NON;
	coap_write_head(&w, x->asked.type, x->asked.method, id, x->asked.token, COAP_OWN_TOKEN);
	w.len = x->base_bytes;
	w.number = x->base_number;
	write_blocks(x, &w, bytes, coap_szx_max(e));
	if (bytes > 0)
		coap_write_payload(&w, x->body + x->body_at, bytes);
	x->datagram_bytes = w.len;
	e->counters->blocks_out += x->blocks1;
	coap_send(e, x, con);
	if (con)
		return 0;
	x->stage = COAP_WAITING;
	coap_set_due(e, x, e->layer->now_ns + e->params.response_timeout_ns);
	return 0;
}

static void go_on(struct coap_endpoint *e, struct coap_exchange *x)
{
	if (send_message(e, x) != 0)
		coap_end(e, x, COAP_END_NO_ID);
}

/* --- what an exchange sends on its own -------------------------------------------------------- */

void coap_client_ask_block(struct coap_endpoint *e, struct coap_exchange *x, uint8_t szx)
{
	if (x->observe)
		drop_observe(x);
	x->body = NULL;
	x->asked.block2 =
		(struct coap_block){ .present = true,
				     .szx = szx,
				     .number = (uint32_t)(x->taken_bytes / coap_block_bytes(szx)) };
	go_on(e, x);
}

void coap_client_next_block(struct coap_endpoint *e, struct coap_exchange *x,
			    const struct coap_block *answer)
{
	size_t bytes = coap_block_bytes(x->szx1);

	if (answer->number != x->body_at / bytes || answer->szx > 6) {
		coap_end(e, x, COAP_END_BLOCK);
		return;
	}
	x->body_at += bytes;
	if (answer->szx < x->szx1)
		x->szx1 = answer->szx;
	go_on(e, x);
}

void coap_client_smaller(struct coap_endpoint *e, struct coap_exchange *x, uint8_t szx)
{
	x->szx1 = szx;
	x->blocks1 = x->body_bytes > coap_block_bytes(szx);
	go_on(e, x);
}

/* --- the shell's --------------------------------------------------------------------- */

/* A block's number has 20 bits. */
static int check_body(struct coap_endpoint *e, const struct app_request *q)
{
	if (e->half != APP_CLIENT)
		return fail_set(&e->fail, EINVAL, "a server asks for nothing");
	if (q->body_bytes >> 20 < COAP_BLOCK_BYTES_MIN)
		return 0;
	return fail_set(&e->fail, EINVAL, "a body of %zu bytes has too many blocks", q->body_bytes);
}

static void choose_blocks(struct coap_endpoint *e, struct coap_exchange *x)
{
	size_t room = e->params.mtu_bytes - x->base_bytes - BLOCKS_ROOM;

	x->szx1 = coap_szx(room < e->params.block_bytes ? room : e->params.block_bytes);
	x->blocks1 = x->body_bytes > coap_block_bytes(x->szx1);
}

enum coap_took coap_endpoint_request(struct coap_endpoint *e, const struct app_request *q,
				     int64_t now_ns)
{
	struct coap_exchange *x;
	uint8_t method;

	e->layer->now_ns = now_ns;
	method = e->fail.code ? 0 : coap_request_code(q, &e->fail);
	if (method == 0 || check_body(e, q) != 0)
		return COAP_NEVER;
	x = coap_exchange_new(e);
	if (!x)
		return COAP_BUSY;
	x->asked.method = method;
	x->observe = q->observe;
	x->body = q->body;
	x->body_bytes = q->body_bytes;
	if (write_base(e, x, q) != 0) {
		coap_exchange_free(e, x);
		return COAP_NEVER;
	}
	choose_blocks(e, x);
	if (send_message(e, x) != 0) {
		coap_exchange_free(e, x);
		return COAP_NO_ID;
	}
	memcpy(x->observe_token, x->asked.token, COAP_OWN_TOKEN);
	e->stream = x->stream;
	e->slot = x->slot;
	return COAP_TOOK;
}

void coap_endpoint_cancel(struct coap_endpoint *e, unsigned slot)
{
	struct coap_exchange *x = slot < e->layer->slots_n ? &e->layer->slots[slot] : NULL;

	if (x && x->stage != COAP_FREE && e->half == APP_CLIENT)
		coap_exchange_free(e, x);
}
