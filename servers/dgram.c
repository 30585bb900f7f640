/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram - datagrams to the associations they belong to. It must not know what is in them
 * behind the head of a record.
 */
#include "servers/dgram.h"

#include <stdlib.h>
#include <string.h>

#include "servers/dgram_peer.h"

#define BATCHES_PER_TURN 8
#define OUT_BYTES        65536
#define SCRATCH_BYTES    (64 << 20)
#define ANSWER_BYTES     (1 << 20) /* kept for a peer that fetches it block by block */
#define SEAL_BYTES       64        /* of a record around a message: head, nonce, tag */

static struct dgram_peer *peer_of(struct dgram *d, const struct dgram_address *a)
{
	return (struct dgram_peer *)dgram_table_find(&d->table, a);
}

static bool began_with(const struct dgram_peer *p, const struct dtls_record *r)
{
	return p && r->message_seq > 0 && memcmp(p->random, r->random, sizeof p->random) == 0;
}

/* A hello that was taken already is a repetition for its association; all others are new. */
static void receive_hello(struct dgram *d, struct dgram_peer *p, const struct dgram_received *m,
			  const struct dtls_record *r)
{
	if (p && began_with(p->successor, r))
		dgram_peer_receive(p->successor, m);
	else if (began_with(p, r))
		dgram_peer_receive(p, m);
	else
		dgram_peer_listen(d, m, r->random);
}

/*
 * Of two associations of one address the record does not tell which is meant. What is not
 * sealed with its keys is nothing to either; the newer one goes last, as it may end the older.
 */
static void receive_record(struct dgram_peer *p, const struct dgram_received *m,
			   const struct dtls_record *r)
{
	struct dgram_peer *newer = p->successor;

	/* Without keys anybody can say it; an end that is meant comes by the clock. */
	if (r->content == DTLS_ALERT && r->epoch == 0)
		return;
	if (!newer || r->epoch > 0)
		dgram_peer_receive(p, m);
	if (newer)
		dgram_peer_receive(newer, m);
}

static void receive_secure(struct dgram *d, const struct dgram_received *m)
{
	struct dgram_peer *p = peer_of(d, &m->from);
	struct dtls_record r;

	if (dtls_record_read(m->bytes, m->len, &r) && r.is_hello)
		receive_hello(d, p, m, &r);
	else if (p && r.content)
		receive_record(p, m, &r);
	else
		worker_count(&d->worker->counters.datagrams.strange, 1);
}

static void receive(struct dgram *d, const struct dgram_received *m)
{
	struct dgram_peer *p;

	if (d->listener->secure) {
		receive_secure(d, m);
		return;
	}
	p = peer_of(d, &m->from);
	if (p)
		dgram_peer_receive(p, m);
	else
		dgram_peer_listen(d, m, NULL);
}

/* Endpoints count as if they were alone; others read only what is told here. */
static void tell_coap(struct dgram *d)
{
	const uint64_t *now = (const uint64_t *)&d->count;
	const uint64_t *told = (const uint64_t *)&d->count_told;
	int64_t *to = (int64_t *)&d->worker->counters.coap;

	_Static_assert(sizeof d->count % sizeof *now == 0, "only uint64_t members");
	for (size_t i = 0; i < sizeof d->count / sizeof *now; i++)
		worker_count(&to[i], (int64_t)(now[i] - told[i]));
	worker_count(&d->worker->counters.rejected,
		     (int64_t)(d->count.refused - d->count_told.refused));
	d->count_told = d->count;
}

static void tell(struct dgram *d)
{
	const struct dgram_tally *now = dgram_batch_tally(d->batch);
	struct server_counters *c = &d->worker->counters;

	worker_count(&c->datagrams.received, now->received - d->told.received);
	worker_count(&c->datagrams.sent, now->sent - d->told.sent);
	worker_count(&c->datagrams.overlong, now->overlong - d->told.overlong);
	worker_count(&c->datagrams.unsent, now->unsent - d->told.unsent);
	worker_count(&c->datagrams.overflown, now->overflown - d->told.overflown);
	worker_count(&c->bytes_received, now->bytes_received - d->told.bytes_received);
	worker_count(&c->bytes_sent, now->bytes_sent - d->told.bytes_sent);
	d->told = *now;
	tell_coap(d);
}

void dgram_flush(struct dgram *d)
{
	dgram_batch_flush(d->batch, d->listener->fd);
	tell(d);
}

static void on_ready(struct loop_io *io, int events)
{
	struct dgram *d = io->data;
	int n = DGRAM_BATCH;

	(void)events;
	for (int turn = 0; turn < BATCHES_PER_TURN && n == DGRAM_BATCH; turn++) {
		n = dgram_batch_receive(d->batch, io->fd);
		for (int i = 0; i < n; i++)
			receive(d, dgram_batch_at(d->batch, i));
		dgram_batch_flush(d->batch, io->fd);
	}
	tell(d);
}

static void set_coap(struct dgram *d)
{
	const struct server_params *p = d->worker->params;
	size_t most = (p->mtu ? p->mtu : DTLS_MTU_BYTES) - SEAL_BYTES;

	coap_params_init(&d->coap);
	if (d->coap.mtu_bytes > most)
		d->coap.mtu_bytes = most;
	/* A block, and before it head, token and options of an answer. */
	while (d->coap.block_bytes + 96 > d->coap.mtu_bytes)
		d->coap.block_bytes /= 2;
	d->coap.body_bytes = p->body_bytes;
	d->coap.answer_bytes = ANSWER_BYTES;
}

static int prepare(struct dgram *d)
{
	rng_seed(&d->rng, rng_fresh_seed());
	buf_init(&d->scratch, SCRATCH_BYTES);
	d->batch = dgram_batch_new();
	return d->batch && dgram_table_init(&d->table, rng_fresh_seed()) == 0 &&
			       wire_init(&d->in, DGRAM_BYTES_MAX * 2, true) == 0 &&
			       wire_init(&d->out, OUT_BYTES, true) == 0
		       ? 0
		       : -1;
}

struct dgram *dgram_open(struct worker_listener *l)
{
	struct dgram *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->listener = l;
	d->worker = l->worker;
	if (prepare(d) != 0) {
		dgram_close(d);
		return NULL;
	}
	set_coap(d);
	loop_io_init(&d->io, d->worker->loop, l->fd, on_ready, d);
	loop_io_want(&d->io, LOOP_READ);
	return d;
}

void dgram_close(struct dgram *d)
{
	if (!d)
		return;
	loop_io_want(&d->io, 0);
	while (d->first)
		dgram_peer_end(d->first);
	if (d->batch)
		dgram_flush(d);
	if (d->listening)
		dgram_peer_free(d->listening);
	dgram_batch_free(d->batch);
	dgram_table_release(&d->table);
	wire_release(&d->in);
	wire_release(&d->out);
	buf_release(&d->scratch);
	free(d);
}
