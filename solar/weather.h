/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather - a site's sun and air over time, from the files that public services give out.
 *
 * The format is found by what a file says, never by its name. Whatever a source calls a row's
 * time, here each row has the UTC instant it begins at, its length, and the instant at which the
 * sun stood where the irradiance was meant. What was repaired on the way is counted in `quality`
 * and said in its notes.
 *
 * Formats: PVGIS hourly and TMY (CSV, JSON), EPW (of PVGIS too), TMY3, NSRDB and SAM CSV,
 * SolarAnywhere, PVWatts hourly results, and tables or columns of hourly numbers as HOMER takes.
 */
#ifndef SOLAR_WEATHER_H
#define SOLAR_WEATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"

#define WEATHER_BYTES_MAX  (256u << 20)
#define WEATHER_NOTES      16
#define WEATHER_NOTE_BYTES 320

/* What the time of a source's row is of the interval that it is about. */
enum weather_meaning { WEATHER_INSTANT, WEATHER_STARTS, WEATHER_CENTRE, WEATHER_ENDS };

/* What to do with rows that are missing, or dark although the sun is well up. */
enum weather_gaps { WEATHER_FILL, WEATHER_KEEP, WEATHER_FAIL };

enum weather_flag {
	WEATHER_MISSING = 1,       /* no irradiance */
	WEATHER_RECONSTRUCTED = 2, /* the source says it was not observed */
	WEATHER_DARK = 4,          /* none at all although the sun is above 10 degrees */
	WEATHER_FILLED = 8,        /* from the same hour of days around it */
};

struct weather_row {
	int64_t start_s; /* UTC, since 1970; of a typical year in the year 2001 */
	int64_t sun_s;   /* UTC: when to look where the sun stands */
	/* NAN: not known. poa: in the plane of an array that the source chose. */
	double ghi_w_m2, dni_w_m2, dhi_w_m2, poa_w_m2;
	double temperature_c, wind_m_s;
	double load_w; /* where the file has a load beside the weather */
	uint8_t flags;
};

struct weather_quality {
	size_t missing;       /* rows without irradiance */
	size_t dark;          /* WEATHER_DARK */
	size_t filled;        /* of both */
	size_t reconstructed; /* as the source says */
	size_t clamped;       /* small negative irradiance made 0 */
	size_t impossible;    /* below -1 or above 1500 W/m2: taken as missing */
	size_t no_temperature;
	size_t snapped;      /* stamps up to two minutes off the grid */
	size_t dropped;      /* 29 February of a typical year */
	size_t inserted;     /* rows that the file leaves out */
	double noon_error_h; /* irradiance's centre of the day less solar noon; NAN: no longitude */
	double raw_kwh_m2;   /* horizontal (or in plane) sum a year before filling */
	double kwh_m2;       /* after it */
	int notes;
	char note[WEATHER_NOTES][WEATHER_NOTE_BYTES];
};

struct weather {
	struct weather_row *row;
	size_t rows;
	int32_t step_s;
	const char *format; /* "PVGIS TMY CSV" */
	enum weather_meaning meaning;
	bool typical;                       /* months of different years: 365 days */
	double latitude_deg, longitude_deg; /* north and east positive; NAN: not known */
	double elevation_m;
	int zone_minutes; /* the site's standard time, east of UTC positive */
	char place[96];
	bool in_plane; /* poa, not ghi, is what the file has */
	/* Of that plane; azimuth from north, so 180 is south. NAN: not fixed, or not said. */
	double slope_deg, azimuth_deg;
	struct weather_quality quality;
};

struct weather_options {
	double latitude_deg, longitude_deg; /* NAN: as the file says */
	bool zone_given;
	int zone_minutes;
	enum weather_gaps gaps;
};

/* -1: the reason in f, with the line where there is one; w is then empty. */
int weather_open(struct weather *w, const char *path, const struct weather_options *o,
		 struct fail *f);
int weather_parse(struct weather *w, const char *text, size_t len, const struct weather_options *o,
		  struct fail *f);
void weather_release(struct weather *w);

/* The same file with its gaps as they came: what filling changed. -1: no memory. */
int weather_unfilled(const struct weather *w, struct weather *raw, struct fail *f);

/* Of a row: horizontal irradiance, or in plane where that is what the file has; NAN: missing. */
double weather_irradiance(const struct weather *w, const struct weather_row *row);

/* How long the file is, in years of 365.2425 days; a typical year is 1. */
double weather_years(const struct weather *w);

/* Local standard hour of the day in which a row begins, 0 to 23. */
int weather_local_hour(const struct weather *w, const struct weather_row *row);

#endif
