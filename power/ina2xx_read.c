/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_read - the conversation with the chip: wait for a conversion, read it, notice that the
 * chip forgot its settings, and go on after errors.
 *
 * It must not convert codes, and not know which chip it is, or whether it is real.
 *
 * Waiting: the reader sleeps until the conversion is due and keeps a running estimate of the
 * chip's own cycle (its oscillator is up to 10 % off), so that the ready flag is found set at
 * the first or second look and nobody spins.
 */
#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "power/ina2xx.h"

#define CHECK_MOST 1000 /* samples between two looks at the settings */

/* One retry, flagged: a NACK now and then is normal on long wires. */
static int read_register(struct ina2xx *c, uint8_t reg, int bytes, uint64_t *val, uint32_t *flags)
{
	if (c->bus.ops->read(&c->bus, reg, bytes, val) == 0)
		return 0;
	*flags |= SAMPLE_RETRIED;
	return c->bus.ops->read(&c->bus, reg, bytes, val);
}

static int write_register(struct ina2xx *c, uint8_t reg, uint16_t val)
{
	if (c->bus.ops->write16(&c->bus, reg, val) == 0)
		return 0;
	return c->bus.ops->write16(&c->bus, reg, val);
}

static int write_settings(struct ina2xx *c)
{
	int err = 0;

	for (int i = 0; err == 0 && i < c->plan.writes; i++)
		err = write_register(c, c->plan.write[i].reg, c->plan.write[i].val);
	c->ready_ns = timebase_now(&c->time) + c->learnt_ns;
	return err;
}

/* 1 as they should be, 0 lost, -errno. The mark alone tells where the rest is as after a reset. */
static int settings_kept(struct ina2xx *c, uint32_t *flags)
{
	for (int i = 0; i < c->plan.writes; i++) {
		const struct ina2xx_write *w = &c->plan.write[i];
		uint64_t val;
		int err;

		if (w->kept == 0)
			continue;
		err = read_register(c, w->reg, 2, &val, flags);
		if (err != 0)
			return err;
		if ((val & w->kept) != (w->val & w->kept))
			return 0;
	}
	return 1;
}

static int start(struct ina2xx *c, struct fail *f)
{
	int err = c->bus.ops->select(&c->bus, true), result = -1;
	uint32_t flags = 0;

	if (err != 0)
		return fail_set(f, -err, "the multiplexer does not answer: %s; check its address",
				strerror(-err));
	if (ina2xx_identify(&c->bus, &c->time, c->plan.chip, f) == 0) {
		err = write_settings(c);
		if (err == 0)
			err = settings_kept(c, &flags) == 1 ? 0 : -EIO;
		result = err ? fail_set(f, -err, "the %s does not take its settings: %s",
					c->plan.chip->title, strerror(-err))
			     : 0;
	}
	c->bus.ops->select(&c->bus, false);
	return result;
}

int ina2xx_start(struct ina2xx *c, struct i2c bus, struct timebase time,
		 const struct ina2xx_plan *plan, struct fail *f)
{
	*c = (struct ina2xx){ .bus = bus, .time = time, .plan = *plan };
	c->learnt_ns = plan->cycle_ns;
	c->checks = NS_PER_S / plan->cycle_ns;
	if (c->checks > CHECK_MOST)
		c->checks = CHECK_MOST;
	if (c->checks < 1)
		c->checks = 1;
	c->check_in = c->checks;
	if (start(c, f) == 0)
		return 0;
	ina2xx_stop(c);
	return -1;
}

/* What does not read back after it was written anew is another chip, or a bus held down. */
static int restore(struct ina2xx *c, uint32_t *flags)
{
	int kept = ina2xx_is_it(&c->bus, c->plan.chip), err;

	if (kept != 1)
		return kept == 0 ? -EIO : kept;
	c->restored = true;
	err = write_settings(c);
	if (err != 0)
		return err;
	kept = settings_kept(c, flags);
	return kept == 1 ? 0 : kept == 0 ? -EIO : kept;
}

static int check_settings(struct ina2xx *c, uint32_t *flags)
{
	int err = c->bus.ops->select(&c->bus, true), kept;

	if (err != 0)
		return err;
	kept = settings_kept(c, flags);
	err = kept < 0 ? kept : kept == 0 ? restore(c, flags) : 0;
	if (err == 0) {
		c->doubtful = false;
		c->check_in = c->checks;
	}
	kept = c->bus.ops->select(&c->bus, false);
	return err ? err : kept;
}

/* Move the estimate: found ready at the first look means it may have been ready earlier. */
static void learn(struct ina2xx *c, int looks, int64_t due_ns, int64_t seen_ns)
{
	if (looks == 1) {
		c->learnt_ns -= c->plan.cycle_ns / 1024;
		/* A reader that came late keeps the chip's phase, whole cycles on. */
		if (seen_ns - due_ns > c->learnt_ns)
			due_ns += (seen_ns - due_ns) / c->learnt_ns * c->learnt_ns;
		c->ready_ns = due_ns + c->learnt_ns - c->plan.cycle_ns / 64;
	} else {
		c->learnt_ns += (seen_ns - due_ns) / 8;
		c->ready_ns = seen_ns + c->learnt_ns;
	}
	if (c->learnt_ns < c->plan.cycle_ns * 9 / 10)
		c->learnt_ns = c->plan.cycle_ns * 9 / 10;
	if (c->learnt_ns > c->plan.cycle_ns * 5 / 4)
		c->learnt_ns = c->plan.cycle_ns * 5 / 4;
}

/* The registers of a conversion; the bus is selected. ready: what the ready flag came with. */
static int read_values(struct ina2xx *c, uint64_t ready, bool stale, struct sample *s)
{
	const struct ina2xx_chip *chip = c->plan.chip;
	uint64_t bus = ready, shunt = 0, ignored;
	int err = read_register(c, c->plan.shunt.reg, c->plan.shunt.bytes, &shunt, &s->flags);

	if (err == 0 && c->plan.bus.reg != chip->ready_reg)
		err = read_register(c, c->plan.bus.reg, c->plan.bus.bytes, &bus, &s->flags);
	/* Read only because that clears the ready flag. */
	if (err == 0 && chip->clear_reg != chip->ready_reg)
		err = read_register(c, chip->clear_reg, 2, &ignored, &s->flags);
	if (err != 0)
		return err;
	s->after_ns = timebase_now(&c->time);
	ina2xx_decode(&c->plan, bus, shunt, ready & chip->overflow, s);
	/* The next conversion had ended before both registers were out. */
	if (!stale && s->after_ns - s->before_ns > c->plan.cycle_ns / 2)
		s->flags |= SAMPLE_TORN;
	if (stale)
		s->flags |= SAMPLE_STALE;
	if (stale || s->code[0] == 0 || (s->flags & (SAMPLE_RETRIED | SAMPLE_ABSENT)))
		c->doubtful = true;
	return 0;
}

/* One look, and the values when there are new ones or the waiting is over. 1: look again. */
static int look(struct ina2xx *c, int looks, int64_t due_ns, int64_t end_ns, struct sample *s)
{
	int err = c->bus.ops->select(&c->bus, true), off;
	uint64_t ready = 0;
	bool is_ready, over;

	if (err != 0)
		return err;
	s->before_ns = timebase_now(&c->time);
	err = read_register(c, c->plan.chip->ready_reg, 2, &ready, &s->flags);
	is_ready = ready & c->plan.chip->ready;
	over = s->before_ns >= end_ns;
	if (err == 0 && is_ready)
		learn(c, looks, due_ns, s->before_ns);
	else if (over)
		c->ready_ns = s->before_ns;
	if (err == 0 && (is_ready || over))
		err = read_values(c, ready, !is_ready, s);
	else if (err == 0)
		err = 1;
	off = c->bus.ops->select(&c->bus, false);
	return err < 0 || off == 0 ? err : off;
}

/* Waits until the conversion is due, and a cycle and a half more. */
static int read_conversion(struct ina2xx *c, struct sample *s)
{
	int64_t due_ns = c->ready_ns, end_ns = timebase_now(&c->time);
	int err = 1;

	if (end_ns < due_ns)
		end_ns = due_ns;
	end_ns += c->plan.cycle_ns + c->plan.cycle_ns / 2;
	timebase_sleep_until(&c->time, due_ns);
	for (int looks = 1; err == 1; looks++) {
		err = look(c, looks, due_ns, end_ns, s);
		if (err == 1)
			timebase_sleep_until(&c->time, s->before_ns + c->plan.cycle_ns / 16);
	}
	return err;
}

/* The chip could not be read: a sample without a value, after the time one would have taken. */
static int absent(struct ina2xx *c, int err, struct sample *s, struct fail *f)
{
	if (err == -ENODEV || err == -EBADF)
		return fail_set(f, -err, "the I2C bus is gone: %s", strerror(-err));
	c->doubtful = true;
	c->failures++;
	timebase_sleep_until(&c->time, timebase_now(&c->time) + c->plan.cycle_ns);
	s->code[0] = s->code[1] = 0;
	s->flags |= SAMPLE_ABSENT;
	s->after_ns = timebase_now(&c->time);
	c->ready_ns = s->after_ns;
	return 0;
}

int ina2xx_read(struct ina2xx *c, struct sample *s, struct fail *f)
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

void ina2xx_stop(struct ina2xx *c)
{
	if (c->bus.ops != NULL)
		c->bus.ops->close(&c->bus);
	c->bus.ops = NULL;
}
