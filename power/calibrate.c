/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate - a straight line through loads. It must not read meters.
 *
 * DETAILS. read = offset + truth / (1 + gain), fitted by weighted least squares over truth; a
 * point's weight is 1 / (read_error^2 + truth_error^2). With slope b and intercept a:
 * gain = 1 / b - 1, its error that of b over b^2; offset = a. With more than two points and a
 * scatter wider than their errors say, errors grow by the root of the reduced chi square.
 */
#include "power/calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

#define GAIN_MOST 0.5

static double weight(const struct calibrate_point *p)
{
	double error = hypot(p->read_error, p->truth_error);
	double least = 1e-9 * fmax(fabs(p->truth), 1e-6);

	return 1 / fmax(error * error, least * least);
}

static int check(const struct calibrate_fit *fit, struct fail *f)
{
	if (!fit->has_gain || (isfinite(fit->gain) && fabs(fit->gain) <= GAIN_MOST))
		return 0;
	return fail_set(
		f, EINVAL,
		"the readings and the load differ by a factor of %.3g: that is no gain error; "
		"check the shunt= and the load",
		1 + fit->gain);
}

static int from_one(const struct calibrate_point *p, struct calibrate_fit *fit, struct fail *f)
{
	double error = hypot(p->read_error, p->truth_error);

	if (p->truth == 0) {
		fit->has_offset = true;
		fit->offset = p->read;
		fit->offset_error = error;
		return 0;
	}
	if (p->read == 0)
		return fail_set(f, EINVAL, "the meter read nothing of the load");
	fit->has_gain = true;
	fit->gain = p->truth / p->read - 1;
	fit->gain_error = error / fabs(p->read);
	return check(fit, f);
}

int calibrate_solve(const struct calibrate_point *p, int count, struct calibrate_fit *fit,
		    struct fail *f)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, chi = 0, slope, spread;

	*fit = (struct calibrate_fit){ 0 };
	if (count < 1)
		return fail_set(f, EINVAL, "no load was measured");
	if (count == 1)
		return from_one(p, fit, f);
	for (int i = 0; i < count; i++) {
		double wi = weight(&p[i]);

		w += wi;
		x += wi * p[i].truth;
		y += wi * p[i].read;
	}
	x /= w;
	y /= w;
	for (int i = 0; i < count; i++) {
		double wi = weight(&p[i]), dx = p[i].truth - x;

		xx += wi * dx * dx;
		xy += wi * dx * (p[i].read - y);
	}
	/* Loads that differ by less than their errors say nothing about the slope. */
	if (!(xx > 9))
		return fail_set(f, EINVAL,
				"the loads do not differ: give one, or some that do, such "
				"as nothing and half of the range");
	slope = xy / xx;
	*fit = (struct calibrate_fit){ .gain = 1 / slope - 1,
				       .gain_error = sqrt(1 / xx) / (slope * slope),
				       .offset = y - slope * x,
				       .offset_error = sqrt(1 / w + x * x / xx),
				       .has_gain = true,
				       .has_offset = true };
	for (int i = 0; i < count; i++) {
		double residual = p[i].read - fit->offset - slope * p[i].truth;

		chi += residual * residual * weight(&p[i]);
		fit->worst = fmax(fit->worst, fabs(residual) * sqrt(weight(&p[i])));
	}
	spread = count > 2 ? sqrt(chi / (count - 2)) : 1;
	if (spread > 1) {
		fit->gain_error *= spread;
		fit->offset_error *= spread;
	}
	return check(fit, f);
}

static int take(const char *key, const char *value, struct calibrate_trim *trim, struct fail *f)
{
	struct fail why = { 0 };
	double amps;

	if (strcmp(key, "trim_gain") == 0) {
		if (units_integer(value, -500000, 500000, &trim->gain_ppm, &why) == 0)
			return 0;
	} else if (units_quantity(value, "A", &amps, &why) == 0) {
		if (fabs(amps) <= 100) {
			trim->offset_na = llround(amps * 1e9);
			return 0;
		}
		fail_set(&why, EINVAL, "more than 100 A");
	}
	return fail_set(f, EINVAL, "%s=%s: %s", key, value, why.text);
}

int calibrate_cut(const char *arg, char *rest, size_t len, struct calibrate_trim *trim,
		  struct fail *f)
{
	static const char *const keys[] = { "trim_gain", "trim_offset" };
	char *at;

	*trim = (struct calibrate_trim){ 0 };
	if (strlen(arg) >= len)
		return fail_set(f, EINVAL, "longer than %zu characters", len - 1);
	memcpy(rest, arg, strlen(arg) + 1);
	for (unsigned i = 0; i < 2; i++) {
		char mark[24], *end;

		snprintf(mark, sizeof mark, ",%s=", keys[i]);
		at = strstr(rest, mark);
		if (at == NULL)
			continue;
		end = at + strlen(mark);
		end += strcspn(end, ",");
		{
			char value[32];

			snprintf(value, sizeof value, "%.*s", (int)(end - at - (int)strlen(mark)),
				 at + strlen(mark));
			if (take(keys[i], value, trim, f) != 0)
				return -1;
		}
		memmove(at, end, strlen(end) + 1);
	}
	return 0;
}
