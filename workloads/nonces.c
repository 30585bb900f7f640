/* SPDX-License-Identifier: Apache-2.0 */
/* nonces - two generations of open hash tables in each of some shards with a lock each. */
#include "workloads/nonces.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"

#define SLOTS_FIRST 256

struct slot {
	uint64_t half[2]; /* both zero: free */
};

struct table {
	struct slot *slot;
	uint32_t mask, used;
};

struct shard {
	pthread_mutex_t lock;
	struct table young, old;
	int64_t since_ns; /* the young one */
};

struct nonces {
	int64_t keep_ns;
	uint64_t secret[2];
	struct shard shard[NONCES_SHARDS];
};

struct nonces *nonces_new(int64_t keep_ns)
{
	struct nonces *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->keep_ns = keep_ns;
	/* An all-zero nonce is one like any other, for its halves are changed by the secret. */
	for (int i = 0; i < 2; i++)
		n->secret[i] = rng_fresh_seed() << 11 ^ rng_fresh_seed();
	for (int i = 0; i < NONCES_SHARDS; i++) {
		pthread_mutex_init(&n->shard[i].lock, NULL);
		n->shard[i].since_ns = INT64_MIN;
	}
	return n;
}

void nonces_free(struct nonces *n)
{
	if (!n)
		return;
	for (int i = 0; i < NONCES_SHARDS; i++) {
		pthread_mutex_destroy(&n->shard[i].lock);
		free(n->shard[i].young.slot);
		free(n->shard[i].old.slot);
	}
	free(n);
}

static uint64_t mix(const struct nonces *n, const struct slot *s)
{
	uint64_t x = (s->half[0] ^ n->secret[0]) * UINT64_C(0xbf58476d1ce4e5b9);

	x = (x ^ x >> 31) + (s->half[1] ^ n->secret[1]);
	x = (x ^ x >> 30) * (n->secret[0] | 1);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 32;
}

static bool same(const struct slot *a, const struct slot *b)
{
	return a->half[0] == b->half[0] && a->half[1] == b->half[1];
}

static bool is_free(const struct slot *s)
{
	return !s->half[0] && !s->half[1];
}

/* Where it is, or the free slot where it would be; the table has one. */
static struct slot *find(const struct table *t, const struct slot *s, uint64_t hash)
{
	for (uint32_t i = (uint32_t)hash;; i++) {
		struct slot *at = &t->slot[i & t->mask];

		if (is_free(at) || same(at, s))
			return at;
	}
}

static bool has(const struct table *t, const struct slot *s, uint64_t hash)
{
	return t->used && !is_free(find(t, s, hash));
}

/* Room for one more; false: none. */
static bool grow(const struct nonces *n, struct table *t)
{
	uint32_t slots = t->slot ? 2 * (t->mask + 1) : SLOTS_FIRST;
	struct table grown = { .mask = slots - 1, .used = t->used };

	if (t->used == NONCES_SHARD_MAX)
		return false;
	if (t->slot && t->used < (t->mask + 1) / 4 * 3)
		return true;
	grown.slot = calloc(slots, sizeof *grown.slot);
	if (!grown.slot)
		return false;
	for (uint32_t i = 0; t->slot && i <= t->mask; i++)
		if (!is_free(&t->slot[i]))
			*find(&grown, &t->slot[i], mix(n, &t->slot[i])) = t->slot[i];
	free(t->slot);
	*t = grown;
	return true;
}

static void turn(const struct nonces *n, struct shard *h, int64_t now_ns)
{
	struct table old = h->old;
	int64_t age_ns = h->since_ns == INT64_MIN ? 2 * n->keep_ns : now_ns - h->since_ns;

	if (age_ns < n->keep_ns)
		return;
	/* Nobody came for so long that even the young ones are too old. */
	if (age_ns >= 2 * n->keep_ns)
		h->young.used = 0;
	h->old = h->young;
	h->young = old;
	h->since_ns = age_ns >= 2 * n->keep_ns ? now_ns : h->since_ns + n->keep_ns;
	h->young.used = 0;
	if (h->young.slot)
		memset(h->young.slot, 0, (h->young.mask + UINT64_C(1)) * sizeof *h->young.slot);
}

static enum nonce_state use(const struct nonces *n, struct shard *h, const struct slot *s,
			    uint64_t hash, int64_t now_ns)
{
	turn(n, h, now_ns);
	if (has(&h->young, s, hash) || has(&h->old, s, hash))
		return NONCE_USED;
	if (!grow(n, &h->young))
		return NONCE_FULL;
	*find(&h->young, s, hash) = *s;
	h->young.used++;
	return NONCE_NEW;
}

enum nonce_state nonces_use(struct nonces *n, const uint8_t nonce[NONCE_BYTES], int64_t now_ns)
{
	enum nonce_state state;
	struct shard *h;
	struct slot s;
	uint64_t hash;

	memcpy(&s, nonce, sizeof s);
	s.half[0] ^= n->secret[1];
	s.half[1] ^= n->secret[0];
	if (is_free(&s))
		s.half[0] = 1; /* one nonce in 2^128 is taken for another */
	hash = mix(n, &s);
	h = &n->shard[hash >> 48 & (NONCES_SHARDS - 1)];
	pthread_mutex_lock(&h->lock);
	state = use(n, h, &s, hash, now_ns);
	pthread_mutex_unlock(&h->lock);
	return state;
}
