/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_peer - the life of an association over datagrams. It must not know what CoAP says.
 */
#include "servers/dgram_peer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

#define STEPS_MAX 64             /* of the records of one datagram */
#define REST_NS   (NS_PER_S * 2) /* nothing has come for so long: it rests */

static const struct engine_ops *ops_of(const struct dgram_peer *p)
{
	return p->assoc.domain->ops;
}

static int64_t now_ns(const struct dgram_peer *p)
{
	return loop_now_ns(p->dgram->worker->loop);
}

/* --- memory -------------------------------------------------------------------- */

static void on_due(struct loop_timer *t);

struct dgram_peer *dgram_peer_new(struct dgram *d)
{
	struct dgram_peer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->dgram = d;
	p->assoc.domain = &d->listener->domain;
	p->retransmit_ns = p->rest_ns = INT64_MAX;
	loop_timer_init(&p->timer, d->worker->loop, on_due, p);
	if (ops_of(p)->open(&p->assoc) == 0)
		return p;
	free(p);
	return NULL;
}

void dgram_peer_free(struct dgram_peer *p)
{
	loop_timer_stop(&p->timer);
	if (p->coap_open)
		coap_endpoint_close(&p->coap);
	if (p->assoc.impl)
		ops_of(p)->close(&p->assoc);
	free(p);
}

/* --- who is there ---------------------------------------------------------------- */

void dgram_peer_list(struct dgram_peer *p)
{
	struct dgram *d = p->dgram;

	p->prev = d->last;
	p->next = NULL;
	if (d->last)
		d->last->next = p;
	else
		d->first = p;
	d->last = p;
}

static void list_remove(struct dgram_peer *p)
{
	struct dgram *d = p->dgram;

	if (p->prev)
		p->prev->next = p->next;
	else
		d->first = p->next;
	if (p->next)
		p->next->prev = p->prev;
	else
		d->last = p->prev;
}

static void leave_table(struct dgram_peer *p)
{
	struct dgram *d = p->dgram;

	if (p->predecessor)
		p->predecessor->successor = NULL;
	else if (p->successor)
		dgram_table_replace(&d->table, &p->successor->entry);
	else
		dgram_table_remove(&d->table, &p->entry.address);
	if (p->successor)
		p->successor->predecessor = NULL;
}

void dgram_peer_drop(struct dgram_peer *p)
{
	struct worker *w = p->dgram->worker;

	leave_table(p);
	list_remove(p);
	p->dgram->shaking -= p->state == DGRAM_SHAKING;
	worker_count(&w->counters.open, -1);
	__atomic_sub_fetch(w->open_total, 1, __ATOMIC_RELAXED);
	dgram_peer_free(p);
}

/* --- working ---------------------------------------------------------------------- */

void dgram_peer_lend(struct dgram_peer *p)
{
	p->assoc.in = p->dgram->in;
	p->assoc.out = p->dgram->out;
}

int dgram_peer_send(struct dgram_peer *p, const struct dgram_address *to)
{
	struct dgram *d = p->dgram;
	int sent = 0;

	for (; !wire_empty(&p->assoc.out); sent++) {
		size_t len = wire_get(&p->assoc.out, d->message, sizeof d->message);

		dgram_batch_put(d->batch, d->listener->fd, to, d->message, len);
	}
	memset(&p->assoc.in, 0, sizeof p->assoc.in);
	memset(&p->assoc.out, 0, sizeof p->assoc.out);
	return sent;
}

static void arm(struct dgram_peer *p)
{
	int64_t due_ns = p->patience_ns, coap_ns;

	if (p->state == DGRAM_SHAKING && p->retransmit_ns < due_ns)
		due_ns = p->retransmit_ns;
	if (p->rest_ns < due_ns)
		due_ns = p->rest_ns;
	coap_ns = p->coap_open ? coap_endpoint_deadline(&p->coap) : INT64_MAX;
	loop_timer_at(&p->timer, coap_ns < due_ns ? coap_ns : due_ns);
}

/* Sends what waits; the peer may be gone after. */
static int settle(struct dgram_peer *p)
{
	int sent = dgram_peer_send(p, &p->entry.address);

	if (p->over)
		dgram_peer_drop(p);
	else
		arm(p);
	return sent;
}

static void fail(struct dgram_peer *p, const char *what)
{
	struct worker *w = p->dgram->worker;

	log_say(LOG_DETAIL, "%s failed: %s", what, p->assoc.fail.text);
	worker_count(&w->counters.handshakes_failed, p->state == DGRAM_SHAKING);
	p->over = true;
}

/* The older association goes without a word: its peer has forgotten it (RFC 6347 section 4.2.8). */
static void take_over(struct dgram_peer *p)
{
	if (!p->predecessor)
		return;
	worker_count(&p->dgram->worker->counters.replaced, 1);
	dgram_peer_drop(p->predecessor);
}

static void become_open(struct dgram_peer *p)
{
	struct worker *w = p->dgram->worker;
	struct tls_facts facts = { 0 };

	ops_of(p)->facts(&p->assoc, &facts);
	if (facts_check(p->assoc.domain->params.suite, &facts, SERVER, &p->assoc.fail) != 0) {
		fail(p, "handshake");
		return;
	}
	p->dgram->shaking--;
	p->state = DGRAM_OPEN;
	p->patience_ns = now_ns(p) + w->params->idle_timeout_ns;
	if (p->dgram->listener->secure)
		worker_count(facts.resumed ? &w->counters.handshakes_resumed
					   : &w->counters.handshakes_full,
			     1);
	worker_untidy(w);
	take_over(p);
	if (dgram_coap_open(p) != 0)
		p->over = true;
}

static void shake(struct dgram_peer *p)
{
	enum step step = ops_of(p)->handshake(&p->assoc);
	int64_t left_ns;

	if (step == STEP_DONE) {
		become_open(p);
		return;
	}
	if (step == STEP_FAILED || step == STEP_CLOSED) {
		fail(p, "handshake");
		return;
	}
	left_ns = ops_of(p)->deadline(&p->assoc);
	p->retransmit_ns = left_ns < 0 ? INT64_MAX : now_ns(p) + left_ns;
}

static void read_messages(struct dgram_peer *p)
{
	struct dgram *d = p->dgram;
	size_t got;

	p->rest_ns = now_ns(p) + REST_NS;
	p->over = p->over || dgram_coap_wake(p) != 0;
	for (int i = 0; i < STEPS_MAX && !p->over; i++) {
		enum step step = ops_of(p)->read(&p->assoc, d->message, sizeof d->message, &got);

		if (step == STEP_DONE && got) {
			dgram_coap_feed(p, d->message, got);
			dgram_coap_send(p);
		} else if (step == STEP_CLOSED)
			p->over = true;
		else if (step == STEP_FAILED)
			fail(p, "association");
		if (wire_empty(&p->assoc.in) && (step != STEP_DONE || p->assoc.dry))
			return;
	}
}

void dgram_peer_work(struct dgram_peer *p)
{
	if (p->state == DGRAM_SHAKING)
		shake(p);
	if (p->state == DGRAM_OPEN && !p->over)
		read_messages(p);
	settle(p);
}

void dgram_peer_receive(struct dgram_peer *p, const struct dgram_received *r)
{
	list_remove(p);
	dgram_peer_list(p);
	dgram_peer_lend(p);
	wire_put(&p->assoc.in, r->bytes, r->len);
	dgram_peer_work(p);
}

void dgram_peer_end(struct dgram_peer *p)
{
	dgram_peer_lend(p);
	if (p->state == DGRAM_OPEN)
		ops_of(p)->shutdown(&p->assoc);
	p->over = true;
	settle(p);
}

/* --- time -------------------------------------------------------------------------- */

static void repeat(struct dgram_peer *p)
{
	struct worker *w = p->dgram->worker;
	int64_t left_ns;

	if (ops_of(p)->expire(&p->assoc) == STEP_FAILED) {
		fail(p, "handshake");
		settle(p);
		return;
	}
	left_ns = ops_of(p)->deadline(&p->assoc);
	p->retransmit_ns = left_ns < 0 ? INT64_MAX : now_ns(p) + left_ns;
	worker_count(&w->counters.dtls_retransmissions, settle(p));
}

/*
 * Of many associations, most have nothing to say: they take as little memory as may be. Of the
 * pages between them, those that the handshake has left are looked for once.
 */
static void rest(struct dgram_peer *p)
{
	int64_t again_ns = coap_endpoint_rest(&p->coap, now_ns(p));

	p->rest_ns = again_ns ? again_ns : INT64_MAX;
	if (again_ns)
		return;
	if (ops_of(p)->rest)
		ops_of(p)->rest(&p->assoc);
	if (!p->rested)
		worker_untidy(p->dgram->worker);
	p->rested = true;
}

static void expire(struct dgram_peer *p)
{
	p->rest_ns = now_ns(p) + REST_NS;
	dgram_coap_expire(p);
	dgram_coap_send(p);
}

static void on_due(struct loop_timer *t)
{
	struct dgram_peer *p = t->data;
	struct dgram *d = p->dgram;
	struct worker *w = d->worker;

	if (now_ns(p) >= p->patience_ns) {
		worker_count(&w->counters.timed_out, 1);
		worker_count(&w->counters.handshakes_failed, p->state == DGRAM_SHAKING);
		dgram_peer_end(p);
	} else if (p->state == DGRAM_SHAKING) {
		dgram_peer_lend(p);
		repeat(p);
	} else if (now_ns(p) >= p->rest_ns) {
		rest(p);
		arm(p);
	} else {
		dgram_peer_lend(p);
		expire(p);
		settle(p);
	}
	dgram_flush(d);
}
