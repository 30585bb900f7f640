/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_policy_test - policies by hand, each rule of combination by its table, times,
 * conditions and obligations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "workloads/access_policy.h"
#include "workloads/access_sample.h"

#define ROWS(A) (sizeof(A) / sizeof *(A))
#define HOUR_MS INT64_C(3600000)
#define DAY_MS  (24 * HOUR_MS)

static struct access_policy *open_text(const char *text)
{
	struct fail f = { 0 };
	struct access_policy *p = access_policy_open_text("p", text, ACCESS_ABAC, NULL, &f);

	if (!p)
		fail_msg("%s\n%s", f.text, text);
	return p;
}

static struct access_answer ask_text(const char *text, const struct access_request *q,
				     int64_t now_ms)
{
	struct access_policy *p = open_text(text);
	struct access_answer a;

	access_policy_decide(p, q, now_ms, &a);
	access_policy_close(p);
	return a;
}

/*
 * Children of every verdict: P, D, N (does not apply), and in doubt: p (would permit),
 * d (would deny), e (either).
 */
static void put_child(struct buf *out, char kind, int i)
{
	const char *effect = kind == 'D' || kind == 'd' ? "deny" : "permit";

	if (kind == 'e') {
		buf_printf(out,
			   "- name: c%d\n  combine: deny-overrides\n  rules:\n"
			   "  - {name: r, effect: permit}\n  - name: r%d\n    effect: deny\n"
			   "    conditions: environment.occupancy > 1\n",
			   i, i);
		return;
	}
	buf_printf(
		out,
		"- name: c%d\n  combine: first-applicable\n  rules:\n  - name: r\n    effect: %s\n",
		i, effect);
	if (kind == 'N')
		buf_puts(out, "    conditions: user.clearance == 0\n");
	if (kind == 'p' || kind == 'd')
		buf_puts(out, "    conditions: environment.occupancy > 1\n");
}

/* P, D, N, or "?" for denied in doubt. */
static char decide_children(const char *combine, const char *kinds)
{
	struct access_request q = sample_request();
	struct access_answer a;
	struct buf text = { 0 };

	q.environment.occupancy = FIELD_ABSENT;
	buf_printf(&text, "policy: top\ncombine: %s\npolicies:\n", combine);
	for (int i = 0; kinds[i]; i++)
		put_child(&text, kinds[i], i);
	a = ask_text(buf_text(&text), &q, SAMPLE_NOW_MS);
	buf_release(&text);
	if (a.outcome == ACCESS_PERMIT)
		return 'P';
	if (a.outcome == ACCESS_NOT_APPLICABLE)
		return 'N';
	assert_int_equal(a.outcome, ACCESS_DENY);
	return a.reason == ACCESS_IN_DOUBT ? '?' : 'D';
}

static void combinations(void **state)
{
	static const struct {
		const char *kinds;
		char deny_overrides, permit_overrides, first_applicable;
	} rows[] = {
		{ "P", 'P', 'P', 'P' },   { "D", 'D', 'D', 'D' },   { "N", 'N', 'N', 'N' },
		{ "p", '?', '?', '?' },   { "d", '?', '?', '?' },   { "e", '?', '?', '?' },
		{ "PD", 'D', 'P', 'P' },  { "DP", 'D', 'P', 'D' },  { "NP", 'P', 'P', 'P' },
		{ "ND", 'D', 'D', 'D' },  { "PN", 'P', 'P', 'P' },  { "DN", 'D', 'D', 'D' },
		{ "Pp", 'P', 'P', 'P' },  { "pP", 'P', 'P', '?' },  { "Pd", '?', 'P', 'P' },
		{ "dP", '?', 'P', '?' },  { "Dp", 'D', '?', 'D' },  { "pD", 'D', '?', '?' },
		{ "Dd", 'D', 'D', 'D' },  { "dD", 'D', 'D', '?' },  { "pd", '?', '?', '?' },
		{ "eP", '?', 'P', '?' },  { "eD", 'D', '?', '?' },  { "Pe", '?', 'P', 'P' },
		{ "De", 'D', '?', 'D' },  { "NNp", '?', '?', '?' }, { "NDP", 'D', 'P', 'D' },
		{ "NPD", 'D', 'P', 'P' }, { "pdP", '?', 'P', '?' }, { "pdD", 'D', '?', '?' },
		{ "NNN", 'N', 'N', 'N' }, { "PPD", 'D', 'P', 'P' }, { "DDP", 'D', 'P', 'D' },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		char deny = decide_children("deny-overrides", rows[i].kinds);
		char permit = decide_children("permit-overrides", rows[i].kinds);
		char first = decide_children("first-applicable", rows[i].kinds);

		if (deny != rows[i].deny_overrides || permit != rows[i].permit_overrides ||
		    first != rows[i].first_applicable)
			fail_msg("%s: %c %c %c, expected %c %c %c", rows[i].kinds, deny, permit,
				 first, rows[i].deny_overrides, rows[i].permit_overrides,
				 rows[i].first_applicable);
	}
}

/* A target in doubt makes what lies in it doubtful, but not what does not apply anyway. */
static void doubtful_targets(void **state)
{
	static const char permits[] =
		"policy: top\ncombine: deny-overrides\ntarget: {directions: in}\n"
		"rules:\n- {name: a, effect: permit, target: {roles: nurse}}\n";
	struct access_request q = sample_request();
	struct access_answer a;

	(void)state;
	assert_int_equal(ask_text(permits, &q, 0).outcome, ACCESS_PERMIT);
	strcpy(q.environment.direction, "out");
	assert_int_equal(ask_text(permits, &q, 0).outcome, ACCESS_NOT_APPLICABLE);
	q.environment.direction[0] = '\0';
	a = ask_text(permits, &q, 0);
	assert_int_equal(a.outcome, ACCESS_DENY);
	assert_int_equal(a.reason, ACCESS_IN_DOUBT);
	strcpy(q.user.role, "doctor");
	assert_int_equal(ask_text(permits, &q, 0).outcome, ACCESS_NOT_APPLICABLE);
}

static void top_target(void **state)
{
	static const char text[] = "policy: top\ncombine: deny-overrides\n"
				   "target: {areas: [ward-2, ward-3], roles: nurse}\n"
				   "rules:\n- {name: a, effect: permit}\n";
	struct access_request q = sample_request();

	(void)state;
	assert_int_equal(ask_text(text, &q, 0).outcome, ACCESS_PERMIT);
	strcpy(q.point.area, "ward-1");
	assert_int_equal(ask_text(text, &q, 0).outcome, ACCESS_NOT_APPLICABLE);
	strcpy(q.point.area, "ward-2");
	strcpy(q.user.role, "doctor");
	assert_int_equal(ask_text(text, &q, 0).outcome, ACCESS_NOT_APPLICABLE);
}

static void obligations(void **state)
{
	static const char text[] =
		"policy: top\ncombine: first-applicable\non_permit: log\non_deny: alarm\n"
		"policies:\n- name: inner\n  combine: deny-overrides\n  on_permit: [count, film]\n"
		"  rules:\n"
		"  - {name: yes, effect: permit, target: {roles: nurse}, obligations: [escort]}\n"
		"  - {name: no, effect: deny, target: {roles: doctor}, obligations: [tell]}\n";
	struct access_request q = sample_request();
	struct access_answer a = ask_text(text, &q, 0);

	(void)state;
	assert_string_equal(a.rule, "inner/yes");
	assert_int_equal(a.obligations.count, 4);
	assert_string_equal(a.obligations.text[0], "escort");
	assert_string_equal(a.obligations.text[1], "count");
	assert_string_equal(a.obligations.text[2], "film");
	assert_string_equal(a.obligations.text[3], "log");
	strcpy(q.user.role, "doctor");
	a = ask_text(text, &q, 0);
	assert_string_equal(a.rule, "inner/no");
	assert_int_equal(a.obligations.count, 2);
	assert_string_equal(a.obligations.text[0], "tell");
	assert_string_equal(a.obligations.text[1], "alarm");
}

static bool holds(const char *head, const char *when, int64_t now_ms)
{
	struct access_request q = sample_request();
	char text[512];

	snprintf(text, sizeof text,
		 "policy: top\ncombine: deny-overrides\n%srules:\n"
		 "- {name: a, effect: permit, when: {%s}}\n",
		 head, when);
	return ask_text(text, &q, now_ms).outcome == ACCESS_PERMIT;
}

/* SAMPLE_NOW_MS is a Tuesday, 08:00 UTC. */
static void times(void **state)
{
	const int64_t midnight = SAMPLE_NOW_MS - 8 * HOUR_MS, minute = 60000;
	static const char zone[] = "utc_offset: \"+05:30\"\n";

	(void)state;
	assert_true(holds("", "hours: \"08:00-09:00\"", SAMPLE_NOW_MS));
	assert_false(holds("", "hours: \"08:00-09:00\"", SAMPLE_NOW_MS - 1));
	assert_true(holds("", "hours: \"08:00-09:00\"", SAMPLE_NOW_MS + HOUR_MS - 1));
	assert_false(holds("", "hours: \"08:00-09:00\"", SAMPLE_NOW_MS + HOUR_MS));
	assert_true(holds("", "hours: \"00:00-24:00\"", midnight));
	assert_true(holds("", "hours: \"00:00-24:00\"", midnight + DAY_MS - 1));
	assert_true(holds("", "hours: [\"01:00-02:00\", \"08:00-08:01\"]", SAMPLE_NOW_MS));
	assert_true(holds("", "hours: \"22:00-06:00\"", midnight + 23 * HOUR_MS));
	assert_true(holds("", "hours: \"22:00-06:00\"", midnight + 6 * HOUR_MS - 1));
	assert_false(holds("", "hours: \"22:00-06:00\"", midnight + 6 * HOUR_MS));
	assert_false(holds("", "hours: \"22:00-06:00\"", midnight + 22 * HOUR_MS - minute));
	assert_true(holds("", "days: tue", SAMPLE_NOW_MS));
	assert_false(holds("", "days: [mon, wed, sun]", SAMPLE_NOW_MS));
	assert_true(holds("", "days: sun", SAMPLE_NOW_MS + 5 * DAY_MS));
	assert_true(holds("", "days: thu", 0));
	assert_true(holds("", "days: wed", -1));
	/* Wednesday 02:00 is still Tuesday's night. */
	assert_true(holds("", "days: tue, hours: \"22:00-06:00\"", midnight + 26 * HOUR_MS));
	assert_false(holds("", "days: tue, hours: \"22:00-06:00\"", midnight + 2 * HOUR_MS));
	assert_false(holds("", "days: wed, hours: \"22:00-06:00\"", midnight + 26 * HOUR_MS));
	assert_true(holds("", "from: 2026-12-01, until: 2026-12-01", SAMPLE_NOW_MS));
	assert_false(holds("", "from: 2026-12-02", SAMPLE_NOW_MS));
	assert_false(holds("", "until: 2026-11-30", SAMPLE_NOW_MS));
	assert_true(
		holds("", "until: 2026-12-01, hours: \"22:00-06:00\"", midnight + 26 * HOUR_MS));
	assert_true(holds(zone, "hours: \"13:30-13:31\"", SAMPLE_NOW_MS));
	assert_true(holds(zone, "days: wed", midnight + 20 * HOUR_MS));
	assert_true(holds("utc_offset: \"-09:00\"\n", "days: mon", SAMPLE_NOW_MS));
}

static bool condition_holds(const char *condition)
{
	struct access_request q = sample_request();
	char text[512];

	snprintf(text, sizeof text,
		 "policy: top\ncombine: deny-overrides\nrules:\n"
		 "- name: a\n  effect: permit\n  conditions: [%s]\n",
		 condition);
	return ask_text(text, &q, 0).outcome == ACCESS_PERMIT;
}

static void conditions(void **state)
{
	(void)state;
	assert_true(condition_holds("user.clearance >= point.security"));
	assert_true(condition_holds("user.clearance > 4, user.clearance < 6"));
	assert_false(condition_holds("user.clearance > 4, user.clearance < 5"));
	assert_true(condition_holds("user.clearance <= 5"));
	assert_true(condition_holds("point.floor == -2"));
	assert_true(condition_holds("point.floor != 2"));
	assert_false(condition_holds("point.floor < -2"));
	assert_true(condition_holds("user.department == surgery or user.role == nurse"));
	assert_false(condition_holds("user.department == surgery or user.role == doctor"));
	assert_true(condition_holds("user.department != point.building"));
	assert_true(condition_holds("environment.emergency == false"));
	assert_false(condition_holds("environment.emergency != false"));
	assert_true(condition_holds("environment.temperature < 0"));
}

static void built_in(void **state)
{
	struct access_request q = sample_request();
	struct access_answer a;

	(void)state;
	for (int m = 0; m < ACCESS_MODELS; m++) {
		struct fail f = { 0 };
		struct access_policy *p = access_policy_open(NULL, m, NULL, &f);

		if (!p)
			fail_msg("%s", f.text);
		assert_in_range(access_policy_rules(p), 8, 20);
		access_policy_decide(p, &q, SAMPLE_NOW_MS, &a);
		assert_int_equal(a.outcome, ACCESS_PERMIT);
		access_policy_close(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(combinations), cmocka_unit_test(doubtful_targets),
		cmocka_unit_test(top_target),   cmocka_unit_test(obligations),
		cmocka_unit_test(times),        cmocka_unit_test(conditions),
		cmocka_unit_test(built_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
