/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_cache - a table of small sets under one lock. Ids are random numbers, so their first
 * bytes choose the set.
 */
#include "ciphers/session_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WAYS 8

struct entry {
	uint8_t id[SESSION_ID_BYTES];
	size_t id_len; /* 0: free */
	uint8_t *data;
	size_t len;
	uint64_t put; /* the put that brought it: the lowest is the oldest */
};

struct session_cache {
	pthread_mutex_t lock;
	uint64_t puts;
	size_t sets;
	struct entry entry[]; /* sets x WAYS */
};

struct session_cache *session_cache_new(size_t sessions)
{
	size_t sets = (sessions + WAYS - 1) / WAYS;
	struct session_cache *c = calloc(1, sizeof(*c) + sets * WAYS * sizeof(c->entry[0]));

	if (!c)
		return NULL;
	c->sets = sets;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void clear(struct entry *e)
{
	if (e->data)
		explicit_bzero(e->data, e->len);
	free(e->data);
	*e = (struct entry){ 0 };
}

void session_cache_free(struct session_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->sets * WAYS; i++)
		clear(&c->entry[i]);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct entry *set_of(struct session_cache *c, const uint8_t *id, size_t id_len)
{
	uint64_t number = 0;

	memcpy(&number, id, id_len < sizeof(number) ? id_len : sizeof(number));
	return &c->entry[number % c->sets * WAYS];
}

/* NULL: none, or a strange id. */
static struct entry *find(struct session_cache *c, const uint8_t *id, size_t id_len)
{
	struct entry *set;

	if (!id_len || id_len > SESSION_ID_BYTES)
		return NULL;
	set = set_of(c, id, id_len);
	for (int i = 0; i < WAYS; i++)
		if (set[i].id_len == id_len && !memcmp(set[i].id, id, id_len))
			return &set[i];
	return NULL;
}

static struct entry *oldest(struct entry *set)
{
	struct entry *e = set;

	for (int i = 1; i < WAYS; i++)
		if (set[i].put < e->put)
			e = &set[i];
	return e;
}

void session_cache_put(struct session_cache *c, const uint8_t *id, size_t id_len, const void *src,
		       size_t len)
{
	uint8_t *data;
	struct entry *e;

	if (!id_len || id_len > SESSION_ID_BYTES || !len || len > SESSION_BYTES_MAX)
		return;
	data = malloc(len);
	if (!data)
		return;
	memcpy(data, src, len);
	pthread_mutex_lock(&c->lock);
	e = find(c, id, id_len);
	if (!e)
		e = oldest(set_of(c, id, id_len));
	clear(e);
	*e = (struct entry){ .id_len = id_len, .data = data, .len = len, .put = ++c->puts };
	memcpy(e->id, id, id_len);
	pthread_mutex_unlock(&c->lock);
}

size_t session_cache_get(struct session_cache *c, const uint8_t *id, size_t id_len, void *dst)
{
	size_t len = 0;
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = find(c, id, id_len);
	if (e) {
		len = e->len;
		memcpy(dst, e->data, len);
	}
	pthread_mutex_unlock(&c->lock);
	return len;
}

void session_cache_drop(struct session_cache *c, const uint8_t *id, size_t id_len)
{
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = find(c, id, id_len);
	if (e)
		clear(e);
	pthread_mutex_unlock(&c->lock);
}
