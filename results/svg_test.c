/* SPDX-License-Identifier: Apache-2.0 */
/* svg_test - bars are as long as their values, and text is only text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture_xml.h"
#include "results/html_text.h"
#include "results/svg.h"

#define BAR  "<rect class=\"bar"
#define SPOT "<circle class=\"spot"

static const char *drawn(struct buf *out, const struct svg_chart *c)
{
	struct fail f = { 0 };

	buf_clear(out);
	svg_bars(c, out);
	if (fixture_xml_check(buf_text(out), &f) < 0)
		fail_msg("%s", f.text);
	return buf_text(out);
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 0.002))
		fail_msg("%g is not %g", value, expected);
}

static struct interval bar(double mean, double lo, double hi)
{
	return (struct interval){ mean, lo, hi, 5 };
}

static void bars_are_proportional(void **state)
{
	struct svg_row rows[4] = {
		{ .label = "a" }, { .label = "b" }, { .label = "c" }, { .label = "d" }
	};
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "s" },
				     .row = rows,
				     .rows = 4 };
	struct buf out = { 0 };
	const char *text;

	(void)state;
	rows[0].bar[0] = bar(100, 90, 120);
	rows[1].bar[0] = bar(50, 50, 50);
	rows[2].bar[0] = bar(NAN, NAN, NAN);
	rows[3].bar[0] = bar(25, NAN, NAN);
	text = drawn(&out, &c);
	assert_int_equal(fixture_xml_count(text, BAR), 3); /* none for what is not known */
	assert_non_null(strstr(text, ">not known<"));
	near(fixture_xml_number(text, BAR, 0, "width"), SVG_PLOT_PCT * 100 / 120);
	near(fixture_xml_number(text, BAR, 1, "width"), SVG_PLOT_PCT * 50 / 120);
	near(fixture_xml_number(text, BAR, 2, "width"), SVG_PLOT_PCT * 25 / 120);
	assert_int_equal(fixture_xml_count(text, "<g class=\"whisker\""), 2);
	buf_release(&out);
}

static void whiskers_span_the_interval(void **state)
{
	struct svg_row row = { .label = "a" };
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "s" },
				     .row = &row,
				     .rows = 1 };
	struct buf out = { 0 };
	const char *whisker;

	(void)state;
	row.bar[0] = bar(100, 85, 125);
	whisker = strstr(drawn(&out, &c), "<g class=\"whisker\"");
	assert_non_null(whisker);
	near(fixture_xml_number(whisker, "<line", 0, "x1"), SVG_PLOT_PCT * 85 / 125);
	near(fixture_xml_number(whisker, "<line", 0, "x2"), SVG_PLOT_PCT);
	assert_non_null(strstr(whisker, ">100 (85 to 125)<"));
	buf_release(&out);
}

/* Zero is no end of an interval that was cut there. */
static void a_cut_whisker_has_one_end(void **state)
{
	struct svg_row row = { .label = "a" };
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "s" },
				     .row = &row,
				     .rows = 1 };
	struct buf out = { 0 };
	const char *whisker;

	(void)state;
	row.bar[0] = bar(50, 0, 125);
	whisker = strstr(drawn(&out, &c), "<g class=\"whisker\"");
	assert_non_null(whisker);
	near(fixture_xml_number(whisker, "<line", 0, "x1"), 0);
	near(fixture_xml_number(whisker, "<line", 1, "x1"), SVG_PLOT_PCT);
	assert_int_equal(fixture_xml_count(whisker, "<line"), 2);
	assert_non_null(strstr(whisker, ">50 (0 to 125)<"));
	buf_release(&out);
}

/*
 * Random values: longer, or further to the right, means more, and nothing leaves the plot. A
 * logarithmic axis has no zero that a bar could begin at.
 */
static void bars_are_monotone(void **state)
{
	struct svg_row rows[30];
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "s" },
				     .row = rows,
				     .rows = 30 };
	struct buf out = { 0 };

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		const char *text;

		memset(rows, 0, sizeof(rows));
		for (int i = 0; i < 30; i++) {
			double value = wide ? pow(1.5, (i * 7) % 30) : 10 + (i * 7) % 30;

			rows[i].bar[0] = bar(value, value * 0.9, value * 1.1);
		}
		text = drawn(&out, &c);
		assert_int_equal(strstr(text, "logarithmic axis") != NULL, wide);
		assert_int_equal(fixture_xml_count(text, BAR), wide ? 0 : 30);
		assert_int_equal(fixture_xml_count(text, SPOT), wide ? 30 : 0);
		for (int i = 0; i < 30; i++)
			for (int j = 0; j < 30; j++) {
				const char *mark = wide ? SPOT : BAR, *at = wide ? "cx" : "width";
				double a = fixture_xml_number(text, mark, i, at);
				double b = fixture_xml_number(text, mark, j, at);

				assert_true(a > 0 && a <= SVG_PLOT_PCT);
				assert_int_equal(rows[i].bar[0].mean < rows[j].bar[0].mean, a < b);
			}
	}
	buf_release(&out);
}

static void stacks_end_to_end(void **state)
{
	struct svg_row rows[2] = { { .label = "a" }, { .label = "b" } };
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "server", "client" },
				     .stacked = true,
				     .row = rows,
				     .rows = 2 };
	struct buf out = { 0 };
	const char *text;

	(void)state;
	rows[0].bar[0] = bar(3, NAN, NAN);
	rows[0].bar[1] = bar(1, NAN, NAN);
	rows[1].bar[0] = bar(0.01, NAN, NAN); /* however small: the axis stays linear */
	rows[1].bar[1] = bar(0.02, NAN, NAN);
	text = drawn(&out, &c);
	assert_null(strstr(text, "logarithmic"));
	near(fixture_xml_number(text, BAR, 0, "width"), SVG_PLOT_PCT * 3 / 4);
	near(fixture_xml_number(text, BAR, 1, "x"), SVG_PLOT_PCT * 3 / 4);
	near(fixture_xml_number(text, BAR, 1, "width"), SVG_PLOT_PCT / 4);
	near(fixture_xml_number(text, BAR, 0, "y"), fixture_xml_number(text, BAR, 1, "y"));
	near(fixture_xml_number(text, BAR, 2, "width"), SVG_PLOT_PCT * 0.01 / 4);
	assert_non_null(strstr(text, ">3.00 + 1.00<"));
	buf_release(&out);
}

static void rows_do_not_overlap(void **state)
{
	struct svg_row rows[3] = { { .label = "a", .detail = "x" },
				   { .label = "b" },
				   { .label = "c" } };
	const struct svg_chart c = { .id = "x",
				     .title = "T",
				     .unit = "U",
				     .description = "D",
				     .series = { "p50", "p95", "p99" },
				     .row = rows,
				     .rows = 3 };
	struct buf out = { 0 };
	double bottom = 0;
	const char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int s = 0; s < 3; s++)
			rows[i].bar[s] = bar(1 + s, NAN, NAN);
	text = drawn(&out, &c);
	assert_int_equal(fixture_xml_count(text, BAR), 9);
	for (int i = 0; i < 9; i++) {
		double y = fixture_xml_number(text, BAR, i, "y");

		assert_true(y >= bottom);
		bottom = y + fixture_xml_number(text, BAR, i, "height");
	}
	assert_true(bottom < fixture_xml_number(text, "<svg", 0, "height"));
	buf_release(&out);
}

static void text_is_only_text(void **state)
{
	struct svg_row row = { .label = "</text><script>x</script>", .detail = "a & \"b\" 'c'" };
	const struct svg_chart c = { .id = "x",
				     .title = "<b>",
				     .unit = "&",
				     .description = "</desc>",
				     .series = { "s" },
				     .row = &row,
				     .rows = 1 };
	struct buf out = { 0 };
	const char *text;

	(void)state;
	row.bar[0] = bar(1, NAN, NAN);
	text = drawn(&out, &c);
	assert_null(strstr(text, "<script"));
	assert_non_null(strstr(text, "&lt;script&gt;"));
	assert_non_null(strstr(text, "a &amp; &quot;b&quot; &#39;c&#39;"));
	assert_non_null(strstr(text, "&lt;b&gt;, &amp;</title>"));
	buf_clear(&out);
	html_text(
		&out,
		"\x01\xff\xc3(\xe2\x82\xac\xed\xa0\x80"); /* a control, not UTF-8, €, a surrogate */
	assert_string_equal(buf_text(&out), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd(€"
					    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	buf_clear(&out);
	html_suite(&out, "a:<b>:c");
	assert_string_equal(buf_text(&out), "a:<wbr/>&lt;b&gt;:<wbr/>c");
	buf_release(&out);
}

static void the_checker_checks(void **state)
{
	static const char *const bad[] = {
		"<a>",          "<a></b>",    "</a>",
		"<a b=c/>",     "a & b",      "a > b",
		"<a b=\"<\"/>", "<a b=\"x/>", "<a b=\"1\" b=\"2\"/>",
		"<>",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct fail f = { 0 };

		if (fixture_xml_check(bad[i], &f) == 0)
			fail_msg("%s", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checker_checks),
		cmocka_unit_test(bars_are_proportional),
		cmocka_unit_test(whiskers_span_the_interval),
		cmocka_unit_test(a_cut_whisker_has_one_end),
		cmocka_unit_test(bars_are_monotone),
		cmocka_unit_test(stacks_end_to_end),
		cmocka_unit_test(rows_do_not_overlap),
		cmocka_unit_test(text_is_only_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
