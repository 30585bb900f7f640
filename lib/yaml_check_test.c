/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_check_test - the check by tables of keys: presets, values, everything that is wrong. */
#include "lib/yaml_fixture.h"

#include "lib/clock.h"

struct inner {
	int64_t time_ns;
};

struct outer {
	char name[8];
	int narrow;
	int64_t wide, bytes;
	char kind[8];
	struct inner inner;
	const struct yaml_node *list, *any;
};

#define AT(STRUCT, FIELD) \
	.offset = offsetof(struct STRUCT, FIELD), .size = sizeof(((struct STRUCT *)0)->FIELD)

static const char *const kinds[] = { "red", "green", NULL };

static const struct yaml_key inner_keys[] = {
	{ "time", YAML_DURATION, AT(inner, time_ns), .min = NS_PER_MS, .max = NS_PER_S,
	  .preset = "7ms" },
	{ 0 },
};

static const struct yaml_key outer_keys[] = {
	{ "name", YAML_TEXT, AT(outer, name), .required = true },
	{ "narrow", YAML_INTEGER, AT(outer, narrow), .min = -5, .max = 5, .preset = "3" },
	{ "wide", YAML_INTEGER, AT(outer, wide), .preset = "-9000000000" },
	{ "bytes", YAML_BYTES, AT(outer, bytes), .max = 65536 },
	{ "kind", YAML_CHOICE, AT(outer, kind), .choices = kinds, .preset = "green" },
	{ "inner", YAML_TABLE, AT(outer, inner), .keys = inner_keys },
	{ "list", YAML_INTEGER, AT(outer, list), .list = true, .min = 1, .max = 9 },
	{ "any", YAML_NODE, AT(outer, any) },
	{ 0 },
};

static int check_text(struct yaml *y, const char *text, struct outer *o)
{
	*o = (struct outer){ 0 };
	yaml_preset(outer_keys, o);
	assert_int_equal(open_text(y, text), 0);
	return yaml_check(y, y->root, outer_keys, o);
}

static void presets(void **state)
{
	struct outer o;
	struct yaml y;

	(void)state;
	assert_int_equal(check_text(&y, "name: n\n", &o), 0);
	assert_string_equal(o.name, "n");
	assert_int_equal(o.narrow, 3);
	assert_int_equal(o.wide, -9000000000);
	assert_int_equal(o.bytes, 0);
	assert_string_equal(o.kind, "green");
	assert_int_equal(o.inner.time_ns, 7 * NS_PER_MS);
	assert_null(o.list);
	yaml_close(&y);
}

static void values(void **state)
{
	const struct yaml_node *n;
	int64_t sum = 0;
	struct outer o;
	struct yaml y;

	(void)state;
	assert_int_equal(
		check_text(&y,
			   "{name: abcdefg, narrow: -5, wide: 12345678901, bytes: 4KiB,"
			   " kind: red, inner: {time: 0.5s}, list: [1, 2, 9], any: {x: y}}",
			   &o),
		0);
	assert_string_equal(o.name, "abcdefg");
	assert_int_equal(o.narrow, -5);
	assert_int_equal(o.wide, 12345678901);
	assert_int_equal(o.bytes, 4096);
	assert_string_equal(o.kind, "red");
	assert_int_equal(o.inner.time_ns, 500 * NS_PER_MS);
	for (n = yaml_first(o.list); n; n = yaml_next(o.list, n))
		sum = sum * 10 + n->value;
	assert_int_equal(sum, 129);
	assert_int_equal(o.any->shape, YAML_MAP);
	yaml_close(&y);
	assert_int_equal(check_text(&y, "{name: n, list: 4}", &o), 0);
	assert_int_equal(yaml_first(o.list)->value, 4);
	assert_null(yaml_next(o.list, yaml_first(o.list)));
	yaml_close(&y);
}

static void wrong_values(void **state)
{
	static const struct {
		const char *text;
		int line, column;
		const char *word;
	} rows[] = {
		{ "narrow: 1\n", 1, 1, "\"name\" is missing" },
		{ "name: n\nnarow: 1\n", 2, 1, "did you mean \"narrow\"" },
		{ "name: n\nqqqqqqq: 1\n", 2, 1, "expected one of: name, narrow, wide" },
		{ "name: n\nname: m\n", 2, 1, "twice, first on line 1" },
		{ "name: abcdefgh\n", 1, 7, "longer than 7 bytes" },
		{ "name: [a]\n", 1, 7, "found a list" },
		{ "name:\n", 1, 1, "found nothing" },
		{ "name: n\nnarrow: 6\n", 2, 9, "expected -5 to 5" },
		{ "name: n\nnarrow: x\n", 2, 9, "narrow: 'x'" },
		{ "name: n\nnarrow: 1.5\n", 2, 9, "whole number" },
		{ "name: n\nbytes: 65KiB\n", 2, 8, "0 B to 64 KiB" },
		{ "name: n\nbytes: 1furlong\n", 2, 8, "1furlong" },
		{ "name: n\nkind: gren\n", 2, 7, "did you mean \"green\"" },
		{ "name: n\nkind: purple\n", 2, 7, "expected one of: red, green" },
		{ "name: n\ninner: 5ms\n", 2, 8, "map of keys and values, found a single value" },
		{ "name: n\ninner:\n  time: 5 parsecs\n", 3, 9, "such as 500ms" },
		{ "name: n\ninner: {time: 2s}\n", 2, 15, "1 ms to 1 s" },
		{ "name: n\ninner: {times: 2s}\n", 2, 9, "did you mean \"time\"" },
		{ "name: n\nlist: []\n", 2, 7, "empty" },
		{ "name: n\nlist: [1, 10]\n", 2, 11, "1 to 9" },
		{ "name: n\nlist: [1, [2]]\n", 2, 11, "found a list" },
		{ "[name, n]\n", 1, 1, "found a list" },
		{ "just words\n", 1, 1, "found a single value" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outer o;
		struct yaml y;

		assert_int_equal(check_text(&y, rows[i].text, &o), -1);
		expect_error(&y, rows[i].line, rows[i].column, rows[i].word);
		yaml_close(&y);
	}
}

/* Everything wrong in one file comes at once, in its order, and the right is kept. */
static void all_at_once(void **state)
{
	struct buf out, expected;
	struct outer o;
	struct yaml y;

	(void)state;
	assert_int_equal(check_text(&y, "knd: red\nnarrow: 9\nwide: 11\nlist: [0, 1, 99]\n", &o),
			 -1);
	assert_int_equal(o.wide, 11);
	buf_init(&out, 0);
	buf_init(&expected, 0);
	buf_printf(&expected, "%s:1:1: key \"name\" is missing\n", file);
	assert_int_equal(yaml_report(&y, &out), -1);
	assert_int_equal(y.errors, 5);
	assert_non_null(
		strstr(buf_text(&out), ":1:1: unknown key \"knd\"; did you mean \"kind\"?\n"));
	assert_non_null(strstr(buf_text(&out), buf_text(&expected)));
	assert_true(strstr(buf_text(&out), ":1:1: ") < strstr(buf_text(&out), ":2:9: "));
	assert_true(strstr(buf_text(&out), ":2:9: ") < strstr(buf_text(&out), ":4:8: "));
	assert_true(strstr(buf_text(&out), ":4:8: ") < strstr(buf_text(&out), ":4:14: "));
	buf_release(&out);
	buf_release(&expected);
	yaml_close(&y);
}

static void too_many(void **state)
{
	struct outer o;
	struct buf text, out;
	struct yaml y;
	int lines = 0;

	(void)state;
	buf_init(&text, 0);
	buf_init(&out, 0);
	for (int i = 0; i < 300; i++)
		buf_printf(&text, "q%d: 1\n", i);
	assert_int_equal(check_text(&y, buf_text(&text), &o), -1);
	assert_int_equal(yaml_report(&y, &out), -1);
	for (const char *p = buf_text(&out); *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, YAML_ERRORS_MAX + 1);
	assert_non_null(strstr(buf_text(&out), "more errors than the 100 listed\n"));
	buf_release(&text);
	buf_release(&out);
	yaml_close(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets),      cmocka_unit_test(values),
		cmocka_unit_test(wrong_values), cmocka_unit_test(all_at_once),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests_name("yaml check", tests, make_dir, remove_dir);
}
