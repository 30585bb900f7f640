/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate - gain and offset of a meter from what it read and what was true.
 *
 * Pure maths, and the keys that carry its result: ",trim_gain=PPM,trim_offset=500uA" behind any
 * METER text.
 */
#ifndef POWER_CALIBRATE_H
#define POWER_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

/* Means over one load, in amperes (or watts); errors are standard ones. */
struct calibrate_point {
	double read, read_error, truth, truth_error;
};

struct calibrate_fit {
	/* truth = (read - offset) * (1 + gain) */
	double gain, gain_error, offset, offset_error;
	bool has_gain, has_offset; /* one load gives one of them */
	double worst;              /* largest residual, in standard errors of its point */
};

/*
 * One point gives the gain, or the offset where its truth is 0; two and more that differ give both.
 * -1: the points are impossible (f).
 */
int calibrate_solve(const struct calibrate_point *p, int count, struct calibrate_fit *fit,
		    struct fail *f);

struct calibrate_trim {
	int64_t gain_ppm, offset_na;
};

/* Takes the two keys out of a METER text's items; rest gets the others. */
int calibrate_cut(const char *arg, char *rest, size_t len, struct calibrate_trim *trim,
		  struct fail *f);

#endif
