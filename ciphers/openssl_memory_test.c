/* SPDX-License-Identifier: Apache-2.0 */
/* openssl_memory_test - what OpenSSL is given when it asks for memory, and gives back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/crypto.h>

#include "ciphers/engine.h"

static struct block_owner owner;

static void large_pieces_are_blocks(void **state)
{
	uint8_t *small, *large, *huge;

	(void)state;
	large = OPENSSL_malloc(21848);
	assert_false(is_block(large)); /* nobody's */
	OPENSSL_free(large);
	blocks_are_of(&owner);
	small = OPENSSL_malloc(1000);
	large = OPENSSL_malloc(21848);
	huge = OPENSSL_malloc(LARGE_BLOCK_BYTES + 1);
	assert_true(small && large && huge);
	assert_false(is_block(small));
	assert_true(is_block(large));
	assert_false(is_block(huge));
	OPENSSL_free(small);
	OPENSSL_clear_free(large, 21848);
	OPENSSL_free(huge);
	blocks_are_of(NULL);
}

static void resizing_keeps_the_bytes(void **state)
{
	static const size_t sizes[] = { 100, 13000, LARGE_BLOCK_BYTES, 60000, 70000, 13000, 20 };
	uint8_t *p;

	(void)state;
	blocks_are_of(&owner);
	p = OPENSSL_realloc(NULL, 13000);
	assert_true(is_block(p));
	for (int i = 0; i < 20; i++)
		p[i] = (uint8_t)i;
	for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
		p = OPENSSL_realloc(p, sizes[n]);
		assert_non_null(p);
		for (int i = 0; i < 20; i++)
			assert_int_equal(p[i], i);
		if (sizes[n] > 20)
			p[sizes[n] - 1] = 1;
	}
	assert_false(is_block(p));
	assert_null(OPENSSL_realloc(p, 0));
	p = OPENSSL_malloc(20000);
	assert_null(OPENSSL_realloc(p, 0));
	blocks_are_of(NULL);
	assert_int_equal(blocks_tally().taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_pieces_are_blocks),
		cmocka_unit_test(resizing_keeps_the_bytes),
	};

	engines_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
