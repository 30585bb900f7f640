/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219 - the registers of the INA219 (data sheet SBOS448G), where it differs from its
 * siblings (ina2xx.h): one code for bits and averages, four gains, CNVR inside BUS.
 *
 * Reads follow the conversion-ready bit: BUS with CNVR set, then SHUNT, then POWER, whose
 * reading clears the bit.
 */
#ifndef POWER_INA219_H
#define POWER_INA219_H

#include "power/ina2xx.h"

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

/*
 * A plan of these very settings, for vectors and for logs of registers. Bit 0 of CAL is dropped,
 * as the chip does.
 */
struct ina2xx_plan ina219_plan_raw(uint16_t config, uint16_t cal);

/* Pure: register values as the chip sends them into codes and flags. */
void ina219_decode(uint16_t config, uint16_t bus, uint16_t shunt, struct sample *s);

#endif
