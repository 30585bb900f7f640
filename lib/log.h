/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - one line to standard error, with the program's name in front.
 *
 * For commands and long-running shells only: cores return errors, they do not
 * print.  A line leaves in one write(), so lines of several processes do not mix.
 */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_NOTE, LOG_DETAIL };

/* What is printed: LOG_NOTE and worse by default. */
void log_set_level(enum log_level level);
/* "cipherwatt" by default; a node says "cipherwatt node server". Kept by reference. */
void log_set_name(const char *name);
void log_say(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Standard error is a terminal that understands cursor movement. */
bool log_is_terminal(void);
/* Colour on `fd`: NO_COLOR, CLICOLOR_FORCE and TERM are honoured. */
bool log_has_colour(int fd);

#endif
