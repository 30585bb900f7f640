/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_test - a campaign stops when both figures are known well enough, and not before. */
#include <string.h>

#include "results/adaptive.h"
#include "results/store_drive.h"

/* Requests of five trials that differ by `step` per cent each; their energy by `joules`. */
static int64_t fill(struct store *s, int step, int joules, const char *encoding)
{
	struct fail f = { 0 };
	struct campaign c;
	struct cell cell;
	struct trial t;
	int64_t id;

	fixture_campaign(&c);
	fixture_cell(&cell, "plain", 0, encoding);
	id = store_add_cell(s, store_add_campaign(s, &c, &f), &cell, &f);
	assert_int_equal(trial_init(&t), 0);
	for (int64_t block = 0; block < 5; block++) {
		fixture_trial(&t, block, 1000 + 10 * step * block, 50000, 500);
		t.server.gross_nj += joules * block * INT64_C(1000000000);
		if (store_add_trial(s, id, &t, NULL, 0, &f) < 0)
			fail_msg("%s", f.text);
	}
	trial_release(&t);
	return id;
}

static void both_figures_count(void **state)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t steady = fill(s, 0, 0, "identity"), moving = fill(s, 4, 0, "gzip:1");
	int64_t hungry = fill(s, 0, 1, "gzip:2");

	(void)state;
	assert_int_equal(adaptive_stored(s, steady, 0.1, &f), 1);
	assert_int_equal(adaptive_stored(s, moving, 2, &f), 0); /* 1080 +- 79: 7.3 % */
	assert_int_equal(adaptive_stored(s, moving, 8, &f), 1);
	assert_int_equal(adaptive_stored(s, hungry, 2, &f), 0); /* 6 to 10 J */
	assert_int_equal(adaptive_stored(s, hungry, 50, &f), 1);
	store_close(s);
}

static void four_trials_are_never_enough(void **state)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t campaign, cell = fixture_add_cell(s, &campaign, &f);

	(void)state;
	for (int64_t block = 0; block < 4; block++)
		assert_true(fixture_add_trial(s, cell, block, &f) > 0);
	assert_int_equal(adaptive_stored(s, cell, 100, &f), 0);
	assert_true(fixture_add_trial(s, cell, 4, &f) > 0);
	assert_int_equal(adaptive_stored(s, cell, 100, &f), 1);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_figures_count),
		cmocka_unit_test(four_trials_are_never_enough),
	};

	return cmocka_run_group_tests_name("adaptive", tests, enter, leave);
}
