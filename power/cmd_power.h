/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power - the row of `cipherwatt power` for the command table.
 */
#ifndef POWER_CMD_POWER_H
#define POWER_CMD_POWER_H

#include "lib/command.h"

extern const struct command cmd_power;

#endif
