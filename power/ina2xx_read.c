/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219_read - the conversation with the chip: identify, wait for a conversion, read it,
 * notice that the chip forgot its settings, and go on after errors.
 *
 * It must not convert codes, and not know whether the chip is real.
 *
 * Waiting: the reader sleeps until the conversion is due and keeps a running estimate of the
 * chip's own cycle (its oscillator is up to 10 % off), so that the ready bit is found set at
 * the first or second look and nobody spins.
 */
#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "power/ina219.h"

#define RESET_LOOKS   5
#define RESET_WAIT_NS (200 * NS_PER_US)
#define CHECK_MOST    1000 /* samples between two looks at the settings */

static int read_once(struct ina219 *c, uint8_t reg, uint16_t *val)
{
	return c->bus.ops->read16(&c->bus, reg, val);
}

/* One retry, flagged: a NACK now and then is normal on long wires. */
static int read_register(struct ina219 *c, uint8_t reg, uint16_t *val, uint32_t *flags)
{
	if (read_once(c, reg, val) == 0)
		return 0;
	*flags |= SAMPLE_RETRIED;
	return read_once(c, reg, val);
}

static int write_register(struct ina219 *c, uint8_t reg, uint16_t val)
{
	if (c->bus.ops->write16(&c->bus, reg, val) == 0)
		return 0;
	return c->bus.ops->write16(&c->bus, reg, val);
}

static int write_settings(struct ina219 *c)
{
	int err = write_register(c, INA219_CAL, c->cal);

	/* CONFIG last: writing the mode starts a fresh conversion and clears the ready bit. */
	if (err == 0)
		err = write_register(c, INA219_CONFIG, c->config);
	c->ready_ns = timebase_now(&c->time) + c->learnt_ns;
	return err;
}

static int identify(struct ina219 *c, struct fail *f)
{
	uint16_t value = 0;
	uint32_t flags = 0;
	int err = write_register(c, INA219_CONFIG, INA219_RESET);

	for (int look = 0; err == 0 && look < RESET_LOOKS; look++) {
		timebase_sleep_until(&c->time, timebase_now(&c->time) + RESET_WAIT_NS);
		err = read_register(c, INA219_CONFIG, &value, &flags);
		if (!(value & INA219_RESET))
			break;
	}
	if (err == -ENXIO || err == -EREMOTEIO)
		return fail_set(f, -err,
				"nothing answers at this address: check the wiring, the supply and "
				"the address jumpers (i2cdetect -y BUS shows who is there)");
	if (err != 0)
		return fail_set(f, -err, "the chip cannot be reset: %s", strerror(-err));
	if (value != INA219_CONFIG_RESET)
		return fail_set(
			f, ENODEV,
			"expected an INA219 (CONFIG 0x399F after a reset) but found 0x%04X, %s",
			value, ina219_name_reset_value(value));
	return 0;
}

int ina219_start(struct ina219 *c, struct i2c bus, struct timebase time, uint16_t config,
		 uint16_t cal, struct fail *f)
{
	int err;

	*c = (struct ina219){ .bus = bus, .time = time, .config = config };
	c->cal = cal & INA219_CAL_MAX;
	c->cycle_ns = c->learnt_ns = ina219_cycle_ns(config);
	c->checks = NS_PER_S / c->cycle_ns;
	if (c->checks > CHECK_MOST)
		c->checks = CHECK_MOST;
	if (c->checks < 1)
		c->checks = 1;
	c->check_in = c->checks;
	if (identify(c, f) != 0)
		goto out;
	err = write_settings(c);
	if (err == 0)
		return 0;
	fail_set(f, -err, "the chip's settings cannot be written: %s", strerror(-err));
out:
	ina219_stop(c);
	return -1;
}

/* 1 as they should be, 0 lost, -errno. CAL alone tells where CONFIG is the reset value. */
static int settings_kept(struct ina219 *c, uint32_t *flags)
{
	uint16_t config, cal;
	int err = read_register(c, INA219_CONFIG, &config, flags);

	if (err == 0)
		err = read_register(c, INA219_CAL, &cal, flags);
	if (err != 0)
		return err;
	return config == c->config && cal == c->cal;
}

static int check_settings(struct ina219 *c, uint32_t *flags)
{
	int kept = settings_kept(c, flags);

	if (kept < 0)
		return kept;
	if (!kept) {
		int err = write_settings(c);

		if (err != 0)
			return err;
		c->restored = true;
	}
	c->doubtful = false;
	c->check_in = c->checks;
	return 0;
}

/* Move the estimate: found ready at the first look means it may have been ready earlier. */
static void learn(struct ina219 *c, int looks, int64_t due_ns, int64_t seen_ns)
{
	if (looks == 1) {
		c->learnt_ns -= c->cycle_ns / 1024;
		/* A reader that came late keeps the chip's phase, whole cycles on. */
		if (seen_ns - due_ns > c->learnt_ns)
			due_ns += (seen_ns - due_ns) / c->learnt_ns * c->learnt_ns;
		c->ready_ns = due_ns + c->learnt_ns - c->cycle_ns / 64;
	} else {
		c->learnt_ns += (seen_ns - due_ns) / 8;
		c->ready_ns = seen_ns + c->learnt_ns;
	}
	if (c->learnt_ns < c->cycle_ns * 9 / 10)
		c->learnt_ns = c->cycle_ns * 9 / 10;
	if (c->learnt_ns > c->cycle_ns * 5 / 4)
		c->learnt_ns = c->cycle_ns * 5 / 4;
}

/* 0 a new conversion is in *bus, 1 none came within a cycle and a half, -errno. */
static int wait_ready(struct ina219 *c, uint16_t *bus, struct sample *s)
{
	int64_t due_ns = c->ready_ns, step_ns = c->cycle_ns / 16;
	int64_t end_ns = timebase_now(&c->time);

	if (end_ns < due_ns)
		end_ns = due_ns;
	end_ns += c->cycle_ns + c->cycle_ns / 2;
	timebase_sleep_until(&c->time, due_ns);
	for (int looks = 1;; looks++) {
		int err;

		s->before_ns = timebase_now(&c->time);
		err = read_register(c, INA219_BUS, bus, &s->flags);
		if (err != 0)
			return err;
		if (*bus & INA219_CNVR) {
			learn(c, looks, due_ns, s->before_ns);
			return 0;
		}
		if (s->before_ns >= end_ns) {
			c->ready_ns = s->before_ns;
			return 1;
		}
		timebase_sleep_until(&c->time, s->before_ns + step_ns);
	}
}

static int read_conversion(struct ina219 *c, struct sample *s)
{
	uint16_t bus, shunt, power;
	int stale = wait_ready(c, &bus, s), err;

	if (stale < 0)
		return stale;
	err = read_register(c, INA219_SHUNT, &shunt, &s->flags);
	/* POWER is read only because that clears the ready bit. */
	if (err == 0)
		err = read_register(c, INA219_POWER, &power, &s->flags);
	if (err != 0)
		return err;
	s->after_ns = timebase_now(&c->time);
	ina219_decode(c->config, bus, shunt, s);
	/* The next conversion had ended before both registers were out. */
	if (!stale && s->after_ns - s->before_ns > c->cycle_ns / 2)
		s->flags |= SAMPLE_TORN;
	if (stale)
		s->flags |= SAMPLE_STALE;
	if (stale || bus >> 3 == 0 || (s->flags & (SAMPLE_RETRIED | SAMPLE_ABSENT)))
		c->doubtful = true;
	return 0;
}

/* The chip could not be read: a sample without a value, after the time one would have taken. */
static int absent(struct ina219 *c, int err, struct sample *s, struct fail *f)
{
	if (err == -ENODEV || err == -EBADF)
		return fail_set(f, -err, "the I2C bus is gone: %s", strerror(-err));
	c->doubtful = true;
	c->failures++;
	timebase_sleep_until(&c->time, timebase_now(&c->time) + c->cycle_ns);
	s->code[0] = s->code[1] = 0;
	s->flags |= SAMPLE_ABSENT;
	s->after_ns = timebase_now(&c->time);
	c->ready_ns = s->after_ns;
	return 0;
}

int ina219_read(struct ina219 *c, struct sample *s, struct fail *f)
{
	int err = 0;

	*s = (struct sample){ .before_ns = timebase_now(&c->time) };
	if (c->doubtful || --c->check_in <= 0)
		err = check_settings(c, &s->flags);
	if (err == 0)
		err = read_conversion(c, s);
	if (err != 0)
		return absent(c, err, s, f);
	if (s->flags & SAMPLE_ABSENT) {
		c->failures++;
		return 0;
	}
	c->failures = 0;
	if (c->restored && !(s->flags & SAMPLE_STALE)) {
		s->flags |= SAMPLE_REINIT;
		c->restored = false;
	}
	return 0;
}

void ina219_stop(struct ina219 *c)
{
	if (c->bus.ops != NULL)
		c->bus.ops->close(&c->bus);
	c->bus.ops = NULL;
}
