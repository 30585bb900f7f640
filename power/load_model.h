/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_model - board power as a straight line over busy cores:
 *
 *	power = idle + (loaded - idle) / cores * busy cores
 *
 * Busy cores are CPU time over elapsed time since the last sample that was handed over, so
 * that the energy above idle is CPU time * (loaded - idle) / cores whatever the sampling, and
 * however late the reader runs. The line is not cut at "loaded": a machine with more cores
 * than the board goes on along it, because the energy of a second of CPU time must not depend
 * on how many cores worked at once.
 */
#ifndef POWER_LOAD_MODEL_H
#define POWER_LOAD_MODEL_H

#include "power/i2c_sim.h"
#include "power/ina219.h"

/* CPU time used until a moment. */
struct load_point {
	int64_t at_ns, cpu_ns;
};

struct load_model {
	struct timebase time;
	int64_t idle_nw, core_nw; /* idle; each busy core on top */
	int64_t bus_uv;
	int64_t (*cpu_ns)(void *data); /* CPU time used so far; never falls */
	void *data;
	struct load_point handed_over, asked;
	bool fresh; /* what was handed over last had not been before */
	int64_t power_nw;
};

/* Idle from now on, until CPU time is used. */
void load_model_start(struct load_model *m);
/* The model as what flows through a shunt; borrows m. */
struct i2c_sim_source load_model_source(struct load_model *m);
/*
 * A reading of the chip that m feeds, stamped with the moment the CPU time is of. A value that
 * was handed over before is flagged SAMPLE_STALE.
 */
int load_model_read(struct load_model *m, struct ina2xx *chip, struct sample *s, struct fail *f);

#endif
