/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_table - linear probing; a removal moves back what stood behind it, so that there are
 * no tombstones and a search ends at the first empty slot.
 */
#include "servers/dgram_table.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64

_Static_assert(sizeof(struct dgram_address) == 24, "no padding, compared byte by byte");

int dgram_table_init(struct dgram_table *t, uint64_t seed)
{
	*t = (struct dgram_table){ .slots = SLOTS_FIRST, .seed = seed };
	t->slot = calloc(t->slots, sizeof(struct dgram_entry *));
	return t->slot ? 0 : -1;
}

void dgram_table_release(struct dgram_table *t)
{
	free(t->slot);
	*t = (struct dgram_table){ 0 };
}

/* The finaliser of splitmix64 over each word. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t home(const struct dgram_table *t, const struct dgram_address *a)
{
	uint64_t word[3], hash = t->seed;

	memcpy(word, a, sizeof word);
	for (size_t i = 0; i < 3; i++)
		hash = mix(hash ^ word[i]) + t->seed;
	return hash & (t->slots - 1);
}

static size_t next(const struct dgram_table *t, size_t i)
{
	return (i + 1) & (t->slots - 1);
}

/* Where it is, or the empty slot where it would be. */
static size_t seek(const struct dgram_table *t, const struct dgram_address *a)
{
	size_t i = home(t, a);

	while (t->slot[i] && memcmp(&t->slot[i]->address, a, sizeof *a) != 0)
		i = next(t, i);
	return i;
}

struct dgram_entry *dgram_table_find(const struct dgram_table *t, const struct dgram_address *a)
{
	return t->slot[seek(t, a)];
}

static int grow(struct dgram_table *t)
{
	struct dgram_table wider = { .slots = t->slots * 2, .count = t->count, .seed = t->seed };

	wider.slot = calloc(wider.slots, sizeof(struct dgram_entry *));
	if (!wider.slot)
		return -1;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i])
			wider.slot[seek(&wider, &t->slot[i]->address)] = t->slot[i];
	free(t->slot);
	*t = wider;
	return 0;
}

int dgram_table_add(struct dgram_table *t, struct dgram_entry *e)
{
	if ((t->count + 1) * 2 > t->slots && grow(t) != 0)
		return -1;
	t->slot[seek(t, &e->address)] = e;
	t->count++;
	return 0;
}

void dgram_table_replace(struct dgram_table *t, struct dgram_entry *e)
{
	t->slot[seek(t, &e->address)] = e;
}

/* Does what stands at i belong at or before the hole, going round? */
static int may_move(const struct dgram_table *t, size_t hole, size_t i)
{
	size_t mask = t->slots - 1, from = home(t, &t->slot[i]->address);

	return ((i - from) & mask) >= ((i - hole) & mask);
}

void dgram_table_remove(struct dgram_table *t, const struct dgram_address *a)
{
	size_t hole = seek(t, a);

	if (!t->slot[hole])
		return;
	t->count--;
	for (size_t i = next(t, hole); t->slot[i]; i = next(t, i))
		if (may_move(t, hole, i)) {
			t->slot[hole] = t->slot[i];
			hole = i;
		}
	t->slot[hole] = NULL;
}

void dgram_address_read(struct dgram_address *a, const struct sockaddr_storage *from)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;

	memset(a, 0, sizeof *a);
	a->family = from->ss_family;
	if (from->ss_family == AF_INET6) {
		a->port = six->sin6_port;
		a->scope = six->sin6_scope_id;
		memcpy(a->ip, &six->sin6_addr, sizeof six->sin6_addr);
	} else {
		a->port = four->sin_port;
		memcpy(a->ip, &four->sin_addr, sizeof four->sin_addr);
	}
}

socklen_t dgram_address_write(const struct dgram_address *a, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
	struct sockaddr_in *four = (struct sockaddr_in *)to;

	memset(to, 0, sizeof *six);
	to->ss_family = a->family;
	if (a->family == AF_INET6) {
		six->sin6_port = a->port;
		six->sin6_scope_id = a->scope;
		memcpy(&six->sin6_addr, a->ip, sizeof six->sin6_addr);
		return sizeof *six;
	}
	four->sin_port = a->port;
	memcpy(&four->sin_addr, a->ip, sizeof four->sin_addr);
	return sizeof *four;
}
