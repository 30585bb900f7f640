/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command - one subcommand of the program: a row that its cmd_*.c exports.
 *
 * Only cmd_*.c prints errors and picks the exit status.
 */
#ifndef LIB_COMMAND_H
#define LIB_COMMAND_H

#include "lib/fail.h"
#include "lib/opt.h"

enum exit_status {
	EXIT_RESULT = 0,    /* a result was produced */
	EXIT_FAILED = 1,    /* it could not be done */
	EXIT_USAGE = 2,     /* wrong options or configuration */
	EXIT_NOT_VALID = 3, /* measured, but not valid */
	EXIT_THRESHOLD = 4, /* a threshold was missed */
};

struct command {
	const char *name;
	struct opt_usage usage;
	int (*run)(const struct command *c, int argc, char **argv); /* enum exit_status */
};

/*
 * First of all: a standard stream that is closed is not taken by the first file or socket that
 * is opened; reading or writing it fails.
 */
void command_hold_streams(void);

/*
 * Parse for a command: prints help (to standard output) or the error with the
 * one line that says how to get help. Returns -1 to go on, else the exit status.
 * argv[0] is the command's name; the operands are argv[1] to argv[*operands].
 */
int command_parse(const struct command *c, void *settings, int argc, char **argv, int *operands);

/*
 * Prints "cipherwatt NAME: text" on standard error and returns status. Behind
 * EXIT_USAGE follows "Try 'cipherwatt NAME --help'.".
 */
int command_fail(const struct command *c, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Flush standard output and check it: a result that could not be written
 * (disk full, closed pipe) turns EXIT_RESULT into EXIT_FAILED with a message.
 */
int command_finish(const struct command *c, int status);

#endif
