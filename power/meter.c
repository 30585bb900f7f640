/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter - the list of meters, and from a METER text to an open one.
 * It must not know what any of them does.
 */
#include "power/meter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/opt.h"
#include "power/calibrate.h"
#include "power/exec.h"
#include "power/ina2xx.h"
#include "power/model.h"
#include "power/pmic.h"
#include "power/replay.h"
#include "power/sysfs.h"
#include "power/wave.h"

const char *const sample_meaning_name[] = { "instant",   "mean_ending", "mean_starting",
					    "increment", "counter",     NULL };
const char *const provenance_name[] = { "measured", "modelled", "synthetic", NULL };

const struct meter_ops *const meters[] = {
	&meter_ina219, &meter_ina226, &meter_ina228, &meter_ina238, &meter_ina260, &meter_ina3221,
	&meter_iio,    &meter_hwmon,  &meter_rapl,   &meter_pmic,   &meter_psu,    &meter_model,
	&meter_wave,   &meter_replay, &meter_exec,   NULL
};

#define NAMES_MAX 32

static int unknown(const char *name, struct fail *f)
{
	const char *names[NAMES_MAX] = { NULL }, *nearest;
	char all[224] = "";
	size_t used = 0;

	for (int i = 0; meters[i] != NULL && i < NAMES_MAX - 1; i++) {
		names[i] = meters[i]->name;
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s:", i ? ", " : "",
					 names[i]);
		if (used >= sizeof all)
			break;
	}
	nearest = opt_nearest(name, names);
	return fail_set(f, EINVAL, "there is no meter \"%s\"%s%s%s; there are %s", name,
			nearest ? ", did you mean \"" : "", nearest ? nearest : "",
			nearest ? "\"?" : "", all);
}

/* Opened without the calibration's keys, which are the same for every meter. */
static int open_with(struct meter *m, const struct meter_ops *ops, const char *text,
		     const char *arg)
{
	char rest[sizeof m->facts.source];
	struct calibrate_trim trim;

	if (calibrate_cut(arg, rest, sizeof rest, &trim, &m->fail) != 0 || ops->open(m, rest) != 0)
		return fail_within(&m->fail, "meter %s", text);
	m->ops = ops;
	if (trim.gain_ppm == 0 && trim.offset_na == 0)
		return 0;
	m->facts.trim_gain_ppm = trim.gain_ppm;
	m->facts.trim_offset_na = trim.offset_na;
	if (m->facts.kind == CODE_ENERGY || (m->facts.kind == CODE_POWER && trim.offset_na != 0)) {
		meter_close(m);
		return fail_set(&m->fail, EINVAL, "meter %s: %s is not for a meter that reads %s",
				text, m->facts.kind == CODE_ENERGY ? "trim_gain" : "trim_offset",
				m->facts.kind == CODE_ENERGY ? "energy" : "power alone");
	}
	return 0;
}

int meter_open(struct meter *m, const char *text)
{
	size_t len = strcspn(text, ":");
	char name[32];

	*m = (struct meter){ 0 };
	if (strlen(text) >= sizeof m->facts.source)
		return fail_set(&m->fail, EINVAL, "meter text longer than %zu characters",
				sizeof m->facts.source - 1);
	snprintf(name, sizeof name, "%.*s", (int)len, text);
	for (int i = 0; meters[i] != NULL; i++) {
		if (strcmp(meters[i]->name, name) != 0)
			continue;
		snprintf(m->facts.source, sizeof m->facts.source, "%s", text);
		return open_with(m, meters[i], text, text[len] ? text + len + 1 : "");
	}
	return unknown(name, &m->fail);
}

void meter_close(struct meter *m)
{
	if (m->ops != NULL)
		m->ops->close(m);
	m->ops = NULL;
	m->impl = NULL;
}
