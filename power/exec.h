/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec - readings from another program's standard output: bench meters, smart plugs.
 *
 * The command is run by sh and ended by its id when the meter is closed.
 */
#ifndef POWER_EXEC_H
#define POWER_EXEC_H

#include "power/meter.h"

extern const struct meter_ops meter_exec;

#endif
