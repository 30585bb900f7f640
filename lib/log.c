/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - lines to standard error, one write() each.
 *
 * The level and the name are set once, before threads start; log_say() may then
 * be called from any of them.
 */
#include "lib/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048

static enum log_level most = LOG_NOTE;
static const char *who = "cipherwatt";

void log_set_level(enum log_level level)
{
	most = level;
}

void log_set_name(const char *name)
{
	who = name;
}

static void write_line(const char *line, size_t len)
{
	ssize_t n;

	do
		n = write(STDERR_FILENO, line, len);
	while (n < 0 && errno == EINTR);
}

void log_say(enum log_level level, const char *fmt, ...)
{
	int saved_errno = errno;
	char line[LINE_BYTES];
	const size_t room = sizeof(line) - 1; /* the newline's place is kept */
	size_t len;
	va_list ap;

	if (level > most)
		return;
	snprintf(line, room, "%s: %s", who, level == LOG_WARNING ? "warning: " : "");
	len = strlen(line);
	va_start(ap, fmt);
	vsnprintf(line + len, room - len, fmt, ap);
	va_end(ap);
	len += strlen(line + len);
	line[len] = '\n';
	write_line(line, len + 1);
	errno = saved_errno;
}

static bool terminal_moves(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool log_is_terminal(void)
{
	return terminal_moves(STDERR_FILENO);
}

bool log_has_colour(int fd)
{
	const char *never = getenv("NO_COLOR"), *always = getenv("CLICOLOR_FORCE");

	if (never && *never)
		return false;
	if (always && *always && strcmp(always, "0") != 0)
		return true;
	return terminal_moves(fd);
}
