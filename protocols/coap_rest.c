/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_rest - an endpoint that has not been asked for a while, packed into one piece of memory:
 * what must not be forgotten for EXCHANGE_LIFETIME, and no room for what may come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_layer.h"

struct coap_rest {
	uint32_t streams;
	uint16_t next_id, window_top;
	bool windowed;
	int64_t window_ns;
	uint64_t window[COAP_WINDOW_IDS / 64];
	unsigned seen_n;
	struct coap_seen seen[]; /* the oldest first; then the answers, one behind the other */
};

static bool transfers_open(struct coap_endpoint *e, struct coap_transfer *t)
{
	for (int i = 0; i < COAP_TRANSFERS; i++) {
		int64_t age_ns = e->layer->now_ns - t[i].touched_ns;

		if (t[i].used && age_ns < e->params.exchange_lifetime_ns)
			return true;
	}
	return false;
}

static bool ids_taken(const struct coap_layer *l)
{
	for (int i = 0; i < COAP_ID_GROUPS; i++)
		if (l->id_free_ns[i] > l->now_ns)
			return true;
	return l->pinged;
}

static bool has_nothing_to_do(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;

	coap_forget_sent(e);
	return e->half == APP_SERVER && l->open == 0 && l->observing == 0 && l->out_n == 0 &&
	       !ids_taken(l) && !transfers_open(e, l->in) && !transfers_open(e, l->back);
}

/* Counting from the oldest. NULL: there is nothing to remember. */
static struct coap_seen *remembered(struct coap_endpoint *e, unsigned i)
{
	struct coap_layer *l = e->layer;
	struct coap_seen *s = &l->seen[(l->seen_next + i) % e->params.recent];

	return s->state != COAP_SEEN_NONE && s->until_ns > l->now_ns ? s : NULL;
}

static const uint8_t *answer_of(const struct coap_endpoint *e, const struct coap_seen *s)
{
	return s->state == COAP_SEEN_ANSWER ? coap_kept_at(e, s->at) : NULL;
}

static struct coap_rest *make(struct coap_endpoint *e)
{
	size_t bytes = 0;
	unsigned n = 0;
	struct coap_rest *r;

	for (unsigned i = 0; i < e->params.recent; i++) {
		const struct coap_seen *s = remembered(e, i);

		n += s != NULL;
		bytes += s && answer_of(e, s) ? s->len : 0;
	}
	r = malloc(sizeof *r + n * sizeof *r->seen + bytes);
	if (r)
		r->seen_n = n;
	return r;
}

static void pack(struct coap_endpoint *e, struct coap_rest *r)
{
	struct coap_layer *l = e->layer;
	uint8_t *to = (uint8_t *)&r->seen[r->seen_n];
	unsigned n = 0;

	r->streams = l->streams;
	r->next_id = l->next_id;
	r->windowed = l->windowed;
	r->window_top = l->window_top;
	r->window_ns = l->window_ns;
	memcpy(r->window, l->window, sizeof r->window);
	for (unsigned i = 0; i < e->params.recent; i++) {
		const struct coap_seen *s = remembered(e, i);
		const uint8_t *answer = s ? answer_of(e, s) : NULL;

		if (!s)
			continue;
		r->seen[n] = *s;
		if (answer) {
			memcpy(to, answer, s->len);
			to += s->len;
		} else if (s->state == COAP_SEEN_ANSWER) {
			r->seen[n].state = COAP_SEEN_SILENT;
		}
		n++;
	}
}

bool coap_endpoint_rest(struct coap_endpoint *e, int64_t now_ns)
{
	struct coap_rest *r;

	if (e->rest)
		return true;
	e->layer->now_ns = now_ns;
	r = has_nothing_to_do(e) ? make(e) : NULL;
	if (!r)
		return false;
	pack(e, r);
	coap_layer_free(e);
	e->rest = r;
	return true;
}

static void unpack(struct coap_endpoint *e, const struct coap_rest *r)
{
	struct coap_layer *l = e->layer;
	const uint8_t *from = (const uint8_t *)&r->seen[r->seen_n];

	l->streams = r->streams;
	l->next_id = r->next_id;
	l->windowed = r->windowed;
	l->window_top = r->window_top;
	l->window_ns = r->window_ns;
	memcpy(l->window, r->window, sizeof l->window);
	l->seen_next = r->seen_n % e->params.recent;
	for (unsigned i = 0; i < r->seen_n; i++) {
		struct coap_seen *s = &l->seen[i];

		*s = r->seen[i];
		if (s->state != COAP_SEEN_ANSWER)
			continue;
		memcpy(coap_keep(e, &s->at), from, s->len);
		coap_kept(e, s->at, s->len);
		from += s->len;
	}
}

int coap_endpoint_wake(struct coap_endpoint *e)
{
	if (!e->rest)
		return 0;
	if (coap_layer_new(e) != 0)
		return -1;
	unpack(e, e->rest);
	free(e->rest);
	e->rest = NULL;
	return 0;
}
