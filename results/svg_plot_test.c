/* SPDX-License-Identifier: Apache-2.0 */
/* svg_plot_test - points stand where their values are, on straight and on logarithmic axes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture_xml.h"
#include "results/report_plot.h"

#define DOT "<circle class=\"dot"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

static char *drawn(struct svg_plot *p)
{
	struct buf out = { 0 };
	struct fail f = { 0 };
	char *text;

	report_plot(p, "modelled", &out);
	text = strdup(buf_text(&out));
	buf_release(&out);
	if (fixture_xml_check(text, &f) < 0)
		fail_msg("%s", f.text);
	return text;
}

static void straight_axes(void **state)
{
	const struct svg_point point[] = { { 2, 40, 30, 50, "" }, { 10, 80, NAN, NAN, "x<y" } };
	const struct svg_series series[] = { { "one & only", point, 2, true, false, false } };
	struct svg_plot p = { .id = "id",
			      .title = "title",
			      .description = "words",
			      .x = { .title = "x" },
			      .y = { .title = "y" },
			      .series = series,
			      .count = 1,
			      .band_from = 4,
			      .band_to = 6 };
	char *text = drawn(&p);

	(void)state;
	/* The axes end 5 % behind the largest: 10.5 and 84. */
	near(fixture_xml_number(text, DOT, 0, "cx"), 12 + 84 * 2 / 10.5, 0.01);
	near(fixture_xml_number(text, DOT, 1, "cx"), 12 + 84 * 10 / 10.5, 0.01);
	near(fixture_xml_number(text, DOT, 0, "cy"), 250 - 240 * 40.0 / 84, 0.01);
	near(fixture_xml_number(text, DOT, 1, "cy"), 250 - 240 * 80.0 / 84, 0.01);
	near(fixture_xml_number(text, "<rect class=\"band\"", 0, "x"), 12 + 84 * 4 / 10.5, 0.01);
	near(fixture_xml_number(text, "<rect class=\"band\"", 0, "width"), 84 * 2 / 10.5, 0.01);
	assert_int_equal(fixture_xml_count(text, "<g class=\"whisker\">"), 1);
	assert_int_equal(fixture_xml_count(text, "<line class=\"line"), 1);
	assert_non_null(strstr(text, "x&lt;y</text>"));
	assert_non_null(strstr(text, "<span class=\"badge\">modelled</span></h3>"));
	assert_non_null(strstr(text, "<td class=\"n\">10</td><td class=\"n\">80.0</td>"));
	assert_null(strstr(text, "logarithmic"));
	assert_null(strstr(text, "Not drawn"));
	free(text);
}

static void logarithmic_axes(void **state)
{
	const struct svg_point point[] = { { 512, 1, NAN, NAN, "" },
					   { 131072, 1000, NAN, NAN, "" } };
	const struct svg_series series[] = { { "s", point, 2, false, true, false } };
	struct svg_plot p = { .id = "id",
			      .title = "t",
			      .description = "d",
			      .x = { .title = "size", .bytes = true, .columns = true },
			      .y = { .title = "mJ" },
			      .series = series,
			      .count = 1 };
	char *text = drawn(&p);
	double whole = log(1000 * 1.15 * 1.15);

	(void)state;
	near(fixture_xml_number(text, DOT, 0, "cy"), 250 - 240 * log(1.15) / whole, 0.01);
	near(fixture_xml_number(text, DOT, 1, "cy"), 250 - 240 * log(1150) / whole, 0.01);
	assert_non_null(strstr(text, "size (logarithmic)"));
	assert_non_null(strstr(text, ">512 B</text>"));
	assert_non_null(strstr(text, ">128 KiB</text>"));
	assert_non_null(strstr(text, "mJ (logarithmic axis)"));
	assert_non_null(strstr(text, "class=\"dot c0 hollow\""));
	assert_int_equal(fixture_xml_count(text, "<line class=\"line"), 0);
	free(text);
}

static void labels_do_not_lie_upon_each_other(void **state)
{
	const struct svg_point points[4][1] = { { { 1, 50, NAN, NAN, "a, 128 bits" } },
						{ { 1.02, 50.2, NAN, NAN, "b, 128 bits" } },
						{ { 1.01, 49.9, NAN, NAN, "c, 128 bits" } },
						{ { 10, 0, NAN, NAN, "d, 128 bits" } } };
	/* To the right of the one and to the left of the other is the same place. */
	const struct svg_point facing[2][1] = { { { 7, 50, NAN, NAN, "a, 128 bits" } },
						{ { 10, 49.5, NAN, NAN, "b, 128 bits" } } };
	struct svg_series series[4] = {
		{ .points = 1 }, { .points = 1 }, { .points = 1 }, { .points = 1 }
	};
	struct svg_plot p = { .id = "id",
			      .title = "t",
			      .description = "d",
			      .x = { .title = "ms" },
			      .y = { .title = "mJ" },
			      .series = series,
			      .count = 4 };
	double y[4];
	char *text;

	(void)state;
	for (int i = 0; i < 4; i++)
		series[i].point = points[i];
	text = drawn(&p);
	for (int i = 0; i < 4; i++)
		y[i] = fixture_xml_number(text, "<text class=\"letter\"", i, "y");
	assert_true(y[1] - y[0] >= 12 && y[2] - y[1] >= 12); /* from the top */
	assert_true(y[3] <= SVG_PLOT_TOP + SVG_PLOT_HEIGHT + 4);
	/* At the right edge it is to the left of its point. */
	assert_int_equal(fixture_xml_count(text, "<text class=\"letter\""), 4);
	assert_non_null(strstr(text, "text-anchor=\"end\">d, 128 bits</text>"));
	assert_null(strstr(text, "text-anchor=\"end\">a, 128 bits</text>"));
	free(text);
	p.count = 2;
	for (int i = 0; i < 2; i++)
		series[i].point = facing[i];
	text = drawn(&p);
	for (int i = 0; i < 2; i++)
		y[i] = fixture_xml_number(text, "<text class=\"letter\"", i, "y");
	assert_true(y[1] - y[0] >= 12);
	free(text);
}

/* Three lines that end at one place have three letters to be read. */
static void letters_at_ends_of_lines_are_apart(void **state)
{
	const struct svg_point points[3][2] = {
		{ { 1, 5, NAN, NAN, "" }, { 2, 0.1, NAN, NAN, "" } },
		{ { 1, 6, NAN, NAN, "" }, { 2, 0.1, NAN, NAN, "" } },
		{ { 1, 7, NAN, NAN, "" }, { 2, 0, NAN, NAN, "" } }
	};
	struct svg_series series[3] = { { .points = 2, .line = true },
					{ .points = 2, .line = true },
					{ .points = 2, .line = true } };
	struct svg_plot p = { .id = "id",
			      .title = "t",
			      .description = "d",
			      .x = { .title = "x" },
			      .y = { .title = "y", .linear = true },
			      .series = series,
			      .count = 3 };
	double y[3];
	char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		series[i].point = points[i];
	text = drawn(&p);
	for (int i = 0; i < 3; i++)
		y[i] = fixture_xml_number(text, "<text class=\"letter\"", i, "y");
	assert_true(y[1] - y[0] >= 12 && y[2] - y[1] >= 12);
	assert_true(y[2] <= SVG_PLOT_TOP + SVG_PLOT_HEIGHT + 4);
	free(text);
}

static void numbers_behind_a_plot_are_rounded(void **state)
{
	const struct svg_point point[] = { { 65.847291834, 3.14159265, NAN, NAN, "" },
					   { 131072, 2, NAN, NAN, "" } };
	const struct svg_series series[] = { { .name = "s", .point = point, .points = 2 } };
	struct svg_plot p = { .id = "id",
			      .title = "t",
			      .description = "d",
			      .x = { .title = "ms" },
			      .y = { .title = "mJ" },
			      .series = series,
			      .count = 1 };
	char *text = drawn(&p);

	(void)state;
	assert_non_null(strstr(text, "<td class=\"n\">65.8</td><td class=\"n\">3.14</td>"));
	assert_non_null(strstr(text, "<td class=\"n\">131072</td>"));
	free(text);
}

static void times_before_the_window(void **state)
{
	const struct svg_point point[] = { { -2, 3, NAN, NAN, "" },
					   { 0, NAN, NAN, NAN, "" },
					   { 8, 4, NAN, NAN, "" } };
	const struct svg_series series[] = { { "s", point, 3, true, false, true } };
	struct svg_plot p = { .id = "id",
			      .title = "t",
			      .description = "d",
			      .x = { .title = "s" },
			      .y = { .title = "W" },
			      .series = series,
			      .count = 1 };
	char *text = drawn(&p);

	(void)state;
	/* From -2 to 8.4; no dots, and what is not known is left out. */
	assert_int_equal(fixture_xml_count(text, DOT), 0);
	assert_int_equal(fixture_xml_count(text, "<line class=\"line"), 1);
	near(fixture_xml_number(text, "<line class=\"line", 0, "x1"), 12, 0.01);
	near(fixture_xml_number(text, "<line class=\"line", 0, "x2"), 12 + 84 * 10 / 10.4, 0.01);
	assert_non_null(strstr(text, ">-2</text>"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_axes),
		cmocka_unit_test(logarithmic_axes),
		cmocka_unit_test(labels_do_not_lie_upon_each_other),
		cmocka_unit_test(letters_at_ends_of_lines_are_apart),
		cmocka_unit_test(numbers_behind_a_plot_are_rounded),
		cmocka_unit_test(times_before_the_window),
	};

	return cmocka_run_group_tests_name("svg_plot", tests, NULL, NULL);
}
