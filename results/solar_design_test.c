/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solar_design_test - the made-up campaign's cells as loads, under a sky that is the same every
 * day: what a suite needs can be worked out by hand.
 */
#include <stdlib.h>

#include "results/solar_drive.h"

/* 2 W above idle for 2 s: 4 J for 300 requests and a little more. */
static void loads_by_hand(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s = made_study(&w, &set);
	const struct solar_design *ecdsa = of_suite(&s, FIXTURE_ECDSA);
	const struct solar_design *rsa = of_suite(&s, FIXTURE_RSA);

	(void)state;
	assert_int_equal(s.designs, 3);
	assert_int_equal(ecdsa->cells, 2);
	near(ecdsa->idle_w, 1, 1e-9);
	near(ecdsa->net_mj.mean, 1000 * 4.0 * 4 / (300 + 303 + 306 + 309), 0.001);
	assert_true(ecdsa->net_mj.lo < ecdsa->net_mj.mean && ecdsa->net_mj.mean < ecdsa->net_mj.hi);
	near(ecdsa->load_wh_per_day.mean, 24 * (1 + ecdsa->net_mj.mean / 1000), 1e-9);
	assert_true(rsa->panel_w > ecdsa->panel_w);
	/* 6 kWh/m2 a day: the mean load over it, and no less. */
	near(ecdsa->panel_w_same_battery, ecdsa->load_wh_per_day.mean / 6, 0.05);
	near(ecdsa->sizing.quick.panel_w, ecdsa->load_wh_per_day.mean / 6, 1e-6);
	near(ecdsa->sizing.quick.battery_wh, ecdsa->load_wh_per_day.mean * 3, 1e-6);
	assert_true(ecdsa->year.lpsp <= 0.001);
	assert_true(ecdsa->year_lo.lpsp <= ecdsa->year.lpsp &&
		    ecdsa->year.lpsp <= ecdsa->year_hi.lpsp);
	near(s.mean_kwh_m2_day, 6, 1e-9);
	near(s.worst_kwh_m2[2], 30, 1e-9);
	assert_string_equal(s.source, "modelled");
	solar_study_release(&s);
}

/* A lamp of 3 W at all hours beside it: the panel carries both, and says which is which. */
static void another_load_is_carried_too(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;
	double alone_w;

	(void)state;
	s = made_study(&w, &set);
	alone_w = s.design[0].panel_w_same_battery;
	solar_study_release(&s);
	for (size_t i = 0; i < w.rows; i++)
		w.row[i].load_w = 3;
	/* What stands beside the weather is not carried unasked. */
	s = made_study(&w, &set);
	near(s.design[0].panel_w_same_battery, alone_w, 1e-9);
	near(s.other_wh_day, 0, 0);
	solar_study_release(&s);
	set.system.other_load = true;
	s = made_study(&w, &set);
	near(s.other_wh_day, 72, 1e-9);
	near(s.design[0].panel_w_same_battery, (s.design[0].load_wh_per_day.mean + 72) / 6, 0.1);
	near(s.design[0].year.load_wh, 365 * (s.design[0].load_wh_per_day.mean + 72), 1e-3);
	solar_study_release(&s);
}

static void a_design_that_was_given_is_run(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;

	(void)state;
	set.panel_w = 100;
	set.battery_wh = 1; /* nights are dark: all of them are lost but an hour or so */
	set.idle_w = 2;
	s = made_study(&w, &set);
	near(s.design[0].panel_w, 100, 0);
	near(s.design[0].battery_wh, 1, 0);
	near(s.design[0].idle_w, 2, 0);
	near(s.design[0].year.hours_lost, 365 * 12, 0);
	near(s.design[0].year.longest_h, 12, 0);
	near(s.design[0].year.lolp, 0.5, 1e-9);
	solar_study_release(&s);
}

static void more_than_a_cell_did_is_refused(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;
	struct fail f = { 0 };

	(void)state;
	/* 100 requests/s: RSA did 50, P-256 150. */
	set.requests_per_day = 100 * 86400;
	s = made_study(&w, &set);
	assert_int_equal(s.designs, 2);
	assert_int_equal(s.lefts, 1);
	assert_string_equal(s.left[0].suite, FIXTURE_RSA);
	assert_non_null(strstr(s.left[0].reason, "asks for 100 requests/s, the cell did 5"));
	solar_study_release(&s);
	set.requests_per_day = 1e9;
	assert_int_equal(solar_study_make(&s, &report, &w, &set, &f), -1);
	assert_non_null(strstr(f.text, "has a load: the busiest hour"));
	set = made_settings();
	set.only = "nothing of that name";
	f = (struct fail){ 0 };
	assert_int_equal(solar_study_make(&s, &report, &w, &set, &f), -1);
	assert_non_null(strstr(f.text, "none of that name"));
}

static void what_a_suite_saves(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct buf text = { 0 };
	struct solar_study s;

	(void)state;
	s = made_study(&w, &set);
	solar_saving(of_suite(&s, FIXTURE_ECDSA), of_suite(&s, FIXTURE_RSA), &text);
	assert_non_null(
		strstr(buf_text(&text), FIXTURE_ECDSA " instead of " FIXTURE_RSA " saves 0.6"));
	assert_non_null(strstr(buf_text(&text), "W of panel at the same battery"));
	buf_clear(&text);
	solar_saving(of_suite(&s, FIXTURE_RSA), of_suite(&s, FIXTURE_ECDSA), &text);
	assert_non_null(strstr(buf_text(&text), " costs 0.6"));
	buf_clear(&text);
	solar_saving(&s.design[0], &s.design[0], &text);
	assert_non_null(strstr(buf_text(&text), "saves no energy that is proven"));
	buf_release(&text);
	solar_study_release(&s);
}

/* What two cells idled at differently is drift of one board: no suite saves it. */
static void drift_of_idle_is_no_saving(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study before = made_study(&w, &set), after;
	double saved = of_suite(&before, FIXTURE_RSA)->load_wh_per_day.mean -
		       of_suite(&before, FIXTURE_ECDSA)->load_wh_per_day.mean;

	(void)state;
	for (size_t i = 0; i < report.cells; i++)
		if (strcmp(report.cell[i].cell.suite, FIXTURE_RSA) == 0)
			report.cell[i].server.energy.idle_mwh *= 1.3;
	after = made_study(&w, &set);
	near(of_suite(&after, FIXTURE_RSA)->idle_w, (1 + 1 + 1.3) / 3, 1e-9);
	near(of_suite(&after, FIXTURE_ECDSA)->idle_w, (1 + 1 + 1.3) / 3, 1e-9);
	near(of_suite(&after, FIXTURE_RSA)->load_wh_per_day.mean -
		     of_suite(&after, FIXTURE_ECDSA)->load_wh_per_day.mean,
	     saved, 1e-9);
	for (size_t i = 0; i < report.cells; i++)
		if (strcmp(report.cell[i].cell.suite, FIXTURE_RSA) == 0)
			report.cell[i].server.energy.idle_mwh /= 1.3;
	solar_study_release(&before);
	solar_study_release(&after);
}

static void a_panel_that_was_given_has_its_battery(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;
	struct fail f = { 0 };

	(void)state;
	set.idle_w = 1;
	set.requests_per_day = 0;
	/* 1 W: 12 hours of night from the battery, less the thousandth that may be unmet; 6 Wp
	 * give 3 W by day. */
	set.panel_w = 6;
	s = made_study(&w, &set);
	near(s.design[0].panel_w, 6, 0);
	near(s.design[0].battery_wh, 12 - 0.001 * 24, 0.01);
	assert_true(s.design[0].year.lpsp <= 0.001);
	solar_study_release(&s);
	set.panel_w = 1; /* half of the load */
	assert_int_equal(solar_study_make(&s, &report, &w, &set, &f), -1);
	assert_non_null(strstr(f.text, "no battery behind a panel of 1 W"));
}

static void half_modelled_is_not_measured(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;

	(void)state;
	set.role = ROLE_BOTH;
	for (size_t i = 0; i < report.cells; i++)
		strcpy(report.cell[i].client.energy.source, "measured");
	s = made_study(&w, &set);
	assert_string_equal(s.design[0].source, "modelled");
	assert_string_equal(s.source, "modelled");
	for (size_t i = 0; i < report.cells; i++)
		strcpy(report.cell[i].client.energy.source, "modelled");
	solar_study_release(&s);
}

/* One cell measured: the others have no part in a saving, or in the idle power. */
static void sources_never_meet(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;

	(void)state;
	for (size_t i = 0; i < report.cells; i++)
		if (strcmp(report.cell[i].cell.suite, FIXTURE_RSA) == 0) {
			strcpy(report.cell[i].server.energy.source, "measured");
			report.cell[i].server.energy.idle_mwh *= 1.3;
		}
	s = made_study(&w, &set);
	assert_string_equal(s.source, "measured");
	assert_int_equal(s.designs, 1);
	assert_string_equal(s.design[0].suite, FIXTURE_RSA);
	assert_string_equal(s.design[0].source, "measured");
	near(s.design[0].idle_w, 1.3, 1e-9);
	assert_int_equal(s.lefts, 2);
	assert_non_null(strstr(s.left[0].reason, "its energy is modelled, not measured"));
	solar_study_release(&s);
	/* Chosen by themselves, the modelled ones are a study. */
	set.only = FIXTURE_ECDSA;
	s = made_study(&w, &set);
	assert_string_equal(s.source, "modelled");
	assert_string_equal(s.design[0].source, "modelled");
	solar_study_release(&s);
	for (size_t i = 0; i < report.cells; i++)
		if (strcmp(report.cell[i].cell.suite, FIXTURE_RSA) == 0) {
			strcpy(report.cell[i].server.energy.source, "modelled");
			report.cell[i].server.energy.idle_mwh /= 1.3;
		}
}

static void an_old_database_says_why_not(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;
	struct fail f = { 0 };
	int64_t kept[16];

	(void)state;
	for (size_t i = 0; i < report.cells; i++) {
		kept[i] = report.cell[i].requests_completed;
		report.cell[i].requests_completed = FIELD_UNKNOWN_INT;
	}
	assert_int_equal(solar_study_make(&s, &report, &w, &set, &f), -1);
	assert_non_null(strstr(f.text, "without counting completed requests; run it again"));
	for (size_t i = 0; i < report.cells; i++)
		report.cell[i].requests_completed = kept[i];
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_by_hand),
		cmocka_unit_test(another_load_is_carried_too),
		cmocka_unit_test(a_design_that_was_given_is_run),
		cmocka_unit_test(more_than_a_cell_did_is_refused),
		cmocka_unit_test(what_a_suite_saves),
		cmocka_unit_test(drift_of_idle_is_no_saving),
		cmocka_unit_test(a_panel_that_was_given_has_its_battery),
		cmocka_unit_test(half_modelled_is_not_measured),
		cmocka_unit_test(sources_never_meet),
		cmocka_unit_test(an_old_database_says_why_not),
	};

	return cmocka_run_group_tests_name("solar_design", tests, enter, leave);
}
