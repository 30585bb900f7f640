/* SPDX-License-Identifier: Apache-2.0 */
/* solar_json - a solar study as JSON, by its field tables. */
#include <jansson.h>
#include <math.h>
#include <stddef.h>

#include "results/report_tree.h"
#include "results/solar_design.h"

#define D(member)  offsetof(struct solar_design, member)
#define DREAL(m)   .kind = FIELD_REAL, .offset = D(m)
#define M(member)  .kind = FIELD_REAL, .offset = offsetof(struct solar_month, member)

const struct field solar_design_fields[] = {
	{ "suite", "", "Suite", FIELD_TEXT, D(suite), sizeof(((struct solar_design *)0)->suite) },
	{ "cell", "", "Cell that the load is of", FIELD_TEXT, D(cell),
	  sizeof(((struct solar_design *)0)->cell) },
	{ "source", "", "Where the energy is from", FIELD_TEXT, D(source),
	  sizeof(((struct solar_design *)0)->source) },
	{ "cells", "", "Cells of the suite that could have been taken", FIELD_INT, D(cells), 0 },
	{ "idle_w", "W", "Idle power", DREAL(idle_w) },
	{ "net_mj_per_request", "mJ", "Net energy of a request", FIELD_INTERVAL, D(net_mj), 0 },
	{ "load_wh_per_day", "Wh", "Load of a day, mean", DREAL(load_wh_per_day.mean) },
	{ "load_interval_wh_per_day", "Wh", "Load of a day", FIELD_INTERVAL, D(load_wh_per_day), 0 },
	{ "panel_w", "W", "Panel", DREAL(panel_w) },
	{ "battery_wh", "Wh", "Battery", DREAL(battery_wh) },
	{ "panel_w_same_battery", "W", "Least panel with the first design's battery",
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
	{ "gaps_kept.lolp", "", "The same with the weather's gaps as darkness", DREAL(year_raw.lolp) },
	{ "gaps_kept.lpsp", "", "", DREAL(year_raw.lpsp) },
	{ "gaps_kept.longest_outage_h", "h", "", DREAL(year_raw.longest_h) },
	{ "worksheet.month", "", "Design month", FIELD_INT, 0, 0 },
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
