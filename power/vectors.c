/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors - the vectors and the road they take. It must not print.
 */
#include "power/vectors.h"

#include <stdio.h>

#include "power/convert.h"
#include "power/i2c_sim.h"
#include "power/ina219.h"

#define GAIN_1     0x019F /* 16 V, 12 bits, both channels */
#define GAIN_2     0x099F
#define GAIN_8     0x199F
#define GAIN_8_32V 0x399F
#define MARK_CAL   4096

const struct ina219_vector ina219_vectors[] = {
	{ "V01", "plain reading", GAIN_8, 4096, 100000, 5100000, 600000000, 0x1770, 0x27DA, 0x1770,
	  0x05FA, 60000000, 3060000000, 0, false },
	{ "V02", "negative current", GAIN_8, 4096, 100000, 12600000, -160000000, 0xF9C0, 0x6272,
	  0xF9C0, 0x03F0, -16000000, -2016000000, 0, false },
	{ "V03", "bus above 16.384 V", GAIN_8_32V, 4096, 100000, 24000000, 10000000, 0x0064, 0xBB82,
	  0x0064, 0x0078, 1000000, 240000000, 0, false },
	{ "V04", "OVF: CURRENT and POWER are false", GAIN_2, 65534, 100000, 5000000, 800000000,
	  0x1F40, 0x2713, 0x7FFF, 0x1FFF, 80000000, 4000000000,
	  SAMPLE_MATH_OVERFLOW | SAMPLE_SATURATED, false },
	{ "V05", "no current", GAIN_8, 4096, 100000, 5000000, 0, 0x0000, 0x2712, 0x0000, 0x0000, 0,
	  0, 0, false },
	{ "V06", "one step below zero", GAIN_1, 4096, 100000, 5000000, -100000, 0xFFFF, 0x2712,
	  0xFFFF, 0x0000, -10000, -500000, 0, false },
	{ "V07", "full scale at /8", GAIN_8, 4096, 100000, 5000000, 3200000000, 0x7D00, 0x2712,
	  0x7D00, 0x1F40, 320000000, 16000000000, SAMPLE_SATURATED, false },
	{ "V08", "negative full scale at /8", GAIN_8, 4096, 100000, 5000000, -3200000000, 0x8300,
	  0x2712, 0x8300, 0x1F40, -320000000, -16000000000, SAMPLE_SATURATED, false },
	{ "V09", "calibration lost", GAIN_8, 0, 100000, 5100000, 600000000, 0x1770, 0x27DA, 0, 0,
	  60000000, 3060000000, 0, false },
	{ "V10", "nothing drives the bus", GAIN_8, 4096, 100000, 5000000, 0, 0xFFFF, 0xFFFF, 0xFFFF,
	  0xFFFF, 0, 0, SAMPLE_ABSENT, true },
	{ "V11", "1 mOhm, negative", GAIN_8_32V, 4096, 1000, 20000000, -3000000000, 0xFED4, 0x9C42,
	  0xFED4, 0x012C, -3000000, -60000000000, 0, false },
	{ "V12", "POWER above 0x7FFF", GAIN_8_32V, 4096, 100000, 32000000, 3200000000, 0x7D00,
	  0xFA02, 0x7D00, 0xC800, 320000000, 102400000000, SAMPLE_SATURATED, false },
	/* What others made of POWER (docs/energy-cases.md): the same register, the right figure. */
	{ "B06", "POWER 5163 in 16-bit arithmetic", GAIN_8, 4096, 100000, 12000000, 860500000,
	  0x219D, 0x5DC2, 0x219D, 0x142B, 86050000, 10326000000, 0, false },
	{ "B06b", "POWER 42250 taken as signed", GAIN_8_32V, 10240, 100000, 26000000, 1300000000,
	  0x32C8, 0xCB22, 0x7EF4, 0xA50A, 130000000, 33800000000, 0, false },
	{ "B08", "POWER 500 by a divider of the range", GAIN_8_32V, 4096, 100000, 5000000,
	  200000000, 0x07D0, 0x2712, 0x07D0, 0x01F4, 20000000, 1000000000, 0, false },
	{ "B10", "POWER 1000 by a whole multiplier", GAIN_8_32V, 10240, 100000, 4000000, 200000000,
	  0x07D0, 0x1F42, 0x1388, 0x03E8, 20000000, 800000000, 0, false },
	{ NULL },
};

static int64_t wire_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((const struct ina219_vector *)data)->bus_uv;
}

static int64_t wire_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((const struct ina219_vector *)data)->current_na;
}

/* The last sample of two, so that the one that saw the start-up is not looked at. */
static int read_through(const struct ina219_vector *v, struct i2c_sim *sim, struct sample *s)
{
	struct ina219_vector source = *v;
	struct ina2xx chip;
	struct ina2xx_plan plan = ina219_plan_raw(v->config, MARK_CAL);
	struct fail f = { 0 };

	sim->source = (struct i2c_sim_source){ wire_bus_uv, wire_current_na, &source, NULL };
	sim->exact = true;
	if (ina2xx_start(&chip, i2c_sim_bus(sim), sim->time, &plan, &f) != 0)
		return -1;
	sim->reg[INA219_CAL] = v->cal & INA219_CAL_MAX;
	sim->all_ones = v->floating;
	if (ina2xx_read(&chip, s, &f) != 0 || ina2xx_read(&chip, s, &f) != 0)
		return -1;
	ina2xx_stop(&chip);
	return 0;
}

static bool registers_match(const struct ina219_vector *v, const struct i2c_sim *sim, char *why,
			    size_t len)
{
	uint32_t bus = sim->reg[INA219_BUS] | INA219_CNVR;

	if (v->floating ||
	    (sim->reg[INA219_SHUNT] == v->shunt && bus == v->bus &&
	     sim->reg[INA219_CURRENT] == v->current && sim->reg[INA219_POWER] == v->power))
		return true;
	snprintf(why, len,
		 "the chip shows SHUNT %04X BUS %04X CURRENT %04X POWER %04X, expected %04X %04X "
		 "%04X %04X",
		 sim->reg[INA219_SHUNT], bus, sim->reg[INA219_CURRENT], sim->reg[INA219_POWER],
		 v->shunt, v->bus, v->current, v->power);
	return false;
}

static bool figures_match(const struct ina219_vector *v, const struct sample *s, char *why,
			  size_t len)
{
	const struct meter_facts facts = {
		.kind = CODE_BUS_SHUNT,
		.bus_lsb_pv = INA219_BUS_LSB_PV,
		.shunt_lsb_pv = INA219_SHUNT_LSB_PV,
		.shunt_uohm = v->shunt_uohm,
	};
	/* Late or torn depends on the wait, not on the registers. */
	uint32_t flags = s->flags & (SAMPLE_SATURATED | SAMPLE_MATH_OVERFLOW | SAMPLE_ABSENT |
				     SAMPLE_STALE | SAMPLE_RETRIED);
	struct convert c;
	struct reading r;
	bool is;

	convert_init(&c, &facts);
	is = convert_sample(&c, s, &r);
	if (is == !v->floating && flags == v->flags &&
	    (v->floating || (r.bus_uv == v->bus_uv && r.shunt_nv == v->shunt_nv &&
			     r.current_na == v->current_na && r.power_nw == v->power_nw)))
		return true;
	snprintf(why, len,
		 "read %lld uV, %lld nA, %lld nW, flags %02x; expected %lld %lld %lld %02x",
		 (long long)r.bus_uv, (long long)r.current_na, (long long)r.power_nw, flags,
		 (long long)v->bus_uv, (long long)v->current_na, (long long)v->power_nw, v->flags);
	return false;
}

bool vector_passes(const struct ina219_vector *v, char *why, size_t len)
{
	int64_t now_ns = 1000000;
	struct sample decoded = { 0 }, read;
	struct i2c_sim sim;

	snprintf(why, len, "%s", "");
	ina219_decode(v->config, v->bus, v->shunt, &decoded);
	if (!figures_match(v, &decoded, why, len))
		return false;
	i2c_sim_init(&sim, timebase_counter(&now_ns), v->shunt_uohm, 1);
	if (read_through(v, &sim, &read) != 0) {
		snprintf(why, len, "the simulated chip could not be read");
		return false;
	}
	return registers_match(v, &sim, why, len) && figures_match(v, &read, why, len);
}
