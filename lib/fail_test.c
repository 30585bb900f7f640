/* SPDX-License-Identifier: Apache-2.0 */
/* fail_test - the first reason wins, places go in front, long texts are cut at their end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fail.h"

static void first_reason_wins(void **state)
{
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(fail_set(&f, ENOENT, "no %s", "file"), -1);
	assert_int_equal(fail_set(&f, EIO, "a consequence"), -1);
	assert_int_equal(f.code, ENOENT);
	assert_string_equal(f.text, "no file");
	fail_clear(&f);
	assert_int_equal(f.code, 0);
	assert_string_equal(f.text, "");
	fail_set(&f, 0, "no errno at hand");
	assert_int_not_equal(f.code, 0); /* it is a failure all the same */
}

static void places_go_in_front(void **state)
{
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(fail_within(&f, "nothing"), -1);
	assert_string_equal(f.text, ""); /* nothing had gone wrong */
	fail_set(&f, EINVAL, "100%% odd");
	assert_int_equal(fail_within(&f, "line %d", 3), -1);
	fail_within(&f, "%s", "a.yaml");
	assert_string_equal(f.text, "a.yaml: line 3: 100% odd");
	assert_int_equal(f.code, EINVAL);
}

static void long_texts_lose_their_end(void **state)
{
	struct fail f = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fail_set(&f, EIO, "%s", text);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
	fail_within(&f, "where");
	assert_int_equal(strncmp(f.text, "where: xxx", 10), 0);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
	fail_within(&f, "%s", text);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_reason_wins),
		cmocka_unit_test(places_go_in_front),
		cmocka_unit_test(long_texts_lose_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
