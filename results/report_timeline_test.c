/* SPDX-License-Identifier: Apache-2.0 */
/* report_timeline_test - samples on the wire, from the store to the page and to JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture.h"
#include "results/fixture_store.h"
#include "results/fixture_xml.h"
#include "results/report.h"

/* Of three steps the last is inside the client only; the second is at half the time of the third.
 */
#define SAMPLE                                                                           \
	"{\"interface\":\"lo\",\"wanted\":20,\"seen\":21,\"complete\":20,\"joined\":20," \
	"\"handshake_us\":{\"median\":%d,\"p95\":900},\"payload_us\":{\"median\":250,"   \
	"\"p95\":300},\"steps\":["                                                       \
	"{\"step\":\"client_hello\",\"from\":\"client\",\"wire_us\":0.0,"                \
	"\"wire_p95_us\":1.0,\"engine_us\":7.0,\"difference_us\":-7.5,\"n\":20},"        \
	"{\"step\":\"server_<b>\",\"from\":\"server\",\"wire_us\":400.0,"                \
	"\"wire_p95_us\":500.0,\"engine_us\":null,\"difference_us\":null,\"n\":20},"     \
	"{\"step\":\"client_finished\",\"from\":\"client\",\"wire_us\":null,"            \
	"\"wire_p95_us\":null,\"engine_us\":800.0,\"difference_us\":null,\"n\":20},"     \
	"{\"step\":\"key_update\",\"from\":\"server\",\"wire_us\":9000.0,\"n\":1}],"     \
	"\"agreement\":{\"compared\":60,\"beyond\":1,\"error_us\":321.0,"                \
	"\"error_p95_us\":400.0},\"unobserved\":null}"

struct made {
	struct fixture_place place;
	struct store *store;
	int64_t campaign, cell;
};

static void make(struct made *m)
{
	struct fail f = { 0 };

	assert_int_equal(fixture_enter(&m->place), 0);
	m->store = store_open(m->place.path, STORE_WRITE, &f);
	assert_non_null(m->store);
	m->cell = fixture_add_cell(m->store, &m->campaign, &f);
	assert_true(m->cell > 0);
	assert_true(fixture_add_trial(m->store, m->cell, 0, &f) > 0);
}

static char *shown(struct made *m, const char *format)
{
	struct fail f = { 0 };
	char *text;

	store_close(m->store);
	m->store = NULL;
	text = fixture_report(m->place.path, m->campaign, format, &f);
	if (!text)
		fail_msg("%s", f.text);
	return text;
}

static void add_sample(struct made *m)
{
	char sample[2048];
	struct fail f = { 0 };

	snprintf(sample, sizeof(sample), SAMPLE, 750);
	if (store_add_timeline(m->store, m->cell, sample, &f))
		fail_msg("%s", f.text);
}

static void one_for_a_cell(void **state)
{
	struct made m = { 0 };
	struct buf text = { 0 };
	struct fail f = { 0 };

	(void)state;
	make(&m);
	assert_int_equal(store_get_timeline(m.store, m.cell, &text, &f), 0);
	add_sample(&m);
	assert_int_equal(store_get_timeline(m.store, m.cell, &text, &f), 1);
	assert_non_null(strstr(buf_text(&text), "\"median\":750"));
	assert_int_equal(store_get_timeline(m.store, m.cell + 1, &text, &f), 0);
	assert_int_equal(store_add_timeline(m.store, m.cell, "{}", &f), -1);
	buf_release(&text);
	store_close(m.store);
	fixture_leave(&m.place);
}

static void without_one_nothing_is_said(void **state)
{
	struct made m = { 0 };
	char *html, *json;

	(void)state;
	make(&m);
	html = shown(&m, "html");
	json = shown(&m, "json");
	assert_null(strstr(html, "id=\"timeline\""));
	assert_non_null(strstr(json, "\"timelines\": []"));
	free(html);
	free(json);
	fixture_leave(&m.place);
}

static void json_has_it_under_its_cell(void **state)
{
	struct made m = { 0 };
	json_t *all, *one;
	json_error_t bad;
	char *text;

	(void)state;
	make(&m);
	add_sample(&m);
	text = shown(&m, "json");
	all = json_loads(text, 0, &bad);
	one = json_array_get(json_object_get(all, "timelines"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "cell")), "plain identity");
	assert_true(report_timeline_us(one, "handshake_us", "median") == 750);
	assert_true(isnan(report_timeline_us(one, "handshake_us", "p99")));
	assert_int_equal(json_array_size(json_object_get(one, "steps")), 4);
	json_decref(all);
	free(text);
	fixture_leave(&m.place);
}

/* The bars are stacked, 0.75 and 0.25 ms; the marks stand at 0, half and all of the axis. */
static void the_page_draws_it(void **state)
{
	struct made m = { 0 };
	struct fail f = { 0 };
	const char *page;
	double end;
	char *html;

	(void)state;
	make(&m);
	add_sample(&m);
	html = shown(&m, "html");
	if (fixture_xml_check(html, &f))
		fail_msg("%s", f.text);
	page = strstr(html, "<section id=\"timeline\"");
	assert_non_null(page);
	assert_true(fabs(fixture_xml_number(page, "<rect class=\"bar s0\"", 0, "width") -
			 3 * fixture_xml_number(page, "<rect class=\"bar s1\"", 0, "width")) <
		    0.01);
	assert_int_equal(fixture_xml_count(page, "<rect class=\"bar step"), 3);
	assert_true(fixture_xml_number(page, "<rect class=\"bar step s0\"", 0, "x") == 0);
	end = fixture_xml_number(page, "<rect class=\"bar step s2\"", 0, "x");
	assert_true(fabs(end - 2 * fixture_xml_number(page, "<rect class=\"bar step s1\"", 0,
						      "x")) < 0.01);
	assert_non_null(strstr(page, "server_&lt;b&gt;"));
	assert_non_null(strstr(page, "Of 60 messages stamped inside the client and seen on the "
				     "wire, 1 lie further apart"));
	assert_non_null(strstr(page, "20 of 21 associations complete"));
	free(html);
	fixture_leave(&m.place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_for_a_cell),
		cmocka_unit_test(without_one_nothing_is_said),
		cmocka_unit_test(json_has_it_under_its_cell),
		cmocka_unit_test(the_page_draws_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
