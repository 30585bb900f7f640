/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_sim - the chip: conversions, registers, arithmetic; data sheet SBOS448G.
 * It must not know the reader, nor where volts and amperes come from.
 */
#include "power/i2c_sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "power/ina219.h"

#define CURRENT_STUCK 0x7FFF

static bool continuous(const struct i2c_sim *sim)
{
	return sim->reg[INA219_CONFIG] & 4;
}

static int64_t channel_ns(const struct i2c_sim *sim, int channel)
{
	struct ina219_config c = ina219_config_decode(sim->reg[INA219_CONFIG]);
	int64_t ns = ina219_adc_ns(channel == 1 ? c.shunt_adc : c.bus_adc);

	return ns + ns * sim->speed_ppm / 1000000;
}

static void begin_channel(struct i2c_sim *sim, int channel, int64_t at_ns)
{
	sim->channel = channel;
	sim->channel_start_ns = at_ns;
	sim->channel_end_ns = at_ns + (channel ? channel_ns(sim, channel) : 0);
}

/* The first channel that the mode has on; 0: power-down or ADC off. */
static int first_channel(const struct i2c_sim *sim)
{
	int mode = sim->reg[INA219_CONFIG] & 7;

	return mode & 1 ? 1 : mode & 2;
}

void i2c_sim_brown_out(struct i2c_sim *sim)
{
	memset(sim->reg, 0, sizeof sim->reg);
	sim->reg[INA219_CONFIG] = sim->reset_value ? sim->reset_value : INA219_CONFIG_RESET;
	sim->ready = false;
	begin_channel(sim, first_channel(sim), timebase_now(&sim->time));
}

static int64_t no_load(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)from_ns, (void)to_ns;
	return 0;
}

void i2c_sim_init(struct i2c_sim *sim, struct timebase time, int64_t shunt_uohm, uint64_t seed)
{
	*sim = (struct i2c_sim){ .time = time, .shunt_uohm = shunt_uohm };
	sim->source = (struct i2c_sim_source){ no_load, no_load, NULL, NULL };
	sim->nack_error = EREMOTEIO;
	rng_seed(&sim->rng, seed);
	i2c_sim_brown_out(sim);
}

static int64_t clip(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* To the nearest whole step, halves up. */
static int64_t to_step(int64_t v, int64_t step)
{
	int64_t shifted = v + step / 2;

	return (shifted - ((shifted % step) + step) % step) / step * step;
}

/* CURRENT and POWER; the data sheet's equations 4 and 5, and what they do out of range. */
static void arithmetic(struct i2c_sim *sim)
{
	int32_t product = (int16_t)sim->reg[INA219_SHUNT] * (int32_t)sim->reg[INA219_CAL];
	int32_t current = product / 4096;
	uint32_t volts = sim->reg[INA219_BUS] >> 3, power;

	sim->reg[INA219_BUS] &= (uint16_t)~INA219_OVF;
	if (current > INT16_MAX || current < INT16_MIN) {
		current = current > 0 ? CURRENT_STUCK : INT16_MIN;
		sim->reg[INA219_BUS] |= INA219_OVF;
	}
	power = (uint32_t)abs(current) * volts / 5000;
	sim->reg[INA219_CURRENT] = (uint16_t)current;
	sim->reg[INA219_POWER] = (uint16_t)power;
}

static void end_cycle(struct i2c_sim *sim)
{
	arithmetic(sim);
	sim->ready = true;
	sim->conversions++;
}

static void convert_shunt(struct i2c_sim *sim)
{
	uint16_t config = sim->reg[INA219_CONFIG];
	int pg = config >> 11 & 3;
	/* Logs of chips at /8 show multiples of 40 uV: the step doubles from /2 on. */
	int64_t step_uv = sim->exact || pg == 0 ? 10 : 10 << (pg - 1);
	int64_t limit = ina219_shunt_limit(config);
	int64_t na = sim->source.current_na(sim->source.data, sim->channel_start_ns,
					    sim->channel_end_ns);
	double nv = (double)na * (double)sim->shunt_uohm / 1e6;

	nv += nv * (double)sim->gain_ppm / 1e6 + (double)sim->offset_uv * 1e3;
	if (sim->noise_uv > 0)
		nv += rng_normal(&sim->rng) * (double)sim->noise_uv * 1e3;
	nv = fmin(fmax(nv, -4e8), 4e8);
	sim->reg[INA219_SHUNT] =
		(uint16_t)clip(to_step((int64_t)nv, step_uv * 1000) / 10000, -limit, limit);
}

static void convert_bus(struct i2c_sim *sim)
{
	int64_t uv =
		sim->source.bus_uv(sim->source.data, sim->channel_start_ns, sim->channel_end_ns);
	int64_t code = clip(to_step(uv, 4000) / 4000, 0, ina219_bus_limit(sim->reg[INA219_CONFIG]));

	sim->reg[INA219_BUS] = (uint16_t)(code << 3 | (sim->reg[INA219_BUS] & INA219_OVF));
}

/* The channel under way is over: its own register changes now, the other's does not. */
static void end_channel(struct i2c_sim *sim)
{
	int mode = sim->reg[INA219_CONFIG] & 7, next = 0;
	int64_t at_ns = sim->channel_end_ns;
	bool last = sim->channel == 2 || !(mode & 2);

	if (!sim->stuck && sim->channel == 1)
		convert_shunt(sim);
	if (!sim->stuck && sim->channel == 2)
		convert_bus(sim);
	if (!last)
		next = 2;
	else if (continuous(sim))
		next = first_channel(sim);
	if (last && !sim->stuck)
		end_cycle(sim);
	begin_channel(sim, next, at_ns);
}

static void advance(struct i2c_sim *sim)
{
	int64_t now_ns = timebase_now(&sim->time);
	int mode = sim->reg[INA219_CONFIG] & 7;
	int64_t cycle_ns =
		(mode & 1 ? channel_ns(sim, 1) : 0) + (mode & 2 ? channel_ns(sim, 2) : 0);
	int64_t behind;

	/* Nobody saw the cycles in between: only the last two matter. */
	if (sim->channel != 0 && continuous(sim)) {
		behind = (now_ns - sim->channel_end_ns) / cycle_ns - 2;
		if (behind > 0) {
			sim->channel_start_ns += behind * cycle_ns;
			sim->channel_end_ns += behind * cycle_ns;
			sim->conversions += behind;
		}
	}
	while (sim->channel != 0 && sim->channel_end_ns <= now_ns)
		end_channel(sim);
}

/* Bus time, refusals. 0, or -errno. */
static int transfer(struct i2c_sim *sim)
{
	if (sim->transfer_ns > 0)
		timebase_sleep_until(&sim->time, timebase_now(&sim->time) + sim->transfer_ns);
	advance(sim);
	sim->accesses++;
	if (sim->nacks == 0)
		return 0;
	if (sim->nacks > 0)
		sim->nacks--;
	return -sim->nack_error;
}

static uint16_t swap(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

static int sim_read16(struct i2c *bus, uint8_t reg, uint16_t *val)
{
	struct i2c_sim *sim = bus->impl;
	int err = transfer(sim);

	if (err != 0)
		return err;
	*val = reg < 6 ? sim->reg[reg] : 0;
	if (reg == INA219_BUS && sim->ready)
		*val |= INA219_CNVR;
	if (reg == INA219_POWER)
		sim->ready = false;
	if (reg == INA219_SHUNT && sim->source.seen != NULL)
		sim->source.seen(sim->source.data);
	if (sim->all_ones)
		*val = 0xFFFF;
	if (sim->swapped)
		*val = swap(*val);
	return 0;
}

static void write_config(struct i2c_sim *sim, uint16_t val)
{
	if (val & INA219_RESET) {
		i2c_sim_brown_out(sim);
		return;
	}
	sim->reg[INA219_CONFIG] = val;
	/* Clearing by a mode write leaves out power-down and ADC off (8.6.3.2). */
	if (first_channel(sim) != 0)
		sim->ready = false;
	begin_channel(sim, first_channel(sim), timebase_now(&sim->time));
}

static int sim_write16(struct i2c *bus, uint8_t reg, uint16_t val)
{
	struct i2c_sim *sim = bus->impl;
	int err = transfer(sim);

	if (err != 0)
		return err;
	if (sim->swapped)
		val = swap(val);
	if (reg == INA219_CONFIG)
		write_config(sim, val);
	else if (reg == INA219_CAL)
		sim->reg[INA219_CAL] = val & INA219_CAL_MAX;
	return 0;
}

static void sim_close(struct i2c *bus)
{
	bus->impl = NULL;
}

static const struct i2c_ops i2c_sim_ops = { sim_read16, sim_write16, sim_close };

struct i2c i2c_sim_bus(struct i2c_sim *sim)
{
	return (struct i2c){ &i2c_sim_ops, -1, sim };
}
