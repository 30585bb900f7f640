/* SPDX-License-Identifier: Apache-2.0 */
/* commands - the subcommands that live in this folder. */
#ifndef WORKLOADS_COMMANDS_H
#define WORKLOADS_COMMANDS_H

#include "lib/command.h"

extern const struct command cmd_message; /* where there is a profile of messages */

#endif
