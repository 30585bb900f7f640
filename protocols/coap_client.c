/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_client - answers in: whose they are (RFC 7252 section 5.3.2), whether their blocks
 * fit together (RFC 7959), whether a notification is newer than the last (RFC 7641).
 */
#include <string.h>

#include "protocols/coap_client.h"

#define NOTIFICATION_AGE_NS ((int64_t)128 * 1000000000) /* RFC 7641 section 3.4 */

static bool has_token(const struct coap_message *m, const uint8_t *token)
{
	return m->token_bytes == COAP_OWN_TOKEN && memcmp(m->token, token, COAP_OWN_TOKEN) == 0;
}

static bool waits(const struct coap_exchange *x)
{
	return x->stage == COAP_CON_OUT || x->stage == COAP_WAITING || x->stage == COAP_OBSERVING;
}

/* *notified: by the token of its observation, not of the request that is out. */
static struct coap_exchange *by_token(struct coap_endpoint *e, const struct coap_message *m,
				      bool *notified)
{
	for (unsigned i = 0; i < e->layer->slots_n; i++) {
		struct coap_exchange *x = &e->layer->slots[i];

		if (!waits(x))
			continue;
		*notified = x->observing && m->type != COAP_ACK && has_token(m, x->observe_token);
		if (*notified)
			return x;
		if (x->stage == COAP_OBSERVING || !has_token(m, x->asked.token))
			continue;
		/* A piggy-backed answer has the request's id too. */
		if (m->type != COAP_ACK || (x->stage == COAP_CON_OUT && m->id == x->id))
			return x;
	}
	return NULL;
}

/* RFC 7641 section 3.4. */
static bool is_newer(const struct coap_endpoint *e, const struct coap_exchange *x, uint32_t v2)
{
	uint32_t v1 = x->sequence;

	return (v1 < v2 && v2 - v1 < 1u << 23) || (v1 > v2 && v1 - v2 > 1u << 23) ||
	       e->layer->now_ns > x->sequence_at_ns + NOTIFICATION_AGE_NS;
}

/* --- the answer's own body ------------------------------------------------------------------- */

static void begin_answer(struct coap_endpoint *e, struct coap_exchange *x,
			 const struct coap_message *m, const struct coap_fields *f)
{
	x->code = m->code;
	x->format = f->format;
	x->max_age_s = f->max_age_s;
	x->taken_bytes = 0;
	x->sized = f->sized2 || !(f->block2.present && f->block2.more);
	x->size = f->sized2 ? f->size2 : m->payload_bytes;
	x->etag_bytes = f->etag_bytes;
	memcpy(x->etag, f->etag, f->etag_bytes);
	coap_raise(e, x, APP_HEAD_IN);
}

static bool same_etag(const struct coap_exchange *x, const struct coap_fields *f)
{
	return x->etag_bytes == f->etag_bytes && memcmp(x->etag, f->etag, f->etag_bytes) == 0;
}

/* Does this piece follow the last? 0: it does; else why the exchange ends. */
static uint32_t check_piece(const struct coap_endpoint *e, const struct coap_exchange *x,
			    const struct coap_message *m, const struct coap_fields *f)
{
	const struct coap_block *b = &f->block2;
	uint64_t offset = b->present ? (uint64_t)b->number * coap_block_bytes(b->szx) : 0;

	if (b->present && (b->szx > 6 || (x->asked.block2.present && b->szx > x->asked.block2.szx)))
		return COAP_END_BLOCK;
	if (offset != x->taken_bytes || (x->taken_bytes > 0 && !same_etag(x, f)))
		return COAP_END_BLOCK;
	if (b->present && (b->more ? m->payload_bytes != coap_block_bytes(b->szx)
				   : m->payload_bytes > coap_block_bytes(b->szx)))
		return COAP_END_BLOCK;
	if (x->taken_bytes + m->payload_bytes > e->params.body_bytes)
		return COAP_END_TOO_LARGE;
	return 0;
}

static void whole(struct coap_endpoint *e, struct coap_exchange *x)
{
	coap_raise(e, x, APP_END);
	x->asked.block2.present = false;
	x->stage = x->observing ? COAP_OBSERVING : COAP_DONE;
}

static void take_piece(struct coap_endpoint *e, struct coap_exchange *x,
		       const struct coap_message *m, const struct coap_fields *f)
{
	uint32_t bad;

	if (x->taken_bytes == 0 || m->code != x->code)
		begin_answer(e, x, m, f);
	bad = check_piece(e, x, m, f);
	if (bad) {
		coap_end(e, x, (enum coap_end)bad);
		return;
	}
	e->counters->blocks_in += f->block2.present;
	x->piece = m->payload;
	x->piece_bytes = m->payload_bytes;
	x->taken_bytes += m->payload_bytes;
	if (m->payload_bytes > 0)
		coap_raise(e, x, APP_BODY);
	if (f->block2.present && f->block2.more)
		coap_client_ask_block(e, x, f->block2.szx);
	else
		whole(e, x);
}

/* --- one answer ---------------------------------------------------------------------- */

static bool wants_next_block(const struct coap_exchange *x, const struct coap_message *m,
			     const struct coap_fields *f)
{
	size_t bytes = coap_block_bytes(x->szx1);

	return x->blocks1 && x->body_at + bytes < x->body_bytes && f->block1.present &&
	       m->code >> 5 == 2;
}

/* RFC 7959 section 2.9.3: the server would take smaller blocks; what is no smaller is no use. */
static bool wants_smaller(const struct coap_exchange *x, const struct coap_message *m,
			  const struct coap_fields *f)
{
	return m->code == COAP_TOO_LARGE && f->block1.present && x->body_at == 0 &&
	       x->body_bytes > 0 && f->block1.szx < x->szx1;
}

static void take_answer(struct coap_endpoint *e, struct coap_exchange *x,
			const struct coap_message *m, const struct coap_fields *f, bool notified)
{
	if (wants_next_block(x, m, f)) {
		coap_client_next_block(e, x, &f->block1);
		return;
	}
	if (wants_smaller(x, m, f)) {
		coap_client_smaller(e, x, f->block1.szx);
		return;
	}
	if (m->code == COAP_CONTINUE) {
		coap_end(e, x, COAP_END_BLOCK);
		return;
	}
	x->blocks1 = false;
	if (notified || !x->asked.block2.present) {
		x->observing = f->observed && (x->observing || x->observe) && m->code >> 5 == 2;
		x->sequence = f->observe;
		x->sequence_at_ns = e->layer->now_ns;
		x->taken_bytes = 0;
		x->asked.block2.present = false;
	}
	take_piece(e, x, m, f);
}

/* A CON is acknowledged, at once and each time it comes. */
static void acknowledge(struct coap_endpoint *e, const struct coap_message *m, uint64_t hash,
			enum coap_type with)
{
	struct coap_seen *s;

	if (m->type == COAP_ACK)
		return;
	s = coap_seen_add(e, m->type, m->id, hash);
	if (m->type == COAP_NON && with == COAP_ACK)
		return;
	if (s)
		s->state = with == COAP_ACK ? COAP_SEEN_ACKED : COAP_SEEN_RESET;
	coap_out_empty(e, with, m->id);
}

void coap_client_answer(struct coap_endpoint *e, const struct coap_message *m, uint64_t hash)
{
	bool notified = false;
	struct coap_exchange *x = by_token(e, m, &notified);
	struct coap_fields f;

	if (!x) {
		e->counters->unmatched++;
		acknowledge(e, m, hash, COAP_RST);
		return;
	}
	coap_fields_read(m, &f);
	acknowledge(e, m, hash, f.refused ? COAP_RST : COAP_ACK);
	if (notified && !f.refused && f.observed && !is_newer(e, x, f.observe))
		return;
	coap_settle(x);
	if (f.refused)
		coap_end(e, x, COAP_END_OPTION);
	else
		take_answer(e, x, m, &f, notified);
}

void coap_client_acked(struct coap_endpoint *e, struct coap_exchange *x)
{
	coap_settle(x);
	x->stage = COAP_WAITING;
	coap_set_due(e, x, e->layer->now_ns + e->params.response_timeout_ns);
}

void coap_client_event(struct coap_endpoint *e, struct coap_exchange *x, struct app_event *ev)
{
	(void)e;
	if (ev->kind == APP_BODY) {
		ev->bytes = x->piece;
		ev->len = x->piece_bytes;
		return;
	}
	ev->code = x->code;
	ev->response = (struct app_response){
		.status = coap_status_of_code(x->code),
		.content_type = x->format == COAP_NO_FORMAT ? NULL : coap_format_name(x->format),
		.body_bytes = ev->kind == APP_END ? x->taken_bytes
			      : x->sized          ? x->size
						  : 0,
		.keep_alive = true,
		.stream = x->stream,
		.max_age_s = x->max_age_s,
		.observe = x->observing,
	};
}
