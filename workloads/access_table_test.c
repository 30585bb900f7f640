/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_table_test - the decisions of tests/access/decisions.tsv, which another program derived
 * from the same policy, asked in JSON and in CBOR. Run from the root of the repository, as
 * `make unit` does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/path.h"
#include "workloads/access_policy.h"
#include "workloads/access_sample.h"

#define POLICY   "tests/access/policy.yaml"
#define SAMPLE   "testbed/policies/hospital.yaml"
#define TABLE    "tests/access/decisions.tsv"
#define COLUMNS  17
#define ROWS_MIN 200

enum column {
	ROLE,
	AREA,
	DEPARTMENT,
	EMPLOYMENT,
	CLEARANCE,
	BUILDING,
	KIND,
	FLOOR,
	SECURITY,
	EMERGENCY,
	OCCUPANCY,
	TEMPERATURE,
	DIRECTION,
	NOW,
	DECISION,
	REASON,
	RULE
};

static void take_text(char *dst, size_t size, const char *text)
{
	snprintf(dst, size, "%s", strcmp(text, "-") ? text : "");
}

static int64_t number(const char *text)
{
	return strcmp(text, "-") ? strtoll(text, NULL, 10) : FIELD_ABSENT;
}

static struct access_request request_of(char *const *cell)
{
	struct access_request q = sample_request();

	take_text(q.user.role, sizeof q.user.role, cell[ROLE]);
	take_text(q.user.department, sizeof q.user.department, cell[DEPARTMENT]);
	take_text(q.user.employment, sizeof q.user.employment, cell[EMPLOYMENT]);
	q.user.clearance = number(cell[CLEARANCE]);
	take_text(q.point.area, sizeof q.point.area, cell[AREA]);
	take_text(q.point.building, sizeof q.point.building, cell[BUILDING]);
	take_text(q.point.kind, sizeof q.point.kind, cell[KIND]);
	q.point.floor = number(cell[FLOOR]);
	q.point.security = number(cell[SECURITY]);
	q.environment.emergency =
		strcmp(cell[EMERGENCY], "-") == 0 ? -1 : strcmp(cell[EMERGENCY], "true") == 0;
	q.environment.occupancy = number(cell[OCCUPANCY]);
	q.environment.temperature_c = number(cell[TEMPERATURE]);
	take_text(q.environment.direction, sizeof q.environment.direction, cell[DIRECTION]);
	return q;
}

static void check_row(const struct access_policy *p, char *const *cell, int line)
{
	int64_t now_ms = strcmp(cell[NOW], "-") ? number(cell[NOW]) : SAMPLE_NOW_MS;
	struct access_request q = request_of(cell), heard;
	struct buf text = { 0 };

	for (int e = 0; e < ACCESS_ENCODINGS; e++) {
		struct access_answer a;
		struct fail f = { 0 };

		buf_clear(&text);
		access_encode(e, access_request_fields[ACCESS_ABAC], &q, &text);
		if (access_request_read(e, ACCESS_ABAC, text.data, text.len, &heard, &f) != 0)
			fail_msg("line %d: %s", line, f.text);
		access_policy_decide(p, &heard, now_ms, &a);
		if (strcmp(access_outcome_name[a.outcome], cell[DECISION]) != 0 ||
		    strcmp(access_reason_name[a.reason], cell[REASON]) != 0 ||
		    strcmp(*a.rule ? a.rule : "-", cell[RULE]) != 0)
			fail_msg("line %d, %s: %s by %s %s, expected %s by %s %s", line,
				 access_encoding_name[e], access_outcome_name[a.outcome],
				 access_reason_name[a.reason], a.rule, cell[DECISION], cell[REASON],
				 cell[RULE]);
	}
	buf_release(&text);
}

static int split(char *line, char **cell)
{
	int cells = 0;

	for (char *rest; (cell[cells] = strtok_r(cells ? NULL : line, "\t", &rest));)
		if (++cells == COLUMNS)
			break;
	return cells;
}

/* Every rule of the policy decides some of them. */
static void table(void **state)
{
	struct access_policy *p;
	struct buf text = { 0 };
	struct fail f = { 0 };
	int line = 0, rows = 0;
	char *rest;

	(void)state;
	p = access_policy_open(POLICY, ACCESS_ABAC, NULL, &f);
	if (!p || path_read(TABLE, 1 << 20, &text, &f) != 0)
		fail_msg("%s", f.text);
	buf_byte(&text, '\0');
	for (char *at = strtok_r(text.data, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		char *cell[COLUMNS + 1];

		line++;
		if (*at == '#')
			continue;
		assert_int_equal(split(at, cell), COLUMNS);
		check_row(p, cell, line);
		rows++;
	}
	assert_in_range(rows, ROWS_MIN, 1000);
	access_policy_close(p);
	buf_release(&text);
}

static void sample(void **state)
{
	struct fail f = { 0 };
	struct access_policy *p = access_policy_open(SAMPLE, ACCESS_ABAC, NULL, &f);

	(void)state;
	if (!p)
		fail_msg("%s", f.text);
	access_policy_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(table), cmocka_unit_test(sample) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
