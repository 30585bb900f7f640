/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_sim - an INA219 or a sibling in software behind struct i2c_ops, converting in its own
 * time.
 *
 * What the data sheets say and readers trip over: shunt before bus, registers that change at
 * the end of their own channel, the ready flag, OVF, clipping, CAL bit 0, loss of supply; and
 * what wiring does: NACK, all ones, all zeros, swapped bytes, a stuck chip, another chip at the
 * address, a multiplexer that leads elsewhere, a bus whose clock follows the load.
 * Deterministic by seed. It advances only when a register is touched.
 */
#ifndef POWER_I2C_SIM_H
#define POWER_I2C_SIM_H

#include <stdbool.h>

#include "lib/rng.h"
#include "power/ina2xx.h"

/* What flows through the shunt: means over an interval of the chip's time. */
struct i2c_sim_source {
	int64_t (*bus_uv)(void *data, int64_t from_ns, int64_t to_ns);
	int64_t (*current_na)(void *data, int64_t from_ns, int64_t to_ns);
	void *data;
	void (*seen)(void *data); /* SHUNT was read; NULL: nobody asks */
};

struct i2c_sim {
	struct timebase time;
	struct i2c_sim_source source;
	int64_t shunt_uohm;

	/* Knobs; zero is an ideal INA219 on an infinitely fast bus. */
	uint16_t reset_value; /* of CONFIG; 0: an INA219's. Others are impostors */
	int64_t speed_ppm;    /* longer conversions: +100000 is the slowest in the data sheet */
	int64_t transfer_ns;  /* the time one register access takes */
	/* A real bus instead: bits at this clock; at the second one from this current on. */
	int64_t scl_hz, busy_scl_hz, busy_na;
	int64_t offset_uv, gain_ppm, noise_uv; /* of the shunt voltage; noise is one sigma */
	bool exact;                            /* steps of one LSB at every gain */
	bool all_ones, all_zeros, swapped, stuck;
	bool behind_mux;       /* nobody answers unless the bus is selected */
	int nacks, nack_error; /* accesses to refuse from now on, -1 all; with which errno */
	struct rng rng;

	/* State. */
	const struct ina2xx_chip *chip;
	uint32_t reg[256]; /* without flags of readiness */
	bool selected;
	int64_t selections; /* how often the way was opened */
	int64_t channel_na; /* of the last conversion of the shunt */
	enum { SIM_IDLE, SIM_SHUNT, SIM_BUS } converting;
	int input; /* of an INA3221: which of its channels, from 0 */
	int64_t channel_end_ns, channel_start_ns;
	int64_t accesses;    /* of registers */
	int64_t conversions; /* cycles completed */
	bool ready;          /* the flag */
};

/* A powered-up INA219. The knobs and the source may be set afterwards. */
void i2c_sim_init(struct i2c_sim *sim, struct timebase time, int64_t shunt_uohm, uint64_t seed);
/* Another chip of the family instead, powered up. */
void i2c_sim_become(struct i2c_sim *sim, const struct ina2xx_chip *chip);
/* The bus borrows sim. */
struct i2c i2c_sim_bus(struct i2c_sim *sim);
/* The supply dips: everything at its power-on value. */
void i2c_sim_brown_out(struct i2c_sim *sim);

#endif
