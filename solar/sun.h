/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sun - where the sun stands.
 *
 * The low-precision formulae of the Astronomical Almanac as J. Michalsky gives them ("The
 * Astronomical Almanac's algorithm for approximate solar position (1950-2050)", Solar Energy 40,
 * 1988): within 0.01 degrees, without refraction.
 */
#ifndef SOLAR_SUN_H
#define SOLAR_SUN_H

#include <stdint.h>

#define SOLAR_CONSTANT_W_M2 1361.0

struct sun {
	double elevation_rad; /* above the horizon; negative: below */
	double azimuth_rad;   /* from north, over east: pi is south */
	double sin_elevation; /* cosine of the zenith angle */
	double normal_w_m2;   /* outside the air, on a plane that faces the sun */
};

/* time_s: UTC, since 1970; north and east positive. */
struct sun sun_at(int64_t time_s, double latitude_deg, double longitude_deg);

#endif
