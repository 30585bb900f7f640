/* SPDX-License-Identifier: Apache-2.0 */
/* arrival_test - the closed loop follows its client; the pause grows and stays bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/arrival.h"

static void closed_loop_is_due_when_free(void **state)
{
	(void)state;
	struct arrival a = { &arrival_closed };
	assert_int_equal(a.ops->next_ns(&a, 0), 0);
	assert_int_equal(a.ops->next_ns(&a, INT64_C(123456789012)), INT64_C(123456789012));
}

static void pause_grows_and_ends(void **state)
{
	(void)state;
	assert_int_equal(arrival_pause_ns(-1), 0);
	assert_int_equal(arrival_pause_ns(0), 0);
	assert_int_equal(arrival_pause_ns(1), 1000000);
	assert_int_equal(arrival_pause_ns(7), 64000000);
	for (int i = 1; i < 100; i++)
		assert_true(arrival_pause_ns(i + 1) >= arrival_pause_ns(i));
	assert_int_equal(arrival_pause_ns(8), ARRIVAL_PAUSE_MAX_NS);
	assert_int_equal(arrival_pause_ns(INT32_MAX), ARRIVAL_PAUSE_MAX_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop_is_due_when_free),
		cmocka_unit_test(pause_grows_and_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
