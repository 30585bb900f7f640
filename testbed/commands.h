/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands - the rows of the command table. Each is defined by a cmd_*.c in the folder
 * that its work belongs to; main.c lists them and calls them.
 */
#ifndef TESTBED_COMMANDS_H
#define TESTBED_COMMANDS_H

#include "lib/command.h"

extern const struct command cmd_run;
extern const struct command cmd_report;
extern const struct command cmd_compare;
extern const struct command cmd_serve;
extern const struct command cmd_load;
extern const struct command cmd_power;
extern const struct command cmd_suites;
extern const struct command cmd_speed;
extern const struct command cmd_timeline;
extern const struct command cmd_choose;
extern const struct command cmd_solar;
extern const struct command cmd_message; /* see workloads/commands.h */
extern const struct command cmd_doctor;
extern const struct command cmd_watch;
extern const struct command cmd_node;

#endif
