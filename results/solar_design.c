/* SPDX-License-Identifier: Apache-2.0 */
/* solar_design - a cell's figures as a load, the load as a design. It must not read files. */
#include "results/solar_design.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define J_PER_MWH     3.6
#define HOURS_PER_DAY 24

static const struct summary_side *side_of(const struct cell_summary *c, bool client)
{
	return client ? &c->client : &c->server;
}

/* Millijoules of a request; NAN where an end of an interval is at nothing or beyond. */
static double mj_of(double per_mwh)
{
	return per_mwh > 0 ? 1000 * J_PER_MWH / per_mwh : NAN;
}

/* Of two sides the worse: what is half modelled is not measured. */
static const char *source_of(const struct cell_summary *c, enum energy_role role)
{
	const char *source = side_of(c, role == ROLE_CLIENT)->energy.source;

	return role == ROLE_BOTH && strcmp(source, "measured") == 0 ? c->client.energy.source
								    : source;
}

/* False: why the cell has no load, in reason. */
static bool measure_load(const struct cell_summary *c, const struct solar_settings *set,
			 struct solar_design *d, char *reason, size_t len)
{
	d->idle_w = role_idle_w(c, set->role);
	d->uncertainty_pct = NAN;
	d->net_mj = (struct interval){ 0, 0, 0, c->valid_trials };
	for (int client = 0; client < 2; client++) {
		const struct summary_energy *e = &side_of(c, client)->energy;
		const struct interval *per_mwh = &e->net_requests_per_mwh;

		if (!role_counts(set->role, client))
			continue;
		if (isnan(e->idle_mwh) || !(c->window_s > 0)) {
			snprintf(reason, len, "no energy of the %s: %s",
				 client ? "client" : "server",
				 e->reason[0] ? e->reason : "not measured");
			return false;
		}
		if (summary_is_uncounted(c)) {
			snprintf(reason, len,
				 "an older version stored it without counting completed requests; "
				 "run it again");
			return false;
		}
		if (isnan(mj_of(per_mwh->mean))) {
			snprintf(reason, len,
				 "the net energy of the %s is not above its idle power",
				 client ? "client" : "server");
			return false;
		}
		d->uncertainty_pct = fmax(d->uncertainty_pct, e->uncertainty_pct);
		/* The ends change places. */
		d->net_mj.mean += mj_of(per_mwh->mean);
		d->net_mj.lo += mj_of(per_mwh->hi);
		d->net_mj.hi += mj_of(per_mwh->lo);
	}
	return true;
}

/*
 * The board's, not the suite's: what two cells idled at differently is drift, and must not look
 * like energy that a suite saves.
 */
static void share_idle(struct solar_study *s)
{
	double idle_w = 0;

	for (size_t i = 0; i < s->designs; i++)
		idle_w += s->design[i].idle_w / (double)s->designs;
	if (!isnan(s->settings.idle_w))
		idle_w = s->settings.idle_w;
	for (size_t i = 0; i < s->designs; i++) {
		s->design[i].idle_w = idle_w;
		if (!isnan(s->settings.idle_w))
			s->design[i].uncertainty_pct = NAN;
	}
}

/* The busiest hour must be within what the cell did. */
static bool can_serve(const struct cell_summary *c, const struct solar_settings *set, char *reason,
		      size_t len)
{
	double most = 0, asked;

	for (int h = 0; h < HOURS_PER_DAY; h++)
		most = fmax(most, set->share[h]);
	asked = set->requests_per_day * most / 3600;
	if (asked <= c->requests_per_s.mean)
		return true;
	snprintf(reason, len, "the busiest hour asks for %.3g requests/s, the cell did %.3g", asked,
		 c->requests_per_s.mean);
	return false;
}

static struct day_load day_load(const struct solar_settings *set, double idle_w, double mj)
{
	struct day_load load;

	for (int h = 0; h < HOURS_PER_DAY; h++)
		load.w[h] = idle_w + set->requests_per_day * set->share[h] / 3600 * mj / 1000;
	return load;
}

static double wh_per_day(const struct day_load *load)
{
	double sum = 0;

	for (int h = 0; h < HOURS_PER_DAY; h++)
		sum += load->w[h];
	return sum;
}

/* The site, its gaps filled and as they came: made once, each load is put under them in turn. */
struct skies {
	struct weather unfilled;
	struct solar_case filled, raw;
};

static void close_skies(struct skies *k)
{
	solar_case_release(&k->filled);
	solar_case_release(&k->raw);
	weather_release(&k->unfilled);
}

static int open_skies(const struct solar_study *s, struct skies *k, struct fail *f)
{
	const struct day_load none = { .w = { 0 } };
	const struct solar_system *system = &s->settings.system;

	*k = (struct skies){ 0 };
	if (weather_unfilled(s->weather, &k->unfilled, f) == 0 &&
	    solar_case_init(&k->filled, s->weather, system, &none, f) == 0 &&
	    solar_case_init(&k->raw, &k->unfilled, system, &none, f) == 0)
		return 0;
	close_skies(k);
	return -1;
}

static void put_load(const struct solar_study *s, const struct solar_design *d, double mj,
		     struct solar_case *sky)
{
	struct day_load load = day_load(&s->settings, d->idle_w, mj);

	solar_case_set_load(sky, &load);
}

/* An end of an interval that is not there gives a year that is not known. */
static void run_year(const struct solar_study *s, struct solar_case *sky,
		     const struct solar_design *d, double mj, struct solar_result *year)
{
	*year = (struct solar_result){ .lpsp = NAN, .lolp = NAN };
	if (isnan(mj))
		return;
	put_load(s, d, mj, sky);
	solar_simulate(sky, d->panel_w, d->battery_wh, year);
}

/* The mean load's search, or the design that was given. */
static int size(struct solar_study *s, struct solar_case *sky, struct solar_design *d,
		struct fail *f)
{
	const struct solar_settings *set = &s->settings;
	int status;

	put_load(s, d, d->net_mj.mean, sky);
	status = sizing_search(sky, &set->rules, &d->sizing, f);
	d->panel_w = set->panel_w > 0 ? set->panel_w : d->sizing.best.panel_w;
	d->battery_wh = set->battery_wh > 0 ? set->battery_wh : d->sizing.best.battery_wh;
	if (status == 0 && set->panel_w <= 0 && set->battery_wh > 0)
		d->panel_w = sizing_panel(sky, set->battery_wh, set->rules.lpsp_max);
	if (status == 0 && set->panel_w > 0 && set->battery_wh <= 0)
		d->battery_wh = sizing_battery(sky, set->panel_w, set->rules.lpsp_max);
	if (status == 0 && (isnan(d->panel_w) || !(d->panel_w > 0)))
		return fail_set(
			f, ERANGE,
			"no panel keeps the unmet load below %.3g %% of it: this site and this "
			"load ask for another --slope, --lpsp, --battery-wh or "
			"--controller-limit-w",
			100 * set->rules.lpsp_max);
	if (status == 0 && isnan(d->battery_wh))
		return fail_set(
			f, ERANGE,
			"no battery behind a panel of %g W keeps the unmet load below %.3g %% of "
			"it: take a larger --panel-wp or --lpsp, or give --battery-wh too",
			d->panel_w, 100 * set->rules.lpsp_max);
	return status;
}

static int make_design(struct solar_study *s, struct skies *k, struct solar_design *d,
		       struct fail *f)
{
	struct day_load mean = day_load(&s->settings, d->idle_w, d->net_mj.mean);
	struct day_load lo = day_load(&s->settings, d->idle_w, d->net_mj.lo);
	struct day_load hi = day_load(&s->settings, d->idle_w, d->net_mj.hi);

	d->load_wh_per_day = (struct interval){ wh_per_day(&mean), wh_per_day(&lo), wh_per_day(&hi),
						d->net_mj.n };
	if (size(s, &k->filled, d, f) < 0)
		return fail_within(f, "%s", d->suite);
	run_year(s, &k->filled, d, d->net_mj.mean, &d->year);
	run_year(s, &k->filled, d, d->net_mj.lo, &d->year_lo);
	run_year(s, &k->filled, d, d->net_mj.hi, &d->year_hi);
	run_year(s, &k->raw, d, d->net_mj.mean, &d->year_raw);
	return 0;
}

static void leave_out(struct solar_study *s, const char *suite, const char *reason)
{
	struct solar_left *l = &s->left[s->lefts++];

	snprintf(l->suite, sizeof(l->suite), "%s", suite);
	snprintf(l->reason, sizeof(l->reason), "%s", reason);
}

static bool chosen(const struct solar_settings *set, const struct cell_summary *c)
{
	return !set->only || strstr(c->cell.name, set->only);
}

/* Measured and modelled never meet: in a saving, or in the idle power that all designs share. */
static void find_source(struct solar_study *s)
{
	const char *source = "modelled";

	for (size_t i = 0; i < s->report->cells; i++)
		if (chosen(&s->settings, &s->report->cell[i]) &&
		    strcmp(source_of(&s->report->cell[i], s->settings.role), "measured") == 0)
			source = "measured";
	snprintf(s->source, sizeof(s->source), "%s", source);
}

static bool is_of_source(const struct solar_study *s, const struct cell_summary *c, char *reason,
			 size_t len)
{
	const char *source = source_of(c, s->settings.role);

	if (strcmp(source, s->source) == 0)
		return true;
	snprintf(reason, len, "its energy is %s, not %s: --only chooses among cells", source,
		 s->source);
	return false;
}

/* An earlier cell of the same suite has been looked at. */
static bool seen(const struct report *r, const struct solar_settings *set, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (chosen(set, &r->cell[i]) &&
		    strcmp(r->cell[i].cell.suite, r->cell[at].cell.suite) == 0)
			return true;
	return false;
}

/* The first cell of the suite that has a load; 1: there is none, said in s->left. */
static int find_load(struct solar_study *s, size_t from, struct solar_design *d)
{
	const struct report *r = s->report;
	char reason[200] = "";
	bool found = false;

	*d = (struct solar_design){ 0 };
	snprintf(d->suite, sizeof(d->suite), "%s", r->cell[from].cell.suite);
	for (size_t i = from; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];

		if (!chosen(&s->settings, c) || strcmp(c->cell.suite, d->suite) != 0)
			continue;
		d->cells++;
		if (found || !measure_load(c, &s->settings, d, reason, sizeof(reason)) ||
		    !is_of_source(s, c, reason, sizeof(reason)) ||
		    !can_serve(c, &s->settings, reason, sizeof(reason)))
			continue;
		found = true;
		snprintf(d->cell, sizeof(d->cell), "%s", c->cell.name);
		snprintf(d->source, sizeof(d->source), "%s", s->source);
	}
	if (!found)
		leave_out(s, d->suite, reason);
	return found ? 0 : 1;
}

/* What is true of the site alone, before any load is put under it. */
static void look_at_sky(struct solar_study *s, const struct solar_case *sky)
{
	static const int days[] = { 1, 3, 5, 7 };
	double sum = 0;

	for (int i = 0; i < 4; i++)
		s->worst_kwh_m2[i] = solar_worst_days(sky, days[i]);
	for (size_t i = 0; i < s->weather->rows; i++)
		sum += panel_irradiance(&s->settings.system.panel, s->weather, &s->weather->row[i]);
	s->other_wh_day = sky->mean_w * HOURS_PER_DAY;
	s->mean_kwh_m2_day = sum / (double)s->weather->rows * HOURS_PER_DAY / 1000;
}

/* With one battery for all, what the suites differ by is the panel alone. */
static void compare_panels(struct solar_study *s, struct solar_case *sky)
{
	for (size_t i = 0; i < s->designs; i++)
		if (s->design[i].load_wh_per_day.mean >
		    s->design[s->reference].load_wh_per_day.mean)
			s->reference = i;
	for (size_t i = 0; i < s->designs; i++) {
		struct solar_design *d = &s->design[i];

		put_load(s, d, d->net_mj.mean, sky);
		d->panel_w_same_battery = sizing_panel(sky, s->design[s->reference].battery_wh,
						       s->settings.rules.lpsp_max);
	}
}

static int make_designs(struct solar_study *s, struct fail *f)
{
	struct skies k;
	int status = 0;

	if (open_skies(s, &k, f) < 0)
		return -1;
	look_at_sky(s, &k.filled);
	find_source(s);
	for (size_t i = 0; i < s->report->cells; i++)
		if (chosen(&s->settings, &s->report->cell[i]) &&
		    !seen(s->report, &s->settings, i) &&
		    find_load(s, i, &s->design[s->designs]) == 0)
			s->designs++;
	share_idle(s);
	for (size_t i = 0; i < s->designs && status == 0; i++)
		status = make_design(s, &k, &s->design[i], f);
	if (status == 0)
		compare_panels(s, &k.filled);
	close_skies(&k);
	return status;
}

int solar_study_make(struct solar_study *s, const struct report *r, const struct weather *w,
		     const struct solar_settings *set, struct fail *f)
{
	*s = (struct solar_study){ .report = r, .weather = w, .settings = *set };
	s->design = calloc(r->cells + 1, sizeof(*s->design));
	s->left = calloc(r->cells + 1, sizeof(*s->left));
	if (!s->design || !s->left)
		fail_set(f, ENOMEM, "no memory for %zu designs", r->cells);
	else if (make_designs(s, f) == 0 && s->designs == 0)
		fail_set(f, ENOENT, "no cell of the campaign%s%s has a load: %s",
			 set->only ? " with " : "", set->only ? set->only : "",
			 s->lefts ? s->left[0].reason : "none of that name; `report` lists them");
	if (f->code == 0)
		return 0;
	solar_study_release(s);
	return -1;
}

void solar_study_release(struct solar_study *s)
{
	free(s->design);
	free(s->left);
	*s = (struct solar_study){ 0 };
}

void solar_saving(const struct solar_design *d, const struct solar_design *against, struct buf *out)
{
	const struct interval *a = &against->load_wh_per_day, *b = &d->load_wh_per_day;
	double least = a->lo - b->hi, most = a->hi - b->lo;

	buf_printf(out, "%s instead of %s ", d->suite, against->suite);
	if (!(least > 0) && !(most < 0)) {
		buf_puts(out, "saves no energy that is proven: the intervals of their loads meet");
		return;
	}
	buf_printf(out, "%s %.3g Wh a day (at least %.3g)", least > 0 ? "saves" : "costs",
		   fabs(a->mean - b->mean), least > 0 ? least : -most);
	if (isnan(d->panel_w_same_battery) || isnan(against->panel_w_same_battery))
		return;
	buf_printf(out, " and %.3g W of panel at the same battery",
		   fabs(against->panel_w_same_battery - d->panel_w_same_battery));
}
