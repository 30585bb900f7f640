/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report - the row of `cipherwatt report` in the command table. */
#ifndef RESULTS_CMD_REPORT_H
#define RESULTS_CMD_REPORT_H

#include "lib/command.h"

extern const struct command cmd_report;

#endif
