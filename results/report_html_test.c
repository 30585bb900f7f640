/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_html_test - the page is well-formed, loads nothing, says what is modelled, and its
 * charts show what its tables say.
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

#include "results/fixture_store.h"
#include "results/fixture_xml.h"

#define NAME "<script>alert(\"1\")</script> & <b>"

static struct fixture_place here;
static char *page;

static char *make(const char *name, bool complete, const char *client_source)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t id = s ? fixture_fill(s, name, &f) : -1;
	struct cell c;
	struct trial t;
	char *text;

	fixture_cell(&c, "plain", 0, "gzip:1");
	if (id < 0 || trial_init(&t) < 0)
		fail_msg("%s", f.text);
	fixture_trial(&t, 0, 500, 1000, 10);
	strcpy(t.server.energy_source, "measured");
	strcpy(t.client.energy_source, client_source);
	assert_true(store_add_trial(s, store_add_cell(s, id, &c, &f), &t, NULL, 0, &f) > 0);
	trial_release(&t);
	assert_true(!complete || store_complete_campaign(s, id, &f) == 0);
	store_close(s);
	text = fixture_report(here.path, id, "html", &f);
	if (!text)
		fail_msg("%s", f.text);
	return text;
}

static int enter(void **state)
{
	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	page = make(NAME, false, "modelled");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	free(page);
	return fixture_leave(&here);
}

static void page_is_well_formed(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (fixture_xml_check(page, &f) < 0)
		fail_msg("%s", f.text);
}

static void nothing_is_loaded(void **state)
{
	static const char *const words[] = { "http://", "https://", "<script", "src=",   "url(",
					     "@import", "<link",    "<img",    "<iframe" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(page, words[i]))
			fail_msg("the page has %s", words[i]);
	assert_non_null(strstr(page, "default-src 'none'"));
}

static void texts_are_escaped(void **state)
{
	(void)state;
	assert_non_null(strstr(page, "<h1>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; "
				     "&lt;b&gt;</h1>"));
	assert_non_null(strstr(page, "throttled, at 80 &quot;C&quot; &lt;b&gt;&amp;"));
}

static char *figure(const char *id)
{
	char begin[64];
	const char *from, *to;

	snprintf(begin, sizeof(begin), "<figure id=\"%s\">", id);
	from = strstr(page, begin);
	to = from ? strstr(from, "</figure>") : NULL;
	return to ? strndup(from, (size_t)(to - from)) : NULL;
}

static char *section(const char *id)
{
	char begin[64];
	const char *from, *to;

	snprintf(begin, sizeof(begin), "<section id=\"%s\">", id);
	from = strstr(page, begin);
	to = from ? strstr(from, "</section>") : NULL;
	if (!to)
		fail_msg("no section %s", id);
	return strndup(from, (size_t)(to - from));
}

static int occurrences(const char *word)
{
	int n = 0;

	for (const char *at = page; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void notes_stand_beside_the_figures(void **state)
{
	char *chart = figure("rate");

	(void)state;
	assert_int_equal(occurrences("<span class=\"badge\">load-limited</span>"), 1);
	assert_int_equal(fixture_xml_count(chart, ", load-limited</text>"), 1);
	free(chart);
	assert_int_equal(occurrences("4 of 4 <a href=\"#notes\">[1,2]</a>"), 1);
	assert_non_null(strstr(page, "<section id=\"notes\">"));
	assert_non_null(strstr(page, "[1] the load generator &lt;may&gt; have been the limit:"
				     "<wbr/> 2 trials, first in block 2 of "));
}

/* In the table of figures too, at requests per mWh and at mJ per request. */
static void modelled_figures_say_so(void **state)
{
	char *figures = section("figures");

	(void)state;
	assert_int_equal(fixture_xml_count(figures, "<span class=\"badge\">modelled</span>"), 8);
	free(figures);
}

/* A median of measured and modelled figures would be of neither. */
static void uncertainty_has_a_row_for_each_source(void **state)
{
	static const char part[] = "<td>server</td><td>gross energy: standard uncertainty of "
				   "instrument or model%s</td>";
	char *budget = section("budget"), row[160];

	(void)state;
	snprintf(row, sizeof(row), part, "");
	assert_int_equal(fixture_xml_count(budget, row), 1);
	snprintf(row, sizeof(row), part, " <span class=\"badge\">modelled</span>");
	assert_int_equal(fixture_xml_count(budget, row), 1);
	/* On each side five parts are of energy. */
	assert_int_equal(fixture_xml_count(budget, "<span class=\"badge\">modelled</span>"), 10);
	assert_null(strstr(budget, "synthetic"));
	free(budget);
}

static void it_fits_its_reader(void **state)
{
	(void)state;
	assert_non_null(strstr(page, "prefers-color-scheme:dark"));
	assert_non_null(strstr(page, "@media print"));
	assert_non_null(strstr(page, "width=device-width"));
	assert_non_null(strstr(page, "complete: false"));
	assert_int_equal(fixture_xml_count(page, "<svg role=\"img\""), 9);
	assert_int_equal(fixture_xml_count(page, "<title id="), 9);
	assert_int_equal(fixture_xml_count(page, "<desc id="), 9);
}

/* By ear, by keys, on a phone. */
static void it_can_be_walked_through(void **state)
{
	char *figures = section("figures");

	(void)state;
	assert_int_equal(occurrences("<main>"), 1);
	assert_int_equal(occurrences("</main>\n<footer>"), 1);
	assert_int_equal(occurrences("<th "), occurrences("<th scope="));
	assert_int_equal(occurrences("<th>"), 0);
	assert_int_equal(occurrences("></th>"), 0);
	assert_true(occurrences("<div class=\"wide\"") > 6);
	assert_int_equal(occurrences("<div class=\"wide\""),
			 occurrences("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
				     "aria-label=\""));
	assert_int_equal(occurrences("<summary>Table</summary>"), 0);
	assert_int_equal(occurrences("<summary>Table: Response time</summary>"), 1);
	assert_int_equal(occurrences("<summary>Table: Requests per mWh of the server (modelled)<"),
			 1);
	assert_true(strstr(figures, ">requests/s<") < strstr(figures, ">requests / mWh<"));
	assert_true(strstr(figures, ">requests / mWh<") < strstr(figures, ">encoding<"));
	free(figures);
}

/* Measured and modelled energy never share a chart, and a model is called so. */
static void energies_are_kept_apart(void **state)
{
	char *measured = figure("mwh-measured"), *modelled = figure("mwh-modelled");
	char *stack = figure("mj-modelled");

	(void)state;
	assert_non_null(measured);
	assert_non_null(modelled);
	assert_non_null(stack);
	assert_int_equal(fixture_xml_count(measured, "<rect class=\"bar"), 1);
	assert_int_equal(fixture_xml_count(modelled, "<circle class=\"spot"), 4);
	assert_int_equal(fixture_xml_count(stack, "<rect class=\"bar"), 8);
	assert_null(figure("mj-measured")); /* its client is modelled: that is no sum */
	assert_null(strstr(measured, "modelled"));
	assert_non_null(strstr(modelled, "<span class=\"badge\">modelled</span></h3>"));
	assert_non_null(strstr(modelled, "(modelled), requests per mWh"));
	assert_non_null(strstr(page, "Energy is modelled and measured: each figure says which"));
	free(measured);
	free(modelled);
	free(stack);
}

/* The n-th number in the table behind a chart. */
static double table_number(const char *chart, int n)
{
	const char *at = strstr(chart, "<tbody>");

	for (at = strstr(at, "<td class=\"n\">"); at && n; n--)
		at = strstr(at + 1, "<td class=\"n\">");
	return at ? strtod(at + strlen("<td class=\"n\">"), NULL) : NAN;
}

/* Per server CPU second: 20000, 1000, 4000, 4000, and 1000000 of the measured cell. */
static void charts_agree_with_their_tables(void **state)
{
	static const double expected[] = { 20000, 1000, 4000, 4000, 1e6 };
	char *chart = figure("cpu");
	const char *spot = "<circle class=\"spot";

	(void)state;
	assert_non_null(chart);
	assert_int_equal(fixture_xml_count(chart, spot), 5);
	assert_int_equal(fixture_xml_count(chart, "<rect class=\"bar"), 0);
	assert_non_null(strstr(chart, "logarithmic axis"));
	for (int i = 0; i < 5; i++) {
		double share = log10(expected[i] / 100) / log10(1e6 / 100);

		assert_true(table_number(chart, 3 * i) == expected[i]); /* mean, from, to */
		assert_true(fabs(fixture_xml_number(chart, spot, i, "cx") - 68 * share) < 0.01);
	}
	free(chart);
}

/* A handshake takes half of the fixture's latency and a request behind it nine tenths. */
static void a_request_is_behind_its_handshake(void **state)
{
	static const double latency_ms[] = { 0.5, 10, 3, 3 }; /* plain, RSA, ECDSA twice */
	char *chart = figure("times");

	(void)state;
	assert_non_null(chart);
	for (int i = 0; i < 4; i++) {
		/* Of both: p50, from, to. */
		double handshake = table_number(chart, 6 * i);
		double request = table_number(chart, 6 * i + 3);

		assert_true(fabs(handshake / latency_ms[i] - 0.5) < 0.01);
		assert_true(fabs(request / latency_ms[i] - 0.9) < 0.01);
	}
	assert_non_null(strstr(chart, "service time"));
	free(chart);
}

/* Two trials of one cell that have nothing in common: intervals over them reach below zero. */
static int64_t add_unequal(struct store *s, struct fail *f)
{
	struct campaign c;
	struct cell cell;
	struct trial t;
	int64_t id, at;

	fixture_campaign(&c);
	id = store_add_campaign(s, &c, f);
	fixture_cell(&cell, FIXTURE_ECDSA, 128, "identity");
	at = store_add_cell(s, id, &cell, f);
	assert_int_equal(trial_init(&t), 0);
	for (int64_t block = 0; block < 2; block++) {
		fixture_trial(&t, block, block ? 1000 : 50, 1000, block ? 1000 : 50000);
		assert_true(store_add_trial(s, at, &t, NULL, 0, f) > 0);
	}
	trial_release(&t);
	return id;
}

static void no_interval_is_below_zero(void **state)
{
	static const char *const formats[] = { "html", "text", "markdown" };
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t id = add_unequal(s, &f);
	char *whole;

	(void)state;
	store_close(s);
	for (int i = 0; i < 3; i++) {
		char *all;

		whole = fixture_report(here.path, id, formats[i], &f);
		if (!strstr(whole, "it reaches zero and"))
			fail_msg("%s does not say it", formats[i]);
		all = strstr(whole, "<section id=\"all\">"); /* drifts are there too */
		if (all)
			*all = '\0';
		assert_null(strstr(whole, " (-"));
		assert_null(strstr(whole, "\"n\">-5"));
		free(whole);
	}
	whole = fixture_report(here.path, id, "csv", &f); /* for programs: as computed */
	assert_non_null(strstr(whole, ",-"));
	free(whole);
	assert_null(strstr(page, "it reaches zero"));
}

static void a_complete_campaign_does_not_warn(void **state)
{
	char *whole = make("whole", true, "measured");

	(void)state;
	assert_null(strstr(whole, "complete: false"));
	assert_non_null(strstr(whole, "<figure id=\"mj-measured\">"));
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_is_well_formed),
		cmocka_unit_test(nothing_is_loaded),
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(notes_stand_beside_the_figures),
		cmocka_unit_test(modelled_figures_say_so),
		cmocka_unit_test(uncertainty_has_a_row_for_each_source),
		cmocka_unit_test(it_fits_its_reader),
		cmocka_unit_test(it_can_be_walked_through),
		cmocka_unit_test(energies_are_kept_apart),
		cmocka_unit_test(charts_agree_with_their_tables),
		cmocka_unit_test(a_request_is_behind_its_handshake),
		cmocka_unit_test(no_interval_is_below_zero),
		cmocka_unit_test(a_complete_campaign_does_not_warn),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
