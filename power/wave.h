/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wave - power of a known shape with a known integral: the meter that tests the others.
 *
 * Time 0 is when the meter was opened. Constant; sine; square (high first, 50 %); ramp (a
 * sawtooth rising from mean - amplitude to mean + amplitude).
 */
#ifndef POWER_WAVE_H
#define POWER_WAVE_H

#include <stdint.h>

#include "power/meter.h"

enum wave_shape { WAVE_CONSTANT, WAVE_SINE, WAVE_SQUARE, WAVE_RAMP };
extern const char *const wave_shape_name[];

struct wave {
	enum wave_shape shape;
	int64_t mean_nw, amplitude_nw, period_ns;
};

double wave_power_nw(const struct wave *w, int64_t t_ns);
/* The analytic integral over [from, to], both at or after time 0. */
double wave_energy_nj(const struct wave *w, int64_t from_ns, int64_t to_ns);

extern const struct meter_ops meter_wave;

#endif
