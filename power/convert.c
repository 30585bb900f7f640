/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert - codes to figures.
 *
 * SUMMARY. One rounding per figure, to the nearest; exact wherever the LSBs and the shunt
 * divide evenly, which holds for every INA219 with a shunt of whole micro-ohms dividing 40 Ohm.
 *
 * DETAILS. bus [pV] = code0 * bus_lsb, shunt [pV] = code1 * shunt_lsb, I = shunt / R, so
 * P [nW] = code0 * code1 * (bus_lsb * shunt_lsb) / (R [uOhm] * 10^9), one ratio reduced once
 * per trace. INA219 at 0.1 Ohm: 4e9 * 1e7 / (1e5 * 1e9) = 400 nW for each unit of the product:
 *   V01  SHUNT 6000, BUS 1275 -> 6000 * 1275 * 400 nW = 3.060 W.
 */
#include "power/convert.h"

#include <errno.h>
#include <stddef.h>

#include "power/wide.h"

#define BUS_LSB_MAX_PV   INT64_C(40000000000) /* 40 mV */
#define SHUNT_LSB_MAX_PV INT64_C(200000000)   /* 200 uV */
#define SHUNT_MAX_UOHM   INT64_C(1000000000)  /* 1 kOhm */
#define CODE_MAX         (INT64_C(1) << 40)
#define TRIM_MOST_PPM    INT64_C(500000)
#define TRIM_MOST_NA     INT64_C(100000000000)       /* 100 A */
#define POWER_MAX_NW     INT64_C(1000000000000000)   /* 1 MW: no board draws it */
#define ENERGY_MAX_NJ    INT64_C(100000000000000000) /* 100 MJ between two samples */

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static bool between(int64_t v, int64_t low, int64_t high)
{
	return v >= low && v <= high;
}

int convert_check(const struct meter_facts *facts, struct fail *f)
{
	const char *bad = NULL;

	if (facts->kind == CODE_BUS_SHUNT && !between(facts->bus_lsb_pv, 1, BUS_LSB_MAX_PV))
		bad = "bus LSB";
	else if (facts->kind == CODE_BUS_SHUNT &&
		 !between(facts->shunt_lsb_pv, 1, SHUNT_LSB_MAX_PV))
		bad = "shunt LSB";
	else if (facts->kind == CODE_BUS_SHUNT && !between(facts->shunt_uohm, 1, SHUNT_MAX_UOHM))
		bad = "shunt resistance";
	else if ((facts->kind == CODE_ENERGY) !=
		 (facts->meaning == SAMPLE_INCREMENT || facts->meaning == SAMPLE_COUNTER))
		bad = "meaning for its kind of code";
	else if (!between(facts->period_ns, 0, INT64_MAX / 1024) || facts->counter_range_nj < 0)
		bad = "period or counter range";
	else if (!between(facts->gain_ppm, 0, 1000000) || !between(facts->shunt_ppm, 0, 1000000) ||
		 !between(facts->clock_ppm, 0, 1000000) || facts->offset_na < 0)
		bad = "uncertainty";
	else if (facts->counter_step_nj < 0 ||
		 !between(facts->trim_gain_ppm, -TRIM_MOST_PPM, TRIM_MOST_PPM) ||
		 !between(facts->trim_offset_na, -TRIM_MOST_NA, TRIM_MOST_NA))
		bad = "step or calibration";
	if (bad != NULL)
		return fail_set(f, EINVAL, "the meter's facts have an impossible %s", bad);
	return 0;
}

void convert_init(struct convert *c, const struct meter_facts *facts)
{
	*c = (struct convert){ facts, 1, 1, facts->trim_gain_ppm || facts->trim_offset_na };
	if (facts->kind == CODE_BUS_SHUNT) {
		int64_t num = facts->bus_lsb_pv * facts->shunt_lsb_pv;
		int64_t den = facts->shunt_uohm * 1000000000;
		int64_t divisor = common_divisor(num, den);

		c->power_num = num / divisor;
		c->power_den = den / divisor;
	}
}

static int64_t signed_shunt(const struct convert *c, const struct sample *s)
{
	return c->facts->inverted ? -s->code[1] : s->code[1];
}

static bool codes_fit(const struct convert *c, const struct sample *s)
{
	return !(s->flags & SAMPLE_ABSENT) && c->facts->kind != CODE_ENERGY &&
	       between(s->code[0], -POWER_MAX_NW, POWER_MAX_NW) &&
	       (c->facts->kind == CODE_POWER || (between(s->code[0], -CODE_MAX, CODE_MAX) &&
						 between(s->code[1], -CODE_MAX, CODE_MAX)));
}

static int64_t divide_round(int64_t a, int64_t d)
{
	int64_t q = a / d, r = a % d;

	if (r >= d - r)
		return q + 1;
	return -r >= d + r ? q - 1 : q;
}

/* (read - offset) * (1 + gain). */
static bool current_na(const struct convert *c, const struct sample *s, int64_t *na)
{
	const struct meter_facts *facts = c->facts;

	if (!wide_muldiv_round(signed_shunt(c, s), facts->shunt_lsb_pv * 1000, facts->shunt_uohm,
			       na))
		return false;
	if (!c->trimmed)
		return true;
	return !__builtin_sub_overflow(*na, facts->trim_offset_na, na) &&
	       wide_muldiv_round(*na, 1000000 + facts->trim_gain_ppm, 1000000, na);
}

/* A meter of power alone has no current to take an offset from. */
static bool trimmed_power(const struct convert *c, const struct sample *s, int64_t *power_nw)
{
	const struct meter_facts *facts = c->facts;
	int64_t na, uv;

	if (facts->kind == CODE_POWER)
		return wide_muldiv_round(facts->inverted ? -s->code[0] : s->code[0],
					 1000000 + facts->trim_gain_ppm, 1000000, power_nw);
	return current_na(c, s, &na) &&
	       wide_muldiv_round(s->code[0], facts->bus_lsb_pv, 1000000, &uv) &&
	       wide_muldiv_round(uv, na, 1000000, power_nw);
}

bool convert_power(const struct convert *c, const struct sample *s, int64_t *power_nw)
{
	int64_t product, scaled;

	if (!codes_fit(c, s))
		return false;
	if (c->trimmed)
		return trimmed_power(c, s, power_nw) &&
		       between(*power_nw, -POWER_MAX_NW, POWER_MAX_NW);
	if (c->facts->kind == CODE_POWER) {
		*power_nw = c->facts->inverted ? -s->code[0] : s->code[0];
		return true;
	}
	if (__builtin_mul_overflow(s->code[0], signed_shunt(c, s), &product))
		return false;
	if (!__builtin_mul_overflow(product, c->power_num, &scaled))
		*power_nw = divide_round(scaled, c->power_den);
	else if (!wide_muldiv_round(product, c->power_num, c->power_den, power_nw))
		return false;
	return between(*power_nw, -POWER_MAX_NW, POWER_MAX_NW);
}

bool convert_sample(const struct convert *c, const struct sample *s, struct reading *r)
{
	const struct meter_facts *facts = c->facts;

	*r = (struct reading){ 0 };
	if (!convert_power(c, s, &r->power_nw))
		return false;
	return facts->kind == CODE_POWER ||
	       (wide_muldiv_round(s->code[0], facts->bus_lsb_pv, 1000000, &r->bus_uv) &&
		wide_muldiv_round(signed_shunt(c, s), facts->shunt_lsb_pv, 1000, &r->shunt_nv) &&
		current_na(c, s, &r->current_na));
}

static bool in_range(const struct meter_facts *facts, int64_t power_nw)
{
	return (facts->power_min_nw == 0 && facts->power_max_nw == 0) ||
	       between(power_nw, facts->power_min_nw, facts->power_max_nw);
}

bool convert_usable(const struct convert *c, const struct sample *s, int64_t *power_nw)
{
	return !(s->flags & SAMPLE_SATURATED) && convert_power(c, s, power_nw) &&
	       in_range(c->facts, *power_nw);
}

/* Could more than half of `range` have passed in dt at the highest power the source can show? Then
 * a fall could be one wrap or two, or a reset. */
static bool may_wrap_twice(const struct meter_facts *facts, int64_t dt_ns)
{
	int64_t most_nj;

	return facts->power_max_nw > 0 &&
	       (!wide_muldiv(facts->power_max_nw, dt_ns, 1000000000, &most_nj, NULL) ||
		most_nj >= facts->counter_range_nj / 2);
}

static bool counter_step(const struct meter_facts *facts, int64_t before, int64_t now,
			 int64_t dt_ns, int64_t *step_nj)
{
	int64_t range = facts->counter_range_nj;

	if (before < 0 || now < 0)
		return false;
	if (range > 0 && (before >= range || now >= range || may_wrap_twice(facts, dt_ns)))
		return false;
	*step_nj = now - before;
	if (*step_nj < 0) {
		if (range == 0)
			return false;
		*step_nj += range;
		/* A fall by less than half the range is the counter starting anew, not a wrap. */
		if (*step_nj > range / 2)
			return false;
	}
	return true;
}

bool convert_energy(const struct convert *c, const struct sample *before, const struct sample *s,
		    int64_t dt_ns, int64_t *energy_nj)
{
	const struct meter_facts *facts = c->facts;
	int64_t mean_nw;

	if (facts->kind != CODE_ENERGY || dt_ns <= 0 ||
	    (s->flags & (SAMPLE_ABSENT | SAMPLE_SATURATED)))
		return false;
	if (facts->meaning == SAMPLE_INCREMENT)
		*energy_nj = s->code[0];
	else if ((before->flags & SAMPLE_ABSENT) ||
		 !counter_step(facts, before->code[0], s->code[0], dt_ns, energy_nj))
		return false;
	return between(*energy_nj, -ENERGY_MAX_NJ, ENERGY_MAX_NJ) &&
	       wide_muldiv_round(*energy_nj, 1000000000, dt_ns, &mean_nw) &&
	       between(mean_nw, -POWER_MAX_NW, POWER_MAX_NW) && in_range(facts, mean_nw);
}

int64_t sample_time_ns(const struct sample *s)
{
	return s->before_ns + (s->after_ns - s->before_ns) / 2;
}
