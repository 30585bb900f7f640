/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c - register access on one I2C device, perhaps behind a multiplexer.
 *
 * Registers are big-endian on the wire; values here are host order.  The real bus
 * (i2c_dev.c, the only file that knows the kernel's interface) and a simulated one
 * stand behind the same table.
 */
#ifndef POWER_I2C_H
#define POWER_I2C_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

#define I2C_READ_MOST 8 /* bytes of one register */

struct i2c_ops;

struct i2c {
	const struct i2c_ops *ops;
	int fd;
	void *impl;
	int mux_fd;       /* of a multiplexer on the same bus; -1: none */
	uint8_t mux_bits; /* its channels that lead to the device */
};

struct i2c_ops {
	/* A register of 1 to I2C_READ_MOST bytes, high byte first. 0, or -errno. */
	int (*read)(struct i2c *bus, uint8_t reg, int bytes, uint64_t *val);
	int (*write16)(struct i2c *bus, uint8_t reg, uint16_t val);
	/*
	 * Around a group of transfers: true opens the way through the multiplexer and keeps other
	 * users of it out, false closes it. Does nothing where there is none. 0, or -errno.
	 */
	int (*select)(struct i2c *bus, bool on);
	void (*close)(struct i2c *bus);
};

/* A device, and how to get there. */
struct i2c_place {
	char path[128]; /* "/dev/i2c-1" */
	uint8_t addr;
	uint8_t mux_addr; /* a TCA9548A; 0: none */
	int mux_channel;  /* 0 to 7 */
};

/*
 * The reason names the file, what failed, and the cure (group i2c, overlay, driver bound).
 * Nothing is sent: no other address of the bus is ever touched.
 */
int i2c_dev_open(struct i2c *bus, const struct i2c_place *place, struct fail *f);

#endif
