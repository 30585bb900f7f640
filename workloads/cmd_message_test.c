/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_message_test - the table of options, and what is refused before anything is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "workloads/commands.h"

#define WORDS 3

static int run(char word[WORDS][32])
{
	char *argv[WORDS + 1] = { NULL };
	int argc = 0;

	while (argc < WORDS && word[argc][0]) {
		argv[argc] = word[argc];
		argc++;
	}
	return cmd_message.run(&cmd_message, argc, argv);
}

static void every_option_is_whole(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (opt_check_table(cmd_message.usage.options, &f))
		fail_msg("%s", f.text);
}

static void what_is_refused(void **state)
{
	static char tests[][WORDS][32] = {
		{ "message", "file" },
		{ "message", "--profile=best" },
		{ "message", "--profile=best", "--secure=/dev/null" },
		{ "message", "--secure=/dev/null", "--read=/dev/null" },
		{ "message", "--count=0" },
		{ "message", "--payload=1MiB" },
		{ "message", "--from=somebody" },
		{ "message", "--from=client" },
		{ "message", "--json", "--secure=/dev/null" },
		{ "message", "--json", "--read=/dev/null" },
		{ "message", "--count=20", "--secure=/dev/null" },
		{ "message", "--payload=1KiB", "--read=/dev/null" },
		{ "message", "--list", "--json" },
		{ "message", "--list", "--read=/dev/null" },
		{ "message", "--list", "--from=server" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (run(tests[i]) != EXIT_USAGE)
			fail_msg("%s is not refused", tests[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_whole),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
