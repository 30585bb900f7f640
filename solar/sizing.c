/* SPDX-License-Identifier: Apache-2.0 */
#include "solar/sizing.h"

#include <errno.h>
#include <math.h>

/* Batteries that are tried: from a quarter of a day's load on, each so much larger. */
#define LEAST_DAYS   0.25
#define BATTERY_STEP 1.25

/* Beyond that many times the load's energy in panel a site has no sun to speak of. */
#define PANEL_TIMES_MAX 1000
/* Nor has a panel enough that a battery of so many days does not help. */
#define BATTERY_DAYS_MAX 1000
#define SEARCH_TOLERANCE 1e-5

double sizing_rated(double out, double depth, double left)
{
	return out / (depth * left);
}

/* What the bus must give in a day for the load of this month, controller included. */
static double bus_wh_day(const struct solar_case *c, double load_wh_day)
{
	return load_wh_day / c->system.converter + 24 * c->system.controller.own_w;
}

int sizing_worksheet(const struct solar_case *c, const struct sizing_rules *r,
		     struct sizing_quick *q, struct fail *f)
{
	const struct battery *b = &c->system.battery;
	struct solar_result sun;
	double worst = 0;

	if (!(c->mean_w > 0))
		return fail_set(f, EINVAL, "a load of %g W needs no panel", c->mean_w);
	solar_simulate(c, 0, 0, &sun);
	*q = (struct sizing_quick){ .capacity_share = 1 };
	for (int i = 0; i < SOLAR_MONTHS; i++) {
		const struct solar_month *m = &sun.month[i];
		double need_wh = bus_wh_day(c, m->load_wh_day);

		if (m->days == 0 || need_wh <= 0)
			continue;
		if (m->sun_kwh_m2_day <= 0)
			return fail_set(f, EINVAL, "month %d has no sunshine at all", i + 1);
		if (need_wh / m->sun_kwh_m2_day <= worst)
			continue;
		worst = need_wh / m->sun_kwh_m2_day;
		q->month = i + 1;
		q->sun_hours = m->sun_kwh_m2_day;
		q->load_wh_day = need_wh;
	}
	for (size_t i = 0; i < c->weather->rows; i++)
		q->capacity_share = fmin(q->capacity_share, c->usable[i]);
	q->panel_w = r->margin * worst / (r->performance * b->charge);
	q->battery_wh = sizing_rated(q->load_wh_day * r->autonomy_days / b->discharge,
				     1 - b->minimum, q->capacity_share);
	return 0;
}

double sizing_panel(const struct solar_case *c, double battery_wh, double lpsp_max)
{
	double low = 0, high = c->mean_w;

	while (solar_lpsp(c, high, battery_wh) > lpsp_max) {
		low = high;
		high *= 2;
		if (high > c->mean_w * PANEL_TIMES_MAX)
			return NAN;
	}
	while (high - low > SEARCH_TOLERANCE * high) {
		double middle = (low + high) / 2;

		if (solar_lpsp(c, middle, battery_wh) > lpsp_max)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double sizing_battery(const struct solar_case *c, double panel_w, double lpsp_max)
{
	double day_wh = bus_wh_day(c, c->mean_w * 24), low = 0, high = day_wh;

	while (solar_lpsp(c, panel_w, high) > lpsp_max) {
		low = high;
		high *= 2;
		if (high > day_wh * BATTERY_DAYS_MAX)
			return NAN;
	}
	while (high - low > SEARCH_TOLERANCE * day_wh) {
		double middle = (low + high) / 2;

		if (solar_lpsp(c, panel_w, middle) > lpsp_max)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double cost(const struct sizing_rules *r, const struct sizing_point *p)
{
	if (r->panel_cost > 0 || r->battery_cost > 0)
		return r->panel_cost * p->panel_w + r->battery_cost * p->battery_wh;
	return p->panel_w * p->battery_wh;
}

int sizing_search(const struct solar_case *c, const struct sizing_rules *r, struct sizing *s,
		  struct fail *f)
{
	double battery_wh = bus_wh_day(c, c->mean_w * 24) * LEAST_DAYS;

	*s = (struct sizing){ .points = 0 };
	if (sizing_worksheet(c, r, &s->quick, f) < 0)
		return -1;
	for (int i = 0; i < CURVE_POINTS; i++, battery_wh *= BATTERY_STEP) {
		struct sizing_point p = { .battery_wh = battery_wh };

		p.panel_w = sizing_panel(c, battery_wh, r->lpsp_max);
		if (isnan(p.panel_w))
			continue;
		p.lpsp = solar_lpsp(c, p.panel_w, battery_wh);
		s->curve[s->points++] = p;
		if (s->points == 1 || cost(r, &p) < cost(r, &s->best))
			s->best = p;
	}
	return 0;
}
