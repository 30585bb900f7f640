/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_test - places of nodes, bytes that are no YAML, and a library that is silent. */
#include "lib/yaml_fixture.h"

#include <sys/stat.h>

static void places(void **state)
{
	const struct yaml_node *b, *c;
	struct yaml y;

	(void)state;
	assert_int_equal(open_text(&y, "# head\na: 1\nb:\n  - x\n  - {c: \"y:z\", d: }\ne:\n"), 0);
	assert_int_equal(y.root->shape, YAML_MAP);
	assert_int_equal(y.root->children, 3);
	b = yaml_find(y.root, "b");
	assert_int_equal(b->line, 4);
	assert_int_equal(b->column, 3);
	assert_int_equal(b->key->line, 3);
	assert_string_equal(b->child->text, "x");
	c = yaml_find(b->last, "c");
	assert_string_equal(c->text, "y:z");
	assert_int_equal(c->line, 5);
	assert_int_equal(c->column, 9);
	assert_int_equal(yaml_find(b->last, "d")->line, 5);
	assert_string_equal(yaml_find(y.root, "e")->text, "");
	assert_int_equal(yaml_find(y.root, "e")->line, 6);
	assert_null(yaml_find(y.root, "x"));
	yaml_close(&y);
}

static void columns_count_characters(void **state)
{
	struct yaml y;

	(void)state;
	assert_int_equal(open_text(&y, "{\"\303\244\303\266\": 1, b: 2}\n"), 0);
	assert_int_equal(yaml_find(y.root, "b")->column, 14);
	yaml_close(&y);
}

static void not_yaml(void **state)
{
	static const struct {
		const char *text;
		int line, column;
		const char *word;
	} rows[] = {
		{ "", 1, 1, "empty" },
		{ "# nothing\n", 1, 1, "empty" },
		{ "a: [1, 2\n", 2, 1, "not YAML" },
		{ "a: \"x\n", 1, 5, "quote" },
		{ "a: 1\n\tb: 2\n", 1, 4, "not YAML" },
		{ "a: {b: 1\n", 2, 1, "not YAML" },
		{ "a: 1\n---\nb: 2\n", 2, 1, "second document" },
		{ "a: &x 1\n", 1, 7, "anchor" },
		{ "a: !!int 1\n", 1, 10, "tag" },
		{ "b: *x\n", 1, 5, "alias" },
		{ "? [a, b]\n: c\n", 1, 3, "list cannot be a key" },
		{ "a: b\nc: \"x\\ny\"\n", 2, 4, "one line" },
		{ "a: \"\\0\"\n", 1, 4, "control character" },
		{ "a: b\nc: \300\200\n", 2, 4, "UTF-8" },
		{ "a: \355\240\200\n", 1, 4, "UTF-8" },
		{ "a: \303\244\377\n", 1, 5, "0xff" },
		{ "a: \033[31m\n", 1, 4, "0x1b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct yaml y;

		assert_int_equal(open_text(&y, rows[i].text), -1);
		expect_error(&y, rows[i].line, rows[i].column, rows[i].word);
		yaml_close(&y);
	}
}

static void deep(void **state)
{
	char text[200];
	struct yaml y;

	(void)state;
	memset(text, '[', 90);
	memset(text + 90, ']', 90);
	text[180] = '\0';
	assert_int_equal(open_text(&y, text), -1);
	expect_error(&y, 1, 33, "nested deeper than 32");
	yaml_close(&y);
}

static void bytes_that_are_no_text(void **state)
{
	static const char zero[] = "a: b\nc\0d: e\n";
	char *large = calloc(1, YAML_BYTES_MAX + 1);
	struct yaml y;

	(void)state;
	write_bytes(zero, sizeof(zero) - 1);
	assert_int_equal(yaml_open(&y, file), -1);
	expect_error(&y, 2, 2, "control character 0x00");
	yaml_close(&y);
	memset(large, '#', YAML_BYTES_MAX + 1);
	write_bytes(large, YAML_BYTES_MAX + 1);
	assert_int_equal(yaml_open(&y, file), -1);
	expect_error(&y, 0, 0, "limit");
	yaml_close(&y);
	free(large);
}

static void a_text_at_hand(void **state)
{
	struct buf out;
	struct yaml y;

	(void)state;
	assert_int_equal(yaml_open_text(&y, "words", "a: b\n"), 0);
	assert_string_equal(yaml_find(y.root, "a")->text, "b");
	yaml_close(&y);
	assert_int_equal(yaml_open_text(&y, "words", "a: [\n"), -1);
	buf_init(&out, 0);
	assert_int_equal(yaml_report(&y, &out), -1);
	assert_memory_equal(buf_text(&out), "words:", 6);
	buf_release(&out);
	yaml_close(&y);
}

static void not_readable(void **state)
{
	struct yaml y;

	(void)state;
	unlink(file);
	assert_int_equal(yaml_open(&y, file), -1);
	expect_error(&y, 0, 0, "No such file");
	yaml_close(&y);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(yaml_open(&y, file), -1);
	expect_error(&y, 0, 0, "directory");
	yaml_close(&y);
	assert_int_equal(rmdir(file), 0);
}

/* The library writes nothing by itself. */
static void silent(void **state)
{
	char name[] = "/tmp/yaml_test_err.XXXXXX";
	int held = dup(STDERR_FILENO), caught = mkstemp(name);
	struct stat st;
	struct yaml y;

	(void)state;
	assert_true(held >= 0 && caught >= 0);
	dup2(caught, STDERR_FILENO);
	open_text(&y, "a: [\n\"\n}: %%\n");
	yaml_close(&y);
	dup2(held, STDERR_FILENO);
	assert_int_equal(fstat(caught, &st), 0);
	close(held);
	close(caught);
	unlink(name);
	assert_int_equal(st.st_size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(columns_count_characters),
		cmocka_unit_test(not_yaml),
		cmocka_unit_test(deep),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(a_text_at_hand),
		cmocka_unit_test(not_readable),
		cmocka_unit_test(silent),
	};

	return cmocka_run_group_tests_name("yaml", tests, make_dir, remove_dir);
}
