/* SPDX-License-Identifier: Apache-2.0 */
/* table_test - widths, sides, characters of several bytes, Markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/table.h"

static void expect_print(const struct table *t, void (*print)(const struct table *, FILE *),
			 const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	print(t, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void add(struct table *t, const char *a, const char *b, const char *c)
{
	const char *cells[] = { a, b, c };

	assert_int_equal(table_row(t, cells), 0);
}

static void columns_align(void **state)
{
	static const char *const heads[] = { "suite", ">requests/s", "note", NULL };
	char reused[] = "rsa3072";
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, heads), 0);
	expect_print(&t, table_print, "suite  requests/s  note\n");
	add(&t, reused, "7", NULL);
	strcpy(reused, "gone"); /* cells are copies */
	add(&t, "p256", "1234.5", "fast");
	add(&t, "", NULL, "µs");
	assert_int_equal(t.rows, 3);
	expect_print(&t, table_print,
		     "suite    requests/s  note\n"
		     "rsa3072           7\n"
		     "p256         1234.5  fast\n"
		     "                     µs\n");
	expect_print(&t, table_print_markdown,
		     "| suite | requests/s | note |\n"
		     "| --- | ---: | --- |\n"
		     "| rsa3072 | 7 |  |\n"
		     "| p256 | 1234.5 | fast |\n"
		     "|  |  | µs |\n");
	table_release(&t);
	table_release(&t);
}

static void widths_count_characters(void **state)
{
	static const char *const heads[] = { "unit", ">value", NULL };
	const char *micro[] = { "µµµµµ", "½" }, *plain[] = { "usual", "12" };
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, heads), 0);
	assert_int_equal(table_row(&t, micro), 0);
	assert_int_equal(table_row(&t, plain), 0);
	expect_print(&t, table_print,
		     "unit   value\n"
		     "µµµµµ      ½\n"
		     "usual     12\n");
	table_release(&t);
}

static void markdown_cells_cannot_break_out(void **state)
{
	static const char *const heads[] = { "a|b", NULL };
	const char *cells[] = { "x|y\nz" };
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, heads), 0);
	assert_int_equal(table_row(&t, cells), 0);
	expect_print(&t, table_print_markdown,
		     "| a\\|b |\n"
		     "| --- |\n"
		     "| x\\|y z |\n");
	table_release(&t);
}

static void too_many_columns_are_refused(void **state)
{
	const char *heads[34] = { NULL };
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, heads), -1); /* none is no table either */
	for (int i = 0; i < 32; i++)
		heads[i] = "h";
	assert_int_equal(table_init(&t, heads), 0);
	assert_int_equal(t.columns, 32);
	table_release(&t);
	heads[32] = "h";
	assert_int_equal(table_init(&t, heads), -1);
	table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_align),
		cmocka_unit_test(widths_count_characters),
		cmocka_unit_test(markdown_cells_cannot_break_out),
		cmocka_unit_test(too_many_columns_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
