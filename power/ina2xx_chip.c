/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_chip - the rows. It must not read a chip, nor choose between settings.
 *
 * Data sheets: INA219 SBOS448G, INA226 SBOS547, INA260 SBOS656, INA3221 SBOS576, and
 * those of INA228 and INA238. Register maps, steps and reset values agree with the kernel's
 * drivers (hwmon ina2xx.c, ina3221.c, ina238.c; iio ina2xx-adc.c).
 *
 * To be confirmed against silicon: the largest errors (offset_nv, gain_max_ppm, bus_max_ppm)
 * of all but the INA219; that the latch bit of INA228 and INA238 holds their ready flag until
 * it is read; the revision digits of the identification registers, which are not compared.
 */
#include "power/ina2xx.h"

#include <stddef.h>
#include <string.h>

#include "lib/clock.h"
#include "power/ina219.h"

/* INA226, INA260, INA3221: tables of the fields VBUSCT, VSHCT and AVG. */
static const int time_226_us[INA2XX_TIMES] = { 140, 204, 332, 588, 1100, 2116, 4156, 8244 };
static const int averages_226[INA2XX_TIMES] = { 1, 4, 16, 64, 128, 256, 512, 1024 };
/* INA228, INA238: the same fields of ADC_CONFIG. */
static const int time_228_us[INA2XX_TIMES] = { 50, 84, 150, 280, 540, 1052, 2074, 4120 };

#define MAKER 0xFE
#define DIE   0xFF

const struct ina2xx_chip ina2xx_chips[] = {
	{
		.name = "ina219",
		.title = "INA219",
		.config_reset = 0x399F,
		.shunt = { 1, 2, 0, true },
		.bus = { 2, 2, 3, false },
		.channels = 1,
		.bus_lsb_pv = INT64_C(4000000000),
		.bus_limit = { 4000, 8000 },
		.bus_range_bit = 1 << 13,
		.range = { { 40000, 10000000, 4000, 100000, 0x0000 },
			   { 80000, 10000000, 8000, 125000, 0x0800 },
			   { 160000, 10000000, 16000, 150000, 0x1000 },
			   { 320000, 10000000, 32000, 200000, 0x1800 } },
		.range_mask = 0x1800,
		.ready_reg = 2,
		.ready = 1 << 1,
		.overflow = 1 << 0,
		.clear_reg = 3,
		.mode_shunt = 1,
		.mode_bus = 2,
		.mode_continuous = 4,
		.by_bits = true,
		.mark_reg = 5,
		.cal_uv = 40960,
		.cal_max = 0xFFFE,
		.gain_max_ppm = 5000,
		.bus_max_ppm = 5000,
		.shunt_max_ppm = 10000,
	},
	{
		.name = "ina226",
		.title = "INA226",
		.config_reset = 0x4127,
		.maker_reg = MAKER,
		.die_reg = DIE,
		.die = 0x2260,
		.die_mask = 0xFFF0,
		.shunt = { 1, 2, 0, true },
		.bus = { 2, 2, 0, false },
		.channels = 1,
		.bus_lsb_pv = 1250000000,
		.bus_limit = { 0x7FFF, 0x7FFF },
		.range = { { 81920, 2500000, 0x7FFF, 10000, 0 } },
		.ready_reg = 6,
		.ready = 1 << 3,
		.overflow = 1 << 2,
		.clear_reg = 6,
		.mode_shunt = 1,
		.mode_bus = 2,
		.mode_continuous = 4,
		.adc_fixed = 0x4000,
		.bus_time_shift = 6,
		.shunt_time_shift = 3,
		.averages_shift = 9,
		.time_us = time_226_us,
		.averages = averages_226,
		.time_default_us = 588,
		.mark_reg = 5,
		.cal_uv = 5120,
		.cal_max = 0x7FFF,
		.gain_max_ppm = 1000,
		.bus_max_ppm = 1000,
		.shunt_max_ppm = 10000,
	},
	{
		/* CURRENT has 1.25 mA a step: 2.5 uV across the 2 mOhm inside, so the code of the
		 * current serves as that of a shunt voltage. The limit is the rated 15 A. */
		.name = "ina260",
		.title = "INA260",
		.config_reset = 0x6127,
		.maker_reg = MAKER,
		.die_reg = DIE,
		.die = 0x2270,
		.die_mask = 0xFFF0,
		.shunt = { 1, 2, 0, true },
		.bus = { 2, 2, 0, false },
		.channels = 1,
		.bus_lsb_pv = 1250000000,
		.bus_limit = { 0x7FFF, 0x7FFF },
		.own_shunt_uohm = 2000,
		.range = { { 30000, 2500000, 12001, 10000, 0 } },
		.ready_reg = 6,
		.ready = 1 << 3,
		.overflow = 1 << 2,
		.clear_reg = 6,
		.mode_shunt = 1,
		.mode_bus = 2,
		.mode_continuous = 4,
		.adc_fixed = 0x6000,
		.bus_time_shift = 6,
		.shunt_time_shift = 3,
		.averages_shift = 9,
		.time_us = time_226_us,
		.averages = averages_226,
		.time_default_us = 588,
		/* ALERT_LIMIT: no alert function is switched on. */
		.mark_reg = 7,
		.mark = 0x0C1F,
		.gain_max_ppm = 1500,
		.bus_max_ppm = 1000,
	},
	{
		.name = "ina3221",
		.title = "INA3221",
		.config_reset = 0x7127,
		.maker_reg = MAKER,
		.die_reg = DIE,
		.die = 0x3220,
		.die_mask = 0xFFF0,
		.shunt = { 1, 2, 3, true },
		.bus = { 2, 2, 3, true },
		.channels = 3,
		.channel_step = 2,
		.bus_lsb_pv = INT64_C(8000000000),
		.bus_limit = { 0xFFF, 0xFFF },
		.range = { { 163800, 40000000, 0xFFF, 80000, 0 } },
		.ready_reg = 15,
		.ready = 1 << 0,
		.clear_reg = 15,
		.mode_shunt = 1,
		.mode_bus = 2,
		.mode_continuous = 4,
		.enable_bit = 14,
		.bus_time_shift = 6,
		.shunt_time_shift = 3,
		.averages_shift = 9,
		.time_us = time_226_us,
		.averages = averages_226,
		.time_default_us = 588,
		/* The critical limit of channel 1, one step below its reset value 0x7FF8. */
		.mark_reg = 7,
		.mark = 0x7FF0,
		.gain_max_ppm = 2500,
		.bus_max_ppm = 2500,
		.shunt_max_ppm = 10000,
	},
	{
		.name = "ina228",
		.title = "INA228",
		.config_reset = 0x0000,
		.maker_reg = 0x3E,
		.die_reg = 0x3F,
		.die = 0x2280,
		.die_mask = 0xFFF0,
		.shunt = { 4, 3, 4, true },
		.bus = { 5, 3, 4, true },
		.channels = 1,
		.bus_lsb_pv = 195312500,
		.bus_limit = { 0x7FFFF, 0x7FFFF },
		.range = { { 40960, 78125, 0x7FFFF, 1000, 0x0010 },
			   { 163840, 312500, 0x7FFFF, 1000, 0 } },
		.range_mask = 0x0010,
		.ready_reg = 11,
		.ready = 1 << 1,
		.overflow = 1 << 9,
		.clear_reg = 11,
		.adc_reg = 1,
		.mode_shift = 12,
		.mode_shunt = 2,
		.mode_bus = 1,
		.mode_continuous = 8,
		.bus_time_shift = 9,
		.shunt_time_shift = 6,
		.time_us = time_228_us,
		.averages = averages_226,
		.time_default_us = 540,
		.latch_reg = 11,
		.latch = 0x8001,
		/* SHUNT_CAL, which is 0x1000 after a reset. */
		.mark_reg = 2,
		.mark = 0x0FFF,
		.gain_max_ppm = 500,
		.bus_max_ppm = 500,
		.shunt_max_ppm = 10000,
	},
	{
		.name = "ina238",
		.title = "INA238",
		.config_reset = 0x0000,
		.maker_reg = 0x3E,
		.die_reg = 0x3F,
		.die = 0x2380,
		.die_mask = 0xFFF0,
		.shunt = { 4, 2, 0, true },
		.bus = { 5, 2, 0, true },
		.channels = 1,
		.bus_lsb_pv = INT64_C(3125000000),
		.bus_limit = { 0x7FFF, 0x7FFF },
		.range = { { 40960, 1250000, 0x7FFF, 5000, 0x0010 },
			   { 163840, 5000000, 0x7FFF, 5000, 0 } },
		.range_mask = 0x0010,
		.ready_reg = 11,
		.ready = 1 << 1,
		.overflow = 1 << 9,
		.clear_reg = 11,
		.adc_reg = 1,
		.mode_shift = 12,
		.mode_shunt = 2,
		.mode_bus = 1,
		.mode_continuous = 8,
		.bus_time_shift = 9,
		.shunt_time_shift = 6,
		.time_us = time_228_us,
		.averages = averages_226,
		.time_default_us = 540,
		.latch_reg = 11,
		.latch = 0x8001,
		.mark_reg = 2,
		.mark = 0x0FFF,
		.gain_max_ppm = 1000,
		.bus_max_ppm = 1000,
		.shunt_max_ppm = 10000,
	},
	{ .name = NULL },
};

const struct ina2xx_chip *ina2xx_chip_by_name(const char *name)
{
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++)
		if (strcmp(chip->name, name) == 0)
			return chip;
	return NULL;
}

static int64_t field_ns(const struct ina2xx_chip *chip, uint16_t adc, int time_shift)
{
	return chip->time_us[adc >> time_shift & 7] * NS_PER_US *
	       chip->averages[adc >> chip->averages_shift & 7];
}

int64_t ina2xx_shunt_ns(const struct ina2xx_chip *chip, uint16_t adc)
{
	return chip->by_bits ? ina219_adc_ns(ina219_config_decode(adc).shunt_adc)
			     : field_ns(chip, adc, chip->shunt_time_shift);
}

int64_t ina2xx_bus_ns(const struct ina2xx_chip *chip, uint16_t adc)
{
	return chip->by_bits ? ina219_adc_ns(ina219_config_decode(adc).bus_adc)
			     : field_ns(chip, adc, chip->bus_time_shift);
}

int ina2xx_channels_on(const struct ina2xx_chip *chip, uint16_t adc)
{
	int on = 0;

	for (int i = 0; i < chip->channels; i++)
		on += chip->enable_bit == 0 || (adc >> (chip->enable_bit - i) & 1);
	return on;
}
