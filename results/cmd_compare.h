/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare - the row of `cipherwatt compare` in the command table. */
#ifndef RESULTS_CMD_COMPARE_H
#define RESULTS_CMD_COMPARE_H

#include "lib/command.h"

extern const struct command cmd_compare;

#endif
