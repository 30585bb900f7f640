/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_parts - what the files of `cipherwatt power` share; for nobody else.
 */
#ifndef POWER_CMD_POWER_PARTS_H
#define POWER_CMD_POWER_PARTS_H

#include <signal.h>

#include "lib/command.h"
#include "power/meter.h"

struct power_settings {
	int64_t for_ns, period_ns;
	double rate_hz, from_s, to_s, load_error_pct;
	const char *csv, *record, *reference;
	struct opt_list watch, load_current;
	int gap;
	bool json, energy, self_test, list, calibrate;
	bool has_from, has_to, has_for, has_rate, has_period;
};

/* Set by SIGINT and SIGTERM once they are caught. */
extern volatile sig_atomic_t power_interrupted;
void power_catch_signals(void);

/* Each an exit status; text: the METER's. */
int power_measure(const struct command *c, const struct power_settings *set, struct meter *m);
int power_calibrate(const struct command *c, const struct power_settings *set, struct meter *m,
		    const char *text);

#endif
