/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_test - blocks against plain arrays, over rest and wake, and what they cost meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/blocks.h"
#include "lib/testing.h"

#define OWNERS 8
#define PLACES 64

/* Of one block, how many pages have memory. */
static int resident(void *block)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (LARGE_BLOCK_BYTES + page - 1) / page;
	unsigned char here[LARGE_BLOCK_BYTES / 1024];
	int count = 0;

	assert_int_equal(mincore(block, n * page, here), 0);
	for (size_t i = 0; i < n; i++)
		count += here[i] & 1;
	return count;
}

#ifndef __SANITIZE_ADDRESS__ /* which itself takes terabytes of them */

/* In a process that has few addresses: as many as go into them, and then none. */
static int take_within(size_t limit)
{
	struct rlimit few = { limit, limit };
	struct block_owner o = { 0 };
	uint8_t *p, *before = NULL;
	int count = 0;

	if (setrlimit(RLIMIT_AS, &few) != 0)
		return -1;
	blocks_are_of(&o);
	while ((p = block_take(LARGE_BLOCK_BYTES))) {
		memset(p, 1, LARGE_BLOCK_BYTES);
		memcpy(p, &before, sizeof(before));
		before = p;
		count++;
	}
	/* An eighth of what there is. */
	if (count * (size_t)LARGE_BLOCK_BYTES > limit / 8 || count < 64)
		return -1;
	for (; before; count--) {
		p = before;
		memcpy(&before, p, sizeof(before));
		block_give(p);
	}
	return count;
}

static void few_addresses_give_few_blocks(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(take_within((size_t)300 << 20) == 0 && is_block(block_take(1)) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#endif

static void what_rests_has_no_pages(void **state)
{
	struct block_owner o = { 0 };
	uint8_t *a, *b;

	(void)state;
	blocks_are_of(&o);
	a = block_take(LARGE_BLOCK_BYTES);
	b = block_take(1);
	blocks_are_of(NULL);
	assert_true(is_block(a) && is_block(b) && a != b);
	memset(a, 0, LARGE_BLOCK_BYTES);
	memset(b, 0, LARGE_BLOCK_BYTES);
	memcpy(a + 100, "hello", 5);
	assert_true(resident(a) > 0);
	blocks_rest(&o);
	blocks_rest(&o);
	assert_int_equal(resident(a), 0);
	assert_int_equal(resident(b), 0);
	blocks_wake(&o);
	blocks_wake(&o);
	assert_memory_equal(a + 99, "\0hello\0", 7);
	assert_int_equal(a[LARGE_BLOCK_BYTES - 1], 0);
	/* Nothing is won by keeping what is full. */
	memset(a, 1, LARGE_BLOCK_BYTES);
	blocks_rest(&o);
	assert_true(resident(a) > 0);
	block_give(b);
	blocks_wake(&o);
	assert_int_equal(a[LARGE_BLOCK_BYTES - 1], 1);
	block_give(a);
	assert_int_equal(o.first, 0);
}

static void nobodys_do_not_rest(void **state)
{
	struct block_owner o = { 0 };
	uint8_t *a;

	(void)state;
	assert_null(block_take(LARGE_BLOCK_BYTES));
	blocks_are_of(&o);
	a = block_take(LARGE_BLOCK_BYTES);
	assert_null(block_take(LARGE_BLOCK_BYTES + 1));
	blocks_are_of(NULL);
	memset(a, 0, LARGE_BLOCK_BYTES);
	a[1] = 2;
	blocks_rest(&o);
	assert_int_equal(blocks_tally().resting, 1);
	blocks_disown(&o);
	assert_int_equal(o.first, 0);
	assert_int_equal(a[1], 2);
	blocks_rest(&o);
	assert_true(resident(a) > 0);
	assert_int_equal(blocks_tally().taken, 1);
	assert_int_equal(blocks_tally().resting, 0);
	block_give(a);
	assert_int_equal(blocks_tally().taken, 0);
	assert_false(is_block(&o));
	assert_false(is_block(NULL));
}

static void trimming_leaves_some(void **state)
{
	struct block_owner o = { 0 };
	uint8_t *many[PLACES];
	int before = 0, after = 0;

	(void)state;
	blocks_are_of(&o);
	for (int i = 0; i < PLACES; i++) {
		many[i] = block_take(LARGE_BLOCK_BYTES);
		memset(many[i], i + 1, LARGE_BLOCK_BYTES);
	}
	blocks_are_of(NULL);
	for (int i = 0; i < PLACES; i++)
		block_give(many[i]);
	for (int i = 0; i < PLACES; i++)
		before += resident(many[i]) > 0;
	blocks_trim();
	for (int i = 0; i < PLACES; i++)
		after += resident(many[i]) > 0;
	assert_int_equal(before, PLACES);
	assert_in_range(after, 1, PLACES / 2);
}

struct place {
	uint8_t *block, *model;
	size_t len;
};

static void begin(struct place *p, struct block_owner *o, struct rng *r)
{
	blocks_are_of(o);
	p->len = 1 + (size_t)rng_below(r, LARGE_BLOCK_BYTES);
	p->block = block_take(p->len);
	blocks_are_of(NULL);
	p->model = calloc(1, p->len);
	assert_non_null(p->block);
	memset(p->block, 0, p->len);
}

static void end(struct place *p)
{
	assert_memory_equal(p->block, p->model, p->len);
	block_give(p->block);
	free(p->model);
	p->block = NULL;
}

/* Owners write, rest, wake and give at random; place i is owner i % OWNERS's. */
static void behaves_like_arrays(void **state)
{
	struct block_owner owner[OWNERS] = { 0 };
	struct place place[PLACES] = { 0 };
	struct rng r = testing_rng(__func__);

	(void)state;
	for (int n = 0; n < 20000; n++) {
		int i = (int)rng_below(&r, PLACES);
		struct place *p = &place[i];

		blocks_wake(&owner[i % OWNERS]);
		if (!p->block) {
			begin(p, &owner[i % OWNERS], &r);
		} else if (rng_below(&r, 4) == 0) {
			end(p);
		} else {
			size_t at = (size_t)rng_below(&r, rng_below(&r, 2) ? p->len : 1);

			p->block[at] = p->model[at] = (uint8_t)rng_next(&r);
			assert_memory_equal(p->block, p->model, p->len);
		}
		blocks_rest(&owner[rng_below(&r, OWNERS)]);
		if (n % 1000 == 0)
			blocks_trim();
	}
	for (int i = 0; i < PLACES; i++) {
		blocks_wake(&owner[i % OWNERS]);
		if (place[i].block)
			end(&place[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(few_addresses_give_few_blocks), /* first: here are none yet */
#endif
		cmocka_unit_test(what_rests_has_no_pages),
		cmocka_unit_test(nobodys_do_not_rest),
		cmocka_unit_test(trimming_leaves_some),
		cmocka_unit_test(behaves_like_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
