/* SPDX-License-Identifier: Apache-2.0 */
/* watch_request_test - what the live page answers, and under which names of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/watch_request.h"

static void names_of_this_machine_are_let_in(void **state)
{
	static const char *const good[] = { "127.0.0.1",       "127.0.0.1:8642", "localhost",
					    "LocalHost:1",     "[::1]",          "[::1]:65535",
					    "localhost:08642", "127.0.0.1:0" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!watch_host_is_local(good[i]))
			fail_msg("%s is refused", good[i]);
}

static void other_names_are_not(void **state)
{
	static const char *const bad[] = { "",
					   "evil.example",
					   "evil.example:8642",
					   "localhost.evil.example",
					   "127.0.0.1.evil.example",
					   "127.0.0.1:8642.evil.example",
					   "localhost:",
					   "localhost:123456",
					   "localhost:80x",
					   "localhost ",
					   " localhost",
					   "::1",
					   "[::1",
					   "127.0.0.2",
					   "0.0.0.0",
					   "192.0.2.1:8642",
					   "127.0.0.1@evil.example" };

	(void)state;
	assert_false(watch_host_is_local(NULL));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (watch_host_is_local(bad[i]))
			fail_msg("\"%s\" is let in", bad[i]);
}

static void each_path_is_its_target(void **state)
{
	static const struct {
		const char *path;
		enum watch_target target;
	} known[] = { { "/", WATCH_PAGE },
		      { "/events", WATCH_EVENTS },
		      { "/report", WATCH_REPORT },
		      { "/report.json", WATCH_REPORT_JSON } };
	enum watch_target target;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		target = WATCH_TARGETS;
		assert_int_equal(watch_request("GET", "localhost:1", known[i].path, &target), 200);
		assert_int_equal(target, known[i].target);
		assert_int_equal(watch_request("HEAD", "localhost:1", known[i].path, &target), 200);
	}
}

static void nothing_else_is_answered(void **state)
{
	static const char *const paths[] = {
		"", "//", "/events/", "/report.html", "/../etc/passwd", "/EVENTS", "*"
	};
	static const char *const methods[] = { "POST", "PUT",  "DELETE",  "OPTIONS", "TRACE",
					       "get",  "GET ", "CONNECT", "" };
	enum watch_target target;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_int_equal(watch_request("GET", "localhost", paths[i], &target), 404);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		assert_int_equal(watch_request(methods[i], "localhost", "/", &target), 405);
	/* Who comes under another name learns nothing of what there is. */
	assert_int_equal(watch_request("POST", "evil.example", "/none", &target), 403);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_this_machine_are_let_in),
		cmocka_unit_test(other_names_are_not),
		cmocka_unit_test(each_path_is_its_target),
		cmocka_unit_test(nothing_else_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
