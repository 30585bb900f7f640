/* SPDX-License-Identifier: Apache-2.0 */
#include "solar/sun.h"

#include <math.h>

#define RADIANS(deg) ((deg) * (M_PI / 180))

/* 2000-01-01 12:00 UTC, from which the Almanac counts days. */
#define J2000_S 946728000

/* Mean sidereal time at longitude 0, in degrees. */
static double sidereal_deg(double days, double utc_hour)
{
	return 15 * (6.697375 + 0.0657098242 * days + utc_hour);
}

struct sun sun_at(int64_t time_s, double latitude_deg, double longitude_deg)
{
	double days = (double)(time_s - J2000_S) / 86400;
	double utc_hour = (double)(((time_s % 86400) + 86400) % 86400) / 3600;
	double mean_longitude = RADIANS(fmod(280.460 + 0.9856474 * days, 360));
	double anomaly = RADIANS(fmod(357.528 + 0.9856003 * days, 360));
	double ecliptic = mean_longitude + RADIANS(1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly));
	double obliquity = RADIANS(23.439 - 0.0000004 * days);
	double ascension = atan2(cos(obliquity) * sin(ecliptic), cos(ecliptic));
	double declination = asin(sin(obliquity) * sin(ecliptic));
	double hour_angle =
		RADIANS(fmod(sidereal_deg(days, utc_hour) + longitude_deg, 360)) - ascension;
	double latitude = RADIANS(latitude_deg);
	/* Sun's distance in astronomical units. */
	double distance = 1.00014 - 0.01671 * cos(anomaly) - 0.00014 * cos(2 * anomaly);
	struct sun s;

	s.sin_elevation = sin(declination) * sin(latitude) +
			  cos(declination) * cos(latitude) * cos(hour_angle);
	s.elevation_rad = asin(fmax(-1, fmin(1, s.sin_elevation)));
	s.azimuth_rad = atan2(-sin(hour_angle) * cos(declination),
			      sin(declination) * cos(latitude) -
				      cos(declination) * sin(latitude) * cos(hour_angle));
	if (s.azimuth_rad < 0)
		s.azimuth_rad += 2 * M_PI;
	s.normal_w_m2 = SOLAR_CONSTANT_W_M2 / (distance * distance);
	return s;
}
