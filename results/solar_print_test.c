/* SPDX-License-Identifier: Apache-2.0 */
/* solar_print_test - a study as people and programs read it. */
#include <jansson.h>

#include "results/report_html.h"
#include "results/solar_drive.h"

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

/* Four days hold no five in a row. */
static void a_short_file_has_no_worst_week(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct solar_study s;
	struct buf out = { 0 };

	(void)state;
	w.rows = 4 * 24;
	set.panel_w = 500;
	set.battery_wh = 1000;
	s = made_study(&w, &set);
	solar_write_text(&s, &out);
	assert_non_null(strstr(buf_text(&out), "worst 1, 3, 5, 7 days: "));
	assert_non_null(strstr(buf_text(&out), " n/a n/a (the file has 4.0 days)\n"));
	assert_null(strstr(buf_text(&out), "nan"));
	buf_clear(&out);
	report.solar = &s;
	report_html_solar(&report, &out);
	report.solar = NULL;
	assert_non_null(strstr(buf_text(&out), " n/a n/a (the file has 4.0 days). 86400 requests"));
	assert_null(strstr(buf_text(&out), "nan"));
	buf_release(&out);
	solar_study_release(&s);
}

/* What the user says is not what the cells say. */
static void an_idle_power_that_was_given_is_said(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();

	(void)state;
	for (int given = 0; given < 2; given++) {
		struct solar_study s;
		struct buf text = { 0 }, json = { 0 };
		json_t *root, *idle_w;

		set.idle_w = given ? 0.5 : NAN;
		s = made_study(&w, &set);
		solar_write_text(&s, &text);
		solar_write_json(&s, &json);
		root = json_loads(buf_text(&json), 0, NULL);
		idle_w = json_object_get(json_object_get(root, "settings"), "idle_w");
		assert_int_equal(strstr(buf_text(&text), "(--idle-w)") != NULL, given);
		assert_int_equal(json_is_null(idle_w), !given);
		assert_true(!given || json_number_value(idle_w) == 0.5);
		json_decref(root);
		buf_release(&text);
		buf_release(&json);
		solar_study_release(&s);
	}
}

/* A day of 86,400 requests is 0.05 to 1 Wh on top of 24: the idle power decides. */
static void an_idle_power_says_how_sure_it_is(void **state)
{
	struct weather w = made_weather();
	struct solar_settings set = made_settings();
	struct buf text = { 0 };
	struct solar_study s;
	char words[64];

	(void)state;
	s = made_study(&w, &set);
	solar_write_text(&s, &text);
	assert_true(s.design[0].uncertainty_pct > 0);
	assert_true(solar_idle_share(&s.design[0]) > 0.9 && solar_idle_share(&s.design[0]) < 1);
	assert_non_null(strstr(buf_text(&text), "Idle power is 9"));
	snprintf(words, sizeof(words), "is modelled, with a standard uncertainty of %.2g %%",
		 s.design[0].uncertainty_pct);
	assert_non_null(strstr(buf_text(&text), words));
	/* The cell of each row, and what the columns are. */
	assert_non_null(strstr(buf_text(&text), FIXTURE_RSA " identity "));
	assert_non_null(strstr(buf_text(&text), "gaps kept: the same with the weather"));
	solar_study_release(&s);
	set.idle_w = 0.5; /* whoever gives it knows how sure it is */
	buf_clear(&text);
	s = made_study(&w, &set);
	solar_write_text(&s, &text);
	assert_true(isnan(s.design[0].uncertainty_pct));
	assert_null(strstr(buf_text(&text), "standard uncertainty"));
	solar_study_release(&s);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_the_contracts_keys),
		cmocka_unit_test(a_short_file_has_no_worst_week),
		cmocka_unit_test(an_idle_power_that_was_given_is_said),
		cmocka_unit_test(an_idle_power_says_how_sure_it_is),
	};

	return cmocka_run_group_tests_name("solar_print", tests, enter, leave);
}
