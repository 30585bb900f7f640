/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_watch - the row of `cipherwatt watch` in the command table. */
#ifndef RESULTS_CMD_WATCH_H
#define RESULTS_CMD_WATCH_H

#include "lib/command.h"

extern const struct command cmd_watch;

#endif
