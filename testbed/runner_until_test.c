/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_until_test - blocks are added for the cell that is not known well enough, and for no
 * other; at most so many; and a run that was interrupted adds the same ones.
 *
 * The wavering cell's rates are 5 % above and below their mean by turns, so that the half width
 * of its interval is t(n - 1) * 5 / sqrt(n - 1) per cent for an even number of trials: 4.03 % of
 * nine (an odd number is a little different), 3.77 % of ten.
 */
#include "results/stats_series.h"
#include "testbed/runner_bench.h"

#define WAVERS 1                /* the cell */
#define LEAST  STATS_NARROW_MIN /* an interval of fewer trials ends nothing */

static int trials_of(struct bench *b, int cell)
{
	struct fail f = { 0 };
	int n = 0;

	for (int block = 0; block < plan_blocks(&b->plan); block++)
		n += store_has_trial(b->runner.store, b->runner.cell_id[cell], block, &f) > 0;
	return n;
}

static void expect_trials(struct bench *b, int first, int wavering, int last)
{
	assert_int_equal(trials_of(b, 0), first);
	assert_int_equal(trials_of(b, WAVERS), wavering);
	assert_int_equal(trials_of(b, 2), last);
}

static void make_it_waver(struct bench *b, double ci_pct, int blocks_max)
{
	struct fail f = { 0 };

	b->fake.waver = 0.05;
	b->fake.waver_bytes = b->plan.cell[WAVERS].cell.payload_bytes;
	b->plan.until = (struct plan_until){ ci_pct, blocks_max };
	assert_int_equal(plan_draw(&b->plan, &f), 0);
}

static void test_the_asked_blocks_without_it(void **state)
{
	struct bench *b = *state;

	make_it_waver(b, 0, 0);
	run_to_end(b);
	expect_trials(b, BLOCKS, BLOCKS, BLOCKS);
}

static void test_until_it_is_narrow(void **state)
{
	struct bench *b = *state;

	make_it_waver(b, 3.9, 30);
	run_to_end(b);
	expect_trials(b, LEAST, 10, LEAST);
	/* What is added is said, and done. */
	assert_int_equal(b->runner.progress.total, 2 * LEAST + 10);
	assert_int_equal(b->runner.progress.done, 2 * LEAST + 10);
}

static void test_no_more_than_the_most(void **state)
{
	struct bench *b = *state;

	make_it_waver(b, 1, 7);
	run_to_end(b);
	expect_trials(b, LEAST, 7, LEAST);
	assert_false(b->runner.progress.may_grow);
}

/* A cell without a valid trial is not known at all. */
static void test_invalid_trials_count_for_nothing(void **state)
{
	struct bench *b = *state;

	make_it_waver(b, 100, 6);
	b->fake.fault = FAKE_LOAD_FAILS;
	b->fake.fault_times = 1000;
	run_to_end(b);
	expect_trials(b, 6, 6, 6);
}

static void take_up(struct bench *b)
{
	struct fail f = { 0 };

	detach(b);
	b->fake.signals = 0;
	b->fake.signal_at_trial = -1;
	attach(b);
	assert_int_equal(runner_greet(&b->runner, &f), 0);
	assert_int_equal(runner_resume(&b->runner, b->campaign, &f), 0);
}

/* Within the asked blocks, within the added ones, and behind the last. */
static void test_resume_goes_on_with_it(void **state)
{
	static const int at[] = { 5, 3 * LEAST + 1 };
	struct bench *b = *state;

	make_it_waver(b, 3.9, 30);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		b->fake.signal_at_trial = at[i];
		b->fake.signal_count = 1;
		run_to_end(b);
		assert_true(b->runner.interrupted);
		take_up(b);
	}
	run_to_end(b);
	expect_trials(b, LEAST, 10, LEAST);
	take_up(b);
	run_to_end(b);
	expect_trials(b, LEAST, 10, LEAST);
	assert_int_equal(b->runner.progress.done, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH(test_the_asked_blocks_without_it),
		BENCH(test_until_it_is_narrow),
		BENCH(test_no_more_than_the_most),
		BENCH(test_invalid_trials_count_for_nothing),
		BENCH(test_resume_goes_on_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
