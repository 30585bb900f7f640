/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert - from an instrument's codes to volts, amperes, watts and joules.
 *
 * Pure functions of a sample and the facts, in 64-bit fixed point, so that a stored
 * trace gives the same figures for ever. Nothing here reads an instrument.
 */
#ifndef POWER_CONVERT_H
#define POWER_CONVERT_H

#include "power/meter.h"

struct reading {
	int64_t bus_uv, shunt_nv, current_na; /* 0 where the meter has only power */
	int64_t power_nw;
};

/* Set up once per trace; borrows the facts. */
struct convert {
	const struct meter_facts *facts;
	int64_t power_num, power_den; /* code[0] * code[1] * num / den = nanowatts */
	bool trimmed;                 /* by a calibration: the long way */
};

/* Facts that came from outside: 0, or -1 with the field that is out of bounds in f. */
int convert_check(const struct meter_facts *facts, struct fail *f);

void convert_init(struct convert *c, const struct meter_facts *facts);

/*
 * False: there is no figure in this sample (absent, a code beyond all bounds, or an energy
 * code, which needs two samples). A saturated sample converts: the figure is a bound.
 */
bool convert_sample(const struct convert *c, const struct sample *s, struct reading *r);
/* The power alone, faster. */
bool convert_power(const struct convert *c, const struct sample *s, int64_t *power_nw);

/* Usable for energy: converts, not saturated, within the facts' physical range. */
bool convert_usable(const struct convert *c, const struct sample *s, int64_t *power_nw);

/*
 * Energy between two samples of a CODE_ENERGY meter, dt_ns apart. False when it cannot be
 * known: a counter that fell without a known range, a fall that is a reset rather than a
 * wrap (more than half the range), or a time in which the range may have been passed.
 */
bool convert_energy(const struct convert *c, const struct sample *before, const struct sample *s,
		    int64_t dt_ns, int64_t *energy_nj);

/* The stamp of a sample: halfway through the read. */
int64_t sample_time_ns(const struct sample *s);

#endif
