/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - a panel, a battery and a load over every row of a weather file.
 *
 * Energy is counted at the bus, where panel (behind the charge controller), battery and load
 * (before its converter) meet; what the load lacks is counted at the load. The state of charge
 * stays between the least that is allowed and the capacity: energy that is not there is booked
 * as unmet, never taken.
 *
 * A typical year is periodic: it runs twice and the second pass counts. Real years begin full.
 */
#ifndef SOLAR_SIMULATE_H
#define SOLAR_SIMULATE_H

#include "solar/panel.h"

#define SOC_BINS     10
#define SOLAR_MONTHS 12

enum battery_kind { BATTERY_LEAD, BATTERY_LFP };

struct battery {
	enum battery_kind kind;
	double minimum;           /* least state of charge, a share of the capacity */
	double charge, discharge; /* efficiencies */
	double self_month;        /* share that it loses in 30 days by itself */
	bool cold;                /* its capacity follows the air's temperature */
};

struct controller {
	double efficiency; /* from the panel's terminals to the bus */
	double own_w;      /* what it takes itself, always */
	double limit_w;    /* most that it passes; 0: no limit */
};

struct solar_system {
	struct panel panel;
	struct battery battery;
	struct controller controller;
	double converter; /* efficiency from the bus to the load */
	bool other_load;  /* what stands in load_w of the weather's rows is carried too */
};

/* What does not depend on the size of anything: made once for a site and a load. */
struct solar_case {
	const struct weather *weather; /* borrowed */
	struct solar_system system;
	double *unit_w; /* of each row: at the bus, for 1 W of panel, before the limit */
	double *load_w; /* at the load */
	double *usable; /* share of the capacity that the temperature leaves */
	double mean_w;  /* of load_w */
};

struct solar_month {
	double days;
	double sun_kwh_m2_day;            /* in the panel's plane */
	double panel_wh_day, load_wh_day; /* at the bus; at the load */
	double unmet_wh, hours_lost, excess_wh_day;
	double soc_min; /* share of the capacity */
};

struct solar_result {
	double panel_wh, load_wh; /* at the bus, limited; at the load: what was asked */
	double unmet_wh;          /* at the load */
	double excess_wh;         /* what neither load nor battery took */
	double charged_wh, discharged_wh, self_wh; /* at the bus; at the bus; inside the battery */
	double soc_first_wh, soc_last_wh;
	double lpsp; /* unmet over load, by energy */
	double hours, hours_lost, longest_h;
	double lolp; /* hours lost over hours */
	/* Shares of the calendar days (UTC) on which it was full, and empty while the load asked.
	 */
	double full_days, empty_days;
	int64_t first_lost_s, last_lost_s; /* -1: none */
	double soc_share[SOC_BINS];        /* of the time, by state of charge */
	struct solar_month month[SOLAR_MONTHS];
};

/* Mean power in each local hour of the day. */
struct day_load {
	double w[24];
};

/* -1: no memory, or a panel that does not suit the file. */
int solar_case_init(struct solar_case *c, const struct weather *w, const struct solar_system *s,
		    const struct day_load *load, struct fail *f);
/* Another load under the same sky. */
void solar_case_set_load(struct solar_case *c, const struct day_load *load);
/* The load that stands beside the weather in the file. -1: there is none. */
int solar_case_init_own_load(struct solar_case *c, const struct weather *w,
			     const struct solar_system *s, struct fail *f);
void solar_case_release(struct solar_case *c);

/* Never fails; panel_w and battery_wh are not negative. */
void solar_simulate(const struct solar_case *c, double panel_w, double battery_wh,
		    struct solar_result *r);
/* The same for searches: unmet over load alone. */
double solar_lpsp(const struct solar_case *c, double panel_w, double battery_wh);

/*
 * Share of a lead-acid battery's capacity at a temperature: 60 % at -10, 80 % at 0, 100 % from 25
 * degrees on, straight between (NREL SSC's battery test); a lithium one keeps it.
 */
double battery_capacity_share(enum battery_kind kind, double temperature_c);

/* The least sum of so many days in a row, kWh/m2, in the panel's plane; NAN: a shorter file. */
double solar_worst_days(const struct solar_case *c, int days);

#endif
