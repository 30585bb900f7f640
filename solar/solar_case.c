/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solar_case - what a simulation needs of each row, worked out once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solar/simulate.h"

double battery_capacity_share(enum battery_kind kind, double temperature_c)
{
	static const double at[][2] = { { -10, 0.6 }, { 0, 0.8 }, { 25, 1 } };

	if (kind == BATTERY_LFP || isnan(temperature_c) || temperature_c >= at[2][0])
		return 1;
	for (int i = 1; i < 3; i++)
		if (temperature_c <= at[i][0])
			/* The first line goes on below its end. */
			return fmax(0, at[i - 1][1] + (temperature_c - at[i - 1][0]) *
							      (at[i][1] - at[i - 1][1]) /
							      (at[i][0] - at[i - 1][0]));
	return 1;
}

static int allocate(struct solar_case *c, const struct weather *w, const struct solar_system *s,
		    struct fail *f)
{
	memset(c, 0, sizeof(*c));
	if (panel_check(&s->panel, w, f) < 0)
		return -1;
	c->weather = w;
	c->system = *s;
	c->unit_w = malloc(w->rows * sizeof(double));
	c->load_w = malloc(w->rows * sizeof(double));
	c->usable = malloc(w->rows * sizeof(double));
	if (!c->unit_w || !c->load_w || !c->usable) {
		solar_case_release(c);
		return fail_set(f, ENOMEM, "no memory for %zu rows of weather", w->rows);
	}
	for (size_t i = 0; i < w->rows; i++) {
		const struct weather_row *row = &w->row[i];

		c->unit_w[i] = panel_output(&s->panel, panel_irradiance(&s->panel, w, row),
					    row->temperature_c) *
			       s->controller.efficiency;
		c->usable[i] = s->battery.cold
				       ? battery_capacity_share(s->battery.kind, row->temperature_c)
				       : 1;
	}
	return 0;
}

void solar_case_set_load(struct solar_case *c, const struct day_load *load)
{
	const struct weather *w = c->weather;
	double sum = 0;

	for (size_t i = 0; i < w->rows; i++) {
		c->load_w[i] = load->w[weather_local_hour(w, &w->row[i])];
		if (c->system.other_load)
			c->load_w[i] += w->row[i].load_w;
		sum += c->load_w[i];
	}
	c->mean_w = sum / (double)w->rows;
}

int solar_case_init(struct solar_case *c, const struct weather *w, const struct solar_system *s,
		    const struct day_load *load, struct fail *f)
{
	if (allocate(c, w, s, f) < 0)
		return -1;
	solar_case_set_load(c, load);
	return 0;
}

int solar_case_init_own_load(struct solar_case *c, const struct weather *w,
			     const struct solar_system *s, struct fail *f)
{
	double sum = 0;

	for (size_t i = 0; i < w->rows; i++)
		if (isnan(w->row[i].load_w))
			return fail_set(f, EINVAL, "row %zu of the file has no load", i + 1);
	if (allocate(c, w, s, f) < 0)
		return -1;
	for (size_t i = 0; i < w->rows; i++)
		sum += c->load_w[i] = w->row[i].load_w;
	c->mean_w = sum / (double)w->rows;
	return 0;
}

void solar_case_release(struct solar_case *c)
{
	free(c->unit_w);
	free(c->load_w);
	free(c->usable);
	memset(c, 0, sizeof(*c));
}

double solar_worst_days(const struct solar_case *c, int days)
{
	const struct weather *w = c->weather;
	size_t window = (size_t)days * 86400 / (size_t)w->step_s;
	double sum = 0, least = NAN;

	if (window == 0 || window > w->rows)
		return NAN;
	for (size_t i = 0; i < w->rows; i++) {
		sum += panel_irradiance(&c->system.panel, w, &w->row[i]);
		if (i >= window)
			sum -= panel_irradiance(&c->system.panel, w, &w->row[i - window]);
		if (i + 1 >= window && !(sum >= least))
			least = sum;
	}
	return fmax(0, least) * w->step_s / 3600 / 1000;
}
