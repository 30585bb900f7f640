/* SPDX-License-Identifier: Apache-2.0 */
/* buf_test - growth against a plain array, the limit, the error that sticks, secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/buf.h"
#include "lib/testing.h"

static void writers_append(void **state)
{
	struct buf b = { 0 };
	char *room;

	(void)state;
	assert_string_equal(buf_text(&b), "");
	buf_puts(&b, "a=");
	buf_printf(&b, "%d,%s", 42, "x");
	buf_byte(&b, '\n');
	buf_put(&b, NULL, 0);
	room = buf_reserve(&b, 3);
	assert_non_null(room);
	memcpy(room, "end", 3);
	b.len += 3;
	assert_string_equal(buf_text(&b), "a=42,x\nend");
	assert_int_equal(b.len, 10);
	buf_drop(&b, 7);
	assert_string_equal(buf_text(&b), "end");
	buf_drop(&b, 100);
	assert_string_equal(buf_text(&b), "");
	buf_release(&b);
	assert_null(b.data);
}

#define MODEL_BYTES 100000

/* Random operations on a buffer and on an array that is large enough. */
static void behaves_like_an_array(void **state)
{
	static char model[MODEL_BYTES], bytes[3000];
	struct rng r = testing_rng(__func__);
	struct buf b = { 0 };
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)rng_next(&r);
	for (int i = 0; i < 5000; i++) {
		size_t n = (size_t)rng_below(&r, rng_below(&r, 2) ? 20 : sizeof(bytes));

		if (rng_below(&r, 2) && len + n <= MODEL_BYTES) {
			buf_put(&b, bytes, n);
			memcpy(model + len, bytes, n);
			len += n;
		} else {
			buf_drop(&b, n);
			n = n < len ? n : len;
			memmove(model, model + n, len - n);
			len -= n;
		}
		assert_int_equal(b.len, len);
		if (len)
			assert_memory_equal(b.data, model, len);
	}
	assert_false(b.failed);
	buf_release(&b);
}

static void the_limit_sticks(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	buf_puts(&b, "12345");
	assert_false(b.failed);
	assert_string_equal(buf_text(&b), "12345"); /* the NUL does not count */
	buf_puts(&b, "6");
	assert_true(b.failed);
	assert_string_equal(buf_text(&b), "");
	buf_drop(&b, 5);
	buf_puts(&b, "x"); /* would fit now: but there is a hole in the text */
	assert_int_equal(b.len, 0);
	assert_null(buf_reserve(&b, 1));
	buf_clear(&b);
	assert_false(b.failed);
	buf_printf(&b, "%s", "123456");
	assert_true(b.failed);
	buf_clear(&b);
	assert_non_null(buf_reserve(&b, 5));
	assert_null(buf_reserve(&b, SIZE_MAX));
	assert_true(b.failed);
	buf_release(&b);
	assert_int_equal(b.max, 5); /* and it can be filled again */
	buf_puts(&b, "again");
	assert_string_equal(buf_text(&b), "again");
	buf_release(&b);
}

/* Is the text anywhere in memory that malloc() hands out again? (Sanitizers hand out other.) */
static bool left_behind(size_t bytes, const char *text)
{
	char *again = malloc(bytes);
	bool found;

	assert_non_null(again);
	found = memmem(again, bytes, text, strlen(text)) != NULL;
	free(again);
	return found;
}

static void secrets_are_wiped(void **state)
{
	struct buf b = { .secret = true };
	size_t cap;

	(void)state;
	buf_puts(&b, "a preamble of no account, and then the password");
	memcpy((char *)buf_reserve(&b, 10) + 2, "reserved", 8); /* never added to len */
	buf_drop(&b, 8);
	assert_null(memmem(b.data + b.len, b.cap - b.len, "word", 4));
	assert_null(memmem(b.data, b.cap, "reserved", 8));
	assert_non_null(memmem(b.data, b.len, "password", 8));
	buf_clear(&b);
	assert_null(memmem(b.data, b.cap, "password", 8));
	buf_puts(&b, "a preamble of no account, and then the password");
	cap = b.cap;
	assert_non_null(buf_reserve(&b, cap)); /* it moves */
	assert_false(left_behind(cap, "password"));
	assert_non_null(memmem(b.data, b.len, "password", 8));
	cap = b.cap;
	buf_release(&b);
	assert_false(left_behind(cap, "password"));
	assert_true(b.secret);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_append),
		cmocka_unit_test(behaves_like_an_array),
		cmocka_unit_test(the_limit_sticks),
		cmocka_unit_test(secrets_are_wiped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
