/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_answer - answers out: in the ACK, apart from it, or as a NON; whole, or one block
 * of a body that is kept until the peer has fetched the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_layer.h"

#define BUSY_AGE_S 1 /* of a 5.03: when to ask again */

/* Everything that an answer says; a zeroed one with a code says no more than that. */
struct answer {
	uint8_t code;
	bool formatted;
	uint32_t format, max_age_s;
	const uint8_t *body; /* all of it */
	size_t body_bytes;
	size_t piece_at, piece_bytes;
	uint64_t etag; /* 0: none */
	bool observed;
	uint32_t sequence;
	struct coap_block block1, block2;
	bool sized2;
	uint32_t size1;
};

static void write_answer(struct coap_writer *w, const struct answer *a)
{
	if (a->etag)
		coap_write_option(w, COAP_ETAG, &a->etag, sizeof a->etag);
	if (a->observed)
		coap_write_uint(w, COAP_OBSERVE, a->sequence & COAP_SEQUENCE);
	if (a->formatted)
		coap_write_uint(w, COAP_CONTENT_FORMAT, a->format);
	if (a->max_age_s)
		coap_write_uint(w, COAP_MAX_AGE, a->max_age_s);
	if (a->block2.present)
		coap_write_uint(w, COAP_BLOCK2, coap_block_value(&a->block2));
	if (a->block1.present)
		coap_write_uint(w, COAP_BLOCK1, coap_block_value(&a->block1));
	if (a->sized2)
		coap_write_uint(w, COAP_SIZE2, (uint32_t)a->body_bytes);
	if (a->size1)
		coap_write_uint(w, COAP_SIZE1, a->size1);
	if (a->piece_bytes > 0)
		coap_write_payload(w, a->body + a->piece_at, a->piece_bytes);
}

/* The part of the body that goes into this message. false: there is no such block. */
static bool cut(const struct coap_endpoint *e, const struct coap_block *asked, struct answer *a)
{
	uint8_t szx = coap_szx_max(e);
	uint64_t offset =
		asked->present ? (uint64_t)asked->number * coap_block_bytes(asked->szx) : 0;
	size_t bytes;

	if (asked->present && asked->szx < szx)
		szx = asked->szx;
	bytes = coap_block_bytes(szx);
	if (offset > 0 && offset >= a->body_bytes)
		return false;
	a->piece_at = (size_t)offset;
	a->piece_bytes = a->body_bytes - a->piece_at;
	if (!asked->present && a->body_bytes <= bytes)
		return true;
	a->block2 = (struct coap_block){ .present = true,
					 .more = a->piece_bytes > bytes,
					 .szx = szx,
					 .number = (uint32_t)(offset / bytes) };
	if (a->piece_bytes > bytes)
		a->piece_bytes = bytes;
	a->sized2 = a->block2.more && a->block2.number == 0;
	return true;
}

/* --- in the ACK, or as a NON ------------------------------------------------------------------ */

/* x: whose APP_SENT it is, or NULL. */
static void say(struct coap_endpoint *e, const struct coap_asked *q, const struct answer *a,
		struct coap_exchange *x)
{
	bool con = q->type == COAP_CON, queued = false;
	struct coap_writer w = { .cap = e->params.mtu_bytes };
	uint16_t id = q->id;
	uint64_t at;

	if (con || coap_take_id(e, e->params.non_lifetime_ns, &id)) {
		w.dst = coap_keep(e, &at);
		coap_write_head(&w, con ? COAP_ACK : COAP_NON, a->code, id, q->token,
				q->token_bytes);
		write_answer(&w, a);
		coap_kept(e, at, w.len);
		queued = coap_out_kept(e, at, w.len, x);
		e->counters->blocks_out += a->block2.present;
		q->seen->state = con ? COAP_SEEN_ANSWER : COAP_SEEN_SILENT;
		q->seen->at = at;
		q->seen->len = (uint32_t)w.len;
	} else {
		q->seen->state = COAP_SEEN_SILENT;
	}
	if (x && !queued)
		coap_server_sent(e, x);
}

void coap_refuse(struct coap_endpoint *e, const struct coap_asked *q, uint8_t code, uint32_t size1)
{
	struct answer a = { .code = code,
			    .size1 = size1,
			    .max_age_s = code == COAP_UNAVAILABLE ? BUSY_AGE_S : 0 };

	if (code == COAP_TOO_LARGE || code == COAP_INCOMPLETE)
		a.block1 = q->block1;
	say(e, q, &a, NULL);
}

void coap_continue(struct coap_endpoint *e, const struct coap_asked *q)
{
	struct answer a = { .code = COAP_CONTINUE, .block1 = q->block1 };

	/* RFC 7959 section 2.5: the number is the one that came, the size what is wished for. */
	if (a.block1.szx > coap_szx_max(e))
		a.block1.szx = coap_szx_max(e);
	say(e, q, &a, NULL);
}

void coap_answer_block(struct coap_endpoint *e, const struct coap_asked *q, struct coap_transfer *t)
{
	struct answer a = { .code = t->code,
			    .formatted = t->format != COAP_NO_FORMAT,
			    .format = t->format,
			    .max_age_s = t->max_age_s,
			    .body = (const uint8_t *)t->body.data,
			    .body_bytes = t->body.len };

	if (cut(e, &q->block2, &a))
		a.etag = t->etag;
	else
		a = (struct answer){ .code = COAP_BAD_REQUEST };
	say(e, q, &a, NULL);
	t->used = a.block2.more;
}

/* --- apart from the ACK -------------------------------------------------------------- */

/* The datagram of a slot: made when first needed, then kept. -1: the exchange has ended. */
static int write_apart(struct coap_endpoint *e, struct coap_exchange *x, const struct answer *a,
		       bool con)
{
	struct coap_writer w = { .cap = e->params.mtu_bytes };
	int64_t lifetime_ns = con ? e->params.exchange_lifetime_ns : e->params.non_lifetime_ns;

	if (!x->datagram)
		x->datagram = malloc(e->params.mtu_bytes);
	if (!x->datagram || !coap_take_id(e, lifetime_ns, &x->id)) {
		coap_end(e, x, x->datagram ? COAP_END_NO_ID : COAP_END_NO_MEMORY);
		return -1;
	}
	w.dst = x->datagram;
	coap_write_head(&w, con ? COAP_CON : COAP_NON, a->code, x->id, x->asked.token,
			x->asked.token_bytes);
	write_answer(&w, a);
	x->datagram_bytes = w.len;
	e->counters->blocks_out += a->block2.present;
	x->stage = x->observing ? COAP_OBSERVING : COAP_DONE;
	coap_send(e, x, con);
	return 0;
}

/* --- the shell's --------------------------------------------------------------------- */

/* false: too long to be kept. */
static bool keep(struct coap_endpoint *e, const struct coap_asked *q, struct answer *a)
{
	struct coap_transfer *t;

	if (a->body_bytes > e->params.answer_bytes)
		return false;
	t = coap_transfer_begin(e, e->layer->back, q->key);
	buf_put(&t->body, a->body, a->body_bytes);
	t->code = a->code;
	t->format = a->formatted ? a->format : COAP_NO_FORMAT;
	t->max_age_s = a->max_age_s;
	t->used = !t->body.failed;
	if (t->used)
		t->etag = a->etag = coap_etag(a->body, a->body_bytes);
	return t->used;
}

/*
 * The rest of a body in blocks is fetched later: it is kept, or named where asking anew does
 * no harm. false: neither.
 */
static bool keep_rest(struct coap_endpoint *e, const struct coap_asked *q, struct answer *a)
{
	if (!a->block2.more && a->block2.number == 0)
		return true;
	if (a->block2.number == 0 && keep(e, q, a))
		return true;
	if (q->method != COAP_GET && q->method != COAP_FETCH)
		return false;
	a->etag = coap_etag_at(e, q->key, a->body, a->body_bytes, a->piece_at);
	return true;
}

static void make_answer(struct coap_endpoint *e, const struct coap_exchange *x,
			const struct app_response *r, struct answer *a)
{
	const struct coap_asked *q = &x->asked;
	uint32_t format = r->content_type ? coap_format_by_name(r->content_type) : COAP_NO_FORMAT;

	*a = (struct answer){ .code = coap_code_of_status(r->status, q->method),
			      .formatted = format != COAP_NO_FORMAT && r->body_bytes > 0,
			      .format = format,
			      .max_age_s = r->max_age_s,
			      .body = r->body,
			      .body_bytes = (size_t)r->body_bytes,
			      .observed = x->observing,
			      .sequence = x->sequence };
	if (a->code >> 5 == 2 && a->body_bytes > 0 && q->accept != COAP_NO_FORMAT &&
	    q->accept != format)
		*a = (struct answer){ .code = COAP_NOT_ACCEPTABLE };
	else if (!cut(e, &q->block2, a))
		*a = (struct answer){ .code = COAP_BAD_REQUEST };
	else if (!keep_rest(e, q, a))
		*a = (struct answer){ .code = COAP_SERVER_ERROR };
	a->block1 = q->block1;
	a->block1.more = false;
}

static void set_observing(struct coap_endpoint *e, struct coap_exchange *x, bool observing)
{
	struct coap_layer *l = e->layer;

	if (observing == x->observing)
		return;
	x->observing = observing;
	x->sequence = 1;
	if (observing) {
		l->observing++;
		l->open--;
	} else {
		l->observing--;
		l->open++;
	}
}

int coap_endpoint_respond(struct coap_endpoint *e, const struct app_response *r, int64_t now_ns)
{
	struct coap_exchange *x = coap_exchange_of(e, r->stream);
	struct answer a;

	e->layer->now_ns = now_ns;
	if (!x || e->half != APP_SERVER || x->stage != COAP_WAITING)
		return -1;
	set_observing(e, x,
		      r->observe && x->observe && r->status < 300 &&
			      e->layer->observing < e->params.observations);
	make_answer(e, x, r, &a);
	e->code = a.code;
	if (a.code >> 5 != 2) {
		set_observing(e, x, false);
		a.observed = false;
	}
	coap_settle(x);
	if (x->acked) {
		write_apart(e, x, &a, true);
		return 0;
	}
	x->stage = x->observing ? COAP_OBSERVING : COAP_DONE;
	say(e, &x->asked, &a, x);
	x->asked.seen = NULL;
	return 0;
}

enum coap_took coap_endpoint_notify(struct coap_endpoint *e, const struct app_response *r,
				    bool confirmable, int64_t now_ns)
{
	struct coap_exchange *x = coap_exchange_of(e, r->stream);
	struct answer a;

	e->layer->now_ns = now_ns;
	if (!x || !x->observing || x->stage == COAP_DONE)
		return COAP_NEVER;
	if (x->stage == COAP_CON_OUT || x->queued)
		return COAP_BUSY;
	if (!e->params.reuse_ids && coap_endpoint_id_free(e, now_ns) > 0) {
		e->counters->ids_exhausted++;
		return COAP_NO_ID;
	}
	x->sequence = (x->sequence + 1) & COAP_SEQUENCE;
	x->asked.block1.present = false;
	x->asked.block2.number = 0;
	make_answer(e, x, r, &a);
	if (a.code >> 5 != 2) {
		set_observing(e, x, false);
		a.observed = false;
	}
	return write_apart(e, x, &a, confirmable) == 0 ? COAP_TOOK : COAP_NEVER;
}
