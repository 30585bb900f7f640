/* SPDX-License-Identifier: Apache-2.0 */
/* solar_json - a solar study as JSON, by its field tables. */
#include <jansson.h>
#include <math.h>
#include <stddef.h>

#include "results/field_rows.h"
#include "results/report_tree.h"
#include "results/solar_design.h"

#define DREAL(m)  REAL(solar_design, m)
#define M(member) REAL(solar_month, member)

const struct field solar_design_fields[] = {
	{ "suite", "", "Suite", TEXT(solar_design, suite) },
	{ "cell", "", "Cell that the load is of", TEXT(solar_design, cell) },
	{ "source", "", "Where the energy is from", TEXT(solar_design, source) },
	{ "cells", "", "Cells of the suite that could have been taken", INT(solar_design, cells) },
	{ "idle_w", "W", "Idle power", DREAL(idle_w) },
	{ "uncertainty_pct", "pct",
	  "Standard uncertainty of idle power and energy, of instrument or model, apart from the "
	  "intervals",
	  DREAL(uncertainty_pct) },
	{ "net_mj_per_request", "mJ", "Net energy of a request", INTERVAL(solar_design, net_mj) },
	{ "load_wh_per_day", "Wh", "Load of a day, mean", DREAL(load_wh_per_day.mean) },
	{ "load_interval_wh_per_day", "Wh", "Load of a day",
	  INTERVAL(solar_design, load_wh_per_day) },
	{ "panel_w", "W", "Panel", DREAL(panel_w) },
	{ "battery_wh", "Wh", "Battery", DREAL(battery_wh) },
	{ "panel_w_same_battery", "W", "Least panel with the battery of the largest load",
	  DREAL(panel_w_same_battery) },
	{ "lolp", "", "Loss-of-load probability: hours lost over hours", DREAL(year.lolp) },
	{ "lpsp", "", "Unmet share of the load's energy", DREAL(year.lpsp) },
	{ "hours_lost", "h", "Hours in which load was unmet", DREAL(year.hours_lost) },
	{ "longest_outage_h", "h", "Longest outage", DREAL(year.longest_h) },
	{ "full_days", "", "Share of days on which the battery was full", DREAL(year.full_days) },
	{ "empty_days", "", "Share of days on which it was empty", DREAL(year.empty_days) },
	{ "panel_wh", "Wh", "Energy of the panel at the bus", DREAL(year.panel_wh) },
	{ "load_wh", "Wh", "Energy that the load asked for", DREAL(year.load_wh) },
	{ "unmet_wh", "Wh", "Of it, what was not there", DREAL(year.unmet_wh) },
	{ "excess_wh", "Wh", "Energy that nothing took", DREAL(year.excess_wh) },
	{ "low.lolp", "", "The same with the lower end of the energy", DREAL(year_lo.lolp) },
	{ "low.lpsp", "", "", DREAL(year_lo.lpsp) },
	{ "high.lolp", "", "The same with the upper end of the energy", DREAL(year_hi.lolp) },
	{ "high.lpsp", "", "", DREAL(year_hi.lpsp) },
	{ "gaps_kept.lolp", "", "The same with the weather's gaps as darkness",
	  DREAL(year_raw.lolp) },
	{ "gaps_kept.lpsp", "", "", DREAL(year_raw.lpsp) },
	{ "gaps_kept.longest_outage_h", "h", "", DREAL(year_raw.longest_h) },
	{ "worksheet.month", "", "Month with the most load for its sun",
	  INT(solar_design, sizing.quick.month) },
	{ "worksheet.sun_hours", "h", "Peak sun hours of a day in it",
	  DREAL(sizing.quick.sun_hours) },
	{ "worksheet.panel_w", "W", "Panel by the worksheet", DREAL(sizing.quick.panel_w) },
	{ "worksheet.battery_wh", "Wh", "Battery by the worksheet",
	  DREAL(sizing.quick.battery_wh) },
	{ 0 },
};

const struct field solar_month_fields[] = {
	{ "sun_kwh_m2_day", "kWh/m2", "Sun in the panel's plane", M(sun_kwh_m2_day) },
	{ "panel_wh_day", "Wh", "Energy of the panel, a day", M(panel_wh_day) },
	{ "load_wh_day", "Wh", "Load, a day", M(load_wh_day) },
	{ "excess_wh_day", "Wh", "Energy that nothing took, a day", M(excess_wh_day) },
	{ "unmet_wh", "Wh", "Load that was not met", M(unmet_wh) },
	{ "hours_lost", "h", "Hours in which load was unmet", M(hours_lost) },
	{ "soc_min", "", "Least state of charge", M(soc_min) },
	{ 0 },
};

static json_t *months_of(const struct solar_result *year)
{
	static const struct field_part parts[] = { { "", solar_month_fields, 0 }, { 0 } };
	json_t *list = json_array();

	for (int i = 0; i < SOLAR_MONTHS; i++) {
		json_t *month = report_tree(parts, &year->month[i]);

		if (year->month[i].days == 0) {
			json_decref(month);
			continue;
		}
		json_object_set_new(month, "month", json_integer(i + 1));
		json_array_append_new(list, month);
	}
	return list;
}

static json_t *shares_of(const struct solar_result *year)
{
	json_t *list = json_array();

	for (int i = 0; i < SOC_BINS; i++)
		json_array_append_new(list, report_tree_number(year->soc_share[i]));
	return list;
}

/* Panel and battery of equal reliability. */
static json_t *curve_of(const struct sizing *s)
{
	json_t *list = json_array();

	for (int i = 0; i < s->points; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "panel_w",
					report_tree_number(s->curve[i].panel_w), "battery_wh",
					report_tree_number(s->curve[i].battery_wh), "lpsp",
					report_tree_number(s->curve[i].lpsp)));
	return list;
}

static json_t *quality_of(const struct weather *w)
{
	const struct weather_quality *q = &w->quality;
	json_t *notes = json_array();

	for (int i = 0; i < q->notes; i++)
		json_array_append_new(notes, report_tree_text(q->note[i]));
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"rows", (json_int_t)w->rows, "missing", (json_int_t)q->missing, "dark",
		(json_int_t)q->dark, "filled", (json_int_t)q->filled, "reconstructed",
		(json_int_t)q->reconstructed, "clamped", (json_int_t)q->clamped, "impossible",
		(json_int_t)q->impossible, "no_temperature", (json_int_t)q->no_temperature,
		"snapped", (json_int_t)q->snapped, "dropped", (json_int_t)q->dropped, "inserted",
		(json_int_t)q->inserted, "noon_error_h", report_tree_number(q->noon_error_h),
		"kwh_m2_raw", report_tree_number(q->raw_kwh_m2), "kwh_m2",
		report_tree_number(q->kwh_m2), "notes", notes);
}

static json_t *design_of(const struct solar_study *s, const struct solar_design *d)
{
	static const struct field_part parts[] = { { "", solar_design_fields, 0 }, { 0 } };
	json_t *object = report_tree(parts, d);

	json_object_set_new(object, "monthly", months_of(&d->year));
	json_object_set_new(object, "soc_shares", shares_of(&d->year));
	json_object_set_new(object, "curve", curve_of(&d->sizing));
	json_object_set_new(object, "quality", quality_of(s->weather));
	return object;
}

static json_t *site_of(const struct solar_study *s)
{
	const struct weather *w = s->weather;
	static const char *const days[] = { "1", "3", "5", "7" };
	json_t *worst = json_object();

	for (int i = 0; i < 4; i++)
		json_object_set_new(worst, days[i], report_tree_number(s->worst_kwh_m2[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:i, s:o, s:b, s:o, s:o}", "format", w->format,
			 "place", report_tree_text(w->place), "latitude_deg",
			 report_tree_number(w->latitude_deg), "longitude_deg",
			 report_tree_number(w->longitude_deg), "utc_offset_minutes",
			 w->zone_minutes, "years", report_tree_number(weather_years(w)),
			 "typical_year", w->typical, "mean_kwh_m2_day",
			 report_tree_number(s->mean_kwh_m2_day), "worst_days_kwh_m2", worst);
}

static json_t *settings_of(const struct solar_study *s)
{
	const struct solar_settings *set = &s->settings;
	const struct solar_system *y = &set->system;
	json_t *share = json_array();

	for (int h = 0; h < 24; h++)
		json_array_append_new(share, report_tree_number(set->share[h]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o}",
			 "role", role_names[set->role], "requests_per_day",
			 report_tree_number(set->requests_per_day), "idle_w",
			 report_tree_number(set->idle_w), "shares", share, "lpsp_max",
			 report_tree_number(set->rules.lpsp_max), "autonomy_days",
			 report_tree_number(set->rules.autonomy_days), "slope_deg",
			 report_tree_number(y->panel.slope_deg), "azimuth_deg",
			 report_tree_number(y->panel.azimuth_deg), "derate",
			 report_tree_number(y->panel.derate), "battery",
			 y->battery.kind == BATTERY_LFP ? "lfp" : "lead", "soc_min",
			 report_tree_number(y->battery.minimum), "charge_efficiency",
			 report_tree_number(y->battery.charge), "discharge_efficiency",
			 report_tree_number(y->battery.discharge), "self_discharge_month",
			 report_tree_number(y->battery.self_month), "controller_efficiency",
			 report_tree_number(y->controller.efficiency), "controller_w",
			 report_tree_number(y->controller.own_w), "controller_limit_w",
			 report_tree_number(y->controller.limit_w), "converter_efficiency",
			 report_tree_number(y->converter));
}

static json_t *savings_of(const struct solar_study *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->designs; i++) {
		struct buf text = { 0 };

		if (i == s->reference)
			continue;
		solar_saving(&s->design[i], &s->design[s->reference], &text);
		json_array_append_new(list, report_tree_text(buf_text(&text)));
		buf_release(&text);
	}
	return list;
}

int solar_write_json(const struct solar_study *s, struct buf *out)
{
	json_t *designs = json_array(), *left = json_array();

	for (size_t i = 0; i < s->designs; i++)
		json_array_append_new(designs, design_of(s, &s->design[i]));
	for (size_t i = 0; i < s->lefts; i++)
		json_array_append_new(left, json_pack("{s:o, s:o}", "suite",
						      report_tree_text(s->left[i].suite), "reason",
						      report_tree_text(s->left[i].reason)));
	report_tree_put(out,
			json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
				  "cipherwatt/1", "complete", (int)s->report->campaign.complete,
				  "energy", s->source, "site", site_of(s), "settings",
				  settings_of(s), "other_load_wh_per_day",
				  report_tree_number(s->other_wh_day), "designs", designs,
				  "savings", savings_of(s), "left_out", left),
			false);
	return out->failed ? -1 : 0;
}
