/* SPDX-License-Identifier: Apache-2.0 */
/* hex_test - every byte there and back, every character that is no digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/hex.h"

static void every_byte(void **state)
{
	uint8_t bytes[256], back[256];
	char text[513], expected[513], capitals[513];

	(void)state;
	for (int i = 0; i < 256; i++) {
		bytes[i] = (uint8_t)i;
		snprintf(expected + 2 * i, 3, "%02x", (unsigned)i);
		snprintf(capitals + 2 * i, 3, "%02X", (unsigned)i);
	}
	hex_encode(bytes, 256, text);
	assert_string_equal(text, expected);
	assert_int_equal(hex_decode(text, 256, back), 0);
	assert_memory_equal(back, bytes, 256);
	memset(back, 0, sizeof(back));
	assert_int_equal(hex_decode(capitals, 256, back), 0);
	assert_memory_equal(back, bytes, 256);
	hex_encode(bytes, 0, text);
	assert_string_equal(text, "");
}

static void what_is_no_digit(void **state)
{
	uint8_t back[2];

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char in_front[] = { (char)c, '0', '1', '2' };
		const char last[] = { '0', '1', '2', (char)c };
		int expected = c < 128 && isxdigit(c) ? 0 : -1;

		assert_int_equal(hex_value((char)c) < 0 ? -1 : 0, expected);
		assert_int_equal(hex_decode(in_front, 2, back), expected);
		assert_int_equal(hex_decode(last, 2, back), expected);
	}
	/* Nothing is read behind a digit that is missing. */
	assert_int_equal(hex_decode("0", 2, back), -1);
	assert_int_equal(hex_decode("", 1, back), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(what_is_no_digit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
