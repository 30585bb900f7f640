/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_model - board power as a straight line over busy cores:
 *
 *	power = idle + (loaded - idle) / cores * busy cores
 *
 * Busy cores are CPU time over elapsed time since the last question, so that the energy
 * above idle is CPU time * (loaded - idle) / cores whatever the sampling. The line is not cut
 * at "loaded": a machine with more cores than the board goes on along it, because the energy
 * of a second of CPU time must not depend on how many cores worked at once.
 */
#ifndef POWER_LOAD_MODEL_H
#define POWER_LOAD_MODEL_H

#include "power/i2c_sim.h"

struct load_model {
	struct timebase time;
	int64_t idle_nw, core_nw; /* idle; each busy core on top */
	int64_t bus_uv;
	int64_t (*cpu_ns)(void *data); /* CPU time used so far; never falls */
	void *data;
	int64_t last_ns, last_cpu_ns, power_nw;
};

void load_model_start(struct load_model *m);
/* Mean power since the question before this one. */
int64_t load_model_power_nw(struct load_model *m);
/* The model as what flows through a shunt; borrows m. */
struct i2c_sim_source load_model_source(struct load_model *m);

#endif
