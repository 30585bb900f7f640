/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks - one stretch of addresses, cut into blocks that are numbered from 1. Memory is
 * behind those only that were written to.
 */
#include "lib/blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCKS_MAX   (sizeof(void *) > 4 ? 65536u : 2048u) /* 1.5 GiB of addresses, or 48 MiB */
#define BLOCKS_STEP  64u                                   /* are opened at once */
#define BLOCKS_READY 32u                                   /* of nobody, that keep their pages */

struct block {
	struct block_owner *owner;
	uint32_t next, prev; /* of its owner, or (next) of nobody */
	uint32_t kept_bytes;
	uint8_t *kept; /* its bytes while it rests; behind them it has only zeros */
	bool touched;  /* of nobody: its pages are here */
};

static struct {
	pthread_mutex_t lock;
	size_t bytes; /* of each; 0: not made yet */
	uint8_t *base, *end;
	struct block *block; /* by number - 1 */
	uint32_t count, opened, used, spare;
	struct block_tally tally;
	bool failed;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct block_owner *current;

/* --- the stretch --------------------------------------------------------------------- */

/*
 * Addresses only: what may not be used yet is nothing that the system must vouch for. Huge pages
 * would be kept whole for one block of them that is used.
 */
static uint8_t *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

/* Where addresses are limited, an eighth of them. */
static uint32_t how_many(size_t bytes)
{
	struct rlimit limit;
	rlim_t most;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return BLOCKS_MAX;
	most = limit.rlim_cur / 8 / bytes / BLOCKS_STEP * BLOCKS_STEP;
	return most < BLOCKS_MAX ? (uint32_t)most : BLOCKS_MAX;
}

static bool make(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (LARGE_BLOCK_BYTES + page - 1) / page * page;
	uint32_t count = how_many(bytes);
	uint8_t *base = count ? reserve(count * bytes) : NULL;

	all.block = base ? calloc(count, sizeof *all.block) : NULL;
	all.failed = !all.block;
	if (all.failed) {
		if (base)
			munmap(base, count * bytes);
		return false;
	}
	all.bytes = bytes;
	all.count = count;
	all.base = base;
	/* Last: who sees the end sees the base too. */
	__atomic_store_n(&all.end, base + count * bytes, __ATOMIC_RELEASE);
	return true;
}

static uint8_t *bytes_of(uint32_t n)
{
	return all.base + (n - 1) * all.bytes;
}

static struct block *block_of(uint32_t n)
{
	return &all.block[n - 1];
}

bool is_block(const void *p)
{
	const uint8_t *end = __atomic_load_n(&all.end, __ATOMIC_ACQUIRE);

	return (const uint8_t *)p < end && (const uint8_t *)p >= all.base;
}

/* --- owners -------------------------------------------------------------------------- */

void blocks_are_of(struct block_owner *o)
{
	current = o;
}

static void join(uint32_t n, struct block_owner *o)
{
	struct block *b = block_of(n);

	b->owner = o;
	b->prev = 0;
	b->next = o->first;
	if (b->next)
		block_of(b->next)->prev = n;
	o->first = n;
}

static void leave(struct block *b)
{
	if (b->prev)
		block_of(b->prev)->next = b->next;
	else if (b->owner)
		b->owner->first = b->next;
	if (b->next)
		block_of(b->next)->prev = b->prev;
	b->owner = NULL;
	b->next = b->prev = 0;
}

void blocks_disown(struct block_owner *o)
{
	blocks_wake(o);
	while (o->first)
		leave(block_of(o->first));
}

/* --- taking and giving ---------------------------------------------------------------- */

static bool open_more(void)
{
	uint8_t *from = all.base + all.opened * all.bytes;

	if (all.opened == all.count ||
	    mprotect(from, BLOCKS_STEP * all.bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	all.opened += BLOCKS_STEP;
	return true;
}

void *block_take(size_t bytes)
{
	uint32_t n = 0;

	if (bytes > LARGE_BLOCK_BYTES || !current)
		return NULL;
	pthread_mutex_lock(&all.lock);
	if (all.bytes || (!all.failed && make())) {
		n = all.spare;
		if (n)
			all.spare = block_of(n)->next;
		else if (all.used < all.opened || open_more())
			n = ++all.used;
	}
	pthread_mutex_unlock(&all.lock);
	if (!n)
		return NULL;
	__atomic_add_fetch(&all.tally.taken, 1, __ATOMIC_RELAXED);
	join(n, current);
	return bytes_of(n);
}

static void forget(struct block *b)
{
	if (!b->kept)
		return;
	explicit_bzero(b->kept, b->kept_bytes);
	free(b->kept);
	b->kept = NULL;
	__atomic_sub_fetch(&all.tally.resting, 1, __ATOMIC_RELAXED);
}

void block_give(void *p)
{
	uint32_t n = (uint32_t)((size_t)((uint8_t *)p - all.base) / all.bytes) + 1;
	struct block *b = block_of(n);

	__atomic_sub_fetch(&all.tally.taken, 1, __ATOMIC_RELAXED);
	leave(b);
	b->touched = !b->kept;
	forget(b);
	pthread_mutex_lock(&all.lock);
	b->next = all.spare;
	all.spare = n;
	pthread_mutex_unlock(&all.lock);
}

/* --- resting -------------------------------------------------------------------------- */

/* Up to the last byte that is not zero. */
static size_t used_bytes(const uint8_t *bytes, size_t len)
{
	uint64_t word;

	while (len >= sizeof word) {
		memcpy(&word, bytes + len - sizeof word, sizeof word);
		if (word)
			break;
		len -= sizeof word;
	}
	while (len > 0 && !bytes[len - 1])
		len--;
	return len;
}

static void rest(uint32_t n)
{
	struct block *b = block_of(n);
	size_t used = used_bytes(bytes_of(n), all.bytes);
	uint8_t *kept = used <= all.bytes / 4 ? malloc(used + 1) : NULL;

	if (!kept)
		return;
	memcpy(kept, bytes_of(n), used);
	if (madvise(bytes_of(n), all.bytes, MADV_DONTNEED) != 0) {
		free(kept);
		return;
	}
	b->kept = kept;
	b->kept_bytes = (uint32_t)used;
	__atomic_add_fetch(&all.tally.resting, 1, __ATOMIC_RELAXED);
}

void blocks_rest(struct block_owner *o)
{
	for (uint32_t n = o->first; n; n = block_of(n)->next)
		if (!block_of(n)->kept)
			rest(n);
}

void blocks_wake(struct block_owner *o)
{
	for (uint32_t n = o->first; n; n = block_of(n)->next) {
		struct block *b = block_of(n);

		if (b->kept)
			memcpy(bytes_of(n), b->kept, b->kept_bytes);
		forget(b);
	}
}

void blocks_trim(void)
{
	uint32_t ready = 0;

	pthread_mutex_lock(&all.lock);
	for (uint32_t n = all.spare; n; n = block_of(n)->next) {
		struct block *b = block_of(n);

		if (b->touched && ready++ >= BLOCKS_READY)
			b->touched = madvise(bytes_of(n), all.bytes, MADV_DONTNEED) != 0;
	}
	pthread_mutex_unlock(&all.lock);
}

struct block_tally blocks_tally(void)
{
	return (struct block_tally){
		.taken = __atomic_load_n(&all.tally.taken, __ATOMIC_RELAXED),
		.resting = __atomic_load_n(&all.tally.resting, __ATOMIC_RELAXED),
	};
}
