/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219 - what the registers mean, and the plan from wishes to settings: pure.
 * It must not touch a bus (ina219_read.c does).
 */
#include "power/ina219.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"

const struct ina219_settings ina219_settings_default = { 100000, 2000000000, 16, 12, 1, false };

uint16_t ina219_config_encode(const struct ina219_config *c)
{
	return (uint16_t)((c->reset ? INA219_RESET : 0) | (c->bus_range_v == 32) << 13 |
			  (c->gain_shift & 3) << 11 | (c->bus_adc & 15) << 7 |
			  (c->shunt_adc & 15) << 3 | (c->mode & 7));
}

struct ina219_config ina219_config_decode(uint16_t config)
{
	return (struct ina219_config){
		.reset = config & INA219_RESET,
		.bus_range_v = config & 1 << 13 ? 32 : 16,
		.gain_shift = config >> 11 & 3,
		.bus_adc = config >> 7 & 15,
		.shunt_adc = config >> 3 & 15,
		.mode = config & 7,
	};
}

int ina219_adc_code(int bits, int averages)
{
	if (averages == 1 && bits >= 9 && bits <= 12)
		return bits - 9;
	if (bits == 12)
		for (int shift = 1; shift <= 7; shift++)
			if (averages == 1 << shift)
				return 8 + shift;
	return -1;
}

int64_t ina219_adc_ns(int adc_code)
{
	/* Data sheet table 5, typical. */
	static const int64_t single_us[] = { 84, 148, 276, 532 };
	static const int64_t average_us[] = { 532, 1060, 2130, 4260, 8510, 17020, 34050, 68100 };

	return (adc_code & 8 ? average_us[adc_code & 7] : single_us[adc_code & 3]) * NS_PER_US;
}

int64_t ina219_cycle_ns(uint16_t config)
{
	struct ina219_config c = ina219_config_decode(config);

	return (c.mode & 1 ? ina219_adc_ns(c.shunt_adc) : 0) +
	       (c.mode & 2 ? ina219_adc_ns(c.bus_adc) : 0);
}

int32_t ina219_shunt_limit(uint16_t config)
{
	return 4000 << (config >> 11 & 3);
}

int32_t ina219_bus_limit(uint16_t config)
{
	return config & 1 << 13 ? 8000 : 4000;
}

uint16_t ina219_calibration(int64_t lsb_pa, int64_t shunt_uohm)
{
	/* 0.04096 V = 40.96e15 pA uOhm; the product stays below 2^63 for any LSB under 9 A. */
	int64_t product, cal;

	if (lsb_pa <= 0 || shunt_uohm <= 0 || __builtin_mul_overflow(lsb_pa, shunt_uohm, &product))
		return 0;
	cal = INT64_C(40960000000000000) / product;
	return (uint16_t)(cal > INA219_CAL_MAX ? INA219_CAL_MAX : cal);
}

void ina219_decode(uint16_t config, uint16_t bus, uint16_t shunt, struct sample *s)
{
	int32_t volts = bus >> 3, drop = (int16_t)shunt;

	s->code[0] = s->code[1] = 0;
	/* 32.764 V cannot be: bits 15 to 0 all ones are a bus that nobody drives. */
	if (bus == 0xFFFF) {
		s->flags |= SAMPLE_ABSENT;
		return;
	}
	s->code[0] = volts;
	s->code[1] = drop;
	if (bus & INA219_OVF)
		s->flags |= SAMPLE_MATH_OVERFLOW;
	if (drop >= ina219_shunt_limit(config) || drop <= -ina219_shunt_limit(config) ||
	    volts >= ina219_bus_limit(config))
		s->flags |= SAMPLE_SATURATED;
}

const char *ina219_name_reset_value(uint16_t value)
{
	switch (value) {
	case INA219_CONFIG_RESET:
		return "an INA219";
	case 0x9F39:
		return "an INA219 whose bytes arrive swapped";
	case 0x4127:
		return "an INA226";
	case 0x7127:
		return "an INA3221";
	case 0x6127:
		return "an INA260";
	case 0xFFFF:
		return "nothing: all bits are ones, as on a bus that no chip drives";
	case 0x0000:
		return "a bus held low, or an INA228 or INA238";
	}
	return value & INA219_RESET ? "plain memory, or a chip whose bytes arrive swapped: the "
				      "reset bit did not clear itself"
				    : "an unknown chip";
}

/* The smallest range that takes the drop of the largest current; -1: none. */
static int gain_for(int64_t drop_uv)
{
	for (int shift = 0; shift < 4; shift++)
		if (drop_uv <= INT64_C(40000) << shift)
			return shift;
	return -1;
}

/*
 * The budget at k = 1: limits of the A grade at 25 C taken as uniform (limit / sqrt 3).
 * Gain 0.5 % of the shunt voltage and 0.5 % of the bus voltage; 1 % the shunt itself.
 */
static void budget(const struct ina219_settings *set, int gain_shift, struct meter_facts *facts)
{
	static const int64_t offset_max_uv[] = { 100, 125, 150, 200 };

	facts->gain_ppm = 4082;  /* sqrt(0.5^2 + 0.5^2) % / sqrt 3 */
	facts->shunt_ppm = 5774; /* 1 % / sqrt 3 */
	facts->clock_ppm = 50;
	/* uV / uOhm = A; / sqrt 3 = * 577350 / 10^6 */
	facts->offset_na = offset_max_uv[gain_shift] * 577350000 / set->shunt_uohm;
}

static int plan_adc(const struct ina219_settings *set, int *adc, struct fail *f)
{
	*adc = ina219_adc_code(set->bits, set->averages);
	if (*adc < 0)
		return fail_set(f, EINVAL,
				"the INA219 cannot average %d conversions of %d bits; it does 9 to "
				"12 bits with avg=1, and 12 bits with avg=2, 4, 8, ... 128",
				set->averages, set->bits);
	if (set->bus_range_v != 16 && set->bus_range_v != 32)
		return fail_set(f, EINVAL, "range=%dV: the INA219 has 16V and 32V",
				set->bus_range_v);
	return 0;
}

static int plan_gain(const struct ina219_settings *set, int *gain, struct fail *f)
{
	if (set->shunt_uohm < 100 || set->shunt_uohm > 1000000000)
		return fail_set(f, EINVAL, "shunt=%.6g Ohm: expected 0.0001 to 1000",
				(double)set->shunt_uohm / 1e6);
	if (set->max_na <= 0 || set->max_na > INT64_C(4000000000000))
		return fail_set(f, EINVAL, "max=%.6g A: expected more than 0 and at most 4000",
				(double)set->max_na / 1e9);
	*gain = gain_for((int64_t)((double)set->max_na * (double)set->shunt_uohm / 1e9));
	if (*gain < 0)
		return fail_set(f, EINVAL,
				"max=%.6gA across %.6g Ohm is %.0f mV, but the INA219 reads 320 mV "
				"at most: use a shunt of %.3g Ohm or less",
				(double)set->max_na / 1e9, (double)set->shunt_uohm / 1e6,
				(double)set->max_na * (double)set->shunt_uohm / 1e12,
				320e6 / (double)set->max_na);
	return 0;
}

int ina219_plan(const struct ina219_settings *set, uint16_t *config, struct meter_facts *facts,
		struct fail *f)
{
	struct ina219_config c = { .bus_range_v = set->bus_range_v, .mode = INA219_MODE_BOTH };

	if (plan_adc(set, &c.bus_adc, f) != 0 || plan_gain(set, &c.gain_shift, f) != 0)
		return -1;
	c.shunt_adc = c.bus_adc;
	*config = ina219_config_encode(&c);
	snprintf(facts->chip, sizeof facts->chip, "ina219");
	facts->kind = CODE_BUS_SHUNT;
	facts->meaning = SAMPLE_MEAN_ENDING;
	facts->provenance = PROVENANCE_MEASURED;
	facts->period_ns = ina219_cycle_ns(*config);
	facts->bus_lsb_pv = INA219_BUS_LSB_PV;
	facts->shunt_lsb_pv = INA219_SHUNT_LSB_PV;
	facts->shunt_uohm = set->shunt_uohm;
	facts->inverted = set->inverted;
	budget(set, c.gain_shift, facts);
	return 0;
}
