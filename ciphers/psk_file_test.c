/* SPDX-License-Identifier: Apache-2.0 */
/* Files of pre-shared keys: what is taken, and what each refusal says. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ciphers/psk_file.h"

#include <stdio.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/buf.h"
#include "lib/testing.h"

#define KEY16 "AAECAwQFBgcICQoLDA0ODw=="

static int parse(const char *text, struct psk_table *t, struct fail *f)
{
	*f = (struct fail){ 0 };
	return psk_file_parse(text, strlen(text), "keys.txt", t, f);
}

static void test_lines_are_keys(void **state)
{
	struct psk_table t;
	const struct psk *row;
	struct fail f;

	(void)state;
	assert_int_equal(parse("# of the front door\n"
			       "\n"
			       "door=" KEY16 "\r\n"
			       "   \n"
			       "Anna Maier =x=" KEY16 "\n",
			       &t, &f),
			 -1);
	assert_non_null(strstr(f.text, "line 5"));
	assert_int_equal(parse("# of the front door\n\n"
			       "door=" KEY16 "\r\n \t\n"
			       "caf\xc3\xa9 2=" KEY16 "  \n"
			       "a=////////////////////////////////",
			       &t, &f),
			 0);
	assert_int_equal(t.rows, 3);
	assert_string_equal(t.row[0].identity, "door");
	assert_string_equal(t.row[1].identity, "caf\xc3\xa9 2");
	row = psk_table_find(&t, "door");
	assert_ptr_equal(row, &t.row[0]);
	assert_int_equal(row->key_bytes, 16);
	for (int i = 0; i < 16; i++)
		assert_int_equal(row->key[i], i);
	row = psk_table_find(&t, "a");
	assert_int_equal(row->key_bytes, 24);
	assert_int_equal(row->key[23], 0xff);
	assert_null(psk_table_find(&t, ""));
	assert_null(psk_table_find(&t, "doors"));
	assert_null(psk_table_find(&t, "doo"));
	psk_table_release(&t);
}

static void test_a_byte_order_mark_is_no_part_of_an_identity(void **state)
{
	struct psk_table t;
	struct fail f;

	(void)state;
	assert_int_equal(parse("\xef\xbb\xbf"
			       "door=" KEY16 "\n",
			       &t, &f),
			 0);
	assert_non_null(psk_table_find(&t, "door"));
	psk_table_release(&t);
	assert_int_equal(parse("\xef\xbb\xbf", &t, &f), -1);
}

static void test_refusals_say_where_and_why(void **state)
{
	static char long_name[PSK_IDENTITY_MAX + 64];
	static const struct {
		const char *text, *say[3];
	} cases[] = {
		{ "", { "keys.txt", "no key in it", "IDENTITY=BASE64" } },
		{ "# nothing\n\n", { "keys.txt", "no key in it", "" } },
		{ "a=" KEY16 "\nno separator\n", { "line 2", "no '='", "IDENTITY=BASE64" } },
		{ "=" KEY16, { "line 1", "no identity", "" } },
		{ " a=" KEY16, { "line 1", "blank", "" } },
		{ "a =" KEY16, { "line 1", "blank", "" } },
		{ "a\tb=" KEY16, { "line 1", "control character 0x09", "byte 2" } },
		{ "a= " KEY16, { "line 1", "the key of \"a\"", "" } },
		{ "a=AAECAwQFBgcICQoLDA0ODw", { "line 1", "the key of \"a\"", "" } },
		{ "\n\na=AAEC", { "line 3", "3 bytes", "16 to 64" } },
		{ "a=", { "line 1", "0 bytes", "16 to 64" } },
		{ "a=" KEY16 "\nb=" KEY16 "\na=" KEY16, { "\"a\"", "twice", "" } },
		{ long_name, { "line 1", "128 bytes", "127" } },
	};

	(void)state;
	memset(long_name, 'x', PSK_IDENTITY_MAX + 1);
	strcpy(long_name + PSK_IDENTITY_MAX + 1, "=" KEY16);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct psk_table t;
		struct fail f;

		assert_int_equal(parse(cases[i].text, &t, &f), -1);
		assert_null(t.row);
		for (int s = 0; s < 3; s++)
			if (!strstr(f.text, cases[i].say[s]))
				fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].say[s],
					 f.text);
		/* A key is a secret also where it is wrong. */
		assert_null(strstr(f.text, "AAEC"));
	}
}

static void test_long_identities_and_keys_fit(void **state)
{
	char text[PSK_IDENTITY_MAX + 256] = { 0 };
	uint8_t key[PSK_BYTES_MAX] = { 7 };
	struct psk_table t;
	struct buf encoded;
	struct fail f;

	(void)state;
	buf_init(&encoded, 0);
	base64_encode(key, sizeof(key), &encoded);
	memset(text, 'y', PSK_IDENTITY_MAX);
	snprintf(text + PSK_IDENTITY_MAX, sizeof(text) - PSK_IDENTITY_MAX, "=%s",
		 buf_text(&encoded));
	assert_int_equal(parse(text, &t, &f), 0);
	assert_int_equal(strlen(t.row[0].identity), PSK_IDENTITY_MAX);
	assert_int_equal(t.row[0].key_bytes, PSK_BYTES_MAX);
	assert_memory_equal(t.row[0].key, key, sizeof(key));
	psk_table_release(&t);
	buf_release(&encoded);
}

/* Each of many is found, and nothing else. */
static void test_each_of_many_is_found(void **state)
{
	struct psk_table t = { 0 };
	struct rng rng = testing_rng("psk_file_test");
	char name[32];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct psk row = { .key_bytes = PSK_BYTES_MIN };

		snprintf(row.identity, sizeof(row.identity), "client-%d", i * 7919 % 3000 * 2);
		row.key[0] = (uint8_t)i;
		assert_int_equal(psk_table_add(&t, &row), 0);
		if (rng_below(&rng, 100) == 0)
			assert_int_equal(psk_table_sort(&t), 0);
	}
	assert_int_equal(psk_table_sort(&t), 0);
	assert_null(psk_table_double(&t));
	for (int i = 0; i < 6000; i++) {
		const struct psk *row;

		snprintf(name, sizeof(name), "client-%d", i);
		row = psk_table_find(&t, name);
		assert_int_equal(row != NULL, i % 2 == 0);
		if (row)
			assert_string_equal(row->identity, name);
	}
	for (size_t i = 0; i < t.rows; i++)
		assert_int_equal(t.row[i].key[0], (uint8_t)i);
	psk_table_release(&t);
}

/* Random bytes in place of some: refused with a line, or taken, and never out of bounds. */
static void test_damaged_files_do_no_harm(void **state)
{
	static const char good[] = "door=" KEY16 "\n# x\n\nAnna=" KEY16 "\nBert=" KEY16 "\n";
	struct rng rng = testing_rng("psk_file_test");

	(void)state;
	for (int n = 0; n < 20000; n++) {
		char text[sizeof(good)];
		size_t len = rng_below(&rng, sizeof(good));
		struct psk_table t;
		struct fail f = { 0 };

		memcpy(text, good, sizeof(good));
		for (uint64_t k = rng_below(&rng, 4); k > 0; k--)
			text[rng_below(&rng, sizeof(good))] = (char)rng_below(&rng, 256);
		if (psk_file_parse(text, len, "keys.txt", &t, &f))
			assert_non_null(strstr(f.text, "keys.txt: "));
		else
			assert_true(t.rows > 0);
		psk_table_release(&t);
	}
}

static void test_a_missing_file_is_named(void **state)
{
	struct psk_table t;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(psk_file_read("/nowhere/keys.txt", &t, &f), -1);
	assert_non_null(strstr(f.text, "/nowhere/keys.txt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_keys),
		cmocka_unit_test(test_a_byte_order_mark_is_no_part_of_an_identity),
		cmocka_unit_test(test_refusals_say_where_and_why),
		cmocka_unit_test(test_long_identities_and_keys_fit),
		cmocka_unit_test(test_each_of_many_is_found),
		cmocka_unit_test(test_damaged_files_do_no_harm),
		cmocka_unit_test(test_a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
