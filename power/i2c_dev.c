/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_dev - a real bus: /dev/i2c-N through libi2c. The only file that knows the kernel's
 * I2C interface. It must not know what chip answers.
 *
 * SMBus words are little-endian and these chips send the high byte first: words are swapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <i2c/smbus.h>

#include "power/i2c.h"

static uint16_t swap(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

static int dev_read16(struct i2c *bus, uint8_t reg, uint16_t *val)
{
	int32_t word = i2c_smbus_read_word_data(bus->fd, reg);

	if (word < 0)
		return word;
	*val = swap((uint16_t)word);
	return 0;
}

static int dev_write16(struct i2c *bus, uint8_t reg, uint16_t val)
{
	return i2c_smbus_write_word_data(bus->fd, reg, swap(val));
}

static void dev_close(struct i2c *bus)
{
	if (bus->fd >= 0)
		close(bus->fd);
	bus->fd = -1;
}

static const struct i2c_ops i2c_dev_ops = { dev_read16, dev_write16, dev_close };

static const char *open_cure(int err)
{
	switch (err) {
	case ENOENT:
		return "the bus is not enabled: load the module i2c-dev and switch the bus on "
		       "(Raspberry Pi: dtparam=i2c_arm=on in config.txt; Orange Pi: the overlay "
		       "i2c0); `i2cdetect -l` lists the buses there are";
	case EACCES:
	case EPERM:
		return "this user may not use the bus: join the group i2c (`sudo usermod -aG i2c "
		       "$USER`, then log in anew)";
	}
	return "check the path";
}

static const char *address_cure(int err)
{
	switch (err) {
	case EBUSY:
		return "a kernel driver holds this address: unbind it (write its name, such as "
		       "1-0040, to the file unbind of its driver under /sys/bus/i2c/drivers)";
	case EINVAL:
		return "addresses go from 0x03 to 0x77";
	case ENOTTY:
		return "this is not an I2C bus: expected a device such as /dev/i2c-1";
	}
	return "the bus refuses the address";
}

int i2c_dev_open(struct i2c *bus, const char *path, uint8_t addr, struct fail *f)
{
	unsigned long functions = 0;
	int err;

	*bus = (struct i2c){ &i2c_dev_ops, open(path, O_RDWR | O_CLOEXEC), NULL };
	if (bus->fd < 0) {
		err = errno;
		return fail_set(f, err, "cannot open %s: %s; %s", path, strerror(err),
				open_cure(err));
	}
	if (ioctl(bus->fd, I2C_SLAVE, (long)addr) < 0) {
		err = errno;
		fail_set(f, err, "%s, address 0x%02x: %s; %s", path, addr, strerror(err),
			 address_cure(err));
		goto out;
	}
	if (ioctl(bus->fd, I2C_FUNCS, &functions) < 0 ||
	    (functions & I2C_FUNC_SMBUS_WORD_DATA) != I2C_FUNC_SMBUS_WORD_DATA) {
		fail_set(f, ENOTSUP, "%s cannot transfer 16-bit words: use another bus", path);
		goto out;
	}
	return 0;
out:
	dev_close(bus);
	return -1;
}
