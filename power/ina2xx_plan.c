/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_plan - from wishes to register settings and facts, and from registers to codes: pure.
 * It must not touch a bus (ina2xx_read.c does), nor know one chip from another but by its row.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/clock.h"
#include "power/ina219.h"

#define CAL_STEP_PA INT64_C(100000000)

const struct ina2xx_settings ina2xx_settings_default = {
	.shunt_uohm = 100000,
	.max_na = 2000000000,
	.bus_range_v = 16,
	.bits = 12,
	.averages = 1,
	.channel = 1,
};

int64_t ina2xx_code(const struct ina2xx_register *r, uint64_t raw)
{
	int unused = 64 - 8 * r->bytes;

	if (r->is_signed)
		return (int64_t)(raw << unused) >> unused >> r->shift;
	return (int64_t)(raw >> r->shift);
}

void ina2xx_decode(const struct ina2xx_plan *plan, uint64_t bus, uint64_t shunt, bool overflow,
		   struct sample *s)
{
	int64_t volts = ina2xx_code(&plan->bus, bus), drop = ina2xx_code(&plan->shunt, shunt);

	s->code[0] = s->code[1] = 0;
	/* No chip of the family can show this voltage: it is a bus that nobody drives. */
	if (bus == UINT64_MAX >> (64 - 8 * plan->bus.bytes)) {
		s->flags |= SAMPLE_ABSENT;
		return;
	}
	s->code[0] = volts;
	s->code[1] = drop;
	if (overflow)
		s->flags |= SAMPLE_MATH_OVERFLOW;
	if (drop >= plan->shunt_limit || drop <= -plan->shunt_limit || volts >= plan->bus_limit)
		s->flags |= SAMPLE_SATURATED;
}

/* The code of a value in a table of INA2XX_TIMES, or -1. */
static int code_of(const int *table, int64_t value)
{
	for (int i = 0; i < INA2XX_TIMES; i++)
		if (table[i] == value)
			return i;
	return -1;
}

static int plan_bits(const struct ina2xx_settings *set, uint16_t *adc, struct fail *f)
{
	int code = ina219_adc_code(set->bits, set->averages);

	if (code < 0)
		return fail_set(f, EINVAL,
				"the INA219 cannot average %d conversions of %d bits; it does 9 to "
				"12 bits with avg=1, and 12 bits with avg=2, 4, 8, ... 128",
				set->averages, set->bits);
	if (set->bus_range_v != 16 && set->bus_range_v != 32)
		return fail_set(f, EINVAL, "range=%dV: the INA219 has 16V and 32V",
				set->bus_range_v);
	*adc |= (uint16_t)(code << 7 | code << 3);
	return 0;
}

static int plan_times(const struct ina2xx_chip *chip, const struct ina2xx_settings *set,
		      uint16_t *adc, struct fail *f)
{
	int64_t wanted_us =
		set->conversion_ns ? set->conversion_ns / NS_PER_US : chip->time_default_us;
	int time = code_of(chip->time_us, wanted_us);
	int averages = code_of(chip->averages, set->averages);
	const int *t = chip->time_us;

	if (averages < 0)
		return fail_set(f, EINVAL,
				"avg=%d: the %s averages 1, 4, 16, 64, 128, 256, 512 or 1024 "
				"conversions",
				set->averages, chip->title);
	if (time < 0 || set->conversion_ns % NS_PER_US != 0)
		return fail_set(f, EINVAL,
				"conversion=%.6g us: the %s has %d, %d, %d, %d, %d, %d, %d and "
				"%d us",
				(double)set->conversion_ns / 1e3, chip->title, t[0], t[1], t[2],
				t[3], t[4], t[5], t[6], t[7]);
	*adc |= (uint16_t)(averages << chip->averages_shift | time << chip->bus_time_shift |
			   time << chip->shunt_time_shift);
	return 0;
}

static int plan_adc(const struct ina2xx_chip *chip, const struct ina2xx_settings *set,
		    uint16_t *adc, struct fail *f)
{
	*adc = (uint16_t)(chip->adc_fixed |
			  (chip->mode_shunt | chip->mode_bus | chip->mode_continuous)
				  << chip->mode_shift);
	if (set->channel < 1 || set->channel > chip->channels)
		return fail_set(f, EINVAL, "channel=%d: the %s has 1 to %d", set->channel,
				chip->title, chip->channels);
	if (chip->enable_bit)
		*adc |= (uint16_t)(1 << (chip->enable_bit - (set->channel - 1)));
	return chip->by_bits ? plan_bits(set, adc, f) : plan_times(chip, set, adc, f);
}

/* The smallest range that takes the drop of the largest current; NULL: f. */
static const struct ina2xx_range *plan_range(const struct ina2xx_chip *chip, int64_t shunt_uohm,
					     int64_t max_na, struct fail *f)
{
	double drop_uv = (double)max_na * (double)shunt_uohm / 1e9;
	const struct ina2xx_range *r = chip->range;
	int64_t most_uv = 0;

	if (shunt_uohm < 100 || shunt_uohm > 1000000000) {
		fail_set(f, EINVAL, "shunt=%.6g Ohm: expected 0.0001 to 1000",
			 (double)shunt_uohm / 1e6);
		return NULL;
	}
	if (max_na <= 0 || max_na > INT64_C(4000000000000)) {
		fail_set(f, EINVAL, "max=%.6g A: expected more than 0 and at most 4000",
			 (double)max_na / 1e9);
		return NULL;
	}
	for (; r->full_uv != 0; r++) {
		if (floor(drop_uv) <= (double)r->full_uv)
			return r;
		most_uv = r->full_uv;
	}
	if (chip->own_shunt_uohm)
		fail_set(f, EINVAL, "max=%.6gA: the %s is made for %.3g A", (double)max_na / 1e9,
			 chip->title, (double)most_uv / (double)shunt_uohm);
	else
		fail_set(f, EINVAL,
			 "max=%.6gA across %.6g Ohm is %.0f mV, but the %s reads %.4g mV at most: "
			 "use a shunt of %.3g Ohm or less",
			 (double)max_na / 1e9, (double)shunt_uohm / 1e6, drop_uv / 1e3, chip->title,
			 (double)most_uv / 1e3, (double)most_uv * 1e3 / (double)max_na);
	return NULL;
}

static uint16_t mark_value(const struct ina2xx_chip *chip, int64_t shunt_uohm)
{
	int64_t cal;

	if (chip->mark)
		return chip->mark;
	/* uV * 10^12 = pA uOhm. A mark of 0 would be what a reset leaves. */
	cal = chip->cal_uv * INT64_C(1000000000000) / CAL_STEP_PA / shunt_uohm;
	if (cal > chip->cal_max)
		cal = chip->cal_max;
	return (uint16_t)(cal < 2 ? 2 : cal & 0xFFFE);
}

static void add(struct ina2xx_plan *plan, uint8_t reg, uint16_t val, uint16_t kept)
{
	plan->write[plan->writes++] = (struct ina2xx_write){ reg, val, kept };
}

static void plan_writes(struct ina2xx_plan *plan, uint16_t config, uint16_t adc, uint16_t mark)
{
	const struct ina2xx_chip *chip = plan->chip;

	plan->writes = 0;
	add(plan, chip->mark_reg, mark, 0xFFFF);
	if (chip->adc_reg != 0)
		add(plan, 0, config, 0xFFFF);
	/* Reading the latch back would clear the ready flag beside it. */
	if (chip->latch_reg != 0)
		add(plan, chip->latch_reg, chip->latch, 0);
	/* Last: writing the mode starts a fresh conversion and clears the ready flag. */
	add(plan, chip->adc_reg, chip->adc_reg != 0 ? adc : (uint16_t)(config | adc), 0xFFFF);
	plan->cycle_ns = (ina2xx_shunt_ns(chip, adc) + ina2xx_bus_ns(chip, adc)) *
			 ina2xx_channels_on(chip, adc);
}

/* Largest errors at 25 C taken as uniform: / sqrt 3 at k = 1. */
static void budget(const struct ina2xx_chip *chip, const struct ina2xx_range *range,
		   struct meter_facts *facts)
{
	double gain = chip->gain_max_ppm, bus = chip->bus_max_ppm;

	facts->gain_ppm = llround(sqrt(gain * gain + bus * bus) / sqrt(3));
	facts->shunt_ppm = llround((double)chip->shunt_max_ppm / sqrt(3));
	facts->clock_ppm = 50;
	/* nV / uOhm = mA; / sqrt 3 = * 577350 / 10^6 */
	facts->offset_na = range->offset_nv * 577350 / facts->shunt_uohm;
}

static void describe(const struct ina2xx_plan *plan, const struct ina2xx_settings *set,
		     const struct ina2xx_range *range, struct meter_facts *facts)
{
	snprintf(facts->chip, sizeof facts->chip, "%s", plan->chip->name);
	facts->kind = CODE_BUS_SHUNT;
	facts->meaning = SAMPLE_MEAN_ENDING;
	facts->provenance = PROVENANCE_MEASURED;
	facts->period_ns = plan->cycle_ns;
	facts->bus_lsb_pv = plan->chip->bus_lsb_pv;
	facts->shunt_lsb_pv = range->lsb_pv;
	facts->shunt_uohm =
		plan->chip->own_shunt_uohm ? plan->chip->own_shunt_uohm : set->shunt_uohm;
	facts->inverted = set->inverted;
	budget(plan->chip, range, facts);
}

int ina2xx_plan(const struct ina2xx_chip *chip, const struct ina2xx_settings *set,
		struct ina2xx_plan *plan, struct meter_facts *facts, struct fail *f)
{
	int64_t shunt_uohm = chip->own_shunt_uohm ? chip->own_shunt_uohm : set->shunt_uohm;
	bool wide = chip->bus_range_bit && set->bus_range_v == 32;
	const struct ina2xx_range *range;
	uint16_t adc;

	*plan = (struct ina2xx_plan){ .chip = chip, .shunt = chip->shunt, .bus = chip->bus };
	if (plan_adc(chip, set, &adc, f) != 0)
		return -1;
	range = plan_range(chip, shunt_uohm, set->max_na, f);
	if (range == NULL)
		return -1;
	plan->shunt.reg += (uint8_t)(chip->channel_step * (set->channel - 1));
	plan->bus.reg += (uint8_t)(chip->channel_step * (set->channel - 1));
	plan->shunt_limit = range->limit;
	plan->bus_limit = chip->bus_limit[wide];
	plan_writes(plan, (uint16_t)(range->bits | (wide ? chip->bus_range_bit : 0)), adc,
		    mark_value(chip, shunt_uohm));
	describe(plan, set, range, facts);
	return 0;
}
