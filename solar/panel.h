/* SPDX-License-Identifier: Apache-2.0 */
/*
 * panel - what a fixed photovoltaic panel gives for a row of weather.
 *
 * The diffuse part, where a file has none: D. Erbs, S. Klein and J. Duffie, Solar Energy 28 (1982).
 * From horizontal to the plane: the model of Hay, Davies, Klucher and Reindl (J. Duffie and
 * W. Beckman, Solar Engineering of Thermal Processes, section 2.16). Cells by their nominal
 * operating temperature (the same, section 23.3).
 */
#ifndef SOLAR_PANEL_H
#define SOLAR_PANEL_H

#include "solar/weather.h"

struct panel {
	double slope_deg;   /* 0: flat */
	double azimuth_deg; /* from north, over east: 180 is south */
	double derate;      /* share left by wiring, soiling, mismatch: 0 to 1 */
	double per_degree;  /* of power, for each degree of the cell above 25: -0.004; 0: none */
	double noct_c;      /* of the cell at 800 W/m2 and 20 degrees */
	double efficiency;  /* share of the light that leaves as electricity, not heat; 0: none */
	double albedo;      /* of the ground */
};

/*
 * -1: the file's irradiance is of a plane that is not the panel's, and nothing horizontal is in
 * the file.
 */
int panel_check(const struct panel *p, const struct weather *w, struct fail *f);

/* W/m2 in the panel's plane; a missing row gives 0. */
double panel_irradiance(const struct panel *p, const struct weather *w,
			const struct weather_row *row);

/* W for each W at standard conditions; temperature NAN: the cell is at 25 degrees. */
double panel_output(const struct panel *p, double plane_w_m2, double temperature_c);

/* Diffuse share of the horizontal irradiance by the clearness index. */
double panel_diffuse_share(double clearness);

#endif
