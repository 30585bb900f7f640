/* SPDX-License-Identifier: Apache-2.0 */
/* nonces_test - against a list of all nonces with their times; full; between threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "workloads/nonces.h"

#define KEEP_NS 1000
#define KINDS   4000
#define TRIES   200000
#define THREADS 4
#define SHARED  20000

static void number(uint64_t n, uint8_t nonce[NONCE_BYTES])
{
	memset(nonce, 0, NONCE_BYTES);
	memcpy(nonce, &n, sizeof n);
}

/* Known for keep_ns for sure, forgotten after twice that for sure. */
static void against_a_list(void **state)
{
	struct rng rng = testing_rng("nonces");
	struct nonces *n = nonces_new(KEEP_NS);
	static int64_t used_ns[KINDS];
	int64_t now_ns = 5000;

	(void)state;
	for (int i = 0; i < KINDS; i++)
		used_ns[i] = -10 * KEEP_NS;
	for (int i = 0; i < TRIES; i++) {
		uint64_t kind = rng_below(&rng, KINDS);
		int64_t age_ns = now_ns - used_ns[kind];
		uint8_t nonce[NONCE_BYTES];
		enum nonce_state s;

		number(kind, nonce);
		s = nonces_use(n, nonce, now_ns);
		if (age_ns < KEEP_NS)
			assert_int_equal(s, NONCE_USED);
		else if (age_ns >= 2 * KEEP_NS)
			assert_int_equal(s, NONCE_NEW);
		if (s == NONCE_NEW)
			used_ns[kind] = now_ns;
		now_ns += rng_below(&rng, 4) == 0;
		now_ns += rng_below(&rng, 5000) == 0 ? 3 * KEEP_NS : 0;
	}
	nonces_free(n);
}

static void full(void **state)
{
	struct nonces *n = nonces_new(KEEP_NS);
	uint8_t nonce[NONCE_BYTES];
	uint64_t taken = 0;

	(void)state;
	for (number(taken, nonce); nonces_use(n, nonce, 0) == NONCE_NEW; number(taken, nonce))
		taken++;
	assert_in_range(taken, NONCES_SHARDS * (NONCES_SHARD_MAX / 100 * 95),
			NONCES_SHARDS * NONCES_SHARD_MAX);
	assert_int_equal(nonces_use(n, nonce, 0), NONCE_FULL);
	number(taken / 2, nonce);
	assert_int_equal(nonces_use(n, nonce, 0), NONCE_USED);
	number(taken, nonce);
	assert_int_equal(nonces_use(n, nonce, KEEP_NS), NONCE_NEW);
	nonces_free(n);
}

static void *use_all(void *data)
{
	intptr_t fresh = 0;
	uint8_t nonce[NONCE_BYTES];

	for (uint64_t i = 0; i < SHARED; i++) {
		number(i, nonce);
		fresh += nonces_use(data, nonce, 0) == NONCE_NEW;
	}
	return (void *)fresh;
}

/* Each nonce is new for one thread and no other. */
static void between_threads(void **state)
{
	struct nonces *n = nonces_new(KEEP_NS);
	pthread_t thread[THREADS];
	intptr_t sum = 0;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, use_all, n), 0);
	for (int i = 0; i < THREADS; i++) {
		void *fresh;

		pthread_join(thread[i], &fresh);
		sum += (intptr_t)fresh;
	}
	assert_int_equal(sum, SHARED);
	nonces_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_a_list),
		cmocka_unit_test(full),
		cmocka_unit_test(between_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
