/* SPDX-License-Identifier: Apache-2.0 */
/* report_servers_test - what a report says of servers under test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "results/report.h"

static void settings_are_shared_or_by_cell(void **state)
{
	struct cell_summary cell[4] = { 0 };
	struct report r = { .cell = cell, .cells = 4 };
	struct buf out = { 0 };

	(void)state;
	strcpy(cell[0].cell.server, "builtin");
	strcpy(cell[1].cell.server, "nginx");
	strcpy(cell[1].server_settings, "{\"version\":\"nginx/1.22.1\",\"gzip\":\"off\"}");
	strcpy(cell[2].cell.server, "nginx");
	strcpy(cell[2].server_settings,
	       "{\"version\":\"nginx/1.22.1\",\"gzip\":\"6\",\"tickets\":\"off\"}");
	strcpy(cell[3].cell.server, "haproxy");
	strcpy(cell[3].server_settings, "{\"gzip\":\"off\"}");
	report_servers(&r, &out);
	assert_string_equal(buf_text(&out),
			    "Server nginx: version nginx/1.22.1, gzip by cell, tickets off.\n"
			    "Server haproxy: gzip off.\n");
	buf_release(&out);
}

static void the_method_has_them(void **state)
{
	struct cell_summary cell = { .cell.server = "nginx",
				     .server_settings = "{\"sendfile\":\"on\"}" };
	struct report r = { .cell = &cell, .cells = 1 };
	struct buf out = { 0 };

	(void)state;
	report_method(&r, &out);
	assert_non_null(strstr(buf_text(&out), "\nServer nginx: sendfile on.\n"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_shared_or_by_cell),
		cmocka_unit_test(the_method_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
