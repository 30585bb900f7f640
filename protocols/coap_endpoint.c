/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_endpoint - the message layer (RFC 7252 section 4): which message belongs to what,
 * what is sent again and when. What a request or an answer means is in
 * coap_client.c and coap_server.c.
 */
#include "protocols/coap_layer.h"

#include <string.h>

/* --- sending ------------------------------------------------------------------------------ */

void coap_send(struct coap_endpoint *e, struct coap_exchange *x, bool confirmable)
{
	double spread = (e->params.ack_random_percent - 100) / 100.0;

	coap_out_slot(e, x);
	if (!confirmable)
		return;
	x->stage = COAP_CON_OUT;
	x->tries = 0;
	x->interval_ns = e->params.ack_timeout_ns +
			 (int64_t)((double)e->params.ack_timeout_ns * spread * rng_unit(e->rng));
	coap_set_due(e, x, e->layer->now_ns + x->interval_ns);
}

static void pulled(struct coap_endpoint *e, struct coap_exchange *x)
{
	x->queued = false;
	if (e->half == APP_SERVER && (x->stage == COAP_DONE || x->stage == COAP_OBSERVING))
		coap_server_sent(e, x);
}

/* The datagram that o stands for; 0: it is not to be sent any more. */
static size_t fill(struct coap_endpoint *e, const struct coap_out *o, uint8_t *dst, size_t cap)
{
	struct coap_exchange *x = o->slot < e->layer->slots_n ? &e->layer->slots[o->slot] : NULL;
	struct coap_writer w = { .dst = dst, .cap = cap };
	const uint8_t *src;
	size_t len = o->len;

	if (o->kind == COAP_OUT_EMPTY) {
		coap_write_head(&w, o->type, COAP_EMPTY, o->id, NULL, 0);
		return w.len;
	}
	if (o->kind == COAP_OUT_SLOT && !x->queued)
		return 0;
	src = o->kind == COAP_OUT_SLOT ? x->datagram : coap_kept_at(e, o->at);
	if (o->kind == COAP_OUT_SLOT)
		len = x->datagram_bytes;
	if (!src || len > cap) {
		e->counters->dropped++;
		len = 0;
	}
	if (len > 0)
		memcpy(dst, src, len);
	if (x && (o->kind == COAP_OUT_SLOT || x->stream == o->stream))
		pulled(e, x);
	return len;
}

size_t coap_endpoint_pull(struct coap_endpoint *e, void *dst, size_t cap)
{
	struct coap_layer *l = e->layer;
	size_t len = 0;

	while (len == 0 && l->out_n > 0) {
		struct coap_out o = l->out[l->out_first];

		l->out_first = (l->out_first + 1) % l->out_cap;
		l->out_n--;
		len = fill(e, &o, dst, cap);
	}
	e->counters->sent += len > 0;
	return len;
}

enum coap_took coap_endpoint_ping(struct coap_endpoint *e, int64_t now_ns)
{
	struct coap_layer *l = e->layer;
	uint16_t id;

	l->now_ns = now_ns;
	if (!coap_take_id(e, e->params.exchange_lifetime_ns, &id))
		return COAP_NO_ID;
	l->ping_id = id;
	l->pinged = true;
	coap_out_empty(e, COAP_CON, id);
	return COAP_TOOK;
}

/* --- time ------------------------------------------------------------------------------------ */

int64_t coap_endpoint_deadline(const struct coap_endpoint *e)
{
	return e->layer ? e->layer->due_ns : COAP_NEVER_DUE;
}

static void fall_due(struct coap_endpoint *e, struct coap_exchange *x)
{
	bool con = x->stage == COAP_CON_OUT;

	if (!con && e->half == APP_SERVER) {
		coap_server_late(e, x);
	} else if (con && x->tries < e->params.max_retransmit) {
		x->tries++;
		x->interval_ns *= 2;
		x->due_ns = e->layer->now_ns + x->interval_ns;
		e->counters->retransmissions += !x->queued;
		coap_out_slot(e, x);
	} else {
		e->counters->timeouts++;
		coap_end(e, x, con ? COAP_END_NO_ACK : COAP_END_NO_ANSWER);
	}
}

void coap_endpoint_expire(struct coap_endpoint *e, int64_t now_ns)
{
	struct coap_layer *l = e->layer;

	l->now_ns = now_ns;
	if (now_ns < l->due_ns)
		return;
	l->due_ns = COAP_NEVER_DUE;
	for (unsigned i = 0; i < l->slots_n; i++) {
		struct coap_exchange *x = &l->slots[i];

		if (x->stage != COAP_FREE && x->due_ns <= now_ns)
			fall_due(e, x);
		if (x->stage != COAP_FREE && x->due_ns < l->due_ns)
			l->due_ns = x->due_ns;
	}
}

/* --- what comes ---------------------------------------------------------------------- */

/* A datagram that can only be reset, never acknowledged: a NON request, a notification. */
static bool resettable(const struct coap_endpoint *e, const struct coap_exchange *x)
{
	if (e->half == APP_CLIENT)
		return x->stage == COAP_WAITING && x->asked.type == COAP_NON;
	return x->stage == COAP_OBSERVING && x->sequence > 1;
}

static struct coap_exchange *by_id(struct coap_endpoint *e, uint16_t id, bool reset)
{
	for (unsigned i = 0; i < e->layer->slots_n; i++) {
		struct coap_exchange *x = &e->layer->slots[i];

		if (x->id == id && (x->stage == COAP_CON_OUT || (reset && resettable(e, x))))
			return x;
	}
	return NULL;
}

static void take_empty_ack(struct coap_endpoint *e, const struct coap_message *m)
{
	struct coap_exchange *x = by_id(e, m->id, false);

	if (!x)
		e->counters->unmatched++;
	else if (e->half == APP_CLIENT)
		coap_client_acked(e, x);
	else
		coap_server_acked(e, x);
}

static void take_reset(struct coap_endpoint *e, const struct coap_message *m)
{
	struct coap_exchange *x = by_id(e, m->id, true);

	if (e->layer->pinged && m->id == e->layer->ping_id) {
		e->layer->pinged = false;
		e->counters->pings++;
		return;
	}
	e->counters->resets_received++;
	if (x)
		coap_end(e, x, x->observing ? COAP_END_CANCELLED : COAP_END_RESET);
	else
		e->counters->unmatched++;
}

/* It has come before: say again what was said (RFC 7252 section 4.5). */
static void take_duplicate(struct coap_endpoint *e, const struct coap_message *m,
			   const struct coap_seen *s)
{
	e->counters->duplicates++;
	if (m->type != COAP_CON)
		return;
	if (s->state == COAP_SEEN_ACKED)
		coap_out_empty(e, COAP_ACK, m->id);
	else if (s->state == COAP_SEEN_RESET)
		coap_out_empty(e, COAP_RST, m->id);
	else if (s->state == COAP_SEEN_ANSWER && coap_kept_at(e, s->at) &&
		 coap_out_kept(e, s->at, s->len, NULL))
		e->counters->replays++;
}

static void take_empty(struct coap_endpoint *e, const struct coap_message *m)
{
	if (m->type == COAP_CON)
		coap_out_empty(e, COAP_RST, m->id);
	else if (m->type == COAP_ACK)
		take_empty_ack(e, m);
	else
		take_reset(e, m);
}

/* A request to a client, an answer to a server. */
static void take_misplaced(struct coap_endpoint *e, const struct coap_message *m)
{
	e->counters->unmatched++;
	if (m->type == COAP_CON || m->type == COAP_NON)
		coap_out_empty(e, COAP_RST, m->id);
}

static void take(struct coap_endpoint *e, const struct coap_message *m, const void *datagram,
		 size_t len)
{
	uint64_t hash = coap_hash(datagram, len);
	struct coap_seen *s = NULL;
	enum coap_novelty novelty = COAP_NEW;

	if (m->code == COAP_EMPTY) {
		take_empty(e, m);
		return;
	}
	if (m->type <= COAP_NON)
		novelty = coap_seen_find(e, m->id, hash, &s);
	if (novelty == COAP_AGAIN)
		take_duplicate(e, m, s);
	else if (coap_is_request(m->code) != (e->half == APP_SERVER))
		take_misplaced(e, m);
	else if (e->half == APP_SERVER)
		coap_server_request(e, m, hash, novelty == COAP_FORGOTTEN);
	else
		coap_client_answer(e, m, hash);
}

void coap_endpoint_feed(struct coap_endpoint *e, const void *datagram, size_t len, int64_t now_ns)
{
	struct coap_message m;
	enum coap_verdict verdict = coap_parse(datagram, len, &m);

	e->layer->now_ns = now_ns;
	e->counters->received++;
	coap_forget_sent(e);
	if (verdict == COAP_GOOD) {
		take(e, &m, datagram, len);
		return;
	}
	e->counters->malformed++;
	if (verdict == COAP_MALFORMED && m.type == COAP_CON)
		coap_out_empty(e, COAP_RST, m.id);
}
