/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_plots_test - a campaign of a sweep gives its plots, and every point of every plot
 * stands where the number in the table behind it says.
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
#include "results/report_html.h"
#include "results/svg_plot.h"

#define OTHER "tls1.3:AES256-GCM-SHA384:p384:p384"

static struct fixture_place here;
static char *page;

static void add_cell(struct store *s, int64_t campaign, const char *suite, int64_t bytes,
		     int64_t clients)
{
	bool rsa = strcmp(suite, FIXTURE_RSA) == 0;
	struct fail f = { 0 };
	struct trial t;
	struct cell c;
	int64_t id;

	fixture_cell(&c, suite, rsa ? 112 : 128, "identity");
	c.payload_bytes = bytes;
	c.clients = clients;
	snprintf(c.name, sizeof(c.name), "%s %d %d", suite, (int)bytes, (int)clients);
	id = store_add_cell(s, campaign, &c, &f);
	assert_int_equal(trial_init(&t), 0);
	for (int64_t block = 0; block < 3; block++) {
		int64_t requests = (rsa ? 100 : 300) * clients * (100 + 2 * block) / 100;

		fixture_trial(&t, block, requests, rsa ? 1000000 : 250000,
			      (rsa ? 9000 : 3000) + bytes / 100);
		assert_true(store_add_trial(s, id, &t, NULL, 0, &f) > 0);
	}
	trial_release(&t);
}

static int enter(void **state)
{
	static const char *const suites[] = { FIXTURE_RSA, FIXTURE_ECDSA, OTHER };
	struct fail f = { 0 };
	struct campaign c;
	struct store *s;
	int64_t id;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	s = store_open(here.path, STORE_WRITE, &f);
	fixture_campaign(&c);
	id = store_add_campaign(s, &c, &f);
	for (int i = 0; i < 3; i++) {
		for (int64_t clients = 1; clients <= 64; clients *= 4)
			add_cell(s, id, suites[i], 512, clients);
		add_cell(s, id, suites[i], 8192, 16);
		add_cell(s, id, suites[i], 131072, 16);
	}
	store_close(s);
	page = fixture_report(here.path, id, "html", &f);
	return page ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	free(page);
	return fixture_leave(&here);
}

static char *figure(const char *id)
{
	char begin[80];
	const char *from, *to;

	snprintf(begin, sizeof(begin), "<figure id=\"%s\">", id);
	from = strstr(page, begin);
	to = from ? strstr(from, "</figure>") : NULL;
	return to ? strndup(from, (size_t)(to - from)) : NULL;
}

static void page_is_well_formed(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (fixture_xml_check(page, &f) < 0)
		fail_msg("%s", f.text);
}

static void sweeps_of_the_study_are_there(void **state)
{
	static const char *const ids[] = {
		"by-clients-rate-",
		"by-clients-server-mwh-modelled-",
		"by-clients-client-mwh-modelled-",
		"by-clients-p99-",
		"by-size-server-mj-modelled-",
		"by-size-client-mj-modelled-",
		"by-size-rate-",
		"front-modelled-",
		"distribution",
		"times",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char begin[80];

		snprintf(begin, sizeof(begin), "<figure id=\"%s", ids[i]);
		if (!strstr(page, begin))
			fail_msg("no figure %s", ids[i]);
	}
}

/* The rows of a table behind a plot: x and y of each. */
static int table_points(const char *chart, double x[512], double y[512])
{
	int n = 0;

	for (const char *row = strstr(chart, "<tbody>"); row && n < 512; n++) {
		const char *cell;

		row = strstr(row + 1, "<tr>");
		cell = row ? strstr(row, "<td class=\"n\">") : NULL;
		if (!cell)
			break;
		x[n] = strtod(cell + strlen("<td class=\"n\">"), NULL);
		cell = strstr(cell + 1, "<td class=\"n\">");
		y[n] = strtod(cell + strlen("<td class=\"n\">"), NULL);
	}
	return n;
}

/* On a logarithmic or a straight axis equal steps are equal distances, wherever it begins. */
static double scaled(double value, bool log_axis)
{
	return log_axis ? log(value) : value;
}

/* Places of all points follow from those of two of them by a straight line. */
static void check_line(const char *id, const double *value, const double *place, int n, bool is_log)
{
	int a = 0, b = 0;
	double slope;

	for (int i = 1; i < n; i++) {
		a = value[i] < value[a] ? i : a;
		b = value[i] > value[b] ? i : b;
	}
	if (value[a] == value[b])
		return;
	slope = (place[b] - place[a]) / (scaled(value[b], is_log) - scaled(value[a], is_log));
	for (int i = 0; i < n; i++) {
		double expected =
			place[a] + slope * (scaled(value[i], is_log) - scaled(value[a], is_log));

		if (fabs(place[i] - expected) > 1.0)
			fail_msg("%s: point %d of %g stands at %g, not at %g", id, i, value[i],
				 place[i], expected);
	}
}

static void every_point_agrees_with_its_table(void **state)
{
	int plots = 0;

	(void)state;
	for (const char *at = page; (at = strstr(at, "<figure id=\"")); at++) {
		double x[512], y[512], cx[512], cy[512];
		char id[80], *chart;
		int n;

		snprintf(id, sizeof(id), "%.*s", (int)strcspn(at + 12, "\""), at + 12);
		chart = figure(id);
		if (strstr(chart, "class=\"plot\"")) {
			n = table_points(chart, x, y);
			assert_int_equal(n, fixture_xml_count(chart, "<circle"));
			for (int i = 0; i < n; i++) {
				cx[i] = fixture_xml_number(chart, "<circle", i, "cx");
				cy[i] = fixture_xml_number(chart, "<circle", i, "cy");
			}
			check_line(id, x, cx, n, strstr(chart, " (logarithmic)</text>"));
			check_line(id, y, cy, n, strstr(chart, "(logarithmic axis)."));
			plots++;
		}
		free(chart);
	}
	assert_true(plots >= 9);
}

/* 64 clients, 200 requests each of 2 s and 6 J a trial: 100, 102, 104 per cent of 6400. */
static void figures_are_the_cells(void **state)
{
	char *chart = figure("by-clients-rate-1");
	double x[512], y[512];

	(void)state;
	if (!chart)
		chart = figure("by-clients-rate-2");
	if (!chart)
		chart = figure("by-clients-rate-3");
	assert_non_null(chart);
	assert_int_equal(table_points(chart, x, y), 12);
	assert_true(x[3] == 64 && x[7] == 64);
	/* P-256 goes first by name. */
	assert_true(fabs(y[3] - 9792) < 1 && fabs(y[7] - 3264) < 1);
	free(chart);
}

static const struct field *cell_field(const char *name)
{
	const struct field *f = cell_fields;

	while (strcmp(f->name, name) != 0)
		f++;
	return f;
}

static void drawn_and_not(const char *what, void (*put)(const struct report *, struct buf *),
			  const struct report *r, const char *element, int drawn, int left_out)
{
	struct buf out = { 0 };
	char words[80];

	put(r, &out);
	snprintf(words, sizeof(words), " Not drawn: %d more; there is room for %d.</p>", left_out,
		 drawn);
	if (!strstr(buf_text(&out), words))
		fail_msg("%s: no \"%s\"", what, words);
	assert_int_equal(fixture_xml_count(buf_text(&out), element), drawn);
	buf_release(&out);
}

/* 30 suites, each at two numbers of clients: lines and points for which letters are too few. */
static void what_is_not_drawn_is_said(void **state)
{
	static struct cell_summary cell[60];
	struct report r = { .cell = cell,
			    .cells = 60,
			    .varying = { cell_field("suite"), cell_field("clients") } };

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct cell_summary *c = &cell[i];

		snprintf(c->cell.suite, sizeof(c->cell.suite), "suite %d", i / 2);
		c->cell.clients = 1 + i % 2;
		c->cell.strength_bits = 128;
		c->requests_per_s = (struct interval){ 100 + i, NAN, NAN, 1 };
		c->response.p99_trials.mean = NAN;
		c->response.p99 = 1000 + i;
		for (int k = 0; k < SUMMARY_CURVE; k++)
			c->response.curve[k] = 100 + i;
		strcpy(c->server.energy.source, i % 2 ? "none" : "modelled");
		c->server.energy.requests_per_mwh.mean = NAN;
		c->server.energy.mj_per_request = 100 - i;
	}
	drawn_and_not("sweeps", report_html_sweeps, &r, "<text class=\"letter\"", 26, 4);
	drawn_and_not("fronts", report_html_fronts, &r, "<circle", 26, 4);
	drawn_and_not("curves", report_html_curves, &r, "<text class=\"letter\"", 12, 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_is_well_formed),
		cmocka_unit_test(sweeps_of_the_study_are_there),
		cmocka_unit_test(every_point_agrees_with_its_table),
		cmocka_unit_test(figures_are_the_cells),
		cmocka_unit_test(what_is_not_drawn_is_said),
	};

	return cmocka_run_group_tests_name("report_plots", tests, enter, leave);
}
