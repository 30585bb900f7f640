/* SPDX-License-Identifier: Apache-2.0 */
/* The table of peers against a plain list, through thousands of random changes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "lib/testing.h"
#include "servers/dgram_table.h"

#define PEERS   1000
#define CHANGES 200000

static void test_as_a_list(void **state)
{
	static struct dgram_entry peer[PEERS];
	static bool there[PEERS];
	struct rng rng = testing_rng("table of peers");
	struct dgram_table t;
	size_t count = 0;

	(void)state;
	assert_int_equal(dgram_table_init(&t, rng_next(&rng)), 0);
	for (size_t i = 0; i < PEERS; i++) {
		peer[i].address.family = AF_INET;
		peer[i].address.port = (uint16_t)i;
	}
	for (int n = 0; n < CHANGES; n++) {
		size_t i = rng_below(&rng, PEERS);

		if (there[i])
			dgram_table_remove(&t, &peer[i].address);
		else
			assert_int_equal(dgram_table_add(&t, &peer[i]), 0);
		count += there[i] ? (size_t)-1 : 1;
		there[i] = !there[i];
		i = rng_below(&rng, PEERS);
		assert_ptr_equal(dgram_table_find(&t, &peer[i].address),
				 there[i] ? &peer[i] : NULL);
		assert_int_equal(t.count, count);
		assert_true(t.count * 2 <= t.slots);
	}
	for (size_t i = 0; i < PEERS; i++)
		assert_ptr_equal(dgram_table_find(&t, &peer[i].address),
				 there[i] ? &peer[i] : NULL);
	dgram_table_release(&t);
}

static void test_replace(void **state)
{
	struct dgram_entry one = { .address = { .family = AF_INET, .port = 7 } }, two = one;
	struct dgram_table t;

	(void)state;
	assert_int_equal(dgram_table_init(&t, 1), 0);
	assert_int_equal(dgram_table_add(&t, &one), 0);
	dgram_table_replace(&t, &two);
	assert_ptr_equal(dgram_table_find(&t, &one.address), &two);
	assert_int_equal(t.count, 1);
	dgram_table_remove(&t, &one.address);
	assert_null(dgram_table_find(&t, &two.address));
	dgram_table_release(&t);
}

static void test_addresses(void **state)
{
	struct sockaddr_storage from = { 0 }, to;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&from;
	struct sockaddr_in *four = (struct sockaddr_in *)&from;
	struct dgram_address a;

	(void)state;
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(5684);
	six->sin6_scope_id = 3;
	six->sin6_addr.s6_addr[15] = 9;
	dgram_address_read(&a, &from);
	assert_int_equal(dgram_address_write(&a, &to), sizeof *six);
	assert_memory_equal(&to, six, sizeof *six);
	memset(&from, 0, sizeof from);
	four->sin_family = AF_INET;
	four->sin_port = htons(5683);
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	dgram_address_read(&a, &from);
	assert_int_equal(dgram_address_write(&a, &to), sizeof *four);
	assert_memory_equal(&to, four, sizeof *four);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_a_list),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
