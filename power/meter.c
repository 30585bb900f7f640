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
#include "power/ina2xx.h"
#include "power/model.h"
#include "power/pmic.h"
#include "power/sysfs.h"
#include "power/wave.h"

const char *const sample_meaning_name[] = { "instant",   "mean_ending", "mean_starting",
					    "increment", "counter",     NULL };
const char *const provenance_name[] = { "measured", "modelled", "synthetic", NULL };

const struct meter_ops *const meters[] = { &meter_ina219, &meter_ina226, &meter_ina228,
					   &meter_ina238, &meter_ina260, &meter_ina3221,
					   &meter_iio,    &meter_hwmon,  &meter_rapl,
					   &meter_pmic,   &meter_psu,    &meter_model,
					   &meter_wave,   NULL };

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
		if (meters[i]->open(m, text[len] ? text + len + 1 : "") != 0)
			return fail_within(&m->fail, "meter %s", text);
		m->ops = meters[i];
		return 0;
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
