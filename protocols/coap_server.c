/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_server - requests in: which are refused here and with what code, which are part of
 * a body in blocks (RFC 7959), and which are shown to the shell. What is said back is
 * written in coap_answer.c.
 */
#include <string.h>

#include "protocols/coap_layer.h"

/* --- what cannot be asked ---------------------------------------------------------------- */

static uint8_t check_request(const struct coap_endpoint *e, const struct coap_message *m,
			     struct coap_request *r)
{
	const struct coap_fields *f = &r->fields;
	uint8_t code = coap_request_read(m, r);

	if (code)
		return code;
	if (m->payload_bytes > e->params.body_bytes ||
	    (f->sized1 && f->block1.present && f->size1 > e->params.body_bytes))
		return COAP_TOO_LARGE;
	return 0;
}

static void refuse(struct coap_endpoint *e, const struct coap_asked *q, uint8_t code)
{
	e->counters->refused++;
	/* RFC 7252 section 5.4.1: a NON that is not understood is rejected. */
	if (code == COAP_BAD_OPTION && q->type == COAP_NON) {
		q->seen->state = COAP_SEEN_RESET;
		coap_out_empty(e, COAP_RST, q->id);
		return;
	}
	coap_refuse(e, q, code, code == COAP_TOO_LARGE ? (uint32_t)e->params.body_bytes : 0);
}

/* --- observations --------------------------------------------------------------------------- */

static struct coap_exchange *observation_of(struct coap_endpoint *e, const struct coap_asked *q)
{
	for (unsigned i = 0; i < e->layer->slots_n; i++) {
		struct coap_exchange *x = &e->layer->slots[i];

		if (x->stage != COAP_FREE && x->observing &&
		    x->asked.token_bytes == q->token_bytes &&
		    memcmp(x->asked.token, q->token, q->token_bytes) == 0)
			return x;
	}
	return NULL;
}

/* --- what is shown ---------------------------------------------------------------------------- */

static void show(struct coap_endpoint *e, const struct coap_asked *q, const struct coap_fields *f,
		 const void *body, size_t body_bytes)
{
	struct coap_exchange *x = coap_exchange_new(e);

	if (!x) {
		refuse(e, q, COAP_UNAVAILABLE);
		return;
	}
	x->asked = *q;
	x->asked.seen->state = COAP_SEEN_OPEN;
	x->observe = f->observed && f->observe == 0 && q->method == COAP_GET &&
		     e->params.observations > 0;
	x->piece = body;
	x->piece_bytes = body_bytes;
	if (q->type == COAP_CON)
		coap_set_due(e, x, e->layer->now_ns + e->params.separate_ns);
	coap_raise(e, x, APP_REQUEST);
}

void coap_server_event(struct coap_endpoint *e, struct coap_exchange *x, struct app_event *ev)
{
	if (ev->kind != APP_REQUEST)
		return;
	coap_request_show(&e->layer->request, &ev->request);
	ev->request.body = x->piece;
	ev->request.body_bytes = x->piece_bytes;
	ev->request.stream = x->stream;
	ev->request.observe = x->observe;
	ev->request.continued = x->asked.block2.number > 0;
}

/* --- bodies in blocks ---------------------------------------------------------------- */

static void take_last_block(struct coap_endpoint *e, const struct coap_asked *q,
			    const struct coap_fields *f, struct coap_transfer *t)
{
	t->used = false;
	show(e, q, f, t->body.data, t->body.len);
}

/* The same bytes are there already: a duplicate whose answer is gone. */
static bool has_come(const struct coap_transfer *t, uint64_t offset, const struct coap_message *m)
{
	return offset + m->payload_bytes <= t->body.len &&
	       memcmp(t->body.data + offset, m->payload, m->payload_bytes) == 0;
}

static void take_block(struct coap_endpoint *e, const struct coap_asked *q,
		       const struct coap_fields *f, const struct coap_message *m)
{
	const struct coap_block *b = &q->block1;
	uint64_t offset = (uint64_t)b->number * coap_block_bytes(b->szx);
	struct coap_transfer *t = b->number == 0 ? coap_transfer_begin(e, e->layer->in, q->key)
						 : coap_transfer_find(e, e->layer->in, q->key);

	e->counters->blocks_in++;
	if (t && b->more && has_come(t, offset, m)) {
		coap_continue(e, q);
		return;
	}
	if (!t || t->body.len != offset) {
		refuse(e, q, COAP_INCOMPLETE);
		return;
	}
	buf_put(&t->body, m->payload, m->payload_bytes);
	if (t->body.failed) {
		t->used = false;
		refuse(e, q, COAP_TOO_LARGE);
	} else if (b->more) {
		coap_continue(e, q);
	} else {
		take_last_block(e, q, f, t);
	}
}

static void take_block1(struct coap_endpoint *e, const struct coap_asked *q,
			const struct coap_fields *f, const struct coap_message *m)
{
	size_t bytes = coap_block_bytes(q->block1.szx);

	if (q->block1.more ? m->payload_bytes != bytes : m->payload_bytes > bytes)
		refuse(e, q, COAP_BAD_REQUEST);
	else if (q->block1.number == 0 && !q->block1.more)
		show(e, q, f, m->payload, m->payload_bytes);
	else
		take_block(e, q, f, m);
}

/* A later block of an answer: from what was kept, or, where asking twice does no harm, anew. */
static void take_block2(struct coap_endpoint *e, const struct coap_asked *q,
			const struct coap_fields *f)
{
	struct coap_transfer *t = coap_transfer_find(e, e->layer->back, q->key);

	if (t)
		coap_answer_block(e, q, t);
	else if (q->method == COAP_GET || q->method == COAP_FETCH)
		show(e, q, f, NULL, 0);
	else
		refuse(e, q, COAP_INCOMPLETE);
}

/* --- one request --------------------------------------------------------------------- */

static void take_request(struct coap_endpoint *e, const struct coap_asked *q,
			 const struct coap_message *m)
{
	struct coap_request *r = &e->layer->request;
	uint8_t code = check_request(e, m, r);
	const struct coap_fields *f = &r->fields;
	struct coap_asked asked = *q;
	struct coap_exchange *observation;

	asked.block1 = f->block1;
	asked.block2 = f->block2;
	asked.accept = f->accept;
	asked.key = f->key;
	observation = f->observed && code == 0 ? observation_of(e, q) : NULL;
	if (observation)
		coap_end(e, observation, COAP_END_CANCELLED);
	if (code)
		refuse(e, &asked, code);
	else if (f->block2.present && f->block2.number > 0)
		take_block2(e, &asked, f);
	else if (f->block1.present)
		take_block1(e, &asked, f, m);
	else
		show(e, &asked, f, m->payload, m->payload_bytes);
}

/*
 * May a request be served that was served already? One without an effect, and a block in
 * the middle of a body, which is compared with what has come (RFC 7252 section 4.5).
 */
static bool harmless(const struct coap_message *m)
{
	struct coap_fields f;

	if (m->code == COAP_GET || m->code == COAP_FETCH)
		return true;
	coap_fields_read(m, &f);
	return f.block1.present && f.block1.more && f.block1.number > 0;
}

void coap_server_request(struct coap_endpoint *e, const struct coap_message *m, uint64_t hash,
			 bool forgotten)
{
	struct coap_asked q = {
		.type = m->type, .method = m->code, .id = m->id, .token_bytes = m->token_bytes
	};

	e->counters->duplicates += forgotten;
	if (forgotten && !harmless(m))
		return;
	q.seen = coap_seen_add(e, m->type, m->id, hash);
	memcpy(q.token, m->token, sizeof q.token);
	if (q.seen)
		take_request(e, &q, m);
	else
		e->counters->dropped++;
}

/* --- what becomes of an answer ------------------------------------------------------- */

void coap_server_sent(struct coap_endpoint *e, struct coap_exchange *x)
{
	coap_raise(e, x, APP_SENT);
}

void coap_server_acked(struct coap_endpoint *e, struct coap_exchange *x)
{
	coap_settle(x);
	x->stage = x->observing ? COAP_OBSERVING : COAP_DONE;
	coap_raise(e, x, APP_SENT);
}

void coap_server_late(struct coap_endpoint *e, struct coap_exchange *x)
{
	coap_settle(x);
	x->acked = true;
	x->asked.seen->state = COAP_SEEN_ACKED;
	x->asked.seen = NULL;
	coap_out_empty(e, COAP_ACK, x->asked.id);
}
