/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_identify - is the chip at this address the one the user named?
 *
 * Chips with identification registers are told apart by them, and nothing is written to one
 * that should not be there. The INA219 has none: what it shows after a reset is all there is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "power/ina2xx.h"

#define MAKER_TI      0x5449 /* "TI" */
#define RESET_LOOKS   100    /* real chips need one; 20 ms for what plays one */
#define RESET_WAIT_NS (200 * NS_PER_US)

static uint16_t swap(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

/* One retry. 0, or -errno. */
static int get(struct i2c *bus, uint8_t reg, uint16_t *val)
{
	uint64_t wide = 0;
	int err = bus->ops->read(bus, reg, 2, &wide);

	if (err != 0)
		err = bus->ops->read(bus, reg, 2, &wide);
	*val = (uint16_t)wide;
	return err;
}

static int put(struct i2c *bus, uint8_t reg, uint16_t val)
{
	int err = bus->ops->write16(bus, reg, val);

	return err == 0 ? 0 : bus->ops->write16(bus, reg, val);
}

static int no_answer(int err, struct fail *f)
{
	switch (-err) {
	case ENODEV:
	case ENXIO:
	case EREMOTEIO:
		return fail_set(f, -err,
				"nothing answers at this address: check the wiring, the supply and "
				"the address jumpers (i2cdetect -y BUS shows who is there)");
	case ETIMEDOUT:
	case EAGAIN:
		return fail_set(f, -err,
				"the bus is stuck (%s): something holds SDA or SCL low; switch the "
				"sensor off and on again, and check the pull-up resistors",
				strerror(-err));
	}
	return fail_set(f, -err, "the chip cannot be read: %s", strerror(-err));
}

/* The row with this die ID at these registers, or NULL. */
static const struct ina2xx_chip *by_die(uint8_t maker_reg, uint16_t die)
{
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++)
		if (chip->maker_reg == maker_reg && (die & chip->die_mask) == chip->die)
			return chip;
	return NULL;
}

/* "an INA226 (...)" for a chip that says it is one; false: it says nothing. */
static bool name_by_die(struct i2c *bus, char *dst, size_t len)
{
	static const uint8_t makers[] = { 0xFE, 0x3E };

	for (size_t i = 0; i < sizeof makers; i++) {
		const struct ina2xx_chip *chip;
		uint16_t maker, die;
		bool swapped;

		if (get(bus, makers[i], &maker) != 0 ||
		    get(bus, (uint8_t)(makers[i] + 1), &die) != 0)
			continue;
		swapped = swap(maker) == MAKER_TI;
		if (maker != MAKER_TI && !swapped)
			continue;
		if (swapped)
			die = swap(die);
		chip = by_die(makers[i], die);
		snprintf(dst, len, "%s%s (die ID 0x%04X)%s", chip ? "an " : "an unknown chip of TI",
			 chip ? chip->title : "", die,
			 swapped ? " whose bytes arrive swapped" : "");
		return true;
	}
	return false;
}

static void name_by_config(uint16_t value, char *dst, size_t len)
{
	const char *text = value & INA2XX_RESET
				   ? "plain memory, or a chip whose bytes arrive swapped: the "
				     "reset bit did not clear itself"
				   : "an unknown chip";

	if (value == 0xFFFF)
		text = "nothing: all bits are ones, as on a bus that no chip drives";
	else if (value == 0)
		text = "a bus held low, or a chip without identification";
	else if (value == 0x9F39)
		text = "an INA219 whose bytes arrive swapped";
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++)
		if (value != 0 && value == chip->config_reset) {
			snprintf(dst, len, "an %s", chip->title);
			return;
		}
	snprintf(dst, len, "%s", text);
}

static int refuse(struct i2c *bus, const struct ina2xx_chip *chip, uint16_t config, struct fail *f)
{
	char found[128], expected[64];

	/* The right die that does not reset is not what it says. */
	if ((chip->die_reg && ina2xx_is_it(bus, chip) == 1) ||
	    !name_by_die(bus, found, sizeof found))
		name_by_config(config, found, sizeof found);
	if (chip->die_reg)
		snprintf(expected, sizeof expected, "maker 0x%04X, die 0x%04X", MAKER_TI,
			 chip->die);
	else
		snprintf(expected, sizeof expected, "CONFIG 0x%04X after a reset",
			 chip->config_reset);
	return fail_set(f, ENODEV,
			"expected an %s (%s) but found CONFIG 0x%04X, %s; nothing is measured "
			"with the wrong chip: name the meter after the chip that is there",
			chip->title, expected, config, found);
}

static int reset(struct i2c *bus, const struct timebase *time, uint16_t *config)
{
	int err = put(bus, 0, INA2XX_RESET);

	for (int look = 0; err == 0 && look < RESET_LOOKS; look++) {
		timebase_sleep_until(time, timebase_now(time) + RESET_WAIT_NS);
		err = get(bus, 0, config);
		if (!(*config & INA2XX_RESET))
			break;
	}
	return err;
}

int ina2xx_is_it(struct i2c *bus, const struct ina2xx_chip *chip)
{
	uint16_t maker = 0, die = 0;
	int err = chip->die_reg ? get(bus, chip->maker_reg, &maker) : 0;

	if (err == 0 && chip->die_reg)
		err = get(bus, chip->die_reg, &die);
	if (err != 0)
		return err;
	return !chip->die_reg || (maker == MAKER_TI && (die & chip->die_mask) == chip->die);
}

int ina2xx_identify(struct i2c *bus, const struct timebase *time, const struct ina2xx_chip *chip,
		    struct fail *f)
{
	uint16_t config = 0;
	char other[128];
	int err = get(bus, 0, &config), is_it = err ? err : ina2xx_is_it(bus, chip);

	if (is_it < 0)
		return no_answer(is_it, f);
	if (!is_it || (!chip->die_reg && name_by_die(bus, other, sizeof other)))
		return refuse(bus, chip, config, f);
	err = reset(bus, time, &config);
	if (err != 0)
		return no_answer(err, f);
	return config == chip->config_reset ? 0 : refuse(bus, chip, config, f);
}
