/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_psu - "psu:NAME,...": a battery or USB supply under /sys/class/power_supply, in the
 * kernel's units: uV, uA, uW.
 *
 * Drivers disagree on the sign of current_now, so the sign is taken from the status: what
 * leaves a battery is positive, what charges it negative. It must not know the board: while
 * a battery charges, or rests beside mains, its power is not the board's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "power/sysfs.h"
#include "power/wide.h"

#define CLASS_DIR    "/sys/class/power_supply"
#define PERIOD_NS    NS_PER_S /* gauges have a new value every second, or more seldom */
#define PERIOD_LEAST NS_PER_MS
#define GAIN_PPM     10000 /* 1 %: what gauges promise */
#define UW_MOST      INT64_C(1000000000000)

#define CURE "power_supply files are readable by all: who mounted this tree with other rights?"

struct psu {
	char dir[SYSFS_PATH];
	struct sysfs_options options;
	bool inverted, battery, by_power;
};

/* Not llabs(): the least number has no positive of its own. */
static bool sensible(int64_t v)
{
	return v >= -UW_MOST && v <= UW_MOST;
}

static int magnitude(const struct psu *p, int64_t *nw, const char **name)
{
	int64_t uv, ua;
	int err;

	if (p->by_power) {
		*name = "power_now";
		err = sysfs_integer(p->dir, *name, nw);
		if (err == 0 && !sensible(*nw))
			err = -EBADMSG;
		if (err == 0)
			*nw *= 1000;
		return err;
	}
	*name = "voltage_now";
	err = sysfs_integer(p->dir, *name, &uv);
	if (err != 0)
		return err;
	*name = "current_now";
	err = sysfs_integer(p->dir, *name, &ua);
	if (err != 0)
		return err;
	return sensible(uv) && sensible(ua) && wide_muldiv_round(uv, ua, 1000, nw) ? 0 : -EBADMSG;
}

/* 1 out of the battery, -1 into it. */
static int direction(const struct psu *p)
{
	char status[SYSFS_TEXT];

	return p->battery && sysfs_text(p->dir, "status", status, sizeof status) == 0 &&
			       strcmp(status, "Charging") == 0
		       ? -1
		       : 1;
}

static int take(const struct psu *p, int64_t *nw, const char **name)
{
	int err = magnitude(p, nw, name);

	if (err == 0)
		*nw = llabs(*nw) * direction(p);
	return err;
}

static int describe(struct psu *p, struct meter *m)
{
	char type[SYSFS_TEXT] = "";
	const char *name;
	int64_t nw;
	int err;

	sysfs_text(p->dir, "type", type, sizeof type);
	p->battery = strcmp(type, "Battery") == 0;
	p->by_power = sysfs_has(p->dir, "power_now");
	if (!p->by_power &&
	    (!sysfs_has(p->dir, "voltage_now") || !sysfs_has(p->dir, "current_now")))
		return fail_set(
			&m->fail, ENODEV,
			"%s has neither power_now nor voltage_now with current_now: it does "
			"not measure power",
			p->dir);
	err = take(p, &nw, &name);
	if (err != 0 && err != -ENODATA && err != -EBADMSG)
		return sysfs_fail(&m->fail, p->dir, name, err, CURE);
	m->facts.kind = CODE_POWER;
	m->facts.meaning = SAMPLE_INSTANT;
	m->facts.provenance = PROVENANCE_MEASURED;
	m->facts.period_ns = p->options.pace.period_ns;
	m->facts.inverted = p->inverted;
	m->facts.gain_ppm = GAIN_PPM;
	m->facts.clock_ppm = 50;
	snprintf(m->facts.basis, sizeof m->facts.basis, "gauge %.40s (%.20s): %s",
		 strrchr(p->dir, '/') + 1, type,
		 p->battery ? "what leaves the battery; negative while it charges"
			    : "what this supply delivers");
	return 0;
}

static int configure(struct meter *m, struct psu *p, const char *arg)
{
	const char *wanted;
	struct args a;

	p->options.pace.period_ns = PERIOD_NS;
	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	wanted = args_first(&a);
	p->inverted = args_flag(&a, "invert");
	sysfs_options(&a, PERIOD_LEAST, &p->options);
	if (args_finish(&a) != 0 || sysfs_find(p->options.root, CLASS_DIR, "", NULL,
					       wanted ? wanted : "", p->dir, &m->fail) != 0)
		return -1;
	return describe(p, m);
}

static int psu_open(struct meter *m, const char *arg)
{
	struct psu *p = calloc(1, sizeof *p);

	if (p == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (configure(m, p, arg) != 0) {
		free(p);
		return -1;
	}
	m->impl = p;
	return 0;
}

static int psu_read(struct meter *m, struct sample *s)
{
	struct psu *p = m->impl;
	const char *name;
	int err;

	pace_wait(&p->options.pace);
	*s = (struct sample){ .before_ns = clock_ns() };
	err = take(p, &s->code[0], &name);
	s->after_ns = clock_ns();
	return err ? sysfs_lost(m, s, p->dir, name, err) : 0;
}

static void psu_close(struct meter *m)
{
	free(m->impl);
}

const struct meter_ops meter_psu = {
	.name = "psu",
	.help = "NAME[,period=1s][,invert]: a battery's or USB supply's gauge under " CLASS_DIR,
	.open = psu_open,
	.read = psu_read,
	.watch = sysfs_watch,
	.close = psu_close,
};
