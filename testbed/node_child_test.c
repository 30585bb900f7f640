/* SPDX-License-Identifier: Apache-2.0 */
/* node_child_test - lines, last words and the end of a child, with the shell as the child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "testbed/node_child.h"

#define PATIENCE_NS (20 * NS_PER_S)

static void start(struct node_child *c, const char *script)
{
	struct node_argv argv = { 0 };
	struct fail f = { 0 };

	node_argv_add(&argv, "/bin/sh");
	node_argv_add(&argv, "-c");
	node_argv_add(&argv, "%s", script);
	if (node_child_start(c, "server", &argv, &f))
		fail_msg("%s", f.text);
	node_argv_release(&argv);
}

static void expect_line(struct node_child *c, const char *text)
{
	const char *line = NULL;
	struct fail f = { 0 };

	assert_int_equal(node_child_line(c, clock_ns() + PATIENCE_NS, &line, &f), 1);
	assert_string_equal(line, text);
}

/* It goes on until it hears more, and is asked once only. */
static void test_a_child_that_needs_its_time(void **state)
{
	struct node_child c = { 0 };

	(void)state;
	start(&c,
	      "trap 'echo told; read more; exit 7' TERM; echo ready; while :; do sleep .01; done");
	expect_line(&c, "ready");
	assert_false(node_child_ended(&c, clock_ns()));
	node_child_tell_to_end(&c);
	expect_line(&c, "told");
	assert_false(node_child_ended(&c, clock_ns() + 50 * NS_PER_MS));
	assert_int_equal(write(c.proc.in_fd, "\n", 1), 1);
	assert_true(node_child_ended(&c, clock_ns() + PATIENCE_NS));
	assert_true(WIFEXITED(c.proc.status));
	assert_int_equal(WEXITSTATUS(c.proc.status), 7);
	node_child_stop(&c, 0);
	assert_false(node_child_runs(&c));
}

static void test_one_that_will_not_end(void **state)
{
	struct node_child c = { 0 };

	(void)state;
	start(&c, "trap '' TERM; echo ready; while :; do sleep .01; done");
	expect_line(&c, "ready");
	node_child_tell_to_end(&c);
	assert_false(node_child_ended(&c, clock_ns() + 50 * NS_PER_MS));
	node_child_stop(&c, 0);
	assert_false(node_child_runs(&c));
}

static void test_last_words(void **state)
{
	struct node_child c = { 0 };
	const char *line = NULL;
	struct fail f = { 0 };

	(void)state;
	start(&c, "echo first >&2; echo 'no such suite' >&2; exit 2");
	assert_int_equal(node_child_line(&c, clock_ns() + PATIENCE_NS, &line, &f), -1);
	assert_int_equal(f.code, ECHILD);
	assert_string_equal(f.text, "the server ended (exit status 2): no such suite");
	node_child_stop(&c, 0);
}

static void test_none(void **state)
{
	struct node_child c = { 0 };

	(void)state;
	assert_false(node_child_runs(&c));
	node_child_tell_to_end(&c);
	assert_true(node_child_ended(&c, 0));
	node_child_stop(&c, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_child_that_needs_its_time),
		cmocka_unit_test(test_one_that_will_not_end),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
