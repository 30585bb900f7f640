/* SPDX-License-Identifier: Apache-2.0 */
/* site_fixture - the public weather files, for tests: skipped where they are not there. */
#ifndef SOLAR_SITE_FIXTURE_H
#define SOLAR_SITE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/path.h"
#include "solar/weather.h"

static const struct weather_options as_the_file_says = { .latitude_deg = NAN,
							 .longitude_deg = NAN };

static struct weather open_site_with(const char *name, const struct weather_options *o)
{
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct fail f = { 0 };
	struct weather w;
	char path[PATH_BYTES];

	snprintf(path, sizeof path, "%s/data/weather/%s", shared ? shared : "../shared", name);
	if (!path_exists(path)) {
		printf("skipped: %s is not there; CIPHERWATT_SHARED names the folder\n", path);
		skip();
	}
	if (weather_open(&w, path, o, &f) < 0)
		fail_msg("%s", f.text);
	return w;
}

static inline struct weather open_site(const char *name)
{
	return open_site_with(name, &as_the_file_says);
}

#define TMY_CSV  "tmy_45.000_8.000_2005_2023.csv"
#define TMY_JSON "tmy_45.000_8.000_2005_2023.json"
#define TMY_EPW  "tmy_45.000_8.000_2005_2023.epw"
#define BHAM     "bham2014_ghi_tamb_load.csv"
#define PVWATTS  "pvwatts_8760_rackmount.csv"

static inline void assert_near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g, expected %.9g within %.3g", value, expected, within);
}

#endif
