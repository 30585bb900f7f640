/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_line - one line that a bench meter's program printed, as figures.
 *
 *	1234.5 mW                     power
 *	12.50 s, 1234.5 mW            its own time and power
 *	5.01 V 246.3 mA               volts and amperes
 *	12.50 1234.5                  with the units declared: time=s, unit=mW
 *	{"time_s": 12.5, "power_mw": 1234.5}
 */
#ifndef POWER_EXEC_LINE_H
#define POWER_EXEC_LINE_H

#include "lib/fail.h"
#include "power/replay_number.h"

struct exec_line {
	bool known[ROLES];
	int64_t value[ROLES]; /* in nano units */
};

/*
 * unit and time are for numbers without one, NULL where none was declared. 1: figures; 0: nothing
 * to read (empty, a comment); -1: not a reading, f says what was expected.
 */
int exec_line_read(const char *text, const struct unit *time, const struct unit *unit,
		   struct exec_line *line, struct fail *f);

#endif
