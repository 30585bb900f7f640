/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_ina219 - "ina219:BUS@ADDRESS,..." : the text, and the real bus behind it.
 * It must not know registers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "power/args.h"
#include "power/ina219.h"

#define ADDRESS_DEFAULT 0x40

/* "/dev/i2c-1@0x40" */
static int split_place(const char *place, char *path, size_t len, uint8_t *addr, struct fail *f)
{
	const char *at = strrchr(place, '@');
	char *end = NULL;
	unsigned long value = ADDRESS_DEFAULT;

	if (at != NULL) {
		errno = 0;
		value = strtoul(at + 1, &end, 0);
		if (at[1] < '0' || at[1] > '9' || *end != '\0' || errno != 0 || value < 0x03 ||
		    value > 0x77)
			return fail_set(f, EINVAL,
					"address \"%s\": expected 0x03 to 0x77; an INA219 sits "
					"between 0x40 and 0x4f",
					at + 1);
	}
	snprintf(path, len, "%.*s", (int)(at ? at - place : (long)strlen(place)), place);
	*addr = (uint8_t)value;
	return 0;
}

static int read_settings(struct args *a, struct ina219_settings *set)
{
	static const char *const ranges[] = { "16V", "32V", NULL };
	double shunt_ohm = (double)set->shunt_uohm / 1e6, max_a = (double)set->max_na / 1e9;
	int64_t averages = set->averages, bits = set->bits;
	int range = 0;

	args_quantity(a, "shunt", "Ohm", &shunt_ohm);
	args_quantity(a, "max", "A", &max_a);
	args_integer(a, "avg", 1, 128, &averages);
	args_integer(a, "bits", 9, 12, &bits);
	args_choice(a, "range", ranges, &range);
	set->inverted = args_flag(a, "invert");
	if (!(shunt_ohm >= 0 && shunt_ohm <= 1e6) || !(max_a >= 0 && max_a <= 1e6))
		return fail_set(a->fail, EINVAL, "shunt and max must be positive and sensible");
	set->shunt_uohm = (int64_t)(shunt_ohm * 1e6 + 0.5);
	set->max_na = (int64_t)(max_a * 1e9 + 0.5);
	set->averages = (int)averages;
	set->bits = (int)bits;
	set->bus_range_v = range ? 32 : 16;
	return args_finish(a);
}

static int ina219_open(struct meter *m, const char *arg)
{
	struct ina219_settings set = ina219_settings_default;
	struct ina219 *c = NULL;
	const char *place;
	struct args a;
	char path[128];
	uint8_t addr = ADDRESS_DEFAULT;
	uint16_t config;
	struct i2c bus;

	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	place = args_first(&a);
	if (place == NULL)
		return fail_set(&m->fail, EINVAL,
				"expected a bus and an address, such as "
				"ina219:/dev/i2c-1@0x40");
	if (read_settings(&a, &set) != 0 ||
	    split_place(place, path, sizeof path, &addr, &m->fail) != 0 ||
	    ina219_plan(&set, &config, &m->facts, &m->fail) != 0 ||
	    i2c_dev_open(&bus, path, addr, &m->fail) != 0)
		return -1;
	c = calloc(1, sizeof *c);
	if (c == NULL) {
		bus.ops->close(&bus);
		return fail_set(&m->fail, ENOMEM, "no memory");
	}
	/* Any calibration marks the chip; this one makes CURRENT readable for others too. */
	if (ina219_start(c, bus, timebase_monotonic, config,
			 ina219_calibration(100000000, set.shunt_uohm), &m->fail) != 0) {
		free(c);
		return -1;
	}
	m->impl = c;
	return 0;
}

static int ina219_meter_read(struct meter *m, struct sample *s)
{
	return ina219_read(m->impl, s, &m->fail);
}

static int ina219_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

static void ina219_close(struct meter *m)
{
	if (m->impl != NULL)
		ina219_stop(m->impl);
	free(m->impl);
}

const struct meter_ops meter_ina219 = {
	.name = "ina219",
	.help = "/dev/"
		"i2c-N[@0xADDRESS][,shunt=0.1][,max=2A][,avg=1][,bits=12][,range=16V|32V][,invert]:"
		" an INA219 on an I2C bus; max= (the largest current expected) and shunt= (Ohm) "
		"choose the gain, avg= (1, 2, 4 ... 128) the averaging",
	.open = ina219_open,
	.read = ina219_meter_read,
	.watch = ina219_watch,
	.close = ina219_close,
};
