/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_iio - "iio:NAME,...": a power monitor behind the kernel's IIO driver ina2xx-adc, as
 * raw codes with the driver's scales. It must not know chips.
 *
 * Captured through a buffer, every conversion arrives once, with the kernel's stamp. Read file
 * by file (mode=sysfs), a conversion may be read twice or not at all, and shunt and bus may be
 * of two: the driver waits for the ready flag only when it captures, and clears it by the
 * dummy read of POWER only there. Figures are right as a mean, not one by one.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "power/iio_capture.h"
#include "power/sysfs.h"

#define DIR_CLASS    "/sys/bus/iio/devices"
#define DEFAULT_UOHM 10000
#define PERIOD_NS    (2 * NS_PER_MS)
#define LEAST_NS     (100 * NS_PER_US)
#define GAIN_PPM     4082
#define SHUNT_PPM    5774
#define FULL_SCALE   4000 /* SHUNT codes at a gain of 1 */

#define CURE "IIO files are readable by all: who mounted this tree with other rights?"

enum mode { MODE_AUTO, MODE_BUFFER, MODE_SYSFS };

struct iio_meter {
	char dir[SYSFS_PATH];
	struct sysfs_options options;
	struct iio_capture *capture; /* NULL: file by file */
	int64_t shunt_limit;
	int mode;
};

static int scales(struct iio_meter *i, struct meter *m)
{
	struct meter_facts *facts = &m->facts;
	const char *name = "in_voltage0_scale"; /* mV, so 10^9 pV */
	int err = sysfs_decimal(i->dir, name, 9, &facts->shunt_lsb_pv);
	int64_t raw;

	if (err == 0) {
		name = "in_voltage1_scale";
		err = sysfs_decimal(i->dir, name, 9, &facts->bus_lsb_pv);
	}
	if (err == 0) {
		name = "in_voltage0_raw";
		err = sysfs_integer(i->dir, name, &raw);
	}
	if (err == 0) {
		name = "in_voltage1_raw";
		err = sysfs_integer(i->dir, name, &raw);
	}
	if (err == -ENOENT)
		return fail_set(&m->fail, ENODEV,
				"%s has no %s: it is no power monitor of the driver ina2xx-adc",
				i->dir, name);
	if (err != 0)
		return sysfs_fail(&m->fail, i->dir, name, err, CURE);
	if (facts->shunt_lsb_pv <= 0 || facts->bus_lsb_pv <= 0)
		return fail_set(&m->fail, EINVAL,
				"%s: in_voltage0_scale or in_voltage1_scale is not above 0: no "
				"reading can be told from that",
				i->dir);
	return 0;
}

static int shunt(struct iio_meter *i, struct meter *m, double given_ohm)
{
	int64_t kernel_uohm = 0;

	if (sysfs_decimal(i->dir, "in_shunt_resistor", 6, &kernel_uohm) != 0)
		kernel_uohm = 0;
	m->facts.shunt_uohm = given_ohm > 0 ? llround(given_ohm * 1e6) : kernel_uohm;
	if (m->facts.shunt_uohm < 100 || m->facts.shunt_uohm > 1000000000)
		return fail_set(&m->fail, EINVAL,
				"%s/in_shunt_resistor says nothing sensible: give shunt=, 0.0001 "
				"to 1000 Ohm",
				i->dir);
	if (given_ohm <= 0 && kernel_uohm == DEFAULT_UOHM)
		log_say(LOG_WARNING,
			"%s: in_shunt_resistor is 0.01 Ohm, which is the driver's default when "
			"nobody told it: a board with 0.1 Ohm then reads ten times too much. Say "
			"shunt=0.1 (or shunt=0.01 if that is what it has)",
			i->dir);
	return 0;
}

/* The clipped codes of an INA219 follow its gain; other chips have one range. */
static void limit(struct iio_meter *i)
{
	int64_t gain_milli;

	i->shunt_limit = INT16_MAX;
	if (sysfs_decimal(i->dir, "in_voltage0_hardwaregain", 3, &gain_milli) == 0 &&
	    gain_milli > 0)
		i->shunt_limit = FULL_SCALE * 1000 / gain_milli;
}

/* What the driver says, where such a chip can do it. */
static int64_t kernel_period_ns(const struct iio_meter *i)
{
	int64_t mhz;

	if (sysfs_decimal(i->dir, "in_sampling_frequency", 3, &mhz) != 0 || mhz <= 0 ||
	    NS_PER_S * 1000 / mhz < LEAST_NS)
		return PERIOD_NS;
	return NS_PER_S * 1000 / mhz;
}

static void describe(struct iio_meter *i, struct meter_facts *facts)
{
	char name[SYSFS_TEXT];

	if (sysfs_text(i->dir, "name", name, sizeof name) != 0)
		name[0] = '\0';
	if (i->options.pace.period_ns == 0)
		i->options.pace.period_ns = kernel_period_ns(i);
	snprintf(facts->chip, sizeof facts->chip, "%.15s", name);
	facts->kind = CODE_BUS_SHUNT;
	facts->meaning = SAMPLE_MEAN_ENDING;
	facts->provenance = PROVENANCE_MEASURED;
	facts->period_ns = i->options.pace.period_ns;
	facts->gain_ppm = GAIN_PPM;
	facts->shunt_ppm = SHUNT_PPM;
	facts->clock_ppm = 50;
	facts->offset_na = INT64_C(200000) * 577350 / facts->shunt_uohm;
	snprintf(facts->basis, sizeof facts->basis, "IIO %.30s, shunt %lld uOhm, %s", name,
		 (long long)facts->shunt_uohm,
		 i->mode == MODE_BUFFER ? "captured"
					: "read file by file: may repeat or miss conversions");
}

static int choose_mode(struct iio_meter *i, struct meter *m)
{
	const char *device = strrchr(i->dir, '/') + 1;
	struct fail f = { 0 };

	/* A tree under root= is not this machine's: its devices cannot be captured from. */
	if (i->mode == MODE_SYSFS || (i->mode == MODE_AUTO && i->options.root[0]))
		i->mode = MODE_SYSFS;
	else {
		i->capture = iio_capture_open(device, m->facts.period_ns, &f);
		if (i->capture == NULL && i->mode == MODE_BUFFER)
			return fail_set(&m->fail, f.code, "%s", f.text);
		if (i->capture == NULL)
			log_say(LOG_NOTE, "%s: no buffered capture (%s): reading file by file",
				device, f.text);
		i->mode = i->capture ? MODE_BUFFER : MODE_SYSFS;
	}
	return 0;
}

static int find_device(struct iio_meter *i, const char *wanted, struct meter *m)
{
	char name[SYSFS_TEXT];

	snprintf(name, sizeof name, "%s%s",
		 wanted[0] && wanted[strspn(wanted, "0123456789")] == '\0' ? "iio:device" : "",
		 wanted);
	return sysfs_find(i->options.root, DIR_CLASS, "iio:device", NULL, name, i->dir, &m->fail);
}

static int configure(struct meter *m, struct iio_meter *i, const char *arg)
{
	static const char *const modes[] = { "auto", "buffer", "sysfs", NULL };
	double shunt_ohm = 0;
	const char *wanted;
	struct args a;

	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	wanted = args_first(&a);
	args_quantity(&a, "shunt", "Ohm", &shunt_ohm);
	args_choice(&a, "mode", modes, &i->mode);
	m->facts.inverted = args_flag(&a, "invert");
	sysfs_options(&a, 0, &i->options);
	if (i->options.pace.period_ns > 0 && i->options.pace.period_ns < LEAST_NS)
		return fail_set(&m->fail, EINVAL, "period: expected 0.1 ms or more");
	if (args_finish(&a) != 0 || find_device(i, wanted ? wanted : "", m) != 0 ||
	    scales(i, m) != 0 || shunt(i, m, shunt_ohm) != 0)
		return -1;
	limit(i);
	describe(i, &m->facts);
	if (choose_mode(i, m) != 0)
		return -1;
	describe(i, &m->facts);
	return 0;
}

static int iio_open(struct meter *m, const char *arg)
{
	struct iio_meter *i = calloc(1, sizeof *i);

	if (i == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (configure(m, i, arg) != 0) {
		free(i);
		return -1;
	}
	m->impl = i;
	return 0;
}

static int from_files(struct iio_meter *i, struct sample *s, const char **name)
{
	int err;

	pace_wait(&i->options.pace);
	s->before_ns = clock_ns();
	*name = "in_voltage1_raw";
	err = sysfs_integer(i->dir, *name, &s->code[0]);
	if (err == 0) {
		*name = "in_voltage0_raw";
		err = sysfs_integer(i->dir, *name, &s->code[1]);
	}
	s->after_ns = clock_ns();
	/* Old kernels print the shunt voltage without its sign. */
	if (err == 0 && s->code[1] > INT16_MAX && s->code[1] <= UINT16_MAX)
		s->code[1] -= UINT16_MAX + 1;
	return err;
}

static int iio_read(struct meter *m, struct sample *s)
{
	struct iio_meter *i = m->impl;
	const char *name = "buffer";
	int err;

	*s = (struct sample){ .before_ns = clock_ns() };
	if (i->capture == NULL) {
		err = from_files(i, s, &name);
	} else {
		err = iio_capture_next(i->capture, &s->code[1], &s->code[0], &s->before_ns);
		s->after_ns = s->before_ns;
	}
	/* libiio has several words for a device that is gone. */
	if (err != 0 && !sysfs_has(i->dir, "name"))
		err = -ENODEV;
	if (err != 0)
		return sysfs_lost(m, s, i->dir, name, err);
	if (s->code[1] >= i->shunt_limit || s->code[1] <= -i->shunt_limit)
		s->flags |= SAMPLE_SATURATED;
	return 0;
}

static void iio_close(struct meter *m)
{
	struct iio_meter *i = m->impl;

	if (i != NULL)
		iio_capture_close(i->capture);
	free(i);
}

const struct meter_ops meter_iio = {
	.name = "iio",
	.help = "NAME[,shunt=0.1][,mode=auto|buffer|sysfs][,period=TIME][,invert]: a chip bound to "
		"the kernel's driver ina2xx-adc, by number (0) or name (ina219); captured through "
		"libiio where that is possible",
	.open = iio_open,
	.read = iio_read,
	.watch = sysfs_watch,
	.close = iio_close,
};
