/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_hwmon - "hwmon:NAME,...": a sensor of the hwmon class, in the units of the kernel's
 * ABI: in1 in mV, curr1 in mA, power1 in uW, energy1 in uJ; of another channel in2 and so on. It
 * must not know chips.
 *
 * Power is in1 x curr1, because power1 has no sign; power1 only where there is no current. An
 * energy counter is preferred where there is one.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "power/sysfs.h"
#include "power/wide.h"

#define CLASS_DIR       "/sys/class/hwmon"
#define PERIOD_NS       (10 * NS_PER_MS)
#define PERIOD_LEAST    NS_PER_MS
#define DEFAULT_UOHM    10000
#define SENTINEL        INT64_C(0xFFFFFFFF)
#define UJ_MOST         (INT64_MAX / 1000)
#define FIGURE_MOST     INT64_C(1000000000000)
#define INA2XX_GAIN_PPM 4082
#define SHUNT_PPM       5774

#define CURE "hwmon files are readable by all: who mounted this tree with other rights?"

struct hwmon {
	char dir[SYSFS_PATH];
	struct sysfs_options options;
	bool inverted;
	int64_t channel;                              /* as the files count them: from 1 */
	const char *energy, *volts, *amperes, *power; /* of file[]; NULL: not used */
	char file[4][32];
	int64_t kernel_uohm, shunt_uohm; /* current is multiplied by their ratio */
};

/* The name, kept in this place, when there is such a file. */
static const char *name_file(struct hwmon *h, int place, const char *kind, const char *end)
{
	snprintf(h->file[place], sizeof h->file[place], "%s%" PRId64 "_%s", kind, h->channel, end);
	return sysfs_has(h->dir, h->file[place]) ? h->file[place] : NULL;
}

static int choose_files(struct hwmon *h, struct fail *f)
{
	h->energy = name_file(h, 0, "energy", "input");
	if (h->energy != NULL)
		return 0;
	h->volts = name_file(h, 1, "in", "input");
	h->amperes = name_file(h, 2, "curr", "input");
	if (h->volts != NULL && h->amperes != NULL)
		return 0;
	h->power = name_file(h, 3, "power", "input");
	if (h->power == NULL)
		h->power = name_file(h, 3, "power", "average");
	if (h->power != NULL)
		return 0;
	return fail_set(f, ENODEV,
			"%s, channel %" PRId64 ": it has no energy_input, no in_input with "
			"curr_input and no power_input: it does not measure power",
			h->dir, h->channel);
}

static void note_channels(const struct hwmon *h, bool given)
{
	if (!given && (sysfs_has(h->dir, "curr2_input") || sysfs_has(h->dir, "power2_input") ||
		       sysfs_has(h->dir, "energy2_input")))
		log_say(LOG_WARNING,
			"%s has several channels, and the first is read: channel=2 reads the next, "
			"channel=1 says that the first is meant",
			h->dir);
}

/* A board with another shunt than the driver believes reads wrong by the ratio of the two. */
static void note_shunt(struct hwmon *h, bool given)
{
	char own[32];
	int64_t uohm;

	snprintf(own, sizeof own, "shunt%" PRId64 "_resistor", h->channel);
	if (sysfs_integer(h->dir, sysfs_has(h->dir, own) ? own : "shunt_resistor", &uohm) != 0 ||
	    uohm <= 0 || uohm > 1000000000)
		return;
	h->kernel_uohm = uohm;
	if (!given)
		h->shunt_uohm = uohm;
	if (!given && uohm == DEFAULT_UOHM)
		log_say(LOG_WARNING,
			"%s: shunt_resistor is 10000 uOhm, which is the driver's default when "
			"nobody told it: a board with 0.1 Ohm then reads ten times too much. Say "
			"shunt=0.1 (or shunt=0.01 if that is what it has)",
			h->dir);
}

static void describe(const struct hwmon *h, struct meter_facts *facts)
{
	char name[SYSFS_TEXT], shunt[64] = "";

	if (sysfs_text(h->dir, "name", name, sizeof name) != 0)
		name[0] = '\0';
	if (h->kernel_uohm)
		snprintf(shunt, sizeof shunt, "; shunt_resistor %lld uOhm, taken as %lld",
			 (long long)h->kernel_uohm, (long long)h->shunt_uohm);
	facts->kind = h->energy ? CODE_ENERGY : CODE_POWER;
	facts->meaning = h->energy ? SAMPLE_COUNTER : SAMPLE_INSTANT;
	facts->provenance = PROVENANCE_MEASURED;
	facts->period_ns = h->options.pace.period_ns;
	facts->inverted = h->inverted;
	facts->clock_ppm = 50;
	/* A bound only: the ABI's whole mA and mV are left out, and the chip's offset. */
	if (facts->error_unknown && strncmp(name, "ina", 3) == 0)
		facts->gain_ppm = INA2XX_GAIN_PPM;
	facts->shunt_ppm = facts->error_unknown && h->kernel_uohm ? SHUNT_PPM : 0;
	snprintf(facts->basis, sizeof facts->basis, "hwmon %.30s: %s%s%s%.60s", name,
		 h->energy  ? h->energy
		 : h->power ? h->power
			    : h->volts,
		 h->volts && !h->power ? " x " : "", h->volts && !h->power ? h->amperes : "",
		 shunt);
}

/* All ones in 32 bits, perhaps already scaled, is what a dead sensor shows. */
static bool sentinel(int64_t v)
{
	return v == SENTINEL || v == SENTINEL * 1000 || v == SENTINEL * 1000000;
}

static int figure(const struct hwmon *h, const char *name, int64_t *v)
{
	int err = sysfs_integer(h->dir, name, v);

	if (err == 0 && (sentinel(*v) || *v > UJ_MOST || *v < -UJ_MOST))
		err = -EBADMSG;
	return err;
}

/* The code, or -errno with the file's name. */
static int take(const struct hwmon *h, int64_t *code, const char **name)
{
	int64_t mv, ma, uw;
	int err;

	*name = h->energy ? h->energy : h->power ? h->power : h->volts;
	err = figure(h, *name, h->volts && !h->power ? &mv : &uw);
	if (err == 0 && (h->energy || h->power))
		*code = uw * 1000;
	if (err != 0 || h->energy || h->power)
		return err;
	*name = h->amperes;
	err = figure(h, h->amperes, &ma);
	if (err == 0 && (llabs(mv) > FIGURE_MOST / 1000000 || llabs(ma) > FIGURE_MOST / 1000000))
		err = -EBADMSG;
	if (err == 0)
		*code = mv * ma * 1000;
	if (err == 0 && h->kernel_uohm && h->kernel_uohm != h->shunt_uohm)
		err = wide_muldiv_round(*code, h->kernel_uohm, h->shunt_uohm, code) ? 0 : -EBADMSG;
	return err;
}

static int find_device(struct hwmon *h, const char *wanted, bool given, struct meter *m)
{
	const char *name;
	int64_t code;
	int err;

	if (sysfs_find(h->options.root, CLASS_DIR, "hwmon", NULL, wanted, h->dir, &m->fail) != 0 ||
	    choose_files(h, &m->fail) != 0)
		return -1;
	note_shunt(h, given);
	err = take(h, &code, &name);
	if (err != 0 && err != -EBADMSG)
		return sysfs_fail(&m->fail, h->dir, name, err, CURE);
	if (given && h->kernel_uohm == 0)
		return fail_set(&m->fail, EINVAL,
				"shunt=: %s does not say which shunt its driver believes in "
				"(shunt_resistor), so there is nothing to correct",
				h->dir);
	describe(h, &m->facts);
	return 0;
}

static int configure(struct meter *m, struct hwmon *h, const char *arg)
{
	double shunt_ohm = 0;
	const char *wanted;
	struct args a;
	bool given, channel;

	h->channel = 1;
	h->options.pace.period_ns = PERIOD_NS;
	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	wanted = args_first(&a);
	given = args_quantity(&a, "shunt", "Ohm", &shunt_ohm);
	channel = args_integer(&a, "channel", 1, 64, &h->channel);
	h->inverted = args_flag(&a, "invert");
	sysfs_options(&a, PERIOD_LEAST, &h->options);
	sysfs_error(&a, &m->facts);
	if (given && !(shunt_ohm >= 0.0001 && shunt_ohm <= 1000))
		return fail_set(&m->fail, EINVAL, "shunt: expected 0.0001 to 1000 Ohm");
	h->shunt_uohm = llround(shunt_ohm * 1e6);
	if (args_finish(&a) != 0)
		return -1;
	if (find_device(h, wanted ? wanted : "", given, m) != 0)
		return -1;
	note_channels(h, channel);
	return 0;
}

static int hwmon_open(struct meter *m, const char *arg)
{
	struct hwmon *h = calloc(1, sizeof *h);

	if (h == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (configure(m, h, arg) != 0) {
		free(h);
		return -1;
	}
	m->impl = h;
	return 0;
}

static int hwmon_read(struct meter *m, struct sample *s)
{
	struct hwmon *h = m->impl;
	const char *name;
	int err;

	pace_wait(&h->options.pace);
	*s = (struct sample){ .before_ns = clock_ns() };
	err = take(h, &s->code[0], &name);
	s->after_ns = clock_ns();
	return err ? sysfs_lost(m, s, h->dir, name, err) : 0;
}

static void hwmon_close(struct meter *m)
{
	free(m->impl);
}

const struct meter_ops meter_hwmon = {
	.name = "hwmon",
	.help = "NAME[,channel=1][,shunt=0.1][,period=10ms][,error=PERCENT][,invert]: a sensor "
		"under " CLASS_DIR
		", by its name (ina219) or directory (hwmon3); shunt= (Ohm) is what the board has, "
		"where the driver believes in another",
	.open = hwmon_open,
	.read = hwmon_read,
	.watch = sysfs_watch,
	.close = hwmon_close,
};
