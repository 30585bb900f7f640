/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sibling_vectors - by hand from the data sheets' steps, and the road through the simulated
 * chip and the reader. It must not print.
 */
#include "power/sibling_vectors.h"

#include <stdio.h>

#include "power/convert.h"
#include "power/i2c_sim.h"

#define MAX_NA 350000000 /* chooses the fine range of an INA228 and INA238 */

const struct sibling_vector sibling_vectors[] = {
	{ "S01", "ina226", "plain reading", 5000000, 200000000, 0x0FA0, 0x1F40, 20000000,
	  1000000000, 0 },
	{ "S02", "ina226", "negative current", 5000000, -200000000, 0x0FA0, 0xE0C0, -20000000,
	  -1000000000, 0 },
	{ "S03", "ina226", "full scale", 5000000, 1000000000, 0x0FA0, 0x7FFF, 81917500, 4095875000,
	  SAMPLE_SATURATED },
	{ "S04", "ina3221", "13 bits above 3", 4600000, 50000000, 0x11F8, 0x03E8, 5000000,
	  230000000, 0 },
	{ "S05", "ina3221", "13 bits, negative", 4600000, -50000000, 0x11F8, 0xFC18, -5000000,
	  -230000000, 0 },
	{ "S06", "ina228", "20 bits above 4", 12500000, 25000000, 0x0FA000, 0x07D000, 2500000,
	  312500000, 0 },
	{ "S07", "ina228", "20 bits, negative", 12500000, -25000000, 0x0FA000, 0xF83000, -2500000,
	  -312500000, 0 },
	{ "S08", "ina238", "negative current", 12500000, -25000000, 0x0FA0, 0xF830, -2500000,
	  -312500000, 0 },
	{ "S09", "ina260", "shunt inside", 5000000, 1000000000, 0x0FA0, 0x0320, 2000000, 5000000000,
	  0 },
	{ NULL },
};

static int64_t wire_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((const struct sibling_vector *)data)->bus_uv;
}

static int64_t wire_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((const struct sibling_vector *)data)->current_na;
}

/* The second sample: the first saw the start-up. */
static int read_through(struct i2c_sim *sim, const struct ina2xx_plan *plan, struct sample *s)
{
	struct fail f = { 0 };
	struct ina2xx chip;
	int result;

	if (ina2xx_start(&chip, i2c_sim_bus(sim), sim->time, plan, &f) != 0)
		return -1;
	result = ina2xx_read(&chip, s, &f);
	if (result == 0)
		result = ina2xx_read(&chip, s, &f);
	ina2xx_stop(&chip);
	return result;
}

bool sibling_passes(const struct sibling_vector *v, char *why, size_t len)
{
	const struct ina2xx_chip *row = ina2xx_chip_by_name(v->chip);
	struct ina2xx_settings set = ina2xx_settings_default;
	struct sibling_vector wires = *v;
	struct meter_facts facts = { 0 };
	int64_t now_ns = 1000000;
	struct fail f = { 0 };
	struct ina2xx_plan plan;
	struct i2c_sim sim;
	struct convert c;
	struct reading r;
	struct sample s;

	snprintf(why, len, "%s", "");
	set.max_na = MAX_NA;
	i2c_sim_init(&sim, timebase_counter(&now_ns), set.shunt_uohm, 1);
	i2c_sim_become(&sim, row);
	sim.exact = true;
	sim.source = (struct i2c_sim_source){ wire_bus_uv, wire_current_na, &wires, NULL };
	if (ina2xx_plan(row, &set, &plan, &facts, &f) != 0 || read_through(&sim, &plan, &s) != 0) {
		snprintf(why, len, "the simulated chip could not be read");
		return false;
	}
	convert_init(&c, &facts);
	if (convert_sample(&c, &s, &r) && sim.reg[plan.bus.reg] == v->bus &&
	    sim.reg[plan.shunt.reg] == v->shunt && s.flags == v->flags && r.bus_uv == v->bus_uv &&
	    r.shunt_nv == v->shunt_nv && r.power_nw == v->power_nw)
		return true;
	snprintf(why, len,
		 "SHUNT %06X BUS %06X, %lld uV, %lld nV, %lld nW, flags %02x; expected %06X %06X "
		 "%lld %lld %lld %02x",
		 sim.reg[plan.shunt.reg], sim.reg[plan.bus.reg], (long long)r.bus_uv,
		 (long long)r.shunt_nv, (long long)r.power_nw, s.flags, v->shunt, v->bus,
		 (long long)v->bus_uv, (long long)v->shunt_nv, (long long)v->power_nw, v->flags);
	return false;
}
