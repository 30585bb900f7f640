/* SPDX-License-Identifier: Apache-2.0 */
/* report_trace_test - a made-up trace is drawn as it is, and a damaged one is not drawn at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "power/trace.h"
#include "results/fixture_store.h"
#include "results/fixture_xml.h"
#include "results/report_trace.h"

#define SCRIPT "/usr/share/javascript/dygraphs/dygraph.min.js"

/* 1 W but for the window from `from` ms to `to` ms, in which it is 3 W, once 5 W. */
static void encode(struct buf *out, int count, int from, int to)
{
	struct meter_facts facts = { .kind = CODE_POWER,
				     .provenance = PROVENANCE_MODELLED,
				     .meaning = SAMPLE_MEAN_ENDING,
				     .period_ns = 1000000 };
	struct trace t;

	assert_int_equal(trace_init(&t, &facts, (size_t)count), 0);
	for (int i = 0; i < count; i++) {
		struct sample s = { .before_ns = i * INT64_C(1000000) };

		s.after_ns = s.before_ns;
		s.code[0] = i >= from && i < to ? 3000000000 : 1000000000;
		if (i == (from + to) / 2)
			s.code[0] = 5000000000;
		assert_int_equal(trace_add(&t, &s), 0);
	}
	assert_int_equal(trace_encode(&t, out), 0);
	trace_release(&t);
}

static struct store_trace stored(struct buf *b, int from, int to)
{
	return (struct store_trace){ "server", b->data, b->len, from * INT64_C(1000000),
				     to * INT64_C(1000000) };
}

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g +- %g", value, expected, tolerance);
}

static void steps_are_the_trace(void **state)
{
	struct report_trace *t = calloc(1, sizeof(*t));
	struct report_step step[12];
	struct buf b = { 0 };
	struct store_trace s;
	struct fail f = { 0 };

	(void)state;
	encode(&b, 12001, 4000, 8000);
	s = stored(&b, 4000, 8000);
	assert_int_equal(report_trace_read(t, &s, &f), 0);
	near(t->from_s, -4, 1e-9);
	near(t->to_s, 8, 1e-9);
	near(t->window_s, 4, 1e-9);
	assert_int_equal(t->samples, 12001);
	report_trace_merge(t, 12, step);
	near(step[0].mean_w, 1, 1e-9);
	near(step[5].mean_w, 3, 1e-9);
	near(step[6].high_w, 5, 1e-9);
	near(step[6].low_w, 3, 1e-9);
	near(step[6].mean_w, 3.002, 1e-4);
	near(step[11].high_w, 1, 1e-9);
	near(report_trace_time_s(t, 4, 12), 0.5, 1e-9);
	buf_release(&b);
	free(t);
}

static void damage_is_refused(void **state)
{
	struct report_trace *t = calloc(1, sizeof(*t));
	struct buf b = { 0 };
	struct rng r;
	int refused = 0;

	(void)state;
	rng_seed(&r, 31);
	encode(&b, 500, 100, 200);
	for (int i = 0; i < 300; i++) {
		struct store_trace s = stored(&b, 100, 200);
		size_t at = rng_below(&r, b.len);
		char kept = b.data[at];
		struct fail f = { 0 };

		b.data[at] ^= (char)(1 + rng_below(&r, 255));
		if (i % 3 == 0)
			s.len = rng_below(&r, b.len);
		refused += report_trace_read(t, &s, &f) < 0;
		b.data[at] = kept;
	}
	assert_true(refused > 200);
	buf_release(&b);
	free(t);
}

/* A campaign with one trace of so many samples, as a page. */
static char *page_with(const struct fixture_place *place, int count)
{
	struct buf b = { 0 };
	struct fail f = { 0 };
	struct store *s = store_open(place->path, STORE_WRITE, &f);
	int64_t campaign, cell = fixture_add_cell(s, &campaign, &f);
	struct store_trace one;
	struct trial t;
	char *page;

	encode(&b, count, count / 3, count * 2 / 3);
	one = stored(&b, count / 3, count * 2 / 3);
	assert_int_equal(trial_init(&t), 0);
	fixture_trial(&t, 0, 1000, 50000, 700);
	assert_true(store_add_trial(s, cell, &t, &one, 1, &f) > 0);
	trial_release(&t);
	store_close(s);
	page = fixture_report(place->path, campaign, "html", &f);
	buf_release(&b);
	assert_non_null(page);
	return page;
}

static void power_is_drawn_and_zoomed_when_long(void **state)
{
	struct fixture_place place;
	struct fail f = { 0 };
	char *brief, *lengthy;

	(void)state;
	assert_int_equal(fixture_enter(&place), 0);
	brief = page_with(&place, 1500);
	lengthy = page_with(&place, 6000);
	assert_non_null(strstr(brief, "<figure id=\"power-modelled\">"));
	assert_int_equal(fixture_xml_count(brief, "<rect class=\"band\""), 1);
	assert_int_equal(fixture_xml_check(brief, &f), 0);
	assert_null(strstr(brief, "<script"));
	assert_null(strstr(brief, "script-src"));
	assert_non_null(strstr(lengthy, "<figure id=\"power-modelled\">"));
	if (access(SCRIPT, R_OK) == 0) {
		assert_non_null(strstr(lengthy, "script-src 'unsafe-inline'"));
		assert_int_equal(fixture_xml_count(lengthy, "<script>"), 1);
		assert_non_null(strstr(lengthy, "\"window\":2,\"rows\":[[-1.99"));
	} else {
		assert_null(strstr(lengthy, "<script"));
	}
	free(brief);
	free(lengthy);
	assert_int_equal(fixture_leave(&place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_the_trace),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(power_is_drawn_and_zoomed_when_long),
	};

	return cmocka_run_group_tests_name("report_trace", tests, NULL, NULL);
}
