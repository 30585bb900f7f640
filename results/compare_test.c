/* SPDX-License-Identifier: Apache-2.0 */
/* compare_test - made-up cells: what is proven, what is not, what is never compared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/compare.h"
#include "results/fixture.h"

static struct summary_tools tools;

/* Requests in hundreds of each block's two thousand; a wave that both cells share. */
static void make(struct cell_summary *s, int64_t base, const int *off, const char *source)
{
	static const int wave[] = { 0, 300, -200, 150, -250, 50 };
	struct cell c;
	struct trial t;

	fixture_cell(&c, "plain", 0, "identity");
	assert_int_equal(summary_init(s, &c, &tools), 0);
	assert_int_equal(trial_init(&t), 0);
	for (int64_t block = 0; block < 6; block++) {
		fixture_trial(&t, block, base + wave[block] + off[block], 50000, 500);
		strcpy(t.server.energy_source, source);
		t.valid = block != 5 || base != 2100;
		assert_int_equal(summary_add(s, &t), 0);
	}
	trial_release(&t);
	assert_int_equal(summary_finish(s), 0);
}

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

static const int none[6] = { 0 }, jitter[] = { 4, -3, 2, -4, 3, -2 };

/* 5 % apart under a wave of 20 %: pairs prove it, Welch cannot. */
static void pairs_see_through_what_blocks_share(void **state)
{
	struct cell_summary a, b;
	struct compare_pair p;
	char verdict[256];

	(void)state;
	make(&a, 2100, jitter, "modelled");
	make(&b, 2000, none, "modelled");
	assert_int_equal(compare_cells(&a, &b, true, &p), 0);
	assert_int_equal(compare_holm(&p, 1), 0);
	assert_int_equal(p.blocks, 5); /* A's last is not valid */
	near(p.row[0].difference.mean, 50.2, 0.1);
	near(p.row[0].ratio.mean, 1.05, 0.003);
	assert_true(compare_proven(&p.row[0]) && p.row[0].p_other > 0.1);
	assert_true(p.row[0].p_rank > 0.1);
	compare_verdict(&p.row[0], verdict, sizeof(verdict));
	assert_non_null(strstr(verdict, " %) higher: better"));
	assert_string_equal(p.row[2].source, "modelled");
	assert_true(compare_proven(&p.row[2]));
	assert_int_equal(compare_cells(&a, &b, false, &p), 0);
	assert_int_equal(compare_holm(&p, 1), 0);
	assert_false(compare_proven(&p.row[0]));
	compare_verdict(&p.row[0], verdict, sizeof(verdict));
	assert_non_null(strstr(verdict, "no difference proven: A less B is +"));
	assert_true(p.row[0].detectable_pct > 10);
	assert_true(p.row[0].p_holm >= p.row[0].p);
	summary_release(&a);
	summary_release(&b);
}

static void less_latency_is_better(void **state)
{
	struct compare_row r = { .ratio = { 0.9, 0.88, 0.92, 5 }, .p_holm = 0.01 };
	char verdict[256];

	(void)state;
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "A is 10 % (8 to 12 %) lower: better");
	r.more_is_better = true;
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "A is 10 % (8 to 12 %) lower: worse");
	r.p_holm = 0.06;
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "no difference proven: A less B is -10 % (-12 to -8 %)");
}

/* "1.24e+03 %" is no way to say thirteen times. */
static void large_ratios_are_in_times(void **state)
{
	struct compare_row r = { .ratio = { 13.4, 0.107, 1681, 3 }, .p_holm = 0.64 };
	char verdict[256];

	(void)state;
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "no difference proven: A is 13.4 times B (0.107 to 1681)");
	r = (struct compare_row){ .ratio = { 0.2, 0.1, 0.4, 3 }, .p_holm = 0.01 };
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "A is 0.200 times B (0.100 to 0.400): better");
	r = (struct compare_row){ .ratio = { 1 + 1e-9, 0.9, 1.1, 3 }, .p_holm = 1 };
	compare_verdict(&r, verdict, sizeof(verdict));
	assert_string_equal(verdict, "no difference proven: A less B is +0 % (-10 to +10 %)");
}

static void figures_have_their_unit(void **state)
{
	struct cell_summary a, b;
	struct compare_pair p;

	(void)state;
	make(&a, 2100, jitter, "modelled");
	make(&b, 2000, none, "modelled");
	assert_int_equal(compare_cells(&a, &b, true, &p), 0);
	assert_string_equal(p.row[2].words, "requests per mWh of the server");
	assert_string_equal(p.row[5].words, "response time p99, us");
	summary_release(&a);
	summary_release(&b);
}

static void sources_are_never_mixed(void **state)
{
	struct cell_summary a, b;
	struct compare_pair p;
	char verdict[256];

	(void)state;
	make(&a, 2000, jitter, "measured");
	make(&b, 2000, none, "modelled");
	assert_int_equal(compare_cells(&a, &b, true, &p), 0);
	compare_verdict(&p.row[2], verdict, sizeof(verdict));
	assert_string_equal(verdict,
			    "not compared: A is measured and B is modelled: never compared");
	assert_true(isnan(p.row[2].p) && !compare_proven(&p.row[2]));
	assert_true(isfinite(p.row[3].p)); /* the clients are both modelled */
	summary_release(&a);
	summary_release(&b);
}

static void equal_cells_are_not_different(void **state)
{
	struct cell_summary a, b;
	struct compare_pair p;

	(void)state;
	make(&a, 2000, none, "modelled");
	make(&b, 2000, none, "modelled");
	assert_int_equal(compare_cells(&a, &b, true, &p), 0);
	assert_int_equal(compare_holm(&p, 1), 0);
	for (int i = 0; i < COMPARE_FIGURES; i++)
		assert_false(compare_proven(&p.row[i]));
	near(p.row[0].p, 1, 0);
	near(p.row[0].p_rank, 1, 0);
	near(p.row[0].delta, 0, 0);
	summary_release(&a);
	summary_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_see_through_what_blocks_share),
		cmocka_unit_test(less_latency_is_better),
		cmocka_unit_test(large_ratios_are_in_times),
		cmocka_unit_test(figures_have_their_unit),
		cmocka_unit_test(sources_are_never_mixed),
		cmocka_unit_test(equal_cells_are_not_different),
	};
	int status = cmocka_run_group_tests_name("compare", tests, NULL, NULL);

	summary_tools_release(&tools);
	return status;
}
