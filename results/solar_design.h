/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solar_design - from a campaign's cells to the panel and battery that each suite needs.
 *
 * The load of a suite is the idle power of its node, one for all suites: the mean of what their
 * cells idled at, and the net energy of a request times the requests of each hour of the day. The
 * interval of the energy is carried through: a design is also run with the lower and the upper end
 * of it, and with the gaps of the weather as the file had them.
 */
#ifndef RESULTS_SOLAR_DESIGN_H
#define RESULTS_SOLAR_DESIGN_H

#include "results/report.h"
#include "results/role.h"
#include "solar/sizing.h"

struct solar_settings {
	struct solar_system system;
	struct sizing_rules rules;
	enum energy_role role;
	double requests_per_day;
	double share[24];           /* of a day's requests, by local hour; their sum is 1 */
	double idle_w;              /* given, in place of the cells'; NAN: theirs */
	double panel_w, battery_wh; /* both: this design is run; 0: searched, for the other one */
	const char *only;           /* part of a cell's name, or NULL */
};

/* Of one suite. */
struct solar_design {
	char suite[128], cell[208], source[16];
	int64_t cells; /* of the suite in the campaign that could have been taken */
	double idle_w;
	/* Standard uncertainty of its energy, of instrument or model; NAN: the idle was given. */
	double uncertainty_pct;
	struct interval net_mj;          /* of a request */
	struct interval load_wh_per_day; /* at the load */
	double panel_w, battery_wh;
	struct sizing sizing;
	struct solar_result year;             /* with the mean energy, gaps filled */
	struct solar_result year_lo, year_hi; /* with the ends of its interval */
	struct solar_result year_raw;         /* with the mean, gaps as they came */
	/* The least panel with the battery of the design with the largest load; NAN: none is
	 * enough. */
	double panel_w_same_battery;
};
extern const struct field solar_design_fields[], solar_month_fields[];

/* A suite that has no design. */
struct solar_left {
	char suite[128], reason[200];
};

struct solar_study {
	const struct report *report;
	const struct weather *weather;
	struct solar_settings settings;
	struct solar_design *design;
	size_t designs, reference; /* the one with the largest load: what others save against */
	struct solar_left *left;
	size_t lefts;
	char source[16]; /* of all designs: "measured" where any cell has it, else "modelled" */
	double worst_kwh_m2[4]; /* of 1, 3, 5 and 7 days in a row, in the panel's plane */
	double mean_kwh_m2_day;
	double other_wh_day; /* of --load-profile; not in the designs' load_wh_per_day */
};

/* report and weather are borrowed until release. -1: the reason, and nothing to release. */
int solar_study_make(struct solar_study *s, const struct report *r, const struct weather *w,
		     const struct solar_settings *set, struct fail *f);
void solar_study_release(struct solar_study *s);

/* What one suite saves against another, in a sentence: Wh a day, and panel at the same battery. */
void solar_saving(const struct solar_design *d, const struct solar_design *against,
		  struct buf *out);

/* Idle power's share of a day's load. */
double solar_idle_share(const struct solar_design *d);
/*
 * How sure the idle power is, where it is most of the load of all designs, which their intervals do
 * not say; nothing where it is not, or is not known.
 */
void solar_idle_text(const struct solar_study *s, struct buf *out);

/* "flat", "day" (8 to 18 o'clock), "evening" (17 to 23), or 24 shares with commas. */
int solar_profile(const char *text, double share[24], struct fail *f);

/* The sun of the worst 1, 3, 5 and 7 days: "0.10 0.50 n/a n/a (the file has 4.0 days)". */
void solar_worst_text(const struct solar_study *s, char *dst, size_t len);

int solar_write_json(const struct solar_study *s, struct buf *out);
void solar_write_text(const struct solar_study *s, struct buf *out);

#endif
