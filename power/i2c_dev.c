/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_dev - a real bus: /dev/i2c-N through libi2c. The only file that knows the kernel's
 * I2C interface. It must not know what chip answers.
 *
 * SMBus words are little-endian and these chips send the high byte first: words are swapped.
 * A multiplexer is one more device on the bus, reached through a descriptor of its own. A lock
 * on the bus's file keeps other readers of this program off the multiplexer meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <i2c/smbus.h>

#include "power/i2c.h"

static uint16_t swap(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

static int read_word(struct i2c *bus, uint8_t reg, uint64_t *val)
{
	int32_t word = i2c_smbus_read_word_data(bus->fd, reg);

	if (word < 0)
		return word;
	*val = swap((uint16_t)word);
	return 0;
}

static int dev_read(struct i2c *bus, uint8_t reg, int bytes, uint64_t *val)
{
	uint8_t block[I2C_READ_MOST];
	int got;

	if (bytes == 2)
		return read_word(bus, reg, val);
	if (bytes < 1 || bytes > I2C_READ_MOST)
		return -EINVAL;
	got = i2c_smbus_read_i2c_block_data(bus->fd, reg, (uint8_t)bytes, block);
	if (got != bytes)
		return got < 0 ? got : -EIO;
	*val = 0;
	for (int i = 0; i < bytes; i++)
		*val = *val << 8 | block[i];
	return 0;
}

static int dev_write16(struct i2c *bus, uint8_t reg, uint16_t val)
{
	return i2c_smbus_write_word_data(bus->fd, reg, swap(val));
}

static int dev_select(struct i2c *bus, bool on)
{
	int err;

	if (bus->mux_fd < 0)
		return 0;
	if (on && flock(bus->mux_fd, LOCK_EX) != 0)
		return -errno;
	err = i2c_smbus_write_byte(bus->mux_fd, on ? bus->mux_bits : 0);
	if (!on || err < 0)
		flock(bus->mux_fd, LOCK_UN);
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void dev_close(struct i2c *bus)
{
	close_fd(&bus->mux_fd);
	close_fd(&bus->fd);
}

static const struct i2c_ops i2c_dev_ops = { dev_read, dev_write16, dev_select, dev_close };

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

static const char *address_cure(int err, bool mux)
{
	switch (err) {
	case EBUSY:
		if (mux)
			return "a kernel driver holds the multiplexer: leave out mux= and use the "
			       "bus it made for the channel (`i2cdetect -l` lists it)";
		return "a kernel driver holds this address: unbind it (write its name, such as "
		       "1-0040, to the file unbind of its driver under /sys/bus/i2c/drivers), or "
		       "read through it (iio: or hwmon:)";
	case EINVAL:
		return "addresses go from 0x03 to 0x77";
	case ENOTTY:
		return "this is not an I2C bus: expected a device such as /dev/i2c-1";
	}
	return "the bus refuses the address";
}

/* The descriptor of one address, or -1. */
static int open_address(const char *path, uint8_t addr, bool mux, struct fail *f)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err = errno;

	if (fd < 0)
		return fail_set(f, err, "cannot open %s: %s; %s", path, strerror(err),
				open_cure(err));
	if (ioctl(fd, I2C_SLAVE, (long)addr) < 0) {
		err = errno;
		close(fd);
		return fail_set(f, err, "%s, address 0x%02x: %s; %s", path, addr, strerror(err),
				address_cure(err, mux));
	}
	return fd;
}

int i2c_dev_open(struct i2c *bus, const struct i2c_place *place, struct fail *f)
{
	unsigned long functions = 0;

	*bus = (struct i2c){ .ops = &i2c_dev_ops, .mux_fd = -1 };
	bus->fd = open_address(place->path, place->addr, false, f);
	if (bus->fd < 0)
		return -1;
	if (ioctl(bus->fd, I2C_FUNCS, &functions) < 0 ||
	    (functions & I2C_FUNC_SMBUS_WORD_DATA) != I2C_FUNC_SMBUS_WORD_DATA ||
	    !(functions & I2C_FUNC_SMBUS_READ_I2C_BLOCK)) {
		fail_set(f, ENOTSUP, "%s cannot transfer words and blocks: use another bus",
			 place->path);
		goto out;
	}
	if (place->mux_addr != 0) {
		bus->mux_fd = open_address(place->path, place->mux_addr, true, f);
		if (bus->mux_fd < 0)
			goto out;
		bus->mux_bits = (uint8_t)(1 << place->mux_channel);
	}
	return 0;
out:
	dev_close(bus);
	return -1;
}
