/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_rapl - "rapl:DOMAIN,...": one energy counter of the powercap class. It must not add
 * domains up: they lie inside one another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "power/sysfs.h"

#define CLASS_DIR     "/sys/class/powercap"
#define PERIOD_NS     (100 * NS_PER_MS)
#define PERIOD_LEAST  (10 * NS_PER_MS) /* the counter moves about once in a millisecond */
#define NJ_PER_UJ     1000
#define UJ_MOST       (INT64_MAX / NJ_PER_UJ)
#define POWER_MOST_UW INT64_C(1000000000) /* 1 kW: no package draws it */

#define CURE                                                                                     \
	"the counters are for root only: run as root, or `sudo chmod o+r` this file (until the " \
	"next boot)"

struct rapl {
	char dir[SYSFS_PATH];
	struct sysfs_options options;
};

/* "psys holds package, package holds core and uncore; mmio shows the package once more." */
static int refuse_sum(const char *text, struct fail *f)
{
	return fail_set(f, EINVAL,
			"%s: domains are not added up, because they overlap (psys holds the "
			"packages, a package holds core, uncore and dram of some machines, and the "
			"mmio domains show a package once more): read one scope, such as "
			"rapl:package-0; sockets that do not overlap take a meter each",
			text);
}

static int find_domain(struct rapl *r, const char *wanted, struct fail *f)
{
	return sysfs_find(r->options.root, CLASS_DIR, "intel-rapl", "intel-rapl-mmio", wanted,
			  r->dir, f);
}

/* More than this never flows: twice what the domain is allowed for long, where it says that. */
static int64_t power_most_nw(const struct rapl *r)
{
	int64_t uw;

	if (sysfs_integer(r->dir, "constraint_0_max_power_uw", &uw) != 0 || uw <= 0 ||
	    uw > POWER_MOST_UW / 2)
		return POWER_MOST_UW * 1000;
	return uw * 2 * 1000;
}

/* The first reading, and where the counter wraps. */
static int describe(struct rapl *r, struct meter *m)
{
	struct meter_facts *facts = &m->facts;
	int64_t uj, range_uj;
	char name[SYSFS_TEXT];
	int err = sysfs_integer(r->dir, "energy_uj", &uj);

	if (err != 0)
		return sysfs_fail(&m->fail, r->dir, "energy_uj", err, CURE);
	if (sysfs_integer(r->dir, "max_energy_range_uj", &range_uj) != 0 || range_uj <= 0 ||
	    range_uj > UJ_MOST) {
		log_say(LOG_WARNING,
			"%s/max_energy_range_uj cannot be read: when the counter wraps, "
			"that reading is a gap",
			r->dir);
		range_uj = 0;
	}
	if (sysfs_text(r->dir, "name", name, sizeof name) != 0)
		name[0] = '\0';
	facts->kind = CODE_ENERGY;
	facts->meaning = SAMPLE_COUNTER;
	facts->provenance = PROVENANCE_MEASURED;
	facts->period_ns = r->options.pace.period_ns;
	facts->counter_range_nj = range_uj * NJ_PER_UJ;
	facts->power_max_nw = power_most_nw(r);
	facts->clock_ppm = 50;
	snprintf(facts->basis, sizeof facts->basis,
		 "powercap domain %.30s (%.40s): that part of "
		 "the processor, not the board",
		 name, strrchr(r->dir, '/') + 1);
	return 0;
}

static int rapl_configure(struct meter *m, struct rapl *r, const char *arg)
{
	const char *wanted;
	struct args a;

	r->options.pace.period_ns = PERIOD_NS;
	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	wanted = args_first(&a);
	sysfs_options(&a, PERIOD_LEAST, &r->options);
	sysfs_error(&a, &m->facts);
	if (wanted != NULL && strchr(wanted, '+') != NULL)
		return refuse_sum(wanted, &m->fail);
	if (args_finish(&a) != 0 || find_domain(r, wanted ? wanted : "", &m->fail) != 0)
		return -1;
	return describe(r, m);
}

static int rapl_open(struct meter *m, const char *arg)
{
	struct rapl *r = calloc(1, sizeof *r);

	if (r == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (rapl_configure(m, r, arg) != 0) {
		free(r);
		return -1;
	}
	m->impl = r;
	return 0;
}

static int rapl_read(struct meter *m, struct sample *s)
{
	struct rapl *r = m->impl;
	int64_t uj;
	int err;

	pace_wait(&r->options.pace);
	*s = (struct sample){ .before_ns = clock_ns() };
	err = sysfs_integer(r->dir, "energy_uj", &uj);
	s->after_ns = clock_ns();
	if (err == 0 && (uj < 0 || uj > UJ_MOST))
		err = -EBADMSG;
	if (err != 0)
		return sysfs_lost(m, s, r->dir, "energy_uj", err);
	s->code[0] = uj * NJ_PER_UJ;
	return 0;
}

static void rapl_close(struct meter *m)
{
	free(m->impl);
}

const struct meter_ops meter_rapl = {
	.name = "rapl",
	.help = "DOMAIN[,period=100ms][,error=PERCENT]: an energy counter of the processor "
		"under " CLASS_DIR ", such as package-0 or psys; one scope at a time",
	.open = rapl_open,
	.read = rapl_read,
	.watch = sysfs_watch,
	.close = rapl_close,
};
