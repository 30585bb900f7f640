/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wave - shapes and their integrals. It must not know how they are sampled.
 *
 * SUMMARY. wave_energy_nj() is exact to a few parts in 10^15 of mean * duration.
 *
 * DETAILS. Whole periods integrate to mean * period for every shape. What is left, a phase p
 * in [0, 1) of a period of length T, has the primitive (amplitude A):
 *   sine    A T (1 - cos 2 pi p) / (2 pi)
 *   square  A T p up to the half, then A T (1 - p)
 *   ramp    A T (p^2 - p)
 */
#include "power/wave.h"

#include <math.h>
#include <stddef.h>

const char *const wave_shape_name[] = { "constant", "sine", "square", "ramp", NULL };

static double phase(const struct wave *w, int64_t t_ns)
{
	return (double)(t_ns % w->period_ns) / (double)w->period_ns;
}

/* In units of the amplitude. */
static double height(enum wave_shape shape, double p)
{
	switch (shape) {
	case WAVE_SINE:
		return sin(2 * M_PI * p);
	case WAVE_SQUARE:
		return p < 0.5 ? 1 : -1;
	case WAVE_RAMP:
		return 2 * p - 1;
	case WAVE_CONSTANT:
		break;
	}
	return 0;
}

/* The primitive of height over the phase, 0 at both ends of a period. */
static double area(enum wave_shape shape, double p)
{
	switch (shape) {
	case WAVE_SINE:
		return (1 - cos(2 * M_PI * p)) / (2 * M_PI);
	case WAVE_SQUARE:
		return p < 0.5 ? p : 1 - p;
	case WAVE_RAMP:
		return p * p - p;
	case WAVE_CONSTANT:
		break;
	}
	return 0;
}

double wave_power_nw(const struct wave *w, int64_t t_ns)
{
	return (double)w->mean_nw + (double)w->amplitude_nw * height(w->shape, phase(w, t_ns));
}

double wave_energy_nj(const struct wave *w, int64_t from_ns, int64_t to_ns)
{
	double edges = area(w->shape, phase(w, to_ns)) - area(w->shape, phase(w, from_ns));

	return (double)w->mean_nw * ((double)(to_ns - from_ns) / 1e9) +
	       (double)w->amplitude_nw * ((double)w->period_ns / 1e9) * edges;
}
