/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_test - children that obey, that do not, that are not there, and lines
 * however they were written.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/proc.h"

#define SOON_NS (20 * NS_PER_S) /* a limit for failing tests, never waited for otherwise */

static int64_t soon(void)
{
	return clock_ns() + SOON_NS;
}

static void start_shell(struct proc *p, const char *script, unsigned flags)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)(uintptr_t)script, NULL };
	struct fail f = { 0 };

	if (proc_start(p, argv, flags, &f))
		fail_msg("%s", f.text);
}

static void expect_line(struct proc_lines *l, const char *expected)
{
	struct fail f = { 0 };
	const char *line;

	if (proc_lines_next(l, soon(), &line, &f) != 1)
		fail_msg("no line: %s", f.text);
	assert_string_equal(line, expected);
}

static void expect_end(struct proc_lines *l)
{
	struct fail f = { 0 };
	const char *line;

	assert_int_equal(proc_lines_next(l, soon(), &line, &f), 0);
	assert_null(line);
}

static void talks_through_pipes(void **state)
{
	struct proc_lines out, err;
	struct proc p;

	(void)state;
	start_shell(&p, "read x; echo got $x; echo oops >&2; exit 2",
		    PROC_STDIN | PROC_STDOUT | PROC_STDERR);
	proc_lines_init(&out, p.out_fd, 100);
	proc_lines_init(&err, p.err_fd, 100);
	assert_int_equal(write(p.in_fd, "hello\n", 6), 6);
	expect_line(&out, "got hello");
	expect_line(&err, "oops");
	expect_end(&out);
	assert_int_equal(proc_wait(&p, soon()), 1);
	assert_int_equal(p.pid, 0);
	assert_int_equal(WEXITSTATUS(p.status), 2);
	proc_lines_release(&out);
	proc_lines_release(&err);
	proc_stop(&p, 0);
	assert_int_equal(p.out_fd, -1);
}

static void missing_program_is_named(void **state)
{
	char *argv[] = { (char[]){ "no-such-program-here" }, NULL };
	char *not_executable[] = { (char[]){ "/dev/null" }, NULL };
	struct fail f = { 0 };
	struct proc p;

	(void)state;
	assert_int_equal(proc_start(&p, argv, PROC_STDIN | PROC_STDOUT, &f), -1);
	assert_int_equal(f.code, ENOENT);
	assert_non_null(strstr(f.text, "no-such-program-here"));
	assert_int_equal(p.pid, 0);
	assert_int_equal(p.out_fd, -1);
	fail_clear(&f);
	assert_int_equal(proc_start(&p, not_executable, 0, &f), -1);
	assert_int_equal(f.code, EACCES);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody was left to be reaped */
	assert_int_equal(errno, ECHILD);
	proc_stop(&p, 0);
}

static void pipes_are_not_inherited(void **state)
{
	struct proc_lines out;
	struct proc first, second;

	(void)state;
	start_shell(&first, "cat", PROC_STDIN | PROC_STDOUT);
	start_shell(&second, "cat", PROC_STDIN | PROC_STDOUT);
	proc_lines_init(&out, first.out_fd, 100);
	close(first.in_fd); /* the only writing end: were it in `second`, cat would not end */
	first.in_fd = -1;
	expect_end(&out);
	assert_int_equal(proc_wait(&first, soon()), 1);
	proc_lines_release(&out);
	proc_stop(&first, 0);
	proc_stop(&second, SOON_NS);
}

static void wait_only_looks_at_zero(void **state)
{
	struct proc p;
	char text[64];

	(void)state;
	start_shell(&p, "read x", PROC_STDIN);
	assert_int_equal(proc_wait(&p, 0), 0);
	assert_int_equal(proc_wait(&p, clock_ns() + NS_PER_MS), 0);
	proc_describe(&p, text, sizeof(text));
	assert_string_equal(text, "still running");
	close(p.in_fd);
	p.in_fd = -1;
	assert_int_equal(proc_wait(&p, soon()), 1);
	assert_int_equal(proc_wait(&p, soon()), 1); /* and again */
	proc_describe(&p, text, sizeof(text));
	assert_string_equal(text, "exit status 1");
}

static void obeys_sigterm(void **state)
{
	char text[64];
	struct proc p;

	(void)state;
	start_shell(&p, "exec sleep 1000", 0);
	proc_stop(&p, SOON_NS);
	assert_true(WIFSIGNALED(p.status));
	assert_int_equal(WTERMSIG(p.status), SIGTERM);
	proc_describe(&p, text, sizeof(text));
	assert_string_equal(text, "killed by signal 15 (Terminated)");
}

static void ignoring_sigterm_does_not_help(void **state)
{
	struct proc_lines out;
	struct proc p;

	(void)state;
	start_shell(&p, "trap '' TERM; echo ready; exec sleep 1000", PROC_STDOUT);
	proc_lines_init(&out, p.out_fd, 100);
	expect_line(&out, "ready");
	proc_stop(&p, 50 * NS_PER_MS);
	assert_int_equal(p.pid, 0);
	assert_true(WIFSIGNALED(p.status));
	assert_int_equal(WTERMSIG(p.status), SIGKILL);
	proc_lines_release(&out);
}

static void stop_accepts_a_zeroed_struct(void **state)
{
	struct proc p = { 0 };

	(void)state;
	proc_stop(&p, 0);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* in_fd was 0: not ours to close */
	assert_int_equal(proc_wait(&p, 0), 1);
}

static void child_has_plain_signals(void **state)
{
	struct proc_lines out;
	struct proc p;

	(void)state;
	signal(SIGPIPE, SIG_IGN); /* as a server has it: yes(1) would go on for ever */
	start_shell(&p, "exec yes", PROC_STDOUT);
	signal(SIGPIPE, SIG_DFL);
	proc_lines_init(&out, p.out_fd, 100);
	expect_line(&out, "y");
	close(p.out_fd);
	p.out_fd = -1;
	assert_int_equal(proc_wait(&p, soon()), 1);
	assert_true(WIFSIGNALED(p.status));
	assert_int_equal(WTERMSIG(p.status), SIGPIPE);
	proc_lines_release(&out);
}

static void quiet_child_writes_nowhere(void **state)
{
	int saved = dup(STDERR_FILENO), fd[2];
	struct proc p;
	char byte;

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	dup2(fd[1], STDERR_FILENO);
	start_shell(&p, "echo noise >&2", PROC_QUIET);
	assert_int_equal(proc_wait(&p, soon()), 1);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd[1]);
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
}

/* A middle process starts a grandchild and is killed; the grandchild's pipe must close. */
static void child_dies_with_its_parent(void **state)
{
	struct pollfd ended = { .events = POLLIN };
	char word[8] = "";
	int fd[2];
	pid_t middle;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	middle = fork();
	assert_true(middle >= 0);
	if (!middle) {
		struct proc p;

		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		start_shell(&p, "echo up; exec sleep 1000", 0);
		pause();
		_exit(0);
	}
	close(fd[1]);
	assert_int_equal(read(fd[0], word, sizeof(word)), 3);
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	ended.fd = fd[0];
	assert_int_equal(poll(&ended, 1, (int)(SOON_NS / NS_PER_MS)), 1);
	assert_int_equal(read(fd[0], word, sizeof(word)), 0);
	close(fd[0]);
}

static void lines_split_over_writes(void **state)
{
	struct proc_lines l;
	struct fail f = { 0 };
	const char *line;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	proc_lines_init(&l, fd[0], 100);
	assert_int_equal(write(fd[1], "on", 2), 2);
	assert_int_equal(proc_lines_next(&l, 0, &line, &f), -1);
	assert_int_equal(f.code, ETIMEDOUT);
	assert_int_equal(write(fd[1], "e\ntwo\n\nth", 9), 9);
	expect_line(&l, "one");
	expect_line(&l, "two");
	expect_line(&l, "");
	assert_int_equal(write(fd[1], "ree\nlast", 8), 8);
	expect_line(&l, "three");
	close(fd[1]);
	expect_line(&l, "last"); /* no newline at the end of the file */
	expect_end(&l);
	expect_end(&l);
	proc_lines_release(&l);
	close(fd[0]);
}

static void long_lines(void **state)
{
	static char text[30001];
	struct fail f = { 0 };
	struct proc_lines l;
	const char *line;
	int fd[2];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\n';
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(write(fd[1], text, sizeof(text)), sizeof(text));
	proc_lines_init(&l, fd[0], sizeof(text) - 1); /* just fits */
	assert_int_equal(proc_lines_next(&l, soon(), &line, &f), 1);
	assert_int_equal(strlen(line), sizeof(text) - 1);
	proc_lines_release(&l);
	assert_int_equal(write(fd[1], text, sizeof(text)), sizeof(text));
	proc_lines_init(&l, fd[0], sizeof(text) - 2); /* one too many */
	assert_int_equal(proc_lines_next(&l, soon(), &line, &f), -1);
	assert_int_equal(f.code, EMSGSIZE);
	assert_non_null(strstr(f.text, "29999"));
	proc_lines_release(&l);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(talks_through_pipes),
		cmocka_unit_test(missing_program_is_named),
		cmocka_unit_test(pipes_are_not_inherited),
		cmocka_unit_test(wait_only_looks_at_zero),
		cmocka_unit_test(obeys_sigterm),
		cmocka_unit_test(ignoring_sigterm_does_not_help),
		cmocka_unit_test(stop_accepts_a_zeroed_struct),
		cmocka_unit_test(child_has_plain_signals),
		cmocka_unit_test(quiet_child_writes_nowhere),
		cmocka_unit_test(child_dies_with_its_parent),
		cmocka_unit_test(lines_split_over_writes),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
