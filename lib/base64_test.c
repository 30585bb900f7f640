/* SPDX-License-Identifier: Apache-2.0 */
/* base64_test - the vectors of RFC 4648 section 10, round trips, and texts that must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base64.h"
#include "lib/rng.h"

static const char *const vectors[][2] = {
	{ "", "" },
	{ "f", "Zg==" },
	{ "fo", "Zm8=" },
	{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" },
	{ "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" },
};

static void published_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct buf text = { 0 }, bytes = { 0 };
		struct fail f = { 0 };
		base64_encode(vectors[i][0], strlen(vectors[i][0]), &text);
		assert_string_equal(buf_text(&text), vectors[i][1]);
		assert_int_equal(base64_decode(vectors[i][1], strlen(vectors[i][1]), &bytes, &f),
				 0);
		assert_string_equal(buf_text(&bytes), vectors[i][0]);
		buf_release(&text);
		buf_release(&bytes);
	}
}

static void any_bytes_come_back(void **state)
{
	(void)state;
	struct rng r;
	rng_seed(&r, 20);
	for (size_t len = 0; len < 200; len++) {
		uint8_t src[200];
		for (size_t i = 0; i < len; i++)
			src[i] = (uint8_t)rng_next(&r);
		struct buf text = { 0 }, bytes = { 0 };
		struct fail f = { 0 };
		base64_encode(src, len, &text);
		assert_int_equal(text.len, (len + 2) / 3 * 4);
		assert_int_equal(base64_decode(text.data, text.len, &bytes, &f), 0);
		assert_int_equal(bytes.len, len);
		if (len)
			assert_memory_equal(bytes.data, src, len);
		buf_release(&text);
		buf_release(&bytes);
	}
}

static void wrong_texts_are_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = { "Z",      "Zg",   "Zg=",  "Zg==Zg==", "Zh==", "Zm9=",
					     "Zm9v\n", "Zm v", "====", "Z===",     "Zm-v", "=m9v" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct buf bytes = { 0 };
		struct fail f = { 0 };
		assert_int_equal(base64_decode(wrong[i], strlen(wrong[i]), &bytes, &f), -1);
		assert_non_null(strstr(f.text, "base64"));
		buf_release(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_vectors),
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(wrong_texts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
