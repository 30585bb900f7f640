/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_hwmon - "hwmon:NAME,...": a sensor of the hwmon class, in the units of the kernel's
 * ABI: in1 in mV, curr1 in mA, power1 in uW, energy1 in uJ. It must not know chips.
 *
 * Power is in1 x curr1, because power1 has no sign; power1 only where there is no current. An
 * energy counter is preferred where there is one.
 */
#include <errno.h>
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
	const char *energy, *volts, *amperes, *power; /* files; NULL: not used */
	int64_t kernel_uohm, shunt_uohm;              /* current is multiplied by their ratio */
};

static const char *first_file(const char *dir, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (sysfs_has(dir, names[i]))
			return names[i];
	return NULL;
}

static int choose_files(struct hwmon *h, struct fail *f)
{
	static const char *const energy[] = { "energy1_input", NULL };
	static const char *const volts[] = { "in1_input", NULL };
	static const char *const amperes[] = { "curr1_input", NULL };
	static const char *const power[] = { "power1_input", "power1_average", NULL };

	h->energy = first_file(h->dir, energy);
	if (h->energy != NULL)
		return 0;
	h->volts = first_file(h->dir, volts);
	h->amperes = first_file(h->dir, amperes);
	if (h->volts != NULL && h->amperes != NULL)
		return 0;
	h->power = first_file(h->dir, power);
	if (h->power != NULL)
		return 0;
	return fail_set(f, ENODEV,
			"%s has no energy1_input, no in1_input with curr1_input and no "
			"power1_input: it does not measure power",
			h->dir);
}

/* A board with another shunt than the driver believes reads wrong by the ratio of the two. */
static void note_shunt(struct hwmon *h, bool given)
{
	int64_t uohm;

	if (sysfs_integer(h->dir, "shunt_resistor", &uohm) != 0 || uohm <= 0 || uohm > 1000000000)
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
	bool given;

	h->options.pace.period_ns = PERIOD_NS;
	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	wanted = args_first(&a);
	given = args_quantity(&a, "shunt", "Ohm", &shunt_ohm);
	h->inverted = args_flag(&a, "invert");
	sysfs_options(&a, PERIOD_LEAST, &h->options);
	sysfs_error(&a, &m->facts);
	if (given && !(shunt_ohm >= 0.0001 && shunt_ohm <= 1000))
		return fail_set(&m->fail, EINVAL, "shunt: expected 0.0001 to 1000 Ohm");
	h->shunt_uohm = llround(shunt_ohm * 1e6);
	if (args_finish(&a) != 0)
		return -1;
	return find_device(h, wanted ? wanted : "", given, m);
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
	.help = "NAME[,shunt=0.1][,period=10ms][,error=PERCENT][,invert]: a sensor under " CLASS_DIR
		", by its name (ina219) or directory (hwmon3); shunt= (Ohm) is what the board has, "
		"where the driver believes in another",
	.open = hwmon_open,
	.read = hwmon_read,
	.watch = sysfs_watch,
	.close = hwmon_close,
};
