/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command - what every subcommand does alike: help, errors, the last flush.
 */
#include "lib/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_parse(const struct command *c, void *settings, int argc, char **argv, int *operands)
{
	struct fail f = { 0 };

	switch (opt_parse(c->usage.options, settings, argc, argv, operands, &f)) {
	case OPT_OK:
		return -1;
	case OPT_HELP:
		opt_print_help(stdout, &c->usage);
		return command_finish(c, EXIT_RESULT);
	default:
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	}
}

int command_fail(const struct command *c, int status, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "cipherwatt %s: %s\n", c->name, text);
	if (status == EXIT_USAGE)
		fprintf(stderr, "Try 'cipherwatt %s --help'.\n", c->name);
	return status;
}

void command_hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int command_finish(const struct command *c, int status)
{
	int code = 0;

	if (fflush(stdout))
		code = errno;
	else if (!ferror(stdout))
		return status;
	/* An earlier failed write has left its mark, but no reason: one more tells. */
	if (!code && write(STDOUT_FILENO, "\n", 1) < 0)
		code = errno;
	command_fail(c, EXIT_FAILED, "cannot write the result to standard output: %s",
		     code ? strerror(code) : "an earlier write failed");
	return status == EXIT_RESULT ? EXIT_FAILED : status;
}
