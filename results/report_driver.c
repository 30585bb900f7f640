/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_driver - a percentile for the tables: our own histogram's, or what another load
 * generator told of the last valid trial, with its name behind it.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "results/figure.h"
#include "results/report.h"

#define US_PER_MS 1000.0

/* Of the response time; of the service time where it tells no other. NAN: of neither. */
static double driver_us(const json_t *figures, const char *percentile)
{
	static const char *const times[] = { "response_us", "service_us" };

	for (int i = 0; i < 2; i++) {
		const json_t *us = json_object_get(json_object_get(figures, times[i]), percentile);

		if (json_is_number(us))
			return json_number_value(us);
	}
	return NAN;
}

void report_percentile(const struct cell_summary *c, const char *percentile, double own_us,
		       char *dst, size_t len)
{
	char number[FIGURE_BYTES];
	json_error_t bad;
	json_t *figures = json_loads(c->driver_figures, 0, &bad);
	const char *driver = json_string_value(json_object_get(figures, "driver"));
	double its_us = driver && !isfinite(own_us) ? driver_us(figures, percentile) : NAN;

	figure_number((isfinite(its_us) ? its_us : own_us) / US_PER_MS, number);
	if (isfinite(its_us))
		snprintf(dst, len, "%s (%s)", number, driver);
	else
		snprintf(dst, len, "%s", number);
	json_decref(figures);
}
