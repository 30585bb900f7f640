/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands - the subcommand that this folder gives to the program.
 */
#ifndef CAPTURE_COMMANDS_H
#define CAPTURE_COMMANDS_H

#include "lib/command.h"

extern const struct command cmd_timeline;

#endif
