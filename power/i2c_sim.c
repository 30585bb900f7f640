/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_sim - registers, conversions and wires. It must not know who reads it, nor where its
 * volts and amperes come from. What differs between the chips is in their rows (ina2xx_chip.c).
 */
#include "power/i2c_sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "power/ina219.h"

#define CURRENT_STUCK 0x7FFF
/* Start, addresses and register of an access, stop: what data come on top of. */
#define BITS_READ  29
#define BITS_WRITE 20

static uint16_t adc_of(const struct i2c_sim *sim)
{
	return (uint16_t)sim->reg[sim->chip->adc_reg];
}

static bool has_mode(const struct i2c_sim *sim, uint16_t bit)
{
	return adc_of(sim) >> sim->chip->mode_shift & bit;
}

static bool continuous(const struct i2c_sim *sim)
{
	return has_mode(sim, sim->chip->mode_continuous);
}

static int64_t slowed(const struct i2c_sim *sim, int64_t ns)
{
	return ns + ns * sim->speed_ppm / 1000000;
}

static int64_t shunt_ns(const struct i2c_sim *sim)
{
	return has_mode(sim, sim->chip->mode_shunt)
		       ? slowed(sim, ina2xx_shunt_ns(sim->chip, adc_of(sim)))
		       : 0;
}

static int64_t bus_ns(const struct i2c_sim *sim)
{
	return has_mode(sim, sim->chip->mode_bus)
		       ? slowed(sim, ina2xx_bus_ns(sim->chip, adc_of(sim)))
		       : 0;
}

static bool input_on(const struct i2c_sim *sim, int input)
{
	return sim->chip->enable_bit == 0 || (adc_of(sim) >> (sim->chip->enable_bit - input) & 1);
}

static void begin(struct i2c_sim *sim, int what, int64_t at_ns)
{
	sim->converting = what;
	sim->channel_start_ns = at_ns;
	sim->channel_end_ns = at_ns + (what == SIM_SHUNT ? shunt_ns(sim)
				       : what == SIM_BUS ? bus_ns(sim)
							 : 0);
}

/* From this input on, the first that is switched on; its first conversion. False: none. */
static bool begin_input(struct i2c_sim *sim, int input, int64_t at_ns)
{
	while (input < sim->chip->channels && !input_on(sim, input))
		input++;
	if (input == sim->chip->channels || shunt_ns(sim) + bus_ns(sim) == 0)
		return false;
	sim->input = input;
	begin(sim, shunt_ns(sim) ? SIM_SHUNT : SIM_BUS, at_ns);
	return true;
}

static void begin_cycle(struct i2c_sim *sim, int64_t at_ns)
{
	if (!begin_input(sim, 0, at_ns))
		begin(sim, SIM_IDLE, at_ns);
}

static void power_on_registers(struct i2c_sim *sim)
{
	const struct ina2xx_chip *chip = sim->chip;

	sim->reg[0] = sim->reset_value ? sim->reset_value : chip->config_reset;
	if (chip->maker_reg) {
		sim->reg[chip->maker_reg] = 0x5449;
		sim->reg[chip->die_reg] = chip->die | 1;
	}
	/* ADC_CONFIG of INA228 and INA238; SHUNT_CAL; the first limit of an INA3221. */
	if (chip->adc_reg) {
		sim->reg[chip->adc_reg] = 0xFB68;
		sim->reg[chip->mark_reg] = 0x1000;
	}
	if (chip->channels > 1)
		sim->reg[chip->mark_reg] = 0x7FF8;
}

void i2c_sim_brown_out(struct i2c_sim *sim)
{
	memset(sim->reg, 0, sizeof sim->reg);
	power_on_registers(sim);
	sim->ready = false;
	begin_cycle(sim, timebase_now(&sim->time));
}

void i2c_sim_become(struct i2c_sim *sim, const struct ina2xx_chip *chip)
{
	sim->chip = chip;
	if (chip->own_shunt_uohm)
		sim->shunt_uohm = chip->own_shunt_uohm;
	i2c_sim_brown_out(sim);
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
	i2c_sim_become(sim, ina2xx_chip_by_name("ina219"));
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

/* CURRENT and POWER of the INA219; the data sheet's equations 4 and 5, and what they do out of
 * range. Nobody reads those of the siblings. */
static void arithmetic(struct i2c_sim *sim)
{
	int32_t product = (int16_t)sim->reg[INA219_SHUNT] * (int32_t)sim->reg[INA219_CAL];
	int32_t current = product / 4096;
	uint32_t volts = sim->reg[INA219_BUS] >> 3, power;

	sim->reg[INA219_BUS] &= ~(uint32_t)INA219_OVF;
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
	if (sim->chip->by_bits)
		arithmetic(sim);
	sim->ready = true;
	sim->conversions++;
}

static const struct ina2xx_range *range_of(const struct i2c_sim *sim)
{
	const struct ina2xx_range *r = sim->chip->range;

	while (r[1].full_uv != 0 && r->bits != (sim->reg[0] & sim->chip->range_mask))
		r++;
	return r;
}

static void store(struct i2c_sim *sim, const struct ina2xx_register *r, int64_t code)
{
	uint32_t mask = (uint32_t)(UINT64_MAX >> (64 - 8 * r->bytes));

	sim->reg[r->reg + sim->chip->channel_step * sim->input] =
		(uint32_t)((uint64_t)code << r->shift) & mask;
}

static void convert_shunt(struct i2c_sim *sim)
{
	const struct ina2xx_range *range = range_of(sim);
	double lsb_nv = (double)range->lsb_pv / 1e3;
	/* Logs of INA219s at /8 show multiples of 40 uV: the step doubles from /2 on. */
	int64_t step = sim->exact || !sim->chip->by_bits || range->full_uv < 80000
			       ? 1
			       : range->full_uv / 80000;
	int64_t na = sim->source.current_na(sim->source.data, sim->channel_start_ns,
					    sim->channel_end_ns);
	double nv = (double)na * (double)sim->shunt_uohm / 1e6;

	sim->channel_na = na;
	nv += nv * (double)sim->gain_ppm / 1e6 + (double)sim->offset_uv * 1e3;
	if (sim->noise_uv > 0)
		nv += rng_normal(&sim->rng) * (double)sim->noise_uv * 1e3;
	nv = fmin(fmax(nv, -4e8), 4e8);
	store(sim, &sim->chip->shunt,
	      clip(to_step(llround(nv * 1024 / lsb_nv), step * 1024) / 1024, -range->limit,
		   range->limit));
}

static void convert_bus(struct i2c_sim *sim)
{
	const struct ina2xx_chip *chip = sim->chip;
	double uv = (double)sim->source.bus_uv(sim->source.data, sim->channel_start_ns,
					       sim->channel_end_ns);
	int64_t code = (int64_t)floor(uv * 1e6 / (double)chip->bus_lsb_pv + 0.5);
	uint32_t overflow = chip->ready_reg == chip->bus.reg ? sim->reg[chip->bus.reg] : 0;

	store(sim, &chip->bus,
	      clip(code, 0, chip->bus_limit[(sim->reg[0] & chip->bus_range_bit) != 0]));
	sim->reg[chip->bus.reg] |= overflow & chip->overflow;
}

/* The conversion under way is over: its own register changes now, the others do not. */
static void end_channel(struct i2c_sim *sim)
{
	int64_t at_ns = sim->channel_end_ns;

	if (!sim->stuck && sim->converting == SIM_SHUNT)
		convert_shunt(sim);
	if (!sim->stuck && sim->converting == SIM_BUS)
		convert_bus(sim);
	if (sim->converting == SIM_SHUNT && bus_ns(sim) > 0) {
		begin(sim, SIM_BUS, at_ns);
		return;
	}
	if (begin_input(sim, sim->input + 1, at_ns))
		return;
	if (!sim->stuck)
		end_cycle(sim);
	if (continuous(sim))
		begin_cycle(sim, at_ns);
	else
		begin(sim, SIM_IDLE, at_ns);
}

static void advance(struct i2c_sim *sim)
{
	int64_t now_ns = timebase_now(&sim->time);
	int64_t cycle_ns =
		(shunt_ns(sim) + bus_ns(sim)) * ina2xx_channels_on(sim->chip, adc_of(sim));
	int64_t behind;

	/* Nobody saw the cycles in between: only the last two matter. */
	if (sim->converting != SIM_IDLE && continuous(sim)) {
		behind = (now_ns - sim->channel_end_ns) / cycle_ns - 2;
		if (behind > 0) {
			sim->channel_start_ns += behind * cycle_ns;
			sim->channel_end_ns += behind * cycle_ns;
			sim->conversions += behind;
		}
	}
	while (sim->converting != SIM_IDLE && sim->channel_end_ns <= now_ns)
		end_channel(sim);
}

/* What an access of so many bytes takes: address, register and data, nine bits each. */
static int64_t access_ns(const struct i2c_sim *sim, int bytes, bool read)
{
	bool busy = sim->busy_scl_hz > 0 && sim->channel_na >= sim->busy_na;
	int64_t hz = busy ? sim->busy_scl_hz : sim->scl_hz;

	if (hz == 0)
		return sim->transfer_ns;
	return ((read ? BITS_READ : BITS_WRITE) + 9 * bytes) * NS_PER_S / hz;
}

/* Bus time, refusals. 0, or -errno. */
static int transfer(struct i2c_sim *sim, int bytes, bool read)
{
	int64_t ns = access_ns(sim, bytes, read);

	if (ns > 0)
		timebase_sleep_until(&sim->time, timebase_now(&sim->time) + ns);
	advance(sim);
	sim->accesses++;
	if (sim->behind_mux && !sim->selected)
		return -sim->nack_error;
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

/* What reading a register does to the flags and to who watches. */
static void side_effects(struct i2c_sim *sim, uint8_t reg)
{
	if (reg == sim->chip->clear_reg)
		sim->ready = false;
	if (reg == sim->chip->shunt.reg && sim->source.seen != NULL)
		sim->source.seen(sim->source.data);
}

static int sim_read(struct i2c *bus, uint8_t reg, int bytes, uint64_t *val)
{
	struct i2c_sim *sim = bus->impl;
	int err = transfer(sim, bytes, true);

	if (err != 0)
		return err;
	*val = sim->reg[reg];
	if (reg == sim->chip->ready_reg && sim->ready)
		*val |= sim->chip->ready;
	side_effects(sim, reg);
	if (sim->all_ones)
		*val = UINT64_MAX >> (64 - 8 * bytes);
	if (sim->all_zeros)
		*val = 0;
	if (sim->swapped && bytes == 2)
		*val = swap((uint16_t)*val);
	return 0;
}

static void write_adc(struct i2c_sim *sim, uint16_t val)
{
	sim->reg[sim->chip->adc_reg] = val;
	begin_cycle(sim, timebase_now(&sim->time));
	/* Clearing by a mode write leaves out power-down and ADC off (8.6.3.2). */
	if (sim->converting != SIM_IDLE)
		sim->ready = false;
}

static int sim_write16(struct i2c *bus, uint8_t reg, uint16_t val)
{
	struct i2c_sim *sim = bus->impl;
	int err = transfer(sim, 2, false);

	if (err != 0)
		return err;
	if (sim->swapped)
		val = swap(val);
	if (reg == 0 && (val & INA2XX_RESET))
		i2c_sim_brown_out(sim);
	else if (reg == sim->chip->adc_reg)
		write_adc(sim, val);
	else if (reg == 0 || (reg == sim->chip->mark_reg && sim->chip->mark))
		sim->reg[reg] = val;
	else if (reg == sim->chip->mark_reg)
		sim->reg[reg] = val & sim->chip->cal_max;
	return 0;
}

static int sim_select(struct i2c *bus, bool on)
{
	struct i2c_sim *sim = bus->impl;

	sim->selected = on;
	sim->selections += on;
	return 0;
}

static void sim_close(struct i2c *bus)
{
	bus->impl = NULL;
}

static const struct i2c_ops i2c_sim_ops = { sim_read, sim_write16, sim_select, sim_close };

struct i2c i2c_sim_bus(struct i2c_sim *sim)
{
	return (struct i2c){ .ops = &i2c_sim_ops, .fd = -1, .impl = sim, .mux_fd = -1 };
}
