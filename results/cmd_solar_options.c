/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_solar_options - the options of `cipherwatt solar`, and what they may be. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/units.h"
#include "results/cmd_solar.h"

/* Panel's voltage at its most power, and a battery's, of nominally 12 V: what PWM makes of it. */
#define PWM_SHARE (12.8 / 18.0)

#define AT(m) offsetof(struct solar_options, m)

static const char *const gaps[] = { "fill", "keep", "fail", NULL };
static const char *const batteries[] = { "lead", "lfp", NULL };
static const char *const controllers[] = { "mppt", "pwm", NULL };

const struct opt solar_opts[] = {
	{ "site", 's', OPT_TEXT, AT(site), "FILE",
	  "weather of the site: PVGIS (CSV or JSON, hourly or TMY), EPW, TMY3, NSRDB or SAM CSV, "
	  "SolarAnywhere, PVWatts, or hourly numbers; found by content",
	  NULL, NULL, 0, 0 },
	{ "campaign", 0, OPT_TEXT, AT(campaign), "ID|NAME", "campaign; the newest when absent",
	  NULL, NULL, 0, 0 },
	{ "only", 0, OPT_TEXT, AT(only), "TEXT",
	  "take cells with this in their names; of each suite the first", NULL, NULL, 0, 0 },
	{ "role", 0, OPT_CHOICE, AT(role), "ROLE", "whose energy the panel carries", "server",
	  role_names, 0, 0 },
	{ "requests-per-day", 'n', OPT_REAL, AT(requests_per_day), "N", "requests of a day",
	  "86400", NULL, 0, 0 },
	{ "profile", 0, OPT_TEXT, AT(profile), "SHAPE",
	  "when they come, in the site's standard time: flat, day, evening, or 24 shares with "
	  "commas",
	  "flat", NULL, 0, 0 },
	{ "load-profile", 0, OPT_TEXT, AT(load_profile), "FILE",
	  "what else hangs on the battery: a year of W by the hour or finer, in the site's "
	  "standard "
	  "time",
	  NULL, NULL, 0, 0 },
	{ "idle-w", 0, OPT_TEXT, AT(idle_w), "W",
	  "idle power in place of the mean of what the cells idled at", NULL, NULL, 0, 0 },
	{ "panel-wp", 0, OPT_REAL, AT(panel_wp), "WP",
	  "run this panel instead of searching one; 0: search", "0", NULL, 0, 0 },
	{ "battery-wh", 0, OPT_REAL, AT(battery_wh), "WH",
	  "run this battery instead of searching one; 0: search", "0", NULL, 0, 0 },
	{ "lpsp", 0, OPT_REAL, AT(lpsp_pct), "PCT", "share of the load's energy that may be unmet",
	  "0.1", NULL, 0, 0 },
	{ "autonomy-days", 0, OPT_REAL, AT(autonomy), "DAYS",
	  "worksheet: days that the battery carries alone", "5", NULL, 0, 0 },
	{ "margin", 0, OPT_REAL, AT(margin), "X", "worksheet: array to load", "1.2", NULL, 0, 0 },
	{ "panel-cost", 0, OPT_REAL, AT(panel_cost), "X",
	  "cost of 1 W, in any currency: of the designs that suffice the cheapest is taken", "1",
	  NULL, 0, 0 },
	{ "battery-cost", 0, OPT_REAL, AT(battery_cost), "X", "cost of 1 Wh, in the same", "0.25",
	  NULL, 0, 0 },
	{ "slope", 0, OPT_REAL, AT(slope), "DEG", "of the panel; 0 is flat", "45", NULL, 0, 0 },
	{ "azimuth", 0, OPT_TEXT, AT(azimuth), "DEG",
	  "from north over east: 180 is south; to the equator when absent", NULL, NULL, 0, 0 },
	{ "derate", 0, OPT_REAL, AT(derate_pct), "PCT", "what wiring, soiling and mismatch leave",
	  "85", NULL, 0, 0 },
	{ "heat", 0, OPT_REAL, AT(heat_pct), "PCT", "of power for each degree of the cell above 25",
	  "-0.4", NULL, 0, 0 },
	{ "noct", 0, OPT_REAL, AT(noct_c), "C", "nominal operating temperature of the cell", "45",
	  NULL, 0, 0 },
	{ "albedo", 0, OPT_REAL, AT(albedo), "X", "of the ground", "0.2", NULL, 0, 0 },
	{ "controller", 0, OPT_CHOICE, AT(controller), "KIND", "mppt, or pwm (12 V)", "mppt",
	  controllers, 0, 0 },
	{ "controller-efficiency", 0, OPT_REAL, AT(controller_pct), "PCT", "from panel to bus",
	  "95", NULL, 0, 0 },
	{ "controller-w", 0, OPT_REAL, AT(controller_w), "W", "what it takes itself, always",
	  "0.05", NULL, 0, 0 },
	{ "controller-limit-w", 0, OPT_REAL, AT(controller_limit_w), "W",
	  "most that it passes; 0: no limit", "0", NULL, 0, 0 },
	{ "converter-efficiency", 0, OPT_REAL, AT(converter_pct), "PCT", "from bus to board", "88",
	  NULL, 0, 0 },
	{ "battery", 0, OPT_CHOICE, AT(battery), "KIND",
	  "lead, or lfp (with --cold not charged below 0 degrees)", "lead", batteries, 0, 0 },
	{ "soc-min", 0, OPT_REAL, AT(soc_min_pct), "PCT", "least state of charge", "50", NULL, 0,
	  0 },
	{ "charge-efficiency", 0, OPT_REAL, AT(charge_pct), "PCT", "into the battery", "90", NULL,
	  0, 0 },
	{ "discharge-efficiency", 0, OPT_REAL, AT(discharge_pct), "PCT", "out of it", "95", NULL, 0,
	  0 },
	{ "self-discharge", 0, OPT_REAL, AT(self_pct), "PCT", "that it loses in 30 days by itself",
	  "5", NULL, 0, 0 },
	{ "cold", 0, OPT_FLAG, AT(cold), NULL,
	  "the battery is as cold as the air, and has less capacity then", NULL, NULL, 0, 0 },
	{ "gaps", 0, OPT_CHOICE, AT(gaps), "WHAT",
	  "rows without irradiance by day: fill from the days around, keep as darkness, or fail",
	  "fill", gaps, 0, 0 },
	{ "latitude", 0, OPT_TEXT, AT(latitude), "DEG",
	  "where the file does not say, or says it wrong; north is positive", NULL, NULL, 0, 0 },
	{ "longitude", 0, OPT_TEXT, AT(longitude), "DEG", "likewise; east is positive", NULL, NULL,
	  0, 0 },
	{ "utc-offset", 0, OPT_TEXT, AT(utc_offset), "HOURS",
	  "the site's standard time, and that of stamps whose file does not say; east is positive",
	  NULL, NULL, 0, 0 },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL, NULL, 0, 0 },
	{ 0 },
};

static int bounded(const char *option, double value, double min, double max, struct fail *f)
{
	if (value >= min && value <= max)
		return 0;
	return fail_set(f, EINVAL, "--%s %g; expected %g to %g", option, value, min, max);
}

static int check(const struct solar_options *o, struct fail *f)
{
	const struct {
		const char *option;
		double value, min, max;
	} rules[] = {
		{ "requests-per-day", o->requests_per_day, 0, 1e12 },
		{ "panel-wp", o->panel_wp, 0, 1e9 },
		{ "battery-wh", o->battery_wh, 0, 1e9 },
		{ "lpsp", o->lpsp_pct, 0, 99 },
		{ "autonomy-days", o->autonomy, 0.1, 365 },
		{ "margin", o->margin, 0.1, 10 },
		{ "panel-cost", o->panel_cost, 0, 1e9 },
		{ "battery-cost", o->battery_cost, 0, 1e9 },
		{ "slope", o->slope, 0, 90 },
		{ "derate", o->derate_pct, 1, 100 },
		{ "heat", o->heat_pct, -2, 0 },
		{ "noct", o->noct_c, 20, 80 },
		{ "albedo", o->albedo, 0, 1 },
		{ "controller-efficiency", o->controller_pct, 1, 100 },
		{ "controller-w", o->controller_w, 0, 1000 },
		{ "controller-limit-w", o->controller_limit_w, 0, 1e9 },
		{ "converter-efficiency", o->converter_pct, 1, 100 },
		{ "soc-min", o->soc_min_pct, 0, 99 },
		{ "charge-efficiency", o->charge_pct, 1, 100 },
		{ "discharge-efficiency", o->discharge_pct, 1, 100 },
		{ "self-discharge", o->self_pct, 0, 99 },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (bounded(rules[i].option, rules[i].value, rules[i].min, rules[i].max, f) < 0)
			return -1;
	return 0;
}

/* A number that may be absent: NAN then. */
static int optional(const char *option, const char *text, double min, double max, double *value,
		    struct fail *f)
{
	*value = NAN;
	if (!text)
		return 0;
	if (units_real(text, value, f) < 0)
		return fail_within(f, "--%s", option);
	return bounded(option, *value, min, max, f);
}

static int read_place(const struct solar_options *o, struct weather_options *w, struct fail *f)
{
	double hours;

	*w = (struct weather_options){ .gaps = (enum weather_gaps)o->gaps };
	if (optional("latitude", o->latitude, -90, 90, &w->latitude_deg, f) < 0 ||
	    optional("longitude", o->longitude, -180, 180, &w->longitude_deg, f) < 0 ||
	    optional("utc-offset", o->utc_offset, -14, 14, &hours, f) < 0)
		return -1;
	w->zone_given = !isnan(hours);
	w->zone_minutes = w->zone_given ? (int)lround(hours * 60) : 0;
	return 0;
}

static struct solar_system system_of(const struct solar_options *o)
{
	double pwm = o->controller == 1 ? PWM_SHARE : 1;

	return (struct solar_system){
		.panel = { .slope_deg = o->slope,
			   .derate = o->derate_pct / 100,
			   .per_degree = o->heat_pct / 100,
			   .noct_c = o->noct_c,
			   .efficiency = 0.18,
			   .albedo = o->albedo },
		.battery = { .kind = (enum battery_kind)o->battery,
			     .minimum = o->soc_min_pct / 100,
			     .charge = o->charge_pct / 100,
			     .discharge = o->discharge_pct / 100,
			     .self_month = o->self_pct / 100,
			     .cold = o->cold },
		.controller = { .efficiency = o->controller_pct / 100 * pwm,
				.own_w = o->controller_w,
				.limit_w = o->controller_limit_w },
		.converter = o->converter_pct / 100,
	};
}

int solar_read_options(const struct solar_options *o, struct weather_options *w,
		       struct solar_settings *set, struct fail *f)
{
	double azimuth;

	*set = (struct solar_settings){ .system = system_of(o),
					.role = (enum energy_role)o->role,
					.requests_per_day = o->requests_per_day,
					.panel_w = o->panel_wp,
					.battery_wh = o->battery_wh,
					.only = o->only };
	set->rules = (struct sizing_rules){ .autonomy_days = o->autonomy,
					    .margin = o->margin,
					    .lpsp_max = o->lpsp_pct / 100,
					    .panel_cost = o->panel_cost,
					    .battery_cost = o->battery_cost };
	if (check(o, f) < 0 || optional("idle-w", o->idle_w, 0, 1e6, &set->idle_w, f) < 0 ||
	    optional("azimuth", o->azimuth, 0, 360, &azimuth, f) < 0 || read_place(o, w, f) < 0)
		return -1;
	set->system.panel.azimuth_deg = azimuth;
	if (solar_profile(o->profile, set->share, f) < 0)
		return fail_within(f, "--profile");
	return 0;
}

void solar_settle_options(const struct solar_options *o, const struct weather *w,
			  struct solar_settings *set)
{
	struct panel *p = &set->system.panel;

	set->system.other_load = o->load_profile != NULL;
	if (!o->azimuth)
		p->azimuth_deg = w->latitude_deg < 0 ? 0 : 180;
	/* The worksheet's one number for all that the simulation does hour by hour: cells of 45
	 * degrees. */
	set->rules.performance =
		p->derate * (1 + p->per_degree * 20) * set->system.controller.efficiency;
}

int solar_default_options(struct solar_options *o, const char *site, const char *requests_per_day,
			  struct fail *f)
{
	char command[] = "solar", option[] = "--requests-per-day", number[32];
	char *argv[] = { command, option, number, NULL };
	int operands;

	*o = (struct solar_options){ 0 };
	snprintf(number, sizeof(number), "%s", requests_per_day ? requests_per_day : "");
	if (opt_parse(solar_opts, o, requests_per_day ? 3 : 1, argv, &operands, f) != OPT_OK)
		return -1;
	o->site = site;
	return 0;
}
