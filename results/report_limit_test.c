/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_limit_test - a handshake's CPU time beside its limit, from trials to the tables;
 * settings as people read them; and percentiles that another load generator told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "results/fixture.h"
#include "results/report.h"
#include "results/report_html.h"

static struct summary_tools tools;

/* 1000 requests of 200 us on the server and 100 us on the client, with a limit on both. */
static struct cell_summary summarise(const char *suite, const char *connection, double server_us,
				     double client_us)
{
	struct cell_summary s;
	struct cell c;
	struct trial t;

	fixture_cell(&c, suite, 128, "identity");
	strcpy(c.connection, connection);
	assert_int_equal(summary_init(&s, &c, &tools), 0);
	assert_int_equal(trial_init(&t), 0);
	fixture_trial(&t, 0, 1000, 200000, 900);
	t.server.limit_us = server_us;
	t.client.limit_us = client_us;
	summary_limit_add(&s, &t);
	s.valid_trials = 1;
	s.requests_completed = t.requests_completed;
	s.server.cpu_s = (double)t.server.cpu_ns / 1e9;
	s.client.cpu_s = (double)t.client.cpu_ns / 1e9;
	summary_limit_finish(&s);
	trial_release(&t);
	return s;
}

static void a_full_handshake_has_its_limit_beside_it(void **state)
{
	struct cell_summary s = summarise("tls", "full", 80, 40);

	(void)state;
	assert_true(fabs(s.server.handshake_cpu_us - 200) < 1e-9);
	assert_true(fabs(s.client.handshake_cpu_us - 100) < 1e-9);
	assert_true(s.server.limit_us == 80);
	assert_true(s.client.limit_us == 40);
	summary_release(&s);
}

static void where_no_request_has_its_own_there_is_none(void **state)
{
	static const char *const cells[][2] = { { "tls", "keepalive" },
						{ "tls", "resume" },
						{ "plain", "full" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct cell_summary s = summarise(cells[i][0], cells[i][1], 80, 40);

		assert_true(isnan(s.server.handshake_cpu_us));
		assert_true(isnan(s.server.limit_us));
		assert_true(isnan(s.client.limit_us));
		summary_release(&s);
	}
}

static void a_limit_that_is_not_known_stays_so(void **state)
{
	struct cell_summary s = summarise("tls", "full", NAN, 40);

	(void)state;
	assert_true(isnan(s.server.limit_us));
	assert_true(fabs(s.server.handshake_cpu_us - 200) < 1e-9);
	assert_true(s.client.limit_us == 40);
	summary_release(&s);
}

static void the_table_has_a_line_for_each_cell_with_one(void **state)
{
	struct cell_summary cells[] = { summarise("plain", "full", 80, 40),
					summarise("tls", "full", 80, NAN) };
	struct report r = { .cell = cells, .cells = 2 };
	struct buf text = { 0 }, page = { 0 };
	struct table table;

	(void)state;
	assert_true(report_has_limits(&r));
	assert_int_equal(report_limits_table(&r, &table), 0);
	table_put(&table, table_print, &text);
	table_release(&table);
	report_limits_html(&r, &page);
	assert_non_null(strstr(buf_text(&text), "      200      80.0   2.50        100         -"
						"      -  tls\n"));
	assert_null(strstr(buf_text(&text), "plain"));
	assert_non_null(
		strstr(buf_text(&page), "<td class=\"n\">80.0</td><td class=\"n\">2.50</td>"));
	assert_null(strstr(buf_text(&page), "plain"));
	r.cells = 1;
	assert_false(report_has_limits(&r));
	buf_release(&text);
	buf_release(&page);
	summary_release(&cells[0]);
	summary_release(&cells[1]);
}

static void settings_are_words(void **state)
{
	struct cell c = { .settings = "{\"http\":\"2\",\"streams\":8,\"rate_per_s\":2.5}" };
	char text[192], little[12];

	(void)state;
	report_settings(&c, NULL, text, sizeof(text));
	assert_string_equal(text, "http 2, streams 8, rate_per_s 2.5");
	report_settings(&c, NULL, little, sizeof(little));
	assert_string_equal(little, "http 2, str");
	c.settings[0] = '\0';
	report_settings(&c, NULL, text, sizeof(text));
	assert_string_equal(text, "");
}

/* In a column stand those in which cells differ; what they have in common is said once. */
static void settings_of_all_cells_are_said_once(void **state)
{
	struct cell_summary cells[] = {
		{ .cell.settings = "{\"http\":\"2\",\"streams\":8,\"count\":20}" },
		{ .cell.settings = "{\"http\":\"2\",\"streams\":1,\"count\":20,\"rate\":3}" },
		{ .cell.settings = "{\"http\":\"2\",\"count\":20}" },
	};
	struct report r = { .cell = cells, .cells = 3 };
	const struct field *settings = cell_fields;
	char text[192];

	(void)state;
	while (strcmp(settings->name, "settings") != 0)
		settings++;
	r.same_settings = report_same_settings(&r);
	report_settings_in_common(&r, text, sizeof(text));
	assert_string_equal(text, ""); /* they do not differ as far as the report knows */
	r.varying[0] = settings;
	report_settings_in_common(&r, text, sizeof(text));
	assert_string_equal(text, "http 2, count 20");
	report_difference(&r, settings, &cells[1].cell, text, sizeof(text));
	assert_string_equal(text, "streams 1, rate 3");
	report_difference(&r, settings, &cells[2].cell, text, sizeof(text));
	assert_string_equal(text, "");
	report_dimension(settings, &cells[2].cell, text, sizeof(text));
	assert_string_equal(text, "http 2, count 20");
	json_decref(r.same_settings);
}

static void a_drivers_percentiles_bear_its_name(void **state)
{
	static const struct {
		const char *figures, *want;
		double own_us;
	} rows[] = {
		{ "", "12.0", 12000 },
		{ "", "-", NAN },
		{ "{\"driver\":\"ab\",\"response_us\":{\"p99\":3400.0}}", "3.40 (ab)", NAN },
		{ "{\"driver\":\"wrk\",\"response_us\":{\"p99\":null},"
		  "\"service_us\":{\"p99\":450.0}}",
		  "0.450 (wrk)", NAN },
		{ "{\"driver\":\"h2load\",\"response_us\":null,\"service_us\":null}", "-", NAN },
	};
	struct cell_summary c = { 0 };
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		strcpy(c.driver_figures, rows[i].figures);
		report_percentile(&c, "p99", rows[i].own_us, text, sizeof(text));
		assert_string_equal(text, rows[i].want);
	}
}

static void they_stand_in_the_pages_table(void **state)
{
	struct cell_summary c = { .trials = 1, .valid_trials = 1 };
	struct report r = { .cell = &c, .cells = 1 };
	struct buf page = { 0 };

	(void)state;
	strcpy(c.driver_figures, "{\"driver\":\"wrk\",\"service_us\":{\"p50\":1,\"p99\":450.0}}");
	c.response.p50 = 12000;
	c.response.p99 = NAN;
	report_html_overview(&r, &page);
	assert_non_null(strstr(buf_text(&page), "<td class=\"n\">12.0</td><td class=\"n\">0.450 "
						"(wrk)</td>"));
	assert_null(strstr(buf_text(&page), "&lt;"));
	buf_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_handshake_has_its_limit_beside_it),
		cmocka_unit_test(where_no_request_has_its_own_there_is_none),
		cmocka_unit_test(a_limit_that_is_not_known_stays_so),
		cmocka_unit_test(the_table_has_a_line_for_each_cell_with_one),
		cmocka_unit_test(settings_are_words),
		cmocka_unit_test(settings_of_all_cells_are_said_once),
		cmocka_unit_test(a_drivers_percentiles_bear_its_name),
		cmocka_unit_test(they_stand_in_the_pages_table),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	summary_tools_release(&tools);
	return failed;
}
