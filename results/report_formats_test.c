/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_formats_test - the formats for programs: every line reads back, all tell the same
 * figures, and JSON fits its schema.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/figure.h"
#include "results/fixture_schema.h"
#include "results/fixture_store.h"
#include "results/report.h"
#include "results/report_schema.h"
#include "results/report_tree.h"

#define NAME "a, b=\"c\" \\ | *d*"

static struct fixture_place here;
static int64_t campaign;

static int enter(void **state)
{
	struct fail f = { 0 };
	struct store *s;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	s = store_open(here.path, STORE_WRITE, &f);
	campaign = s ? fixture_fill(s, NAME, &f) : -1;
	store_close(s);
	return campaign > 0 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	return fixture_leave(&here);
}

static char *made(const char *format)
{
	struct fail f = { 0 };
	char *text = fixture_report(here.path, campaign, format, &f);

	if (!text)
		fail_msg("%s: %s", format, f.text);
	return text;
}

static json_t *schema(void)
{
	struct buf out = { 0 };
	json_error_t bad;
	json_t *tree;

	report_schema(&out);
	tree = json_loads(buf_text(&out), 0, &bad);
	if (!tree)
		fail_msg("%s", bad.text);
	buf_release(&out);
	return tree;
}

static void json_fits_its_schema(void **state)
{
	char *text = made("json");
	json_t *tree = json_loads(text, 0, NULL), *rules = schema();
	json_t *cell = json_array_get(json_object_get(tree, "cells"), 0);
	struct fail f = { 0 }, g = { 0 };

	(void)state;
	assert_non_null(tree);
	if (fixture_schema_check(rules, tree, &f) < 0)
		fail_msg("%s", f.text);
	/* And what does not fit is seen. */
	json_object_set_new(cell, "clients", json_string("many"));
	assert_int_equal(fixture_schema_check(rules, tree, &f), -1);
	json_object_set_new(cell, "clients", json_null());
	assert_int_equal(fixture_schema_check(rules, tree, &g), 0);
	json_object_del(json_object_get(cell, "server"), "energy");
	assert_int_equal(fixture_schema_check(rules, tree, &g), -1);
	assert_non_null(strstr(g.text, "server lacks energy"));
	json_decref(tree);
	json_decref(rules);
	free(text);
}

/* Unknown is null to programs and "not known" to people, never "". */
static void what_nobody_could_tell_is_null(void **state)
{
	static const struct field_part parts[] = { { "", node_fields, 0 }, { 0 } };
	const struct field *governor = node_fields;
	char *text = made("json"), *page = made("html"), shown[64];
	json_t *tree = json_loads(text, 0, NULL), *node;
	struct node n;

	(void)state;
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(tree, "cells"), 0),
						 "server_version")));
	assert_non_null(strstr(page, ">not known<"));
	fixture_node(&n, "server");
	n.governor[0] = '\0';
	node = report_tree(parts, &n);
	assert_true(json_is_null(json_object_get(node, "governor")));
	assert_string_equal(json_string_value(json_object_get(node, "board")), "rpi-4b");
	while (strcmp(governor->name, "governor") != 0)
		governor++;
	figure_field(governor, &n, shown, sizeof(shown));
	assert_string_equal(shown, "not known");
	json_decref(node);
	json_decref(tree);
	free(page);
	free(text);
}

static void ndjson_is_the_same_cells(void **state)
{
	char *text = made("json"), *lines = made("ndjson"), *save = NULL;
	json_t *tree = json_loads(text, 0, NULL), *cells = json_object_get(tree, "cells");
	size_t n = 0;

	(void)state;
	for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *one = json_loads(line, 0, NULL);

		assert_string_equal(json_string_value(json_object_get(one, "schema")),
				    "cipherwatt/1");
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(one, "campaign"), "name")),
				    NAME);
		json_object_del(one, "schema");
		json_object_del(one, "campaign");
		assert_true(json_equal(one, json_array_get(cells, n++)));
		json_decref(one);
	}
	assert_int_equal(n, json_array_size(cells));
	assert_int_equal(n, 4);
	json_decref(tree);
	free(text);
	free(lines);
}

/* The value of the n-th sample of a metric; NAN: there is none. */
static double sample(const char *text, const char *metric, int n)
{
	size_t len = strlen(metric);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		if (!strncmp(line, metric, len) && line[len] == '{' && n-- == 0)
			return strtod(strstr(line, "\"} ") + 3, NULL);
	return NAN;
}

static void near(double value, double expected)
{
	if (!(fabs(value / expected - 1) < 1e-9))
		fail_msg("%.12g is not %.12g", value, expected);
}

/* Fixture: 2 s windows, 4 trials; gross 6 J a trial; answers after 0.5 ms. */
static void prometheus_is_in_base_units(void **state)
{
	char *text = made("prometheus");

	(void)state;
	near(sample(text, "cipherwatt_server_energy_gross_joules", 0), 24);
	near(sample(text, "cipherwatt_window_seconds", 0), 8);
	near(sample(text, "cipherwatt_server_energy_requests_per_joule", 0), 2030 / 6.0);
	near(sample(text, "cipherwatt_server_energy_idle_drift_ratio", 0), 0.01);
	assert_true(fabs(sample(text, "cipherwatt_response_p50_seconds", 0) / 5e-4 - 1) < 1e-3);
	near(sample(text, "cipherwatt_server_requests_per_cpu_second", 1), 1000);
	free(text);
}

static void prometheus_is_well_formed(void **state)
{
	char *text = made("prometheus"), *save = NULL, family[128] = "";

	(void)state;
	assert_non_null(strstr(text, "{campaign=\"a, b=\\\"c\\\" \\\\ | *d*\",cell=\"plain"));
	assert_non_null(strstr(text, ",energy=\"modelled\"} "));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t len = strcspn(line, "{");

		if (!strncmp(line, "# TYPE ", 7)) {
			snprintf(family, sizeof(family), "%.*s", (int)strcspn(line + 7, " "),
				 line + 7);
			assert_string_equal(line + 7 + strlen(family), " gauge");
		} else if (*line != '#') {
			assert_int_equal(len, strlen(family));
			assert_memory_equal(line, family, len);
		}
	}
	free(text);
}

static void influx_escapes_and_types(void **state)
{
	char *text = made("influx");
	int lines = 0;

	(void)state;
	assert_true(text ==
		    strstr(text, "cipherwatt_cell,campaign=a\\,\\ b\\=\"c\"\\ \\\\ |\\ *d*,"));
	assert_non_null(strstr(text, ",payload_bytes=512,"));
	assert_non_null(strstr(text, " complete=false,trials=4i,"));
	assert_non_null(strstr(text, ",server.energy.source=\"modelled\","));
	assert_non_null(strstr(text, ",requests_per_s.mean=1015,"));
	for (const char *c = text; (c = strchr(c, '\n')); c++) {
		/* 2026-11-30T12:00:00Z */
		assert_memory_equal(c - 20, " 1796040000000000000", 20);
		lines++;
	}
	assert_int_equal(lines, 4);
	free(text);
}

/* An end of the value that is taken for an escape would join two tags; a raw blank would end them.
 */
static void influx_keeps_its_tags_apart(void **state)
{
	struct cell_summary cell = { .cell = { .name = "C:\\", .suite = "two\nlines" } };
	struct report r = { .cell = &cell, .cells = 1, .campaign.name = "at the end\\" };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(report_write_influx(&r, false, &out), 0);
	assert_non_null(strstr(buf_text(&out),
			       "cipherwatt_cell,campaign=at\\ the\\ end\\\\ ,name=C:"
			       "\\\\ ,suite=two\\ lines,"));
	buf_release(&out);
}

static void markdown_has_it_all(void **state)
{
	static const char *const words[] = {
		"# Campaign a, b=\"c\" \\\\ \\| \\*d\\*, 2026-",
		"**Not complete: ",
		"**Energy is modelled, not measured by a sensor.**",
		"\n## Speed\n\n| suite | ",
		" ---: |",
		"\n## Handshakes and energy (modelled)\n",
		"\n## Handshakes and their limits\n\n| server us | limit us | ",
		"\n\nCPU time of a full handshake with its request, and its limit",
		"\n## In words",
		"\n- With ",
		"\n## How it was measured\n\n- The campaign has 4 cells",
		"- \\[1\\] the load generator \\<may\\> have been",
		"block 3: throttled, at 80 \"C\" \\<b\\>&"
	};
	char *text = made("markdown");

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strstr(text, words[i]))
			fail_msg("no \"%s\" in %s", words[i], text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_fits_its_schema),
		cmocka_unit_test(what_nobody_could_tell_is_null),
		cmocka_unit_test(ndjson_is_the_same_cells),
		cmocka_unit_test(prometheus_is_in_base_units),
		cmocka_unit_test(prometheus_is_well_formed),
		cmocka_unit_test(influx_escapes_and_types),
		cmocka_unit_test(influx_keeps_its_tags_apart),
		cmocka_unit_test(markdown_has_it_all),
	};

	return cmocka_run_group_tests_name("report_formats", tests, enter, leave);
}
