/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_memory - what an endpoint remembers, all of it bounded: its own message ids, the
 * peer's messages and what was said to them, answers that may be asked for again,
 * datagrams that wait to be pulled, bodies in blocks.
 */
#include <string.h>

#include "protocols/coap_layer.h"

/* --- message ids ------------------------------------------------------------------------ */

/*
 * Ids are used in order. A group of neighbours is free again when the lifetime of the last
 * one used has passed: a few hundred bytes instead of a time for each of 65,536.
 */
bool coap_take_id(struct coap_endpoint *e, int64_t lifetime_ns, uint16_t *id)
{
	struct coap_layer *l = e->layer;
	int64_t *free_ns = &l->id_free_ns[l->next_id / COAP_GROUP_IDS];

	if (l->next_id % COAP_GROUP_IDS == 0 && *free_ns > l->now_ns && !e->params.reuse_ids) {
		e->counters->ids_exhausted++;
		return false;
	}
	if (*free_ns < l->now_ns + lifetime_ns)
		*free_ns = l->now_ns + lifetime_ns;
	*id = l->next_id++;
	return true;
}

int64_t coap_endpoint_id_free(const struct coap_endpoint *e, int64_t now_ns)
{
	const struct coap_layer *l = e->layer;
	int64_t free_ns = l->id_free_ns[l->next_id / COAP_GROUP_IDS];

	if (l->next_id % COAP_GROUP_IDS || free_ns <= now_ns || e->params.reuse_ids)
		return 0;
	return free_ns;
}

/* --- the peer's messages ------------------------------------------------------------------- */

/* Eight bytes at a time; tells two messages of one peer apart, and is no secret. */
uint64_t coap_hash(const void *src, size_t len)
{
	const uint8_t *b = src;
	uint64_t hash = 0x9e3779b97f4a7c15u ^ len, word;

	for (; len > 0; b += sizeof word) {
		size_t part = len < sizeof word ? len : sizeof word;

		word = 0;
		memcpy(&word, b, part);
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
		len -= part;
	}
	return hash;
}

/*
 * Peers count their ids up. So one bit for each of the last ones, behind the newest, tells
 * for long that a request was done, when the ring has no place any more for its answer.
 */
static bool in_window(struct coap_endpoint *e, uint16_t id)
{
	struct coap_layer *l = e->layer;
	uint16_t ahead = (uint16_t)(id - l->window_top), behind = (uint16_t)-ahead;
	uint64_t *word = &l->window[id % COAP_WINDOW_IDS / 64], bit = 1ull << (id % 64);
	bool known;

	if (!l->windowed || l->now_ns - l->window_ns > e->params.exchange_lifetime_ns ||
	    (ahead < 32768 && ahead >= COAP_WINDOW_IDS)) {
		memset(l->window, 0, sizeof l->window);
		l->windowed = true;
		ahead = 0;
	} else if (ahead >= 32768) {
		known = behind < COAP_WINDOW_IDS && *word & bit;
		if (behind < COAP_WINDOW_IDS)
			*word |= bit;
		return known;
	}
	for (; ahead > 0; ahead--) {
		l->window_top++;
		l->window[l->window_top % COAP_WINDOW_IDS / 64] &= ~(1ull << (l->window_top % 64));
	}
	known = *word & bit;
	*word |= bit;
	l->window_top = id;
	l->window_ns = l->now_ns;
	return known;
}

enum coap_novelty coap_seen_find(struct coap_endpoint *e, uint16_t id, uint64_t hash,
				 struct coap_seen **seen)
{
	struct coap_layer *l = e->layer;
	bool known = in_window(e, id), reused = false;

	for (unsigned i = 0; i < e->params.recent; i++) {
		struct coap_seen *s = &l->seen[i];

		if (s->id != id || s->state == COAP_SEEN_NONE ||
		    (s->state != COAP_SEEN_OPEN && s->until_ns <= l->now_ns))
			continue;
		*seen = s;
		if (s->hash == hash)
			return COAP_AGAIN;
		reused = true;
	}
	e->counters->ids_reused += reused;
	return known && !reused ? COAP_FORGOTTEN : COAP_NEW;
}

struct coap_seen *coap_seen_add(struct coap_endpoint *e, enum coap_type type, uint16_t id,
				uint64_t hash)
{
	struct coap_layer *l = e->layer;
	int64_t lifetime_ns =
		type == COAP_CON ? e->params.exchange_lifetime_ns : e->params.non_lifetime_ns;

	for (unsigned tried = 0; tried < e->params.recent; tried++) {
		struct coap_seen *s = &l->seen[l->seen_next];

		l->seen_next = (l->seen_next + 1) % e->params.recent;
		if (s->state == COAP_SEEN_OPEN)
			continue;
		*s = (struct coap_seen){ .hash = hash,
					 .until_ns = l->now_ns + lifetime_ns,
					 .id = id,
					 .state = COAP_SEEN_SILENT };
		return s;
	}
	return NULL;
}

/* --- answers kept ----------------------------------------------------------------------------- */

/*
 * Answers lie one behind the other, each in one piece: the last of a lap may reach into a
 * datagram's worth of memory behind the ring. Names are positions that only grow.
 */
uint8_t *coap_keep(struct coap_endpoint *e, uint64_t *at)
{
	*at = e->layer->kept_next;
	return e->layer->kept + *at % e->params.recent_bytes;
}

void coap_kept(struct coap_endpoint *e, uint64_t at, size_t len)
{
	struct coap_layer *l = e->layer;
	uint64_t lap = at / e->params.recent_bytes, end = at + len;

	l->kept_next =
		end / e->params.recent_bytes == lap ? end : (lap + 1) * e->params.recent_bytes;
	if (end > l->kept_end)
		l->kept_end = end;
}

const uint8_t *coap_kept_at(const struct coap_endpoint *e, uint64_t at)
{
	const struct coap_layer *l = e->layer;

	if (l->kept_end - at > e->params.recent_bytes)
		return NULL;
	return l->kept + at % e->params.recent_bytes;
}

/* --- datagrams to send --------------------------------------------------------------- */

static struct coap_out *out_new(struct coap_endpoint *e)
{
	struct coap_layer *l = e->layer;

	if (l->out_n == l->out_cap) {
		e->counters->dropped++;
		return NULL;
	}
	return &l->out[(l->out_first + l->out_n++) % l->out_cap];
}

void coap_out_empty(struct coap_endpoint *e, enum coap_type type, uint16_t id)
{
	struct coap_out *o = out_new(e);

	if (type == COAP_RST)
		e->counters->resets_sent++;
	if (o)
		*o = (struct coap_out){
			.kind = COAP_OUT_EMPTY, .type = type, .id = id, .slot = COAP_NO_SLOT
		};
}

bool coap_out_kept(struct coap_endpoint *e, uint64_t at, size_t len, const struct coap_exchange *x)
{
	struct coap_out *o = out_new(e);

	if (o)
		*o = (struct coap_out){ .kind = COAP_OUT_KEPT,
					.at = at,
					.len = (uint32_t)len,
					.slot = x ? x->slot : COAP_NO_SLOT,
					.stream = x ? x->stream : 0 };
	return o != NULL;
}

void coap_out_slot(struct coap_endpoint *e, struct coap_exchange *x)
{
	struct coap_out *o = x->queued ? NULL : out_new(e);

	if (o)
		*o = (struct coap_out){ .kind = COAP_OUT_SLOT, .slot = x->slot };
	x->queued = x->queued || o;
}

/* --- bodies in blocks ---------------------------------------------------------------- */

struct coap_transfer *coap_transfer_find(struct coap_endpoint *e, struct coap_transfer *t,
					 uint64_t key)
{
	for (int i = 0; i < COAP_TRANSFERS; i++)
		if (t[i].used && t[i].key == key &&
		    e->layer->now_ns - t[i].touched_ns < e->params.exchange_lifetime_ns) {
			t[i].touched_ns = e->layer->now_ns;
			return &t[i];
		}
	return NULL;
}

struct coap_transfer *coap_transfer_begin(struct coap_endpoint *e, struct coap_transfer *t,
					  uint64_t key)
{
	struct coap_transfer *oldest = t;

	for (int i = 0; i < COAP_TRANSFERS; i++) {
		if (t[i].used && t[i].key == key) {
			oldest = &t[i];
			break;
		}
		if (oldest->used && (!t[i].used || t[i].touched_ns < oldest->touched_ns))
			oldest = &t[i];
	}
	oldest->used = true;
	oldest->key = key;
	oldest->touched_ns = e->layer->now_ns;
	buf_clear(&oldest->body);
	return oldest;
}
