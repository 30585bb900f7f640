/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pmic - the Raspberry Pi 5's power management chip, as the text of `vcgencmd pmic_read_adc`:
 * a current and a voltage for each rail that it makes.
 */
#ifndef POWER_PMIC_H
#define POWER_PMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "power/meter.h"

#define PMIC_RAILS 32

struct pmic_rail {
	char name[24]; /* "VDD_CORE" */
	bool has_current, has_voltage;
	double amperes, volts;
};

struct pmic_reading {
	struct pmic_rail rail[PMIC_RAILS];
	int count;
};

/*
 * One line, such as "   VDD_CORE_A current(7)=0.87654000A"; blank lines count for nothing. -1:
 * it is of another shape, or the rails are too many.
 */
int pmic_line(struct pmic_reading *r, const char *line);
/* The sum over the rails that have both; rails: how many. Inputs (EXT5V, BATT) have no current. */
double pmic_watts(const struct pmic_reading *r, int *rails);

extern const struct meter_ops meter_pmic;

#endif
