/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_runs_test - the cell that a search ends with is of the rate that it found.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/find_runs.h"

static void run(struct find_runs *f, struct rate_finder *r, int64_t rate, double figure_ns)
{
	rate_finder_tell(r, rate, figure_ns, true);
	find_runs_keep(f, rate, json_pack("{s:I}", "rate", (json_int_t)rate));
}

static void a_rate_that_fails_in_the_end_is_not_shown(void **state)
{
	(void)state;
	struct find_runs f = { 0 };
	struct rate_finder r = { .tolerance = 0.05, .target_ns = 1000, .low = 100, .high = 1000 };
	run(&f, &r, 1000, 500);
	run(&f, &r, 500, 990);
	run(&f, &r, 300, 1600);
	assert_int_equal(r.meets, 500);
	run(&f, &r, 500, 1030);
	assert_int_equal(r.meets, 1000);
	json_t *cell = find_runs_cell(&f, r.meets);
	assert_int_equal(json_integer_value(json_object_get(cell, "rate")), 1000);
	assert_null(find_runs_cell(&f, 0));
	find_runs_release(&f);
}

static void a_later_run_is_in_place_of_an_earlier_one(void **state)
{
	(void)state;
	struct find_runs f = { 0 };
	for (int i = 0; i < 2 * RATE_PROBES_MAX; i++)
		find_runs_keep(&f, 1 + i % RATE_PROBES_MAX, json_integer(i));
	assert_int_equal(json_integer_value(find_runs_cell(&f, 1)), RATE_PROBES_MAX);
	find_runs_keep(&f, 1000, json_integer(0)); /* more than a search has */
	assert_null(find_runs_cell(&f, 1000));
	find_runs_release(&f);
}

/* 97 answers of 100 came within 10 ms, the others never: what is longer than the limit is not. */
static void time_outs_are_slow_requests(void **state)
{
	(void)state;
	struct load_params p = { .timeout_ns = 50000000 };
	struct load_result got;
	struct rate_finder r = { .tolerance = 0.05, .target_ns = 1000000000, .high = 1000 };
	assert_int_equal(load_result_init(&got), 0);
	for (int i = 1; i <= 97; i++)
		hist_add(&got.response, 10000000);
	assert_true(find_runs_figure_ns(RATE_P99, &p, &got) <= 10000000);
	got.window = (struct load_counters){ .started = 100, .succeeded = 97, .timed_out = 3 };
	assert_true(find_runs_figure_ns(RATE_P95, &p, &got) <= 10000000);
	assert_true(isnan(find_runs_figure_ns(RATE_P99, &p, &got)));
	rate_finder_tell(&r, 1000, find_runs_figure_ns(RATE_P99, &p, &got), true);
	assert_int_equal(r.meets, 0);
	rate_finder_tell(&r, 1000, 1, true);
	assert_int_equal(r.meets, 0);
	assert_int_equal(rate_finder_state(&r), RATE_HIGH_FAILS);
	load_result_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_that_fails_in_the_end_is_not_shown),
		cmocka_unit_test(time_outs_are_slow_requests),
		cmocka_unit_test(a_later_run_is_in_place_of_an_earlier_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
