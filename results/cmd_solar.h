/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_solar - the row of `cipherwatt solar` in the command table. */
#ifndef RESULTS_CMD_SOLAR_H
#define RESULTS_CMD_SOLAR_H

#include "lib/command.h"
#include "lib/fail.h"
#include "results/solar_design.h"

/* Settings as options hold them; shares are per cent there. */
struct solar_options {
	const char *site, *campaign, *only, *profile, *latitude, *longitude, *utc_offset, *idle_w;
	const char *azimuth, *load_profile;
	int role, gaps, battery, controller;
	bool json, cold;
	double requests_per_day, panel_wp, battery_wh, autonomy, margin, lpsp_pct;
	double slope, derate_pct, heat_pct, noct_c, albedo;
	double soc_min_pct, charge_pct, discharge_pct, self_pct;
	double controller_pct, controller_w, controller_limit_w, converter_pct;
	double panel_cost, battery_cost;
};

extern const struct command cmd_solar;
extern const struct opt solar_opts[];

/* A site and a number of requests with all else at its default, as `report --site` takes them. */
int solar_default_options(struct solar_options *o, const char *site, const char *requests_per_day,
			  struct fail *f);
/* The weather's options and the study's settings. -1: which option and why. */
int solar_read_options(const struct solar_options *o, struct weather_options *w,
		       struct solar_settings *set, struct fail *f);
/* What depends on the site: the azimuth that nobody gave looks to the equator. */
void solar_settle_options(const struct solar_options *o, const struct weather *w,
			  struct solar_settings *set);

#endif
