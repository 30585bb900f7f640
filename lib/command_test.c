/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_test - what a user sees on standard output and standard error, and the
 * exit status, of a small command run in a child; and the log beside it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/buf.h"
#include "lib/command.h"
#include "lib/log.h"

struct settings {
	int64_t count;
};

static const struct opt options[] = {
	{ "count", 'n', OPT_INTEGER, offsetof(struct settings, count), "N", "how many lines", "1",
	  NULL, 0, 1000 },
	{ .name = NULL },
};

static int run_lines(const struct command *c, int argc, char **argv)
{
	struct settings s;
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status != -1)
		return status;
	if (operands)
		return command_fail(c, EXIT_USAGE, "'%s' is one operand too many", argv[1]);
	if (s.count == 0)
		return command_fail(c, EXIT_FAILED, "nothing to do");
	for (int64_t i = 0; i < s.count; i++)
		puts("line");
	return command_finish(c, s.count == 7 ? EXIT_NOT_VALID : EXIT_RESULT);
}

static const struct command lines = {
	.name = "lines",
	.usage = { .synopsis = "lines [OPTION]...", .summary = "print lines", .options = options },
	.run = run_lines,
};

struct outcome {
	char out[4096], err[4096];
	int status;
};

static void read_all(int fd, char *dst, size_t len)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, dst + used, len - 1 - used)) > 0)
		used += (size_t)n;
	dst[used] = '\0';
	close(fd);
}

/* body in a child with its own standard output (out, or a pipe when -1) and error. */
static void in_child(struct outcome *o, int out, int (*body)(void *), void *data)
{
	int out_pipe[2], err_pipe[2], status;
	pid_t pid;

	assert_int_equal(pipe(out_pipe), 0);
	assert_int_equal(pipe(err_pipe), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGPIPE, SIG_IGN);
		dup2(out < 0 ? out_pipe[1] : out, STDOUT_FILENO);
		dup2(err_pipe[1], STDERR_FILENO);
		_exit(body(data));
	}
	close(out_pipe[1]);
	close(err_pipe[1]);
	read_all(out_pipe[0], o->out, sizeof(o->out));
	read_all(err_pipe[0], o->err, sizeof(o->err));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	o->status = WEXITSTATUS(status);
}

static int run_words(void *data)
{
	char **argv = data;
	int argc = 0;

	while (argv[argc])
		argc++;
	return lines.run(&lines, argc, argv);
}

static void run(struct outcome *o, int out, char *a, char *b)
{
	char *argv[] = { (char[]){ "lines" }, a, b, NULL };

	in_child(o, out, run_words, argv);
}

static void results_are_printed(void **state)
{
	struct outcome o;

	(void)state;
	run(&o, -1, (char[]){ "-n" }, (char[]){ "2" });
	assert_string_equal(o.out, "line\nline\n");
	assert_string_equal(o.err, "");
	assert_int_equal(o.status, 0);
	run(&o, -1, (char[]){ "-n7" }, NULL);
	assert_int_equal(o.status, 3);
}

static void help_is_a_result(void **state)
{
	struct outcome o;

	(void)state;
	run(&o, -1, (char[]){ "--help" }, NULL);
	assert_int_equal(strncmp(o.out, "Usage: cipherwatt lines [OPTION]...\n\nprint lines\n", 49),
			 0);
	assert_string_equal(o.err, "");
	assert_int_equal(o.status, 0);
}

static void errors_name_the_command(void **state)
{
	struct outcome o;

	(void)state;
	run(&o, -1, (char[]){ "--cuont=1" }, NULL);
	assert_string_equal(o.err,
			    "cipherwatt lines: unknown option --cuont; did you mean --count?\n"
			    "Try 'cipherwatt lines --help'.\n");
	assert_string_equal(o.out, "");
	assert_int_equal(o.status, 2);
	run(&o, -1, (char[]){ "more" }, NULL);
	assert_string_equal(o.err, "cipherwatt lines: 'more' is one operand too many\n"
				   "Try 'cipherwatt lines --help'.\n");
	assert_int_equal(o.status, 2);
	run(&o, -1, (char[]){ "-n0" }, NULL);
	assert_string_equal(o.err, "cipherwatt lines: nothing to do\n"); /* no matter of usage */
	assert_int_equal(o.status, 1);
}

static void lost_output_is_a_failure(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), closed[2];
	struct outcome o;

	(void)state;
	assert_true(full >= 0);
	run(&o, full, (char[]){ "-n1" }, NULL);
	assert_string_equal(o.err, "cipherwatt lines: cannot write the result to standard output: "
				   "No space left on device\n");
	assert_int_equal(o.status, 1);
	run(&o, full, (char[]){ "--help" }, NULL);
	assert_int_equal(o.status, 1);
	run(&o, full, (char[]){ "-n7" }, NULL);
	assert_int_equal(o.status, 3); /* already not a result */
	assert_non_null(strstr(o.err, "standard output"));
	close(full);
	assert_int_equal(pipe2(closed, O_CLOEXEC), 0);
	close(closed[0]);
	run(&o, closed[1], (char[]){ "-n1" }, NULL);
	assert_non_null(strstr(o.err, "Broken pipe"));
	assert_int_equal(o.status, 1);
	close(closed[1]);
}

/* Without a buffer nothing is left for the last flush to fail on. */
static int run_unbuffered(void *data)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	return run_words(data);
}

static void an_earlier_failed_write_counts(void **state)
{
	char *argv[] = { (char[]){ "lines" }, NULL };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct outcome o;

	(void)state;
	in_child(&o, full, run_unbuffered, argv);
	assert_non_null(strstr(o.err, "No space left on device"));
	assert_int_equal(o.status, 1);
	close(full);
}

static int say_things(void *data)
{
	char lots[5000];

	(void)data;
	log_say(LOG_NOTE, "%d things", 3);
	log_say(LOG_DETAIL, "not shown");
	log_set_level(LOG_WARNING);
	log_set_name("cipherwatt node server");
	log_say(LOG_NOTE, "not shown either");
	log_say(LOG_WARNING, "careful");
	log_say(LOG_ERROR, "broken");
	memset(lots, 'x', sizeof(lots) - 1);
	lots[sizeof(lots) - 1] = '\0';
	log_say(LOG_ERROR, "%s", lots);
	return 0;
}

static void log_lines(void **state)
{
	const char *expected = "cipherwatt: 3 things\n"
			       "cipherwatt node server: warning: careful\n"
			       "cipherwatt node server: broken\n"
			       "cipherwatt node server: xxx";
	struct outcome o;

	(void)state;
	in_child(&o, -1, say_things, NULL);
	assert_int_equal(strncmp(o.err, expected, strlen(expected)), 0);
	assert_string_equal(strrchr(o.err, 'x'), "x\n"); /* cut, but still one whole line */
	assert_string_equal(o.out, "");
}

static void colour_is_asked_for(void **state)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), terminal;

	(void)state;
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	setenv("TERM", "xterm", 1);
	assert_false(log_has_colour(null));
	setenv("CLICOLOR_FORCE", "1", 1);
	assert_true(log_has_colour(null));
	setenv("CLICOLOR_FORCE", "0", 1);
	assert_false(log_has_colour(null));
	setenv("CLICOLOR_FORCE", "1", 1);
	setenv("NO_COLOR", "1", 1);
	assert_false(log_has_colour(null)); /* a wish for none is stronger */
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	close(null);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal < 0 || !isatty(terminal))
		skip();
	assert_true(log_has_colour(terminal));
	setenv("TERM", "dumb", 1);
	assert_false(log_has_colour(terminal));
	unsetenv("TERM");
	assert_false(log_has_colour(terminal));
	close(terminal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_printed),
		cmocka_unit_test(help_is_a_result),
		cmocka_unit_test(errors_name_the_command),
		cmocka_unit_test(lost_output_is_a_failure),
		cmocka_unit_test(an_earlier_failed_write_counts),
		cmocka_unit_test(log_lines),
		cmocka_unit_test(colour_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
