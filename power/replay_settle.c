/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_settle - which figure of a row is used, what it means, and whether all that needs is
 * there. It must not read rows.
 */
#include <errno.h>

#include "power/replay_plan.h"

/* The column exists once and its unit is known. */
static int need(const struct replay_plan *p, enum replay_role role, int line, struct fail *f)
{
	const char *name = role_name[role];

	if (p->count[role] == 0)
		return fail_set(f, EINVAL, "line %d: no column with %s; name it: %s=NAME:UNIT",
				line, name, name);
	if (p->count[role] > 1)
		return fail_set(f, EINVAL,
				"line %d: %d columns with %s (%s): they may lie inside one another "
				"and are never added up; choose one: %s=NAME:UNIT",
				line, p->count[role], name, p->names[role], name);
	return 0;
}

static bool has(const struct replay_plan *p, enum replay_role role)
{
	return p->count[role] > 0;
}

static enum replay_use best(const struct replay_plan *p, const struct replay_options *o)
{
	bool energy_meant = o->meaning == SAMPLE_INCREMENT || o->meaning == SAMPLE_COUNTER;

	if (has(p, ROLE_ENERGY) && energy_meant)
		return USE_ENERGY;
	if (has(p, ROLE_CHARGE) && energy_meant)
		return USE_CHARGE;
	if (has(p, ROLE_POWER))
		return USE_POWER;
	if (has(p, ROLE_CHARGE) && (p->flags & DIALECT_RUNS))
		return USE_CHARGE;
	if (has(p, ROLE_CURRENT) && (has(p, ROLE_VOLTAGE) || o->volts > 0 || !has(p, ROLE_ENERGY)))
		return USE_VI;
	if (has(p, ROLE_ENERGY))
		return USE_ENERGY;
	return has(p, ROLE_CHARGE) ? USE_CHARGE : USE_POWER;
}

static int need_used(const struct replay_plan *p, const struct replay_options *o, int line,
		     struct fail *f)
{
	bool volts = o->volts > 0 || has(p, ROLE_VOLTAGE);

	switch (p->use) {
	case USE_POWER:
		return need(p, ROLE_POWER, line, f);
	case USE_ENERGY:
		return need(p, ROLE_ENERGY, line, f);
	case USE_VI:
		if (!volts)
			return fail_set(f, EINVAL,
					"line %d: current without voltage is no power; give the "
					"supply: volts=3.3V",
					line);
		if (o->volts == 0 && need(p, ROLE_VOLTAGE, line, f) != 0)
			return -1;
		return need(p, ROLE_CURRENT, line, f);
	case USE_CHARGE:
		if (o->volts == 0)
			return fail_set(f, EINVAL,
					"line %d: charge without voltage is no energy; give the "
					"supply: volts=3.3V",
					line);
		return need(p, ROLE_CHARGE, line, f);
	case USE_BEST:
		break;
	}
	return 0;
}

static int need_time(const struct replay_plan *p, const struct replay_options *o, int line,
		     struct fail *f)
{
	double rate_hz = o->rate_hz > 0 ? o->rate_hz : p->dialect ? p->dialect->rate_hz : 0;

	if (p->flags & DIALECT_RUNS)
		return need(p, ROLE_DURATION, line, f);
	if (o->untimed || (p->flags & DIALECT_UNTIMED) || !has(p, ROLE_TIME)) {
		if (rate_hz > 0)
			return 0;
		return fail_set(f, EINVAL,
				"line %d: the rows have no time of their own; give the rate: "
				"rate=1000Hz, or name the column: time=NAME:UNIT",
				line);
	}
	if ((p->flags & DIALECT_SPAN) && need(p, ROLE_DURATION, line, f) != 0)
		return -1;
	return need(p, ROLE_TIME, line, f);
}

static int settle_meaning(struct replay_plan *p, const struct replay_options *o, int line,
			  struct fail *f)
{
	bool energy = p->use == USE_ENERGY || p->use == USE_CHARGE, by_energy;

	if (o->meaning >= 0) {
		p->meaning = (enum sample_meaning)o->meaning;
	} else if (p->dialect != NULL) {
		p->meaning = p->dialect->meaning;
		/* A dialect speaks of its usual column; another one was asked for. */
		if (energy != (p->meaning == SAMPLE_INCREMENT || p->meaning == SAMPLE_COUNTER)) {
			p->meaning = energy ? SAMPLE_COUNTER : SAMPLE_INSTANT;
			p->meaning_assumed = true;
			if (energy && (p->flags & DIALECT_RUNS))
				p->meaning = SAMPLE_INCREMENT;
		}
	} else if (energy) {
		return fail_set(f, EINVAL,
				"line %d: energy since the row before, or since the begin? declare "
				"meaning=increment or meaning=counter",
				line);
	} else {
		p->meaning = SAMPLE_INSTANT;
		p->meaning_assumed = true;
	}
	by_energy = p->meaning == SAMPLE_INCREMENT || p->meaning == SAMPLE_COUNTER;
	if (by_energy != energy)
		return fail_set(f, EINVAL, "line %d: meaning=%s is not for a column of %s", line,
				sample_meaning_name[p->meaning], energy ? "energy" : "power");
	return 0;
}

/* What was asked for and means nothing here is a mistake, and no wish to be passed over. */
static int refuse_idle(const struct replay_plan *p, const struct replay_options *o, int line,
		       struct fail *f)
{
	if (o->label[0] != '\0' && !has(p, ROLE_LABEL))
		return fail_set(f, EINVAL,
				"line %d: label=%s, but no column names the rows: declare it, such "
				"as columns=label/time:s/power:W",
				line, o->label);
	if (o->range_nj != 0 && p->meaning != SAMPLE_COUNTER)
		return fail_set(f, EINVAL, "line %d: wrap= is for meaning=counter, not for %s",
				line, sample_meaning_name[p->meaning]);
	return 0;
}

int plan_settle(struct replay_plan *p, const struct replay_options *o, int line, struct fail *f)
{
	p->use = o->use == USE_BEST ? best(p, o) : o->use;
	if (need_used(p, o, line, f) != 0 || need_time(p, o, line, f) != 0)
		return -1;
	if (settle_meaning(p, o, line, f) != 0)
		return -1;
	return refuse_idle(p, o, line, f);
}
