/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx - the Texas Instruments power monitors: a const row for each chip, a pure plan from
 * wishes to register settings, and one reader for all of them.
 *
 * Figures come from the SHUNT and BUS registers alone. Reads follow the conversion-ready flag.
 * One register that no figure needs (CAL where there is one) is written as a mark: a chip that
 * lost its supply does not have it, even where all its other settings equal the reset values.
 */
#ifndef POWER_INA2XX_H
#define POWER_INA2XX_H

#include "power/i2c.h"
#include "power/meter.h"
#include "power/timebase.h"

#define INA2XX_RESET  0x8000 /* bit 15 of CONFIG in every row */
#define INA2XX_TIMES  8
#define INA2XX_RANGES 4
#define INA2XX_WRITES 4

/* A value: its register, the bytes it has, what to shift away, and whether it has a sign. */
struct ina2xx_register {
	uint8_t reg, bytes, shift;
	bool is_signed;
};

/* A range of the shunt voltage. full_uv 0 ends the list. */
struct ina2xx_range {
	int64_t full_uv, lsb_pv;
	int32_t limit;     /* the first |code| that is clipped */
	int64_t offset_nv; /* largest input offset at 25 C */
	uint16_t bits;     /* of CONFIG */
};

/* CONFIG is register 0 everywhere. Sources of the numbers: ina2xx_chip.c. */
struct ina2xx_chip {
	const char *name, *title;
	/* Who it is. */
	uint16_t config_reset;      /* of CONFIG, as read after a reset */
	uint8_t maker_reg, die_reg; /* 0: the chip has none */
	uint16_t die, die_mask;
	/* Values; those of channel n are channel_step * (n - 1) registers further on. */
	struct ina2xx_register shunt, bus;
	int channels, channel_step;
	int64_t bus_lsb_pv;
	int32_t bus_limit[2];   /* first clipped code with the bus range bit clear and set */
	uint16_t bus_range_bit; /* of CONFIG; 0: one range */
	int64_t own_shunt_uohm; /* inside the chip; 0: outside */
	struct ina2xx_range range[INA2XX_RANGES + 1];
	uint16_t range_mask; /* of CONFIG */
	/* The ready flag, the flag of overflown arithmetic beside it, and what clears it. */
	uint8_t ready_reg;
	uint16_t ready, overflow;
	uint8_t clear_reg; /* reading this clears it; ready_reg itself where that does */
	/* Conversions. */
	uint8_t adc_reg;
	int mode_shift; /* of the bits below */
	uint16_t mode_shunt, mode_bus, mode_continuous;
	bool by_bits;       /* INA219: one code for bits and averages, see ina219.h */
	uint16_t adc_fixed; /* bits of adc_reg that are always written so */
	int enable_bit;     /* of channel 1 in adc_reg, the others below it; 0: none */
	int bus_time_shift, shunt_time_shift, averages_shift;
	const int *time_us, *averages; /* INA2XX_TIMES each, in order of their codes */
	int time_default_us;
	/* Written before adc_reg: a latch that makes the ready flag wait for its reader. */
	uint8_t latch_reg;
	uint16_t latch;
	uint8_t mark_reg;
	uint16_t mark;  /* 0: CAL for 100 uA a step, to be of use to others too */
	int64_t cal_uv; /* CAL = cal_uv / (step * shunt) */
	uint16_t cal_max;
	int32_t gain_max_ppm; /* largest error of shunt and bus voltage at 25 C: each */
	int32_t bus_max_ppm;
	int32_t shunt_max_ppm; /* of the resistor: 1 % is what boards carry */
};

extern const struct ina2xx_chip ina2xx_chips[]; /* ends with name NULL */
const struct ina2xx_chip *ina2xx_chip_by_name(const char *name);

struct ina2xx_settings {
	int64_t shunt_uohm, max_na; /* max: the largest current expected, chooses the range */
	int bus_range_v, bits;      /* where the chip has a choice */
	int averages;
	int64_t conversion_ns; /* of one channel, before averaging; 0: the row's */
	int channel;           /* from 1 */
	bool inverted;
};

/* 0.1 Ohm, 2 A, 16 V, 12 bits, no averaging, channel 1. */
extern const struct ina2xx_settings ina2xx_settings_default;

struct ina2xx_write {
	uint8_t reg;
	uint16_t val;
	uint16_t kept; /* bits that read back as written */
};

struct ina2xx_plan {
	const struct ina2xx_chip *chip;
	struct ina2xx_write write[INA2XX_WRITES]; /* in order; the last one starts a conversion */
	int writes;
	struct ina2xx_register shunt, bus;
	int32_t shunt_limit, bus_limit; /* the first codes that are clipped */
	int64_t cycle_ns;               /* typical, all that is switched on */
};

/* Plan and facts for the settings; -1: they cannot be met. */
int ina2xx_plan(const struct ina2xx_chip *chip, const struct ina2xx_settings *set,
		struct ina2xx_plan *plan, struct meter_facts *facts, struct fail *f);

/* Typical time of one channel under this value of adc_reg. */
int64_t ina2xx_shunt_ns(const struct ina2xx_chip *chip, uint16_t adc);
int64_t ina2xx_bus_ns(const struct ina2xx_chip *chip, uint16_t adc);
/* Channels that this value of adc_reg converts: 1 everywhere but on an INA3221. */
int ina2xx_channels_on(const struct ina2xx_chip *chip, uint16_t adc);

/* Pure: raw register values into codes and flags. */
void ina2xx_decode(const struct ina2xx_plan *plan, uint64_t bus, uint64_t shunt, bool overflow,
		   struct sample *s);
int64_t ina2xx_code(const struct ina2xx_register *r, uint64_t raw);

struct ina2xx {
	struct i2c bus;
	struct timebase time;
	struct ina2xx_plan plan;
	int64_t learnt_ns;        /* this chip's own cycle */
	int64_t ready_ns;         /* when the next conversion is expected to be ready */
	int64_t check_in, checks; /* samples until the settings are read back, and between */
	bool doubtful;            /* settings must be read back before the next figure */
	bool restored;            /* they had to be written again: the next sample says so */
	int64_t failures;         /* samples that could not be read, in a row */
};

/*
 * Identifies the chip, resets it, then sets it up. An impostor with identification registers
 * is refused by name before anything is written. Takes bus over, closes it on failure.
 */
int ina2xx_start(struct ina2xx *c, struct i2c bus, struct timebase time,
		 const struct ina2xx_plan *plan, struct fail *f);
/* As meter_ops.read. */
int ina2xx_read(struct ina2xx *c, struct sample *s, struct fail *f);
/* Leaves the chip converting, closes the bus. */
void ina2xx_stop(struct ina2xx *c);

/* For ina2xx_start: 0, or -1 with what is there instead. The bus is selected. */
int ina2xx_identify(struct i2c *bus, const struct timebase *time, const struct ina2xx_chip *chip,
		    struct fail *f);
/* By its identification registers, where it has some: 1 yes, 0 no, -errno. */
int ina2xx_is_it(struct i2c *bus, const struct ina2xx_chip *chip);

extern const struct meter_ops meter_ina219, meter_ina226, meter_ina260, meter_ina3221, meter_ina228,
	meter_ina238;

#endif
