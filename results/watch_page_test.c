/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_page_test - the live page and its events: well-formed, nothing of the database is markup,
 * what is modelled says so, and both show the same.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "results/fixture_store.h"
#include "results/fixture_xml.h"
#include "results/watch_page.h"

#define NOW_NS (INT64_C(1800000000) * NS_PER_S)
#define NAME   "</h1><script>alert(1)</script>\r\nevent: x\ndata: \"&"
#define NONCE  "0123456789abcdef"

static struct fixture_place here;
static struct report report;
static struct watch_view view;
static struct buf text;

static int enter(void **state)
{
	struct fail f = { 0 };
	struct store *s;
	int64_t id;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	s = store_open(here.path, STORE_WRITE, &f);
	id = s ? fixture_fill(s, NAME, &f) : -1;
	if (id < 0 || report_load(s, id, &report, &f) < 0)
		fail_msg("%s", f.text);
	store_close(s);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	report_release(&report);
	buf_release(&text);
	return fixture_leave(&here);
}

/* Four blocks of four cells asked for as five, the last trial not valid. */
static int begin(void **state)
{
	(void)state;
	report.campaign.complete = false;
	report.trials_missing = 4;
	view = (struct watch_view){ .database = "/data/<a>.db",
				    .claimed = 1,
				    .written_ns = NOW_NS - 7 * NS_PER_S,
				    .report = &report,
				    .newest = true,
				    .trials = 3 };
	for (int i = 0; i < 3; i++) {
		snprintf(view.trial[i].cell, sizeof(view.trial[i].cell), "<i>cell%d</i>/a:b", i);
		snprintf(view.trial[i].started, sizeof(view.trial[i].started),
			 "2026-11-30T12:00:%02dZ", 50 - 25 * i);
		view.trial[i].valid = i != 0;
		view.trial[i].block = 2;
	}
	strcpy(view.trial[0].reason, FIXTURE_REASON);
	return 0;
}

static const char *page(void)
{
	buf_clear(&text);
	watch_page(&view, NOW_NS, NONCE, &text);
	assert_false(text.failed);
	return buf_text(&text);
}

static const char *events(bool all)
{
	buf_clear(&text);
	watch_page_events(&view, NOW_NS, all, &text);
	assert_false(text.failed);
	return buf_text(&text);
}

static void has(const char *in, const char *what)
{
	if (!strstr(in, what))
		fail_msg("\"%s\" is not in %s", what, in);
}

static void lacks(const char *in, const char *what)
{
	if (strstr(in, what))
		fail_msg("\"%s\" is in %s", what, in);
}

static void is_well_formed(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (fixture_xml_check(page(), &f) < 0)
		fail_msg("%s", f.text);
	view.report = NULL;
	view.fail.code = ENOENT;
	strcpy(view.fail.text, "<a>.db: No such file");
	if (fixture_xml_check(page(), &f) < 0)
		fail_msg("%s", f.text);
}

static void nothing_is_loaded_from_elsewhere(void **state)
{
	static const char *const words[] = { "http://", "https://", "src=",    "url(",
					     "@import", "<link",    "<iframe", "onload=" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		lacks(page(), words[i]);
	assert_int_equal(fixture_xml_count(page(), "<script"), 1);
	has(page(), "<script nonce=\"" NONCE "\">");
}

static void texts_are_escaped(void **state)
{
	(void)state;
	has(page(), "&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
	has(page(), "&lt;i&gt;cell0&lt;/<wbr/>i&gt;/<wbr/>a:<wbr/>b</th>");
	has(page(), "throttled, at 80 &quot;C&quot; &lt;b&gt;&amp;");
	has(page(), "/data/&lt;a&gt;.db");
	lacks(page(), "alert(1)</script>");
	lacks(page(), "<i>");
	lacks(events(true), "<script");
	lacks(events(true), "<i>");
}

/* A name with line ends does not become an event or a field of its own. */
static void events_keep_their_lines(void **state)
{
	char *copy = strdup(events(true)), *rest = NULL;
	int named = 0;

	(void)state;
	assert_null(strchr(copy, '\r'));
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool names = !strncmp(line, "event: ", 7);

		named += names;
		if (!names && strncmp(line, "data: ", 6) != 0)
			fail_msg("a line is \"%s\"", line);
	}
	assert_int_equal(named, 5);
	free(copy);
	assert_null(strstr(events(true), "\nevent: x\n"));
}

/* Without the "data: " an event's content is what the page has at its place. */
static void page_and_events_show_the_same(void **state)
{
	static const char *const ids[] = { "name", "status", "facts", "cells", "last" };
	char *all = strdup(events(true));
	const char *whole = page();

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char begin_event[32], begin_part[48];
		const char *at, *in, *end;

		snprintf(begin_event, sizeof(begin_event), "event: %s\n", ids[i]);
		snprintf(begin_part, sizeof(begin_part), "id=\"%s\" data-part=\"\">", ids[i]);
		at = strstr(all, begin_event);
		in = strstr(whole, begin_part);
		assert_non_null(at);
		assert_non_null(in);
		in += strlen(begin_part);
		for (at += strlen(begin_event); strncmp(at, "data: ", 6) == 0; at = end + 1) {
			at += 6;
			end = strchr(at, '\n');
			if (strncmp(in, at, (size_t)(end - at)) != 0)
				fail_msg("%s: page %.60s, event %.60s", ids[i], in, at);
			in += end - at;
			in += *in == '\n';
		}
	}
	free(all);
}

static void time_alone_changes_little(void **state)
{
	(void)state;
	has(events(false), "event: status\n");
	has(events(false), "<dt>last written</dt><dd>7 s ago</dd>");
	lacks(events(false), "event: cells\n");
	lacks(events(false), "event: last\n");
	view.written_ns = NOW_NS - 1;
	has(events(false), "<dt>last written</dt><dd>just now</dd>");
}

static void running_says_how_far(void **state)
{
	(void)state;
	has(page(),
	    "<p aria-live=\"polite\" id=\"status\" data-part=\"\">running: 16 of 20 trials</p>");
	has(page(), "<dt>time left</dt><dd>1 min 40 s, at 25 s a trial (median)</dd>");
	has(page(), "<dt>valid trials</dt><dd>14 of 16</dd>");
	has(page(), "<dt>seed</dt><dd>42</dd>");
	has(page(), "max=\"20\" value=\"16\"");
	has(page(), "<title>running: 16 of 20 trials - ");
	view.may_grow = true;
	has(page(), "running: 16 of at least 20 trials");
	has(page(), "<dd>at least 1 min 40 s, at 25 s a trial (median)</dd>");
	report.trials_missing = 0;
	has(page(), "<dd>not known: blocks are added until");
	report.trials_missing = 4;
	view.trials = 1;
	has(page(), "<dd>not known yet: ");
}

static void interrupted_says_so(void **state)
{
	(void)state;
	view.claimed = 0;
	has(page(), ">interrupted: 16 of 20 trials</p>");
	has(page(), "--resume");
	has(page(), "<dt>last written</dt><dd>7 s ago</dd>");
	lacks(page(), "time left");
	view.claimed = 1;
	view.newest = false;
	has(page(), ">not complete: 16 of 20 trials</p>");
}

static void ended_has_nothing_left(void **state)
{
	(void)state;
	report.campaign.complete = true;
	report.trials_missing = 0;
	has(page(), ">ended: 16 of 16 trials</p>");
	lacks(page(), "time left");
	lacks(page(), "last written");
}

static void waiting_says_for_what(void **state)
{
	(void)state;
	view.report = NULL;
	view.trials = 0;
	view.fail.code = ENOENT;
	strcpy(view.fail.text, "<a>.db: No such file");
	has(page(), ">waiting for a run to begin</p>");
	has(page(), "<p>&lt;a&gt;.db: No such file</p>");
	has(page(), "No trial is stored yet");
	view.fail.code = EBADMSG;
	has(page(), ">the database cannot be read</p>");
}

static void trials_say_whether_they_are_valid(void **state)
{
	(void)state;
	has(page(), "<td class=\"n\">3</td><td>12:00:50Z</td><td><span class=\"badge\">not "
		    "valid</span> throttled");
	has(page(), "<td>12:00:25Z</td><td>valid</td>");
	*view.trial[0].reason = '\0';
	has(page(), "</span> no reason was recorded");
}

static void cells_have_the_report_s_figures(void **state)
{
	char *whole, *rate;
	struct fail f = { 0 };

	(void)state;
	has(page(), ">requests/s</th><th scope=\"col\" class=\"n\">requests / mWh</th>");
	has(page(), ">engine</th>");
	has(page(), ">server</th>");
	has(page(), ">clients</th>");
	/* One badge for each cell's energy, and the sentence. */
	assert_int_equal(fixture_xml_count(page(), "<span class=\"badge\">modelled</span>"), 4);
	has(page(), "<p class=\"warn\">Energy is modelled, not measured by a sensor.</p>");
	has(page(), "<td class=\"n\">3 of 4</td>");
	has(page(), "<span class=\"badge\">load-limited</span>");
	/* As the report's own table writes them. */
	whole = fixture_report(here.path, report.id, "html", &f);
	rate = whole ? strstr(whole, "<td class=\"n\">") : NULL;
	assert_non_null(rate);
	rate = strndup(rate, (size_t)(strstr(rate, "</td>") - rate));
	has(page(), rate);
	free(rate);
	free(whole);
}

/* Nothing is claimed of one trial, and a campaign without a meter has no column for it. */
static void few_trials_claim_nothing(void **state)
{
	struct watch_view v = view;
	struct report small = { .trials = 1, .trials_missing = 3 };
	struct cell_summary *one = calloc(1, sizeof(*one));
	struct summary_tools tools = { 0 };
	struct trial t;
	struct cell c;

	(void)state;
	assert_int_equal(trial_init(&t), 0);
	fixture_trial(&t, 0, 1000, 1000, 10);
	strcpy(t.server.energy_source, "none");
	fixture_cell(&c, "plain", 0, "identity");
	assert_int_equal(summary_init(one, &c, &tools), 0);
	assert_int_equal(summary_add(one, &t), 0);
	assert_int_equal(summary_finish(one), 0);
	small.cell = one;
	small.cells = 1;
	v.report = &small;
	buf_clear(&text);
	watch_page(&v, NOW_NS, NONCE, &text);
	has(buf_text(&text), "<td class=\"n\">500 ± ?</td>");
	lacks(buf_text(&text), "requests / mWh");
	summary_release(one);
	summary_tools_release(&tools);
	trial_release(&t);
	free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(is_well_formed, begin),
		cmocka_unit_test_setup(nothing_is_loaded_from_elsewhere, begin),
		cmocka_unit_test_setup(texts_are_escaped, begin),
		cmocka_unit_test_setup(events_keep_their_lines, begin),
		cmocka_unit_test_setup(page_and_events_show_the_same, begin),
		cmocka_unit_test_setup(time_alone_changes_little, begin),
		cmocka_unit_test_setup(running_says_how_far, begin),
		cmocka_unit_test_setup(interrupted_says_so, begin),
		cmocka_unit_test_setup(ended_has_nothing_left, begin),
		cmocka_unit_test_setup(waiting_says_for_what, begin),
		cmocka_unit_test_setup(trials_say_whether_they_are_valid, begin),
		cmocka_unit_test_setup(cells_have_the_report_s_figures, begin),
		cmocka_unit_test_setup(few_trials_claim_nothing, begin),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
