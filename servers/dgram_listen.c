/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_listen - how an association over datagrams begins: a cookie for whoever says hello,
 * memory for whoever brings it back, as long as there is room.
 */
#include <string.h>

#include "lib/log.h"
#include "servers/dgram_peer.h"

/*
 * false: there are as many as there may be, and none that could go for it. Who begins anew
 * takes the place of its own (RFC 6347 section 4.2.8).
 */
static bool has_room(struct dgram *d, const struct dgram_address *from)
{
	struct worker *w = d->worker;
	int limit = w->params->connections;

	if (d->listener->secure && d->shaking >= w->params->handshakes)
		return false;
	if (__atomic_load_n(w->open_total, __ATOMIC_RELAXED) < limit)
		return true;
	if (d->listener->secure && dgram_table_find(&d->table, from))
		return true;
	/* Anybody can send in any name: the one that was silent longest makes room. */
	if (d->listener->secure || !d->first)
		return false;
	dgram_peer_drop(d->first);
	return true;
}

static bool enter(struct dgram_peer *p, const struct dgram_address *from)
{
	struct dgram *d = p->dgram;
	struct dgram_peer *old = (struct dgram_peer *)dgram_table_find(&d->table, from);

	p->entry.address = *from;
	if (old && old->successor)
		dgram_peer_drop(old->successor);
	if (old)
		old->successor = p;
	else if (dgram_table_add(&d->table, &p->entry) != 0)
		return false;
	p->predecessor = old;
	dgram_peer_list(p);
	__atomic_add_fetch(d->worker->open_total, 1, __ATOMIC_RELAXED);
	worker_count(&d->worker->counters.open, 1);
	worker_count(&d->worker->counters.connections, 1);
	return true;
}

static void begin(struct dgram_peer *p, const struct dgram_received *r, const uint8_t *random)
{
	struct dgram *d = p->dgram;

	d->listening = NULL;
	if (!enter(p, &r->from)) {
		worker_count(&d->worker->counters.refused, 1);
		dgram_peer_free(p);
		return;
	}
	if (random)
		memcpy(p->random, random, sizeof p->random);
	p->state = DGRAM_SHAKING;
	d->shaking++;
	p->patience_ns = loop_now_ns(d->worker->loop) + d->worker->params->handshake_timeout_ns;
	dgram_peer_work(p);
}

void dgram_peer_listen(struct dgram *d, const struct dgram_received *r, const uint8_t *random)
{
	struct worker *w = d->worker;
	struct dgram_peer *p;
	enum step step;
	int sent;

	if (!has_room(d, &r->from)) {
		worker_count(&w->counters.refused, 1);
		return;
	}
	p = d->listening ? d->listening : dgram_peer_new(d);
	d->listening = p;
	if (!p) {
		worker_count(&w->counters.refused, 1);
		return;
	}
	dgram_peer_lend(p);
	wire_put(&p->assoc.in, r->bytes, r->len);
	step = p->assoc.domain->ops->listen(&p->assoc, &r->from, sizeof r->from);
	if (step == STEP_DONE) {
		begin(p, r, random);
		return;
	}
	sent = dgram_peer_send(p, &r->from);
	if (step == STEP_IN) {
		worker_count(&w->counters.cookies, sent);
		return;
	}
	/* What was sent is an alert. */
	log_say(LOG_DETAIL, "hello refused: %s", p->assoc.fail.text);
	worker_count(&w->counters.handshakes_failed, 1);
	d->listening = NULL;
	dgram_peer_free(p);
}
