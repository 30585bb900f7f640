/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_replay - two generations of an open hash set. New nonces go into the young one;
 * when that is MESSAGE_REPLAY_S old it becomes the old one, and what was old is forgotten.
 * So every nonce is known for one to two times that long, and none carries a time.
 */
#include "workloads/message_replay.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

#define SLOTS_FIRST 1024 /* a power of two */

struct generation {
	uint8_t (*nonce)[MESSAGE_NONCE_BYTES]; /* all zero: free */
	size_t slots, used;
	int64_t begun_ns;
};

static struct {
	pthread_mutex_t lock;
	struct generation young, old;
	int users;
} replay = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The slot of a nonce, or the free one where it would stand. Nonces are random already. */
static size_t slot_of(const struct generation *g, const uint8_t *nonce)
{
	static const uint8_t none[MESSAGE_NONCE_BYTES];
	uint64_t hash;
	size_t at;

	memcpy(&hash, nonce, sizeof hash);
	for (at = (size_t)hash & (g->slots - 1); memcmp(g->nonce[at], none, sizeof none) != 0;
	     at = (at + 1) & (g->slots - 1))
		if (memcmp(g->nonce[at], nonce, MESSAGE_NONCE_BYTES) == 0)
			break;
	return at;
}

static bool holds(const struct generation *g, const uint8_t *nonce)
{
	return g->slots > 0 && memcmp(g->nonce[slot_of(g, nonce)], nonce, MESSAGE_NONCE_BYTES) == 0;
}

static int grow(struct generation *g)
{
	struct generation wide = { .slots = g->slots ? 2 * g->slots : SLOTS_FIRST,
				   .begun_ns = g->begun_ns };
	static const uint8_t none[MESSAGE_NONCE_BYTES];

	wide.nonce = calloc(wide.slots, sizeof *wide.nonce);
	if (!wide.nonce)
		return -1;
	for (size_t i = 0; i < g->slots; i++)
		if (memcmp(g->nonce[i], none, sizeof none) != 0)
			memcpy(wide.nonce[slot_of(&wide, g->nonce[i])], g->nonce[i], sizeof none);
	wide.used = g->used;
	free(g->nonce);
	*g = wide;
	return 0;
}

static int put(struct generation *g, const uint8_t *nonce)
{
	if (g->used >= MESSAGE_REPLAY_MAX || (2 * g->used >= g->slots && grow(g)))
		return -1;
	memcpy(g->nonce[slot_of(g, nonce)], nonce, MESSAGE_NONCE_BYTES);
	g->used++;
	return 0;
}

static void forget(struct generation *g)
{
	free(g->nonce);
	*g = (struct generation){ 0 };
}

static void turn(int64_t now_ns)
{
	if (now_ns - replay.young.begun_ns < MESSAGE_REPLAY_S * NS_PER_S)
		return;
	forget(&replay.old);
	/* Nothing came for so long that the young one is as good as forgotten too. */
	if (now_ns - replay.young.begun_ns < 2 * MESSAGE_REPLAY_S * NS_PER_S)
		replay.old = replay.young;
	else
		free(replay.young.nonce);
	replay.young = (struct generation){ .begun_ns = now_ns };
}

int message_replay_open(struct fail *f)
{
	int ret = 0;

	pthread_mutex_lock(&replay.lock);
	if (replay.users == 0) {
		replay.young.begun_ns = clock_ns();
		if (grow(&replay.young))
			ret = fail_set(f, ENOMEM, "no memory to know replays");
	}
	if (ret == 0)
		replay.users++;
	pthread_mutex_unlock(&replay.lock);
	return ret;
}

void message_replay_close(void)
{
	pthread_mutex_lock(&replay.lock);
	if (--replay.users == 0) {
		forget(&replay.young);
		forget(&replay.old);
	}
	pthread_mutex_unlock(&replay.lock);
}

bool message_replay_seen(const uint8_t nonce[MESSAGE_NONCE_BYTES], int64_t now_ns)
{
	static const uint8_t none[MESSAGE_NONCE_BYTES];
	bool seen;

	if (memcmp(nonce, none, sizeof none) == 0)
		return true;
	pthread_mutex_lock(&replay.lock);
	turn(now_ns);
	seen = holds(&replay.young, nonce) || holds(&replay.old, nonce) ||
	       put(&replay.young, nonce);
	pthread_mutex_unlock(&replay.lock);
	return seen;
}
