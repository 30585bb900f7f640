/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219 - the Texas Instruments INA219 at register level (data sheet SBOS448G).
 *
 * Figures come from SHUNT and BUS alone. Reads follow the conversion-ready bit: BUS with
 * CNVR set, then SHUNT, then POWER, whose reading clears the bit. CAL is written only as a
 * mark: a chip that lost its supply has CAL = 0 even where CONFIG equals the reset value.
 */
#ifndef POWER_INA219_H
#define POWER_INA219_H

#include "power/i2c.h"
#include "power/meter.h"
#include "power/timebase.h"

enum ina219_register {
	INA219_CONFIG,
	INA219_SHUNT,
	INA219_BUS,
	INA219_POWER,
	INA219_CURRENT,
	INA219_CAL
};

#define INA219_RESET        0x8000
#define INA219_CONFIG_RESET 0x399F
#define INA219_CNVR         0x0002
#define INA219_OVF          0x0001
#define INA219_CAL_MAX      0xFFFE
#define INA219_BUS_LSB_PV   INT64_C(4000000000)
#define INA219_SHUNT_LSB_PV INT64_C(10000000)
/* Mode bits: channels 1 shunt, 2 bus, and 4 continuous. */
#define INA219_MODE_BOTH 7

/* CONFIG by its fields (data sheet 8.6.2.1). */
struct ina219_config {
	bool reset;
	int bus_range_v;        /* 16 or 32 */
	int gain_shift;         /* PG: 0..3 for +-40, 80, 160, 320 mV */
	int bus_adc, shunt_adc; /* 4-bit codes: see ina219_adc_code() */
	int mode;
};

uint16_t ina219_config_encode(const struct ina219_config *c);
struct ina219_config ina219_config_decode(uint16_t config);

/* The 4-bit code for 9..12 bits with one conversion, or 12 bits and 2..128 averages; -1: none. */
int ina219_adc_code(int bits, int averages);
/* Typical time of one channel, and of a whole cycle of the channels that CONFIG turns on. */
int64_t ina219_adc_ns(int adc_code);
int64_t ina219_cycle_ns(uint16_t config);

/* Largest |SHUNT| and BUS (shifted) codes that are not clipped, plus one. */
int32_t ina219_shunt_limit(uint16_t config);
int32_t ina219_bus_limit(uint16_t config);

/*
 * CAL for a current LSB in picoamperes: trunc(0.04096 / (LSB * R)); more than
 * the register holds is clamped to 0xFFFE, never wrapped. The chip itself drops bit 0.
 */
uint16_t ina219_calibration(int64_t lsb_pa, int64_t shunt_uohm);

/* Pure: register values as the chip sends them into codes and flags. */
void ina219_decode(uint16_t config, uint16_t bus, uint16_t shunt, struct sample *s);

/* "an INA226", "nothing (all ones)", ... for a value read from CONFIG after a reset. */
const char *ina219_name_reset_value(uint16_t value);

struct ina219_settings {
	int64_t shunt_uohm, max_na; /* max: the largest current expected, chooses the gain */
	int bus_range_v, bits, averages;
	bool inverted;
};

/* 0.1 Ohm, 2 A, 16 V, 12 bits, no averaging. */
extern const struct ina219_settings ina219_settings_default;

/* CONFIG and facts for the settings; -1: they cannot be met. */
int ina219_plan(const struct ina219_settings *set, uint16_t *config, struct meter_facts *facts,
		struct fail *f);

struct ina219 {
	struct i2c bus;
	struct timebase time;
	uint16_t config, cal;
	int64_t cycle_ns;         /* typical */
	int64_t learnt_ns;        /* this chip's own cycle */
	int64_t ready_ns;         /* when the next conversion is expected to be ready */
	int64_t check_in, checks; /* samples until the settings are read back, and between */
	bool doubtful;            /* settings must be read back before the next figure */
	bool restored;            /* they had to be written again: the next sample says so */
	int64_t failures;         /* samples that could not be read, in a row */
};

/* Resets and identifies the chip, then sets it up. Takes bus over, closes it on failure. */
int ina219_start(struct ina219 *c, struct i2c bus, struct timebase time, uint16_t config,
		 uint16_t cal, struct fail *f);
/* As meter_ops.read. */
int ina219_read(struct ina219 *c, struct sample *s, struct fail *f);
/* Leaves the chip converting, closes the bus. */
void ina219_stop(struct ina219 *c);

extern const struct meter_ops meter_ina219;

#endif
