/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_open - an endpoint's parameters and its memory: one block, sized by them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_layer.h"

#define SECOND_NS ((int64_t)1000000000)

void coap_params_init(struct coap_params *p)
{
	*p = (struct coap_params){
		.ack_timeout_ns = 2 * SECOND_NS,
		.ack_random_percent = 150,
		.max_retransmit = 4,
		.nstart = 1,
		.exchange_lifetime_ns = 247 * SECOND_NS,
		.non_lifetime_ns = 145 * SECOND_NS,
		.response_timeout_ns = 30 * SECOND_NS,
		.separate_ns = SECOND_NS / 2,
		.block_bytes = COAP_BLOCK_BYTES_MAX,
		.mtu_bytes = COAP_MTU_BYTES,
		.body_bytes = 65536,
		.answer_bytes = 65536,
		.exchanges = 4,
		.recent = 32,
		.recent_bytes = 2 * COAP_MTU_BYTES,
	};
}

static int check_sizes(const struct coap_params *p, struct fail *f)
{
	if (p->block_bytes < COAP_BLOCK_BYTES_MIN || p->block_bytes > COAP_BLOCK_BYTES_MAX ||
	    (p->block_bytes & (p->block_bytes - 1)) != 0)
		return fail_set(
			f, EINVAL,
			"a block of %zu bytes: it must be 16, 32, 64, 128, 256, 512 or 1024",
			p->block_bytes);
	if (p->mtu_bytes < COAP_HEAD_ROOM + COAP_BLOCK_BYTES_MIN || p->mtu_bytes > 65507)
		return fail_set(f, EINVAL, "datagrams of %zu bytes: it must be %d to 65507",
				p->mtu_bytes, COAP_HEAD_ROOM + COAP_BLOCK_BYTES_MIN);
	if (p->recent_bytes < p->mtu_bytes || p->recent_bytes > 1u << 30)
		return fail_set(f, EINVAL,
				"%zu bytes for answers kept: at least one datagram of %zu must fit",
				p->recent_bytes, p->mtu_bytes);
	return 0;
}

int coap_params_check(const struct coap_params *p, struct fail *f)
{
	const int64_t longest_ns = 86400 * SECOND_NS;

	if (check_sizes(p, f) != 0)
		return -1;
	if (p->ack_timeout_ns <= 0 || p->ack_timeout_ns > longest_ns ||
	    p->exchange_lifetime_ns <= 0 || p->exchange_lifetime_ns > longest_ns ||
	    p->non_lifetime_ns <= 0 || p->non_lifetime_ns > longest_ns ||
	    p->response_timeout_ns <= 0 || p->response_timeout_ns > longest_ns ||
	    p->separate_ns < 0 || p->separate_ns > longest_ns)
		return fail_set(f, EINVAL, "a time of CoAP must be more than 0 and at most a day");
	if (p->ack_random_percent < 100 || p->ack_random_percent > 1000)
		return fail_set(f, EINVAL, "ACK_RANDOM_FACTOR of %u %%: it must be 100 to 1000 %%",
				p->ack_random_percent);
	if (p->max_retransmit > 20)
		return fail_set(f, EINVAL, "MAX_RETRANSMIT of %u: at most 20", p->max_retransmit);
	if (p->nstart < 1 || p->nstart > COAP_EXCHANGES_MAX || p->exchanges < 1 ||
	    p->exchanges > COAP_EXCHANGES_MAX || p->observations > COAP_EXCHANGES_MAX)
		return fail_set(f, EINVAL, "exchanges open at once must be 1 to %d",
				COAP_EXCHANGES_MAX);
	if (p->recent <= p->exchanges || p->recent > COAP_RECENT_MAX)
		return fail_set(f, EINVAL, "%u messages remembered: it must be %u to %d", p->recent,
				p->exchanges + 1, COAP_RECENT_MAX);
	return 0;
}

static size_t aligned(size_t bytes)
{
	return (bytes + 15) & ~(size_t)15;
}

static unsigned slots_of(const struct coap_endpoint *e)
{
	return e->half == APP_CLIENT ? e->params.nstart
				     : e->params.exchanges + e->params.observations;
}

/* Lay the parts out in one block; base NULL: only the size is wanted. */
static size_t lay_out(const struct coap_endpoint *e, struct coap_layer *l, uint8_t *base)
{
	bool client = e->half == APP_CLIENT;
	size_t at = aligned(sizeof *l), mtu = e->params.mtu_bytes;
	unsigned n = slots_of(e);
	size_t slots = aligned(n * sizeof *l->slots);
	size_t seen = aligned(e->params.recent * sizeof *l->seen);
	size_t out = aligned((n + COAP_SPARE_OUT) * sizeof *l->out);

	if (base) {
		l->slots = (struct coap_exchange *)(void *)(base + at);
		l->slots_n = n;
		l->seen = (struct coap_seen *)(void *)(base + at + slots);
		l->out = (struct coap_out *)(void *)(base + at + slots + seen);
		l->out_cap = n + COAP_SPARE_OUT;
		l->kept = base + at + slots + seen + out;
		for (unsigned i = 0; client && i < n; i++)
			l->slots[i].datagram = l->kept + i * mtu;
	}
	return at + slots + seen + out + (client ? n * mtu : e->params.recent_bytes + mtu);
}

int coap_layer_new(struct coap_endpoint *e)
{
	struct coap_layer *l = calloc(1, lay_out(e, NULL, NULL));

	if (!l)
		return fail_set(&e->fail, ENOMEM, "no memory for a CoAP endpoint");
	e->layer = l;
	lay_out(e, l, (uint8_t *)l);
	l->due_ns = COAP_NEVER_DUE;
	for (int i = 0; i < COAP_TRANSFERS; i++) {
		l->in[i].body.max = e->params.body_bytes;
		l->back[i].body.max = l->named[i].body.max = e->params.answer_bytes;
	}
	return 0;
}

void coap_layer_free(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;

	if (!l)
		return;
	for (unsigned i = 0; e->half == APP_SERVER && i < l->slots_n; i++)
		free(l->slots[i].datagram);
	for (int i = 0; i < COAP_TRANSFERS; i++) {
		buf_release(&l->in[i].body);
		buf_release(&l->back[i].body);
		buf_release(&l->named[i].body);
	}
	free(l);
	e->layer = NULL;
}

int coap_endpoint_open(struct coap_endpoint *e, enum app_half half, const struct coap_params *p,
		       struct rng *rng, struct coap_counters *counters)
{
	*e = (struct coap_endpoint){ .half = half, .params = *p, .rng = rng, .counters = counters };
	if (coap_params_check(p, &e->fail) != 0 || coap_layer_new(e) != 0)
		return -1;
	e->layer->next_id = (uint16_t)rng_next(rng);
	return 0;
}

void coap_endpoint_close(struct coap_endpoint *e)
{
	coap_layer_free(e);
	free(e->rest);
	e->rest = NULL;
}

void coap_endpoint_reset(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;

	for (unsigned i = 0; i < l->slots_n; i++)
		l->slots[i] = (struct coap_exchange){ .datagram = l->slots[i].datagram };
	memset(l->seen, 0, e->params.recent * sizeof *l->seen);
	for (int i = 0; i < COAP_TRANSFERS; i++)
		l->in[i].used = l->back[i].used = l->named[i].used = false;
	l->first = l->last = NULL;
	l->open = l->observing = 0;
	l->out_first = l->out_n = 0;
	l->due_ns = COAP_NEVER_DUE;
	l->pinged = l->windowed = false;
	fail_clear(&e->fail);
}
