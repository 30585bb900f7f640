/* SPDX-License-Identifier: Apache-2.0 */
/* commands - the subcommands that live in this folder. */
#ifndef CIPHERS_COMMANDS_H
#define CIPHERS_COMMANDS_H

#include "lib/command.h"

extern const struct command cmd_suites;

#endif
