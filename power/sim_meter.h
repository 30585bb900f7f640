/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_meter - the INA219 reader on a simulated chip: what model: and wave:...,chip stand on.
 *
 * A modelled figure takes the same road through registers as a measured one.
 */
#ifndef POWER_SIM_METER_H
#define POWER_SIM_METER_H

#include "power/i2c_sim.h"
#include "power/ina219.h"

struct sim_meter {
	struct i2c_sim sim;
	struct ina2xx chip; /* reads sim: neither may be moved */
};

/*
 * Fills facts as ina2xx_plan() does, without the errors of a real chip and shunt: gain, shunt
 * and offset are 0. Noise of half a step makes the steps average out, as they do in silicon.
 */
int sim_meter_start(struct sim_meter *m, struct timebase time, const struct ina2xx_settings *set,
		    const struct i2c_sim_source *source, uint64_t seed, struct meter_facts *facts,
		    struct fail *f);

/* Settings for max_na at bus_uv: the largest usual shunt that the chip's range allows. */
struct ina2xx_settings sim_meter_settings(int64_t max_na, int64_t bus_uv, int averages);

#endif
