/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_ina2xx - "ina219:BUS@ADDRESS,..." and its siblings: the text, and the real bus behind
 * it. It must not know registers.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "power/args.h"
#include "power/ina2xx.h"

#define ADDRESS_DEFAULT 0x40
#define MUX_FIRST       0x70
#define MUX_LAST        0x77

static int read_address(const char *text, const char *end_at, uint8_t *addr, struct fail *f)
{
	unsigned long value;
	char *end = NULL;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || end != end_at || errno != 0 || value < 0x03 ||
	    value > 0x77)
		return fail_set(f, EINVAL,
				"address \"%s\": expected 0x03 to 0x77; these chips sit between "
				"0x40 and 0x4f",
				text);
	*addr = (uint8_t)value;
	return 0;
}

/* "/dev/i2c-1@0x40" */
static int split_place(const char *text, struct i2c_place *place, struct fail *f)
{
	const char *at = strrchr(text, '@');
	size_t len = at ? (size_t)(at - text) : strlen(text);

	if (len >= sizeof place->path)
		return fail_set(f, EINVAL, "the bus's path is longer than %zu characters",
				sizeof place->path - 1);
	memcpy(place->path, text, len);
	place->path[len] = '\0';
	place->addr = ADDRESS_DEFAULT;
	return at ? read_address(at + 1, at + strlen(at), &place->addr, f) : 0;
}

/* "0x70.3" */
static int split_mux(const char *text, struct i2c_place *place, struct fail *f)
{
	const char *dot = strchr(text, '.');

	if (dot == NULL || dot[1] < '0' || dot[1] > '7' || dot[2] != '\0')
		return fail_set(f, EINVAL,
				"mux=%s: expected the multiplexer's address and a channel, such as "
				"0x70.3",
				text);
	if (read_address(text, dot, &place->mux_addr, f) != 0)
		return -1;
	if (place->mux_addr < MUX_FIRST || place->mux_addr > MUX_LAST)
		return fail_set(f, EINVAL, "mux=%s: a TCA9548A sits between 0x70 and 0x77", text);
	place->mux_channel = dot[1] - '0';
	return 0;
}

/* Only what this chip has a choice of is asked for: the rest is refused as unknown. */
static void read_conversions(struct args *a, const struct ina2xx_chip *chip,
			     struct ina2xx_settings *set)
{
	static const char *const ranges[] = { "16V", "32V", NULL };
	int64_t averages = set->averages, bits = set->bits, channel = set->channel;
	int range = 0;

	args_integer(a, "avg", 1, 1024, &averages);
	if (chip->by_bits)
		args_integer(a, "bits", 9, 12, &bits);
	else
		args_duration(a, "conversion", &set->conversion_ns);
	if (chip->bus_range_bit)
		args_choice(a, "range", ranges, &range);
	if (chip->channels > 1)
		args_integer(a, "channel", 1, chip->channels, &channel);
	set->averages = (int)averages;
	set->bits = (int)bits;
	set->channel = (int)channel;
	set->bus_range_v = range ? 32 : 16;
}

/* The largest drop that the chip can read. */
static double widest_v(const struct ina2xx_chip *chip)
{
	int64_t uv = 0;

	for (const struct ina2xx_range *r = chip->range; r->full_uv != 0; r++)
		uv = r->full_uv;
	return (double)uv / 1e6;
}

/* Without max=, what is usual on boards, or what the shunt allows where that is less. */
static int read_settings(struct args *a, const struct ina2xx_chip *chip,
			 struct ina2xx_settings *set, struct i2c_place *place)
{
	double shunt_ohm = (double)set->shunt_uohm / 1e6, max_a = (double)set->max_na / 1e9;
	const char *mux;

	if (chip->own_shunt_uohm == 0)
		args_quantity(a, "shunt", "Ohm", &shunt_ohm);
	else
		shunt_ohm = (double)chip->own_shunt_uohm / 1e6;
	if (shunt_ohm > 0)
		max_a = fmin(max_a, widest_v(chip) / shunt_ohm);
	args_quantity(a, "max", "A", &max_a);
	read_conversions(a, chip, set);
	set->inverted = args_flag(a, "invert");
	mux = args_text(a, "mux");
	if (mux != NULL && split_mux(mux, place, a->fail) != 0)
		return -1;
	if (!(shunt_ohm >= 0 && shunt_ohm <= 1e6) || !(max_a >= 0 && max_a <= 1e6))
		return fail_set(a->fail, EINVAL, "shunt and max must be positive and sensible");
	set->shunt_uohm = (int64_t)(shunt_ohm * 1e6 + 0.5);
	set->max_na = (int64_t)(max_a * 1e9 + 0.5);
	return args_finish(a);
}

static int open_chip(struct meter *m, const char *name, const char *arg)
{
	const struct ina2xx_chip *chip = ina2xx_chip_by_name(name);
	struct ina2xx_settings set = ina2xx_settings_default;
	struct i2c_place place = { 0 };
	struct ina2xx_plan plan;
	struct ina2xx *c = NULL;
	const char *first;
	struct args a;
	struct i2c bus;

	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	first = args_first(&a);
	if (first == NULL)
		return fail_set(&m->fail, EINVAL,
				"expected a bus and an address, such as %s:/dev/i2c-1@0x40", name);
	if (read_settings(&a, chip, &set, &place) != 0 ||
	    split_place(first, &place, &m->fail) != 0 ||
	    ina2xx_plan(chip, &set, &plan, &m->facts, &m->fail) != 0 ||
	    i2c_dev_open(&bus, &place, &m->fail) != 0)
		return -1;
	c = calloc(1, sizeof *c);
	if (c == NULL) {
		bus.ops->close(&bus);
		return fail_set(&m->fail, ENOMEM, "no memory");
	}
	if (ina2xx_start(c, bus, timebase_monotonic, &plan, &m->fail) != 0) {
		free(c);
		return -1;
	}
	m->impl = c;
	return 0;
}

static int meter_read(struct meter *m, struct sample *s)
{
	return ina2xx_read(m->impl, s, &m->fail);
}

static int meter_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

static void meter_stop(struct meter *m)
{
	if (m->impl != NULL)
		ina2xx_stop(m->impl);
	free(m->impl);
}

static int ina219_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina219", arg);
}

static int ina226_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina226", arg);
}

static int ina260_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina260", arg);
}

static int ina3221_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina3221", arg);
}

static int ina228_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina228", arg);
}

static int ina238_open(struct meter *m, const char *arg)
{
	return open_chip(m, "ina238", arg);
}

const struct meter_ops meter_ina219 = {
	.name = "ina219",
	.help = "/dev/"
		"i2c-N[@0xADDRESS][,shunt=0.1][,max=2A][,avg=1][,bits=12][,range=16V|32V][,invert]"
		"[,mux=0x70.CHANNEL]: an INA219 on an I2C bus; max= (the largest current expected) "
		"and shunt= (Ohm) choose the gain, avg= (1, 2, 4 ... 128) the averaging, mux= the "
		"channel of a TCA9548A in front of it",
	.open = ina219_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};

#define SIBLING_HELP "[,avg=1][,conversion=TIME][,invert][,mux=0x70.CHANNEL]"

const struct meter_ops meter_ina226 = {
	.name = "ina226",
	.help = "/dev/i2c-N[@0xADDRESS][,shunt=0.1][,max=A]" SIBLING_HELP
		": an INA226 (avg= 1, 4, 16 ... 1024; conversion= 140us to 8244us)",
	.open = ina226_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};

const struct meter_ops meter_ina260 = {
	.name = "ina260",
	.help = "/dev/i2c-N[@0xADDRESS][,max=15A]" SIBLING_HELP
		": an INA260, whose shunt is inside (avg= and conversion= as ina226)",
	.open = ina260_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};

const struct meter_ops meter_ina3221 = {
	.name = "ina3221",
	.help = "/dev/i2c-N[@0xADDRESS][,channel=1][,shunt=0.1][,max=A]" SIBLING_HELP
		": one channel of an INA3221, the others switched off (avg= and conversion= as "
		"ina226)",
	.open = ina3221_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};

const struct meter_ops meter_ina228 = {
	.name = "ina228",
	.help = "/dev/i2c-N[@0xADDRESS][,shunt=0.1][,max=A]" SIBLING_HELP
		": an INA228, 20 bits (avg= 1, 4, 16 ... 1024; conversion= 50us to 4120us)",
	.open = ina228_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};

const struct meter_ops meter_ina238 = {
	.name = "ina238",
	.help = "/dev/i2c-N[@0xADDRESS][,shunt=0.1][,max=A]" SIBLING_HELP
		": an INA238 (avg= and conversion= as ina228)",
	.open = ina238_open,
	.read = meter_read,
	.watch = meter_watch,
	.close = meter_stop,
};
