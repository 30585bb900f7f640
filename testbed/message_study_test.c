/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_study_test - the study's figures that `cipherwatt message` prints are those of
 * results/reference, which workloads may not know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/reference.h"
#include "workloads/message_bench.h"

static double figure(const char *what, enum reference_metric metric)
{
	const struct reference_row *row =
		reference_find(&reference_message_security, "scenario 3", what, 0, 0, metric);

	if (!row)
		fail_msg("the study has no \"%s\"", what);
	return row->value;
}

static void figures_are_the_studys(void **state)
{
	(void)state;
	for (int i = 0; i < MESSAGE_GROUPS; i++) {
		const struct message_study *s = &message_study[i];

		assert_true(s->low_ms == figure(s->name, REFERENCE_LOW_MS));
		assert_true(s->high_ms == figure(s->name, REFERENCE_HIGH_MS));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_the_studys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
