/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c - 16-bit register access on one I2C device.
 *
 * Registers are big-endian on the wire; values here are host order.  The real bus
 * (i2c_dev.c, the only file that knows the kernel's interface) and a simulated one
 * stand behind the same table.
 */
#ifndef POWER_I2C_H
#define POWER_I2C_H

#include <stdint.h>

#include "lib/fail.h"

struct i2c_ops;

struct i2c {
	const struct i2c_ops *ops;
	int fd;
	void *impl;
};

struct i2c_ops {
	/* 0, or -errno. */
	int (*read16)(struct i2c *bus, uint8_t reg, uint16_t *val);
	int (*write16)(struct i2c *bus, uint8_t reg, uint16_t val);
	void (*close)(struct i2c *bus);
};

/* The reason names the file, what failed, and the cure (group i2c, overlay, driver bound). */
int i2c_dev_open(struct i2c *bus, const char *path, uint8_t addr, struct fail *f);

#endif
