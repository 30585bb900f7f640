/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_meter - joins reader and simulated chip. It must not know where the load comes from.
 */
#include "power/sim_meter.h"

#define RANGE_UV      INT64_C(320000)
#define BUS_16V_UV    INT64_C(15900000)
#define NO_SHUNT_UOHM INT64_C(100)

struct ina2xx_settings sim_meter_settings(int64_t max_na, int64_t bus_uv, int averages)
{
	static const int64_t shunts_uohm[] = { 100000, 50000, 20000, 10000, 5000, 2000, 1000 };
	struct ina2xx_settings set = ina2xx_settings_default;

	set.max_na = max_na;
	set.averages = averages;
	set.bus_range_v = bus_uv < BUS_16V_UV ? 16 : 32;
	set.shunt_uohm = NO_SHUNT_UOHM;
	for (unsigned i = 0; i < sizeof shunts_uohm / sizeof *shunts_uohm; i++)
		if (max_na <= RANGE_UV * 1000000000 / shunts_uohm[i]) {
			set.shunt_uohm = shunts_uohm[i];
			break;
		}
	return set;
}

int sim_meter_start(struct sim_meter *m, struct timebase time, const struct ina2xx_settings *set,
		    const struct i2c_sim_source *source, uint64_t seed, struct meter_facts *facts,
		    struct fail *f)
{
	const struct ina2xx_chip *chip = ina2xx_chip_by_name("ina219");
	struct ina2xx_plan plan;
	int gain;

	if (ina2xx_plan(chip, set, &plan, facts, f) != 0)
		return -1;
	facts->gain_ppm = facts->shunt_ppm = facts->offset_na = 0;
	gain = ina219_config_decode(plan.write[plan.writes - 1].val).gain_shift;
	i2c_sim_init(&m->sim, time, set->shunt_uohm, seed);
	m->sim.source = *source;
	m->sim.noise_uv = gain == 0 ? 5 : 5 << (gain - 1);
	return ina2xx_start(&m->chip, i2c_sim_bus(&m->sim), time, &plan, f);
}
