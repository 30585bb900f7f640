/* SPDX-License-Identifier: Apache-2.0 */
/* timers_test - random arming and disarming, against a search through all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "lib/timers.h"

#define TIMERS 200

static int64_t earliest(const struct loop_timer *t, int n)
{
	int64_t due_ns = INT64_MAX;

	for (int i = 0; i < n; i++)
		if (t[i].armed && t[i].due_ns < due_ns)
			due_ns = t[i].due_ns;
	return due_ns;
}

static void the_earliest_is_always_first(void **state)
{
	struct rng r = testing_rng(__func__);
	struct loop_timer t[TIMERS] = { 0 }, *first = NULL;
	int armed = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		/* Mostly any of them, sometimes the first: both ways of removing. */
		struct loop_timer *one =
			first && rng_below(&r, 3) == 0 ? first : &t[rng_below(&r, TIMERS)];

		if (one->armed) {
			timers_remove(&first, one);
		} else {
			one->due_ns = (int64_t)rng_below(&r, 100); /* many are equal */
			timers_add(&first, one);
		}
		one->armed = !one->armed;
		armed += one->armed ? 1 : -1;
		assert_true((armed == 0) == (first == NULL));
		if (first)
			assert_int_equal(first->due_ns, earliest(t, TIMERS));
	}
}

/* In order of arming the tree is one root with all others below it: must not recurse. */
static void a_million_timers(void **state)
{
	const int n = 1000000;
	struct loop_timer *t = calloc((size_t)n, sizeof(*t)), *first = NULL;
	int64_t last_ns = -1;

	(void)state;
	assert_non_null(t);
	for (int i = 0; i < n; i++) {
		t[i].due_ns = i;
		timers_add(&first, &t[i]);
	}
	for (int i = 0; i < n; i++) {
		assert_true(first->due_ns > last_ns);
		last_ns = first->due_ns;
		timers_remove(&first, first);
	}
	assert_null(first);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_earliest_is_always_first),
		cmocka_unit_test(a_million_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
