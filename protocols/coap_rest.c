/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_rest - an endpoint that has not been asked for a while, packed into one piece of memory:
 * what must not be forgotten for EXCHANGE_LIFETIME, and no room for what may come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/coap_layer.h"

struct taken_ids {
	uint32_t group;
	int64_t free_ns;
};

struct coap_rest {
	uint32_t streams;
	uint16_t next_id, window_top;
	bool windowed;
	int64_t window_ns;
	uint64_t window[COAP_WINDOW_IDS / 64];
	unsigned seen_n, taken_n;
	struct coap_seen seen[]; /* the oldest first; then taken_ids, then the answers */
};

static struct taken_ids *taken_of(struct coap_rest *r)
{
	return (struct taken_ids *)&r->seen[r->seen_n];
}

static uint8_t *answers_of(struct coap_rest *r)
{
	return (uint8_t *)&taken_of(r)[r->taken_n];
}

/* When the last of them is given up. */
static int64_t over_ns(const struct coap_endpoint *e, const struct coap_transfer *t)
{
	int64_t last_ns = 0;

	for (int i = 0; i < COAP_TRANSFERS; i++)
		if (t[i].used && t[i].touched_ns + e->params.exchange_lifetime_ns > last_ns)
			last_ns = t[i].touched_ns + e->params.exchange_lifetime_ns;
	return last_ns;
}

/* As coap_endpoint_rest(). */
static int64_t may_rest(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;
	int64_t in_ns = over_ns(e, l->in), back_ns = over_ns(e, l->back);
	int64_t last_ns = in_ns > back_ns ? in_ns : back_ns;

	coap_forget_sent(e);
	if (e->half != APP_SERVER || l->open > 0 || l->observing > 0 || l->out_n > 0)
		return COAP_NEVER_DUE;
	return last_ns > l->now_ns ? last_ns : 0;
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
	unsigned taken = 0;

	for (unsigned i = 0; i < e->params.recent; i++) {
		const struct coap_seen *s = remembered(e, i);

		n += s != NULL;
		bytes += s && answer_of(e, s) ? s->len : 0;
	}
	for (int i = 0; i < COAP_ID_GROUPS; i++)
		taken += e->layer->id_free_ns[i] > e->layer->now_ns;
	r = malloc(sizeof *r + n * sizeof *r->seen + taken * sizeof(struct taken_ids) + bytes);
	if (r) {
		r->seen_n = n;
		r->taken_n = taken;
	}
	return r;
}

static void pack(struct coap_endpoint *e, struct coap_rest *r)
{
	struct coap_layer *l = e->layer;
	struct taken_ids *taken = taken_of(r);
	uint8_t *to = answers_of(r);
	unsigned n = 0;

	r->streams = l->streams;
	r->next_id = l->next_id;
	r->windowed = l->windowed;
	r->window_top = l->window_top;
	r->window_ns = l->window_ns;
	memcpy(r->window, l->window, sizeof r->window);
	for (uint32_t i = 0; i < COAP_ID_GROUPS; i++)
		if (l->id_free_ns[i] > l->now_ns)
			*taken++ = (struct taken_ids){ i, l->id_free_ns[i] };
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

int64_t coap_endpoint_rest(struct coap_endpoint *e, int64_t now_ns)
{
	struct coap_rest *r;
	int64_t again_ns;

	if (e->rest)
		return 0;
	e->layer->now_ns = now_ns;
	again_ns = may_rest(e);
	if (again_ns)
		return again_ns;
	r = make(e);
	if (!r)
		return COAP_NEVER_DUE;
	pack(e, r);
	coap_layer_free(e);
	e->rest = r;
	return 0;
}

static void unpack(struct coap_endpoint *e, struct coap_rest *r)
{
	struct coap_layer *l = e->layer;
	const struct taken_ids *taken = taken_of(r);
	const uint8_t *from = answers_of(r);

	l->streams = r->streams;
	l->next_id = r->next_id;
	l->windowed = r->windowed;
	l->window_top = r->window_top;
	l->window_ns = r->window_ns;
	memcpy(l->window, r->window, sizeof l->window);
	for (unsigned i = 0; i < r->taken_n; i++)
		l->id_free_ns[taken[i].group] = taken[i].free_ns;
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
