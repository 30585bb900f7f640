/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions put by several threads and found by all; the bound; ids that are none. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ciphers/session_cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "lib/testing.h"

#define THREADS 4
#define EACH    400

static uint8_t id_bytes[THREADS][EACH][SESSION_ID_BYTES];
static struct session_cache *cache;

static void make_id(struct rng *rng, uint8_t id[SESSION_ID_BYTES])
{
	for (int i = 0; i < SESSION_ID_BYTES; i++)
		id[i] = (uint8_t)rng_next(rng);
}

static void test_put_get_drop(void **state)
{
	struct session_cache *c = session_cache_new(100);
	uint8_t id[SESSION_ID_BYTES] = { 1 }, got[SESSION_BYTES_MAX];

	(void)state;
	assert_int_equal(session_cache_get(c, id, sizeof(id), got), 0);
	session_cache_put(c, id, sizeof(id), "first", 5);
	session_cache_put(c, id, sizeof(id), "second", 6);
	assert_int_equal(session_cache_get(c, id, sizeof(id), got), 6);
	assert_memory_equal(got, "second", 6);
	/* A shorter id is another one. */
	assert_int_equal(session_cache_get(c, id, sizeof(id) - 1, got), 0);
	session_cache_put(c, id, 0, "x", 1);
	session_cache_put(c, id, SESSION_ID_BYTES + 1, "x", 1);
	session_cache_put(c, id, sizeof(id) - 1, got, SESSION_BYTES_MAX + 1);
	assert_int_equal(session_cache_get(c, id, sizeof(id) - 1, got), 0);
	assert_int_equal(session_cache_get(c, id, 0, got), 0);
	assert_int_equal(session_cache_get(c, id, SESSION_ID_BYTES + 1, got), 0);
	session_cache_drop(c, id, sizeof(id));
	assert_int_equal(session_cache_get(c, id, sizeof(id), got), 0);
	session_cache_drop(c, id, sizeof(id));
	session_cache_free(c);
	session_cache_free(NULL);
}

/* The last ones are there, and never more than there is room for. */
static void test_the_oldest_make_room(void **state)
{
	struct session_cache *c = session_cache_new(64);
	struct rng rng = testing_rng("session_cache_test");
	static uint8_t ids[1000][SESSION_ID_BYTES];
	uint8_t got[SESSION_BYTES_MAX];
	int kept = 0, recent = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		make_id(&rng, ids[i]);
		session_cache_put(c, ids[i], SESSION_ID_BYTES, &i, sizeof(i));
		assert_int_equal(session_cache_get(c, ids[i], SESSION_ID_BYTES, got), sizeof(i));
	}
	for (int i = 0; i < 1000; i++) {
		bool there = session_cache_get(c, ids[i], SESSION_ID_BYTES, got) > 0;

		kept += there;
		recent += there && i >= 1000 - 16;
	}
	assert_int_equal(kept, 64);
	/* 8 of a set stay: that one of the last 16 fell out takes 9 of them in one of 8 sets. */
	assert_true(recent >= 14);
	session_cache_free(c);
}

static void *put_and_get(void *data)
{
	size_t me = (size_t)(uintptr_t)data;
	uint8_t got[SESSION_BYTES_MAX];

	for (int i = 0; i < EACH; i++) {
		memset(got, (int)(me + (size_t)i), 500);
		session_cache_put(cache, id_bytes[me][i], SESSION_ID_BYTES, got, 500);
		for (size_t t = 0; t < THREADS; t++) {
			size_t len =
				session_cache_get(cache, id_bytes[t][i], SESSION_ID_BYTES, got);

			for (size_t b = 0; b < len; b++)
				if (got[b] != (uint8_t)(t + (size_t)i))
					return &cache;
		}
	}
	return NULL;
}

static void test_threads_find_each_others(void **state)
{
	struct rng rng = testing_rng("session_cache_test");
	uint8_t got[SESSION_BYTES_MAX];
	pthread_t thread[THREADS];

	(void)state;
	cache = session_cache_new(THREADS * EACH * 8);
	for (size_t t = 0; t < THREADS; t++)
		for (int i = 0; i < EACH; i++)
			make_id(&rng, id_bytes[t][i]);
	for (size_t t = 0; t < THREADS; t++)
		assert_int_equal(
			pthread_create(&thread[t], NULL, put_and_get, (void *)(uintptr_t)t), 0);
	for (int t = 0; t < THREADS; t++) {
		void *wrong;

		pthread_join(thread[t], &wrong);
		assert_null(wrong);
	}
	for (size_t t = 0; t < THREADS; t++)
		for (int i = 0; i < EACH; i++)
			assert_int_equal(session_cache_get(cache, id_bytes[t][i], SESSION_ID_BYTES,
							   got),
					 500);
	session_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_drop),
		cmocka_unit_test(test_the_oldest_make_room),
		cmocka_unit_test(test_threads_find_each_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
