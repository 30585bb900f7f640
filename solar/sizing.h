/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizing - how large a panel and a battery must be.
 *
 * First the worksheet (worst month, days of autonomy; IEEE 1013 and 1562 in their order), then the
 * search: the smallest designs that an hourly simulation over the whole file finds to lack no more
 * than a stated share of the load. Designs of equal reliability make a curve; on it the one of
 * least cost is taken, or of least panel times battery where nobody gives prices.
 */
#ifndef SOLAR_SIZING_H
#define SOLAR_SIZING_H

#include "solar/simulate.h"

#define CURVE_POINTS 24

struct sizing_rules {
	double autonomy_days; /* that the battery alone carries the load */
	double margin;        /* array to load: 1 is none */
	double performance;   /* of the panel through the year: derate, heat and controller */
	double lpsp_max;      /* the search's target */
	double panel_cost, battery_cost; /* of 1 W and 1 Wh, any currency; both 0: not known */
};

/* The worksheet's answer. */
struct sizing_quick {
	int64_t month;      /* of the design, from 1 */
	double sun_hours;   /* peak sun hours a day in it */
	double load_wh_day; /* at the bus */
	double panel_w, battery_wh;
	double capacity_share; /* what the coldest hour leaves of the battery */
};

struct sizing_point {
	double panel_w, battery_wh, lpsp;
};

struct sizing {
	struct sizing_quick quick;
	struct sizing_point best;
	int points; /* 0: no design reaches the target */
	struct sizing_point curve[CURVE_POINTS];
};

/* -1: a load of nothing, or no month with sun. */
int sizing_worksheet(const struct solar_case *c, const struct sizing_rules *r,
		     struct sizing_quick *q, struct fail *f);

/* Worksheet, curve and best design. -1: the worksheet failed. */
int sizing_search(const struct solar_case *c, const struct sizing_rules *r, struct sizing *s,
		  struct fail *f);

/* The least panel for a battery; NAN: no panel is enough. */
double sizing_panel(const struct solar_case *c, double battery_wh, double lpsp_max);
/* The least battery for a panel; NAN: none is enough. */
double sizing_battery(const struct solar_case *c, double panel_w, double lpsp_max);

/*
 * What a bank is rated at, in Ah or Wh like out: by the depth of discharge that is allowed and what
 * temperature and rate leave of the capacity (J. Dunlop, Photovoltaic Systems).
 */
double sizing_rated(double out, double depth, double left);

#endif
