/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - the loop over the rows. It must not know what load or battery are for.
 */
#include "solar/simulate.h"

#include <math.h>
#include <stddef.h>

#include "lib/calendar.h"

#define LOST_WH 1e-9 /* less than that is arithmetic, not an outage */

/* A pass over the file. */
struct pass {
	const struct solar_case *c;
	double panel_w, battery_wh, step_h;
	double soc_wh;
	struct solar_result *r; /* NULL: only unmet_wh is wanted */
	double unmet_wh;
	double keep;  /* share of the charge that a step leaves */
	double run_h; /* of the outage that goes on */
	int64_t day;  /* the calendar day of the row, and what came to pass on it */
	bool full, lost;
	double days;
};

static void end_day(struct pass *p)
{
	struct solar_result *r = p->r;

	if (p->day < 0)
		return;
	p->days++;
	r->full_days += p->full;
	r->empty_days += p->lost;
	p->full = p->lost = false;
}

static void note_row(struct pass *p, size_t i, double panel_wh, double load_wh, double excess_wh,
		     double unmet_wh)
{
	const struct weather_row *row = &p->c->weather->row[i];
	struct solar_result *r = p->r;
	int64_t day = row->start_s / 86400;
	struct solar_month *m = &r->month[calendar_date(day).month - 1];
	double soc = p->battery_wh > 0 ? p->soc_wh / p->battery_wh : 0;
	int bin = (int)(soc * SOC_BINS);

	if (day != p->day) {
		end_day(p);
		p->day = day;
	}
	r->soc_share[bin < SOC_BINS ? bin : SOC_BINS - 1] += p->step_h;
	m->days += p->step_h / 24;
	m->panel_wh_day += panel_wh;
	m->load_wh_day += load_wh;
	m->excess_wh_day += excess_wh;
	m->unmet_wh += unmet_wh;
	m->soc_min = fmin(m->soc_min, soc);
	if (unmet_wh <= LOST_WH) {
		p->run_h = 0;
		return;
	}
	p->lost = true;
	p->run_h += p->step_h;
	r->longest_h = fmax(r->longest_h, p->run_h);
	r->hours_lost += p->step_h;
	m->hours_lost += p->step_h;
	if (r->first_lost_s < 0)
		r->first_lost_s = row->start_s;
	r->last_lost_s = row->start_s;
}

/* One row. Returns what the load lacked, at the load. */
static void step(struct pass *p, size_t i)
{
	const struct solar_case *c = p->c;
	const struct solar_system *s = &c->system;
	const struct battery *b = &s->battery;
	double least_wh = p->battery_wh * (1 - c->usable[i] * (1 - b->minimum));
	double panel_w = p->panel_w * c->unit_w[i], load_wh = c->load_w[i] * p->step_h;
	double panel_wh, need_wh, spare_wh, excess_wh = 0, unmet_wh = 0, before = p->soc_wh;

	if (s->controller.limit_w > 0)
		panel_w = fmin(panel_w, s->controller.limit_w);
	panel_wh = panel_w * p->step_h;
	p->soc_wh *= p->keep;
	need_wh = load_wh / s->converter + s->controller.own_w * p->step_h;
	spare_wh = panel_wh - need_wh;
	if (p->r)
		p->r->self_wh += before - p->soc_wh;
	if (spare_wh >= 0) {
		bool frozen =
			b->kind == BATTERY_LFP && c->weather->row[i].temperature_c < 0 && b->cold;
		double room_wh = frozen ? 0 : (p->battery_wh - p->soc_wh) / b->charge;
		double charge_wh = fmin(spare_wh, fmax(0, room_wh));

		p->soc_wh += charge_wh * b->charge;
		excess_wh = spare_wh - charge_wh;
		if (p->r)
			p->r->charged_wh += charge_wh;
	} else {
		double taken_wh = fmin(-spare_wh, fmax(0, (p->soc_wh - least_wh) * b->discharge));

		p->soc_wh -= taken_wh / b->discharge;
		/* The controller's own need counts as load that is lacking, never more than there
		 * is. */
		unmet_wh = fmin(load_wh, (-spare_wh - taken_wh) * s->converter);
		if (p->r)
			p->r->discharged_wh += taken_wh;
	}
	p->unmet_wh += unmet_wh;
	if (!p->r)
		return;
	p->full |= p->soc_wh >= p->battery_wh * (1 - 1e-12);
	p->r->panel_wh += panel_wh;
	p->r->excess_wh += excess_wh;
	p->r->load_wh += load_wh;
	note_row(p, i, panel_wh, load_wh, excess_wh, unmet_wh);
}

static void run_pass(struct pass *p)
{
	p->unmet_wh = 0;
	p->day = -1;
	for (size_t i = 0; i < p->c->weather->rows; i++)
		step(p, i);
}

static struct pass begin(const struct solar_case *c, double panel_w, double battery_wh)
{
	double step_h = c->weather->step_s / 3600.0;

	return (struct pass){ .c = c,
			      .panel_w = panel_w,
			      .battery_wh = battery_wh,
			      .step_h = step_h,
			      .soc_wh = battery_wh,
			      .keep = pow(1 - c->system.battery.self_month, step_h / (30 * 24)) };
}

double solar_lpsp(const struct solar_case *c, double panel_w, double battery_wh)
{
	struct pass p = begin(c, panel_w, battery_wh);

	run_pass(&p);
	if (c->weather->typical)
		run_pass(&p);
	return p.unmet_wh / (c->mean_w * p.step_h * (double)c->weather->rows);
}

static void finish(struct pass *p)
{
	struct solar_result *r = p->r;

	end_day(p);
	r->soc_last_wh = p->soc_wh;
	r->unmet_wh = p->unmet_wh;
	r->lpsp = r->load_wh > 0 ? r->unmet_wh / r->load_wh : 0;
	r->hours = p->step_h * (double)p->c->weather->rows;
	r->lolp = r->hours_lost / r->hours;
	r->full_days /= p->days;
	r->empty_days /= p->days;
	for (int i = 0; i < SOC_BINS; i++)
		r->soc_share[i] /= r->hours;
	for (int i = 0; i < SOLAR_MONTHS; i++) {
		struct solar_month *m = &r->month[i];

		if (m->days == 0)
			continue;
		m->panel_wh_day /= m->days;
		m->load_wh_day /= m->days;
		m->excess_wh_day /= m->days;
		m->sun_kwh_m2_day /= m->days;
	}
}

void solar_simulate(const struct solar_case *c, double panel_w, double battery_wh,
		    struct solar_result *r)
{
	struct pass p = begin(c, panel_w, battery_wh);

	*r = (struct solar_result){ .first_lost_s = -1, .last_lost_s = -1 };
	for (int i = 0; i < SOLAR_MONTHS; i++)
		r->month[i].soc_min = 1;
	for (size_t i = 0; i < c->weather->rows; i++) {
		const struct weather_row *row = &c->weather->row[i];

		r->month[calendar_date(row->start_s / 86400).month - 1].sun_kwh_m2_day +=
			panel_irradiance(&c->system.panel, c->weather, row) / 1000 * p.step_h;
	}
	if (c->weather->typical)
		run_pass(&p);
	p.r = r;
	r->soc_first_wh = p.soc_wh;
	run_pass(&p);
	finish(&p);
}
