/* SPDX-License-Identifier: Apache-2.0 */
/* keylog_test - lines of a log, and which of its secrets are found, from the file or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/keylog.h"

#define RANDOM "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static void lines_of_a_log(void **state)
{
	static const struct {
		const char *text, *why;
		size_t entries;
	} cases[] = {
		{ "# a comment\r\n\r\nCLIENT_RANDOM " RANDOM " 0102\r\n", NULL, 1 },
		{ "EXPORTER_SECRET " RANDOM " 0102\n", NULL, 0 },
		{ "CLIENT_RANDOM " RANDOM " 0102\nCLIENT_RANDOM 00", NULL, 1 },
		{ "\nCLIENT_RANDOM " RANDOM "\n",
		  "log, line 2: 2 words; expected LABEL RANDOM SECRET", 0 },
		{ "CLIENT_RANDOM 0011 0102\n", "log, line 1: the client's random is not 64", 0 },
		{ "CLIENT_RANDOM " RANDOM " 010\n", "the secret is not hexadecimal", 0 },
		{ "CLIENT_RANDOM " RANDOM " 01zz\n", "the secret is not hexadecimal", 0 },
		{ "CLIENT_RANDOM " RANDOM " " RANDOM RANDOM RANDOM "\n", "longer than 64 bytes",
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct keylog k = { 0 };
		struct fail f = { 0 };
		int status = keylog_add(&k, "log", cases[i].text, strlen(cases[i].text), &f);

		assert_int_equal(status, cases[i].why ? -1 : 0);
		if (cases[i].why && !strstr(f.text, cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", f.text, cases[i].why);
		assert_int_equal(k.count, cases[i].entries);
		keylog_release(&k);
	}
}

static void read_text(struct keylog *k, const char *text)
{
	char name[] = "/tmp/keylog_test.XXXXXX";
	int fd = mkstemp(name);
	struct fail f = { 0 };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(keylog_read(k, name, &f), 0);
	unlink(name);
}

static const struct keylog_entry *find(struct keylog *k, uint8_t first)
{
	uint8_t random[KEYLOG_RANDOM_BYTES] = { first };

	return keylog_find(k, KEYLOG_MASTER, random);
}

#define LINE(FIRST, SECRET)    \
	"CLIENT_RANDOM " FIRST \
	"00000000000000000000000000000000000000000000000000000000000000 " SECRET "\n"

/* What a capture carries answers too, but says nothing of the file. */
static void secrets_of_the_file_are_counted_apart(void **state)
{
	const char *carried = LINE("02", "aa") LINE("03", "aa") LINE("04", "aa");
	struct keylog k = { 0 };
	struct fail f = { 0 };

	(void)state;
	read_text(&k, LINE("01", "bb") LINE("02", "bb"));
	assert_int_equal(k.from_file, 2);
	assert_int_equal(keylog_add(&k, "capture", carried, strlen(carried), &f), 0);
	assert_int_equal(k.count, 5);
	assert_int_equal(k.from_file, 2);
	assert_int_equal(find(&k, 3)->secret[0], 0xaa);
	assert_null(find(&k, 5));
	assert_int_equal(k.found_from_file, 0);
	assert_int_equal(find(&k, 2)->secret[0], 0xbb);
	assert_int_equal(k.found_from_file, 1);
	assert_int_equal(find(&k, 1)->secret[0], 0xbb);
	assert_int_equal(k.found_from_file, 2);
	keylog_release(&k);
	assert_int_equal(k.from_file, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_log),
		cmocka_unit_test(secrets_of_the_file_are_counted_apart),
	};

	return cmocka_run_group_tests_name("keylog", tests, NULL, NULL);
}
