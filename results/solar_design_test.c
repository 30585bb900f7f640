/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solar_design_test - the made-up campaign's cells as loads, under a sky that is the same every
 * day: what a suite needs can be worked out by hand.
 */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture_store.h"
#include "results/solar_design.h"

#define DAYS  365
#define HOURS (DAYS * 24)

static struct fixture_place here;
static struct store *store;
static struct report report;
static struct weather_row sky[HOURS];

/* 500 W/m2 from 6 to 18 o'clock, 20 degrees, at longitude 0. */
static struct weather made_weather(void)
{
	for (int64_t i = 0; i < HOURS; i++)
		sky[i] = (struct weather_row){ i * 3600,
					       i * 3600 + 1800,
					       i % 24 >= 6 && i % 24 < 18 ? 500 : 0,
					       NAN,
					       NAN,
					       NAN,
					       20,
					       NAN,
					       NAN,
					       0 };
	return (struct weather){ .row = sky,
				 .rows = HOURS,
				 .step_s = 3600,
				 .format = "made",
				 .typical = true,
				 .latitude_deg = 45,
				 .longitude_deg = 0 };
}

static struct solar_settings made_settings(void)
{
	struct solar_settings s = {
		.system = { .panel = { .azimuth_deg = 180, .derate = 1, .noct_c = 45 },
			    .battery = { .charge = 1, .discharge = 1 },
			    .controller = { .efficiency = 1 },
			    .converter = 1 },
		.rules = { .autonomy_days = 3, .margin = 1, .performance = 1, .lpsp_max = 0.001 },
		.requests_per_day = 86400,
		.idle_w = NAN,
	};
	struct fail f = { 0 };

	assert_int_equal(solar_profile("flat", s.share, &f), 0);
	return s;
}

static int enter(void **state)
{
	struct fail f = { 0 };
	int64_t id;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	store = store_open(here.path, STORE_WRITE, &f);
	id = store ? fixture_fill(store, "made-up", &f) : -1;
	if (id < 0 || report_load(store, id, &report, &f) < 0)
		fail_msg("%s", f.text);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	report_release(&report);
	store_close(store);
	return fixture_leave(&here);
}

static void near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g, expected %.9g within %.3g", value, expected, within);
}

static const struct solar_design *of_suite(const struct solar_study *s, const char *suite)
{
	for (size_t i = 0; i < s->designs; i++)
		if (strcmp(s->design[i].suite, suite) == 0)
			return &s->design[i];
	fail_msg("no design of %s", suite);
	return NULL;
}

static struct solar_study made_study(const struct weather *w, const struct solar_settings *set)
{
	struct solar_study s;
	struct fail f = { 0 };

	if (solar_study_make(&s, &report, w, set, &f) < 0)
		fail_msg("%s", f.text);
	return s;
}

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

static void json_has_the_contracts_keys(void **state)
{
	static const char *const keys[] = {
		"suite",      "load_wh_per_day",  "panel_w", "battery_wh", "lolp",
		"hours_lost", "longest_outage_h", "monthly", "quality"
	};
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s = made_study(&w, &set);
	struct buf out = { 0 };
	json_error_t error;
	json_t *root, *design;

	(void)state;
	assert_int_equal(solar_write_json(&s, &out), 0);
	root = json_loads(buf_text(&out), 0, &error);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "designs")), 3);
	design = json_array_get(json_object_get(root, "designs"), 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_non_null(json_object_get(design, keys[i]));
	assert_int_equal(json_array_size(json_object_get(design, "monthly")), 12);
	near(json_number_value(json_object_get(design, "panel_w")), s.design[1].panel_w, 1e-9);
	near(json_number_value(json_object_get(design, "load_wh_per_day")),
	     s.design[1].load_wh_per_day.mean, 1e-9);
	assert_string_equal(json_string_value(json_object_get(root, "energy")), "modelled");
	json_decref(root);
	buf_clear(&out);
	solar_write_text(&s, &out);
	assert_non_null(strstr(buf_text(&out), "on modelled energy of campaign made-up"));
	/* The made-up campaign was never ended. */
	assert_non_null(strstr(buf_text(&out), "NOT COMPLETE"));
	report.campaign.complete = true;
	buf_clear(&out);
	solar_write_text(&s, &out);
	report.campaign.complete = false;
	assert_null(strstr(buf_text(&out), "NOT COMPLETE"));
	buf_release(&out);
	solar_study_release(&s);
}

static void profiles(void **state)
{
	double share[24];
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(solar_profile("day", share, &f), 0);
	near(share[7], 0, 0);
	near(share[8], 0.1, 1e-12);
	assert_int_equal(
		solar_profile("0,0,0,0,0,0,0,0,0,0,0,0,3,1,0,0,0,0,0,0,0,0,0,0", share, &f), 0);
	near(share[12], 0.75, 1e-12);
	assert_int_equal(solar_profile("1,2,3", share, &f), -1);
	assert_non_null(strstr(f.text, "3 shares; expected 24"));
	f = (struct fail){ 0 };
	assert_int_equal(solar_profile("night", share, &f), -1);
	assert_non_null(strstr(f.text, "there is no \"night\"; expected flat"));
	f = (struct fail){ 0 };
	assert_int_equal(
		solar_profile("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", share, &f), -1);
	assert_non_null(strstr(f.text, "24 shares of nothing"));
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
		cmocka_unit_test(json_has_the_contracts_keys),
		cmocka_unit_test(profiles),
	};

	return cmocka_run_group_tests_name("solar_design", tests, enter, leave);
}
