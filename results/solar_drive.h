/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solar_drive - for the tests: the made-up campaign's cells as loads, under a sky that is the same
 * every day.
 */
#ifndef RESULTS_SOLAR_DRIVE_H
#define RESULTS_SOLAR_DRIVE_H

#include <stdlib.h>

#include "results/report_drive.h"
#include "results/solar_design.h"

#define DAYS  365
#define HOURS (DAYS * 24)

static struct weather_row sky[HOURS];

/* 500 W/m2 from 6 to 18 o'clock, 20 degrees, at longitude 0. */
static inline struct weather made_weather(void)
{
	for (int64_t i = 0; i < HOURS; i++)
		sky[i] = (struct weather_row){ i * 3600,
					       i * 3600 + 1800,
					       i % 24 >= 6 && i % 24 < 18 ? 500 : 0,
					       NAN,
					       NAN,
					       NAN,
					       20,
					       NAN,
					       NAN,
					       0 };
	return (struct weather){ .row = sky,
				 .rows = HOURS,
				 .step_s = 3600,
				 .format = "made",
				 .typical = true,
				 .latitude_deg = 45,
				 .longitude_deg = 0 };
}

static inline struct solar_settings made_settings(void)
{
	struct solar_settings s = {
		.system = { .panel = { .azimuth_deg = 180, .derate = 1, .noct_c = 45 },
			    .battery = { .charge = 1, .discharge = 1 },
			    .controller = { .efficiency = 1 },
			    .converter = 1 },
		.rules = { .autonomy_days = 3, .margin = 1, .performance = 1, .lpsp_max = 0.001 },
		.requests_per_day = 86400,
		.idle_w = NAN,
	};
	struct fail f = { 0 };

	assert_int_equal(solar_profile("flat", s.share, &f), 0);
	return s;
}

static inline int enter(void **state)
{
	(void)state;
	return report_drive_enter();
}

static inline const struct solar_design *of_suite(const struct solar_study *s, const char *suite)
{
	for (size_t i = 0; i < s->designs; i++)
		if (strcmp(s->design[i].suite, suite) == 0)
			return &s->design[i];
	fail_msg("no design of %s", suite);
	return NULL;
}

static inline struct solar_study made_study(const struct weather *w,
					    const struct solar_settings *set)
{
	struct solar_study s;
	struct fail f = { 0 };

	if (solar_study_make(&s, &report, w, set, &f) < 0)
		fail_msg("%s", f.text);
	return s;
}

#endif
