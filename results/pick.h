/* SPDX-License-Identifier: Apache-2.0 */
/* pick - the campaign that a command was asked for, read whole. For cmd_*.c alone. */
#ifndef RESULTS_PICK_H
#define RESULTS_PICK_H

#include "lib/command.h"
#include "results/report.h"

/*
 * which: an id, or a name (the newest of it; a name that is a number goes first); NULL: the newest
 * campaign of all. Anything but EXIT_RESULT is the command's status, and its error is printed.
 */
int command_load_report(const struct command *c, struct store *s, const char *which,
			struct report *r);

/* An id, or a name (the newest of it); NULL: the newest of all. 0: there is none. -1: failure. */
int64_t pick_campaign(struct store *s, const char *which, struct fail *f);

#endif
