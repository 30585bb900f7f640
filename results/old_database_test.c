/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old_database_test - a database whose trials were stored before what was completed in the window
 * was counted: every reader says so, instead of leaving places empty.
 */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/choose.h"
#include "results/compare.h"
#include "results/fixture_store.h"

static struct fixture_place here;
static struct report report;

static int enter(void **state)
{
	struct fail f = { 0 };
	struct store *s;
	sqlite3 *db;
	int64_t id;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	s = store_open(here.path, STORE_WRITE, &f);
	id = s ? fixture_fill(s, "made-up", &f) : -1;
	store_close(s);
	assert_int_equal(sqlite3_open(here.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "ALTER TABLE trial DROP COLUMN requests_completed", NULL,
				      NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	s = store_open(here.path, STORE_READ, &f);
	if (!s || id < 0 || report_load(s, id, &report, &f) < 0)
		fail_msg("%s", f.text);
	store_close(s);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	report_release(&report);
	return fixture_leave(&here);
}

static void report_has_a_note(void **state)
{
	struct buf out = { 0 };

	(void)state;
	assert_true(summary_is_uncounted(&report.cell[0]));
	assert_true(report.cell[0].notes >= report.cell[0].valid_trials);
	assert_int_equal(report_write_text(&report, false, &out), 0);
	assert_non_null(strstr(buf_text(&out), "requests completed in the window were not counted: "
					       "14 trials"));
	buf_clear(&out);
	assert_int_equal(report_write_json(&report, false, &out), 0);
	assert_non_null(strstr(buf_text(&out), "an older version stored the trial"));
	buf_release(&out);
}

/* Latencies do not rest on it. */
static void compare_says_why_not(void **state)
{
	struct cell_summary counted = report.cell[0];
	struct compare_pair p;
	char verdict[256];

	(void)state;
	assert_int_equal(compare_cells(&report.cell[0], &report.cell[1], true, &p), 0);
	for (int i = 0; i < 4; i++) {
		compare_verdict(&p.row[i], verdict, sizeof(verdict));
		assert_string_equal(verdict, "not compared: completed requests were not counted in "
					     "either, by an older version");
	}
	assert_string_equal(p.row[4].reason, "");
	counted.requests_completed = 1;
	assert_int_equal(compare_cells(&counted, &report.cell[1], true, &p), 0);
	compare_verdict(&p.row[0], verdict, sizeof(verdict));
	assert_non_null(strstr(verdict, "not counted in B, by"));
}

static void choose_says_why_not(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 } };
	struct choose_facts facts[4] = { 0 };
	struct fail f = { 0 };
	struct choice c;

	(void)state;
	assert_int_equal(report.cells, 4);
	for (int i = 0; i < 4; i++) {
		facts[i].known = true;
		strcpy(facts[i].suite, report.cell[i].cell.suite);
		facts[i].version = facts[i].credential = facts[i].key = "none";
		facts[i].status = "recommended";
	}
	assert_int_equal(choose_make(&c, &report, facts, &rules, &f), -1);
	assert_non_null(strstr(f.text, "without counting completed requests; run it again"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_has_a_note),
		cmocka_unit_test(compare_says_why_not),
		cmocka_unit_test(choose_says_why_not),
	};

	return cmocka_run_group_tests_name("old database", tests, enter, leave);
}
