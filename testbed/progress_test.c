/* SPDX-License-Identifier: Apache-2.0 */
/* progress_test - counts and the time left on a fake clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "testbed/progress.h"

static const char *said(const struct progress *p, int64_t now_ns, struct buf *out)
{
	buf_clear(out);
	progress_format(p, now_ns, out);
	return buf_text(out);
}

static void test_time_left(void **state)
{
	struct progress p;
	int64_t now_ns = 77 * NS_PER_S;

	(void)state;
	progress_start(&p, PROGRESS_NONE, 10, 2, 3 * NS_PER_S, now_ns);
	assert_int_equal(progress_left_ns(&p, now_ns), 24 * NS_PER_S);
	/* Each took 5 s instead of 3; those of an earlier run say nothing about that. */
	for (int i = 0; i < 4; i++) {
		now_ns += 5 * NS_PER_S;
		progress_end_trial(&p, "cell", NULL, now_ns);
	}
	assert_int_equal(progress_left_ns(&p, now_ns), 20 * NS_PER_S);
	for (int i = 0; i < 4; i++)
		progress_end_trial(&p, "cell", NULL, now_ns);
	assert_int_equal(progress_left_ns(&p, now_ns), 0);
}

static void test_words(void **state)
{
	struct buf out = { 0 };
	struct progress p;

	(void)state;
	progress_start(&p, PROGRESS_NONE, 40, 10, 2 * NS_PER_S, 0);
	assert_string_equal(said(&p, 0, &out), "10/40 trials, 1 min left");
	progress_end_trial(&p, "cell", "throttled", 10 * NS_PER_S);
	assert_string_equal(said(&p, 10 * NS_PER_S, &out),
			    "11/40 trials, 1 not valid, 4 min 50 s left");
	progress_start(&p, PROGRESS_NONE, 1, 0, NS_PER_MS, 0);
	assert_string_equal(said(&p, 0, &out), "0/1 trials, 1 s left");
	progress_start(&p, PROGRESS_NONE, 3, 3, NS_PER_S, 0);
	assert_string_equal(said(&p, 0, &out), "3/3 trials");
	buf_release(&out);
}

/* Blocks that may be added are not in the time that is left, and it says so. */
static void test_more_may_be_added(void **state)
{
	struct buf out = { 0 };
	struct progress p;

	(void)state;
	progress_start(&p, PROGRESS_NONE, 4, 0, NS_PER_S, 0);
	p.may_grow = true;
	assert_string_equal(said(&p, 0, &out), "0/4 trials, at least 4 s left");
	progress_add(&p, 3);
	assert_string_equal(said(&p, 0, &out), "0/7 trials, at least 7 s left");
	p.may_grow = false;
	assert_string_equal(said(&p, 0, &out), "0/7 trials, 7 s left");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_left),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_more_may_be_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
