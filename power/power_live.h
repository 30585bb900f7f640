/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_live - one line that shows the newest reading, with a sparkline on a terminal.
 */
#ifndef POWER_POWER_LIVE_H
#define POWER_POWER_LIVE_H

#include <stdio.h>

#include "power/meter.h"

#define LIVE_COLUMNS 24

struct power_live {
	FILE *out;
	bool rewrite;            /* a terminal: one line, written over and over */
	bool wide;               /* its locale shows block characters */
	double mw[LIVE_COLUMNS]; /* the newest last */
	int count;
};

void power_live_init(struct power_live *l, FILE *out);
void power_live_show(struct power_live *l, const struct meter_facts *facts, const struct sample *s,
		     size_t count, double seconds);
/* The terminal's line is left standing. */
void power_live_end(struct power_live *l, bool shown);

/* Eight heights from the least to the largest; dst holds 4 bytes a value and one more. Pure. */
void power_live_spark(const double *value, int count, bool wide, char *dst, size_t len);

#endif
