/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219 - CONFIG, CAL and conversion times of the INA219: pure.
 * It must not touch a bus (ina2xx_read.c does).
 */
#include "power/ina219.h"

#include "lib/clock.h"

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

struct ina2xx_plan ina219_plan_raw(uint16_t config, uint16_t cal)
{
	const struct ina2xx_chip *chip = ina2xx_chip_by_name("ina219");
	struct ina2xx_plan plan = { .chip = chip, .shunt = chip->shunt, .bus = chip->bus };

	plan.shunt_limit = ina219_shunt_limit(config);
	plan.bus_limit = ina219_bus_limit(config);
	plan.cycle_ns = ina219_cycle_ns(config);
	plan.write[0] = (struct ina2xx_write){ INA219_CAL, cal & INA219_CAL_MAX, 0xFFFF };
	plan.write[1] = (struct ina2xx_write){ INA219_CONFIG, config, 0xFFFF };
	plan.writes = 2;
	return plan;
}

void ina219_decode(uint16_t config, uint16_t bus, uint16_t shunt, struct sample *s)
{
	struct ina2xx_plan plan = ina219_plan_raw(config, 0);

	ina2xx_decode(&plan, bus, shunt, bus & INA219_OVF, s);
}
