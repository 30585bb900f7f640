/* SPDX-License-Identifier: Apache-2.0 */
/* access_errors_test - what is wrong with a policy is said with its line and column, all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "workloads/access_policy.h"

#define ROWS(A) (sizeof(A) / sizeof *(A))

static const struct {
	const char *text;
	int line, column;
	const char *word;
} rows[] = {
	{ "combine: deny-overrides\nrules:\n- {name: a, effect: permit}\n", 1, 1,
	  "\"policy\" is missing" },
	{ "policy: p\ncombine: deny\nrules:\n- {name: a, effect: permit}\n", 2, 10,
	  "unknown value of combine \"deny\"" },
	{ "policy: p\ncombine: deny-overrides\n", 1, 1, "either \"policies\" or \"rules\"" },
	{ "policy: p\ncombine: deny-overrides\nrules: []\n", 3, 8, "an empty one" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- {name: a, efect: permit}\n", 4, 13,
	  "did you mean \"effect\"" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- {name: a, effect: permit}\n"
	  "- {name: a, effect: deny}\n",
	  5, 10, "given twice, first on line 4" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny, target: {role: nurse}}\n",
	  4, 36, "did you mean \"roles\"" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny, when: {hours: \"8:00-9:00\"}}\n",
	  4, 41, "HH:MM-HH:MM" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny, when: {hours: \"09:00-09:00\"}}\n",
	  4, 41, "00:00-24:00" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny, when: {days: tues}}\n",
	  4, 40, "did you mean" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny, when: {from: 2026-02-29}}\n",
	  4, 40, "no date" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.clearence > 3\n",
	  6, 15, "did you mean \"user.clearance\"" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.clearance => 3\n",
	  6, 30, "==, !=" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.clearance > high\n",
	  6, 32, "a whole number" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.role < nurse\n",
	  6, 25, "only numbers have an order" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.role == point.floor\n",
	  6, 28, "same kind" },
	{ "policy: p\ncombine: deny-overrides\nrules:\n- name: a\n  effect: deny\n"
	  "  conditions: user.role == nurse and user.clearance > 3\n",
	  6, 34, "\"or\" or the end" },
	{ "policy: p\nutc_offset: \"+2\"\ncombine: deny-overrides\nrules:\n"
	  "- {name: a, effect: deny}\n",
	  2, 13, "+HH:MM" },
	{ "policy: p\ncombine: deny-overrides\non_deny: [a, b, c, d]\nrules:\n"
	  "- {name: a, effect: deny, obligations: [e, f, g, h, i]}\n",
	  5, 3, "obligations come together" },
};

static void errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct buf report = { 0 };
		struct fail f = { 0 };
		char place[32];
		const char *at;

		snprintf(place, sizeof place, "p:%d:%d: ", rows[i].line, rows[i].column);
		assert_null(access_policy_open_text("p", rows[i].text, ACCESS_ABAC, &report, &f));
		at = strstr(buf_text(&report), place);
		if (!*f.text || !at || !strstr(at, rows[i].word))
			fail_msg("%s\nis refused with: %s", rows[i].text, buf_text(&report));
		buf_release(&report);
	}
}

static void every_error_at_once(void **state)
{
	struct buf report = { 0 };
	struct fail f = { 0 };

	(void)state;
	assert_null(access_policy_open_text(
		"p",
		"policy: p\ncombine: deny-overrides\nrules:\n- {name: a, effect: maybe}\n"
		"- {name: b, effect: deny, when: {days: someday}}\n- {name: c, effect: permt}\n",
		ACCESS_ABAC, &report, &f));
	assert_non_null(strstr(buf_text(&report), "p:4:"));
	assert_non_null(strstr(buf_text(&report), "p:5:"));
	assert_non_null(strstr(buf_text(&report), "p:6:"));
	buf_release(&report);
}

static void roles_only(void **state)
{
	static const char *const refused[] = { "when: {days: mon}",
					       "conditions: user.clearance > 1",
					       "target: {kinds: door}" };

	(void)state;
	for (size_t i = 0; i < ROWS(refused); i++) {
		struct access_policy *p;
		struct fail f = { 0 };
		char text[256];

		snprintf(text, sizeof text,
			 "policy: p\ncombine: deny-overrides\nrules:\n- {name: a, effect: deny, "
			 "%s}\n",
			 refused[i]);
		p = access_policy_open_text("p", text, ACCESS_ABAC, NULL, &f);
		assert_non_null(p);
		access_policy_close(p);
		assert_null(access_policy_open_text("p", text, ACCESS_RBAC, NULL, &f));
		assert_non_null(strstr(f.text, "p:4:"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),
		cmocka_unit_test(every_error_at_once),
		cmocka_unit_test(roles_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
