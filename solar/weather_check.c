/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_check - what a file's numbers can and cannot be, and what is done about it.
 *
 * Satellites miss hours, and services write 0 for them: a row without any irradiance while the sun
 * is well up is a gap. It is filled from the same hour of the nearest days that have one, and
 * counted, because in a small off-grid system such a gap makes much of the apparent outage.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/calendar.h"
#include "solar/sun.h"
#include "solar/weather_reader.h"

#define DARK_ELEVATION_DEG 10.0
#define IMPOSSIBLE_W_M2    1500.0
#define NOON_ERROR_H       0.6
#define NOON_HOPELESS_H    3.0
#define NOON_DAYS_MIN      30
#define GAP_SHARE_MAX      0.1
#define FILL_DAYS          60

static struct sun sun_of(const struct weather *w, const struct weather_row *row)
{
	return sun_at(row->sun_s, w->latitude_deg, w->longitude_deg);
}

/* In the middle of the row, when the most of it is light or dark. */
static struct sun middle_sun(const struct weather *w, const struct weather_row *row)
{
	return sun_at(row->start_s + w->step_s / 2, w->latitude_deg, w->longitude_deg);
}

static double *main_value(const struct weather *w, struct weather_row *row)
{
	return w->in_plane ? &row->poa_w_m2 : &row->ghi_w_m2;
}

/* A file with beam and diffuse alone has the global one in them. */
static void complete(struct weather *w)
{
	size_t global = 0, plane = 0;

	for (size_t i = 0; i < w->rows; i++) {
		struct weather_row *row = &w->row[i];

		if (isnan(row->ghi_w_m2) && !isnan(row->dni_w_m2) && !isnan(row->dhi_w_m2))
			row->ghi_w_m2 = row->dni_w_m2 * fmax(0, sun_of(w, row).sin_elevation) +
					row->dhi_w_m2;
		global += !isnan(row->ghi_w_m2);
		plane += !isnan(row->poa_w_m2);
	}
	w->in_plane = plane > global || (plane > 0 && plane == global && !isnan(w->slope_deg));
}

static void bound(struct weather *w, double *value)
{
	if (isnan(*value))
		return;
	if (*value < -1 || *value > IMPOSSIBLE_W_M2) {
		w->quality.impossible++;
		*value = NAN;
	} else if (*value < 0) {
		w->quality.clamped++;
		*value = 0;
	} else if (*value == 0) {
		*value = 0; /* a negative zero too */
	}
}

static int check_range(struct weather *w, struct fail *f)
{
	double most = 0;

	for (size_t i = 0; i < w->rows; i++) {
		struct weather_row *row = &w->row[i];

		bound(w, &row->ghi_w_m2);
		bound(w, &row->dni_w_m2);
		bound(w, &row->dhi_w_m2);
		bound(w, &row->poa_w_m2);
		most = fmax(most, *main_value(w, row));
	}
	if (w->quality.impossible * 100 > w->rows)
		return fail_set(
			f, EINVAL,
			"%zu values of irradiance are below -1 or above 1500: these are not W/m2 "
			"(daily sums in Wh/m2?)",
			w->quality.impossible);
	if (most == 0)
		return fail_set(f, EINVAL, "no sunshine in the whole file");
	if (most < 2)
		return fail_set(f, EINVAL,
				"the largest irradiance is %g: this looks like kW/m2; expected "
				"W/m2",
				most);
	return 0;
}

static void find_gaps(struct weather *w)
{
	double least = sin(DARK_ELEVATION_DEG * M_PI / 180);

	for (size_t i = 0; i < w->rows; i++) {
		struct weather_row *row = &w->row[i];
		double value = *main_value(w, row);

		if (isnan(value))
			row->flags |= WEATHER_MISSING;
		else if (value == 0 && middle_sun(w, row).sin_elevation > least)
			row->flags |= WEATHER_DARK;
		w->quality.missing += (row->flags & WEATHER_MISSING) != 0;
		w->quality.dark += (row->flags & WEATHER_DARK) != 0;
		w->quality.reconstructed += (row->flags & WEATHER_RECONSTRUCTED) != 0;
		w->quality.no_temperature += isnan(row->temperature_c);
	}
}

/* By the year in which it was: of a typical one each month has its own. */
static void tell_time(int64_t time_s, char *dst, size_t len)
{
	struct date d = calendar_date(time_s / 86400);

	snprintf(dst, len, "%lld-%02d-%02d %02lld:%02lld UTC", (long long)d.year, d.month, d.day,
		 (long long)(time_s % 86400 / 3600), (long long)(time_s % 3600 / 60));
}

/* A row without a gap, so many days away; NULL: none there. */
static const struct weather_row *neighbour(const struct weather *w, size_t at, int64_t days)
{
	int64_t rows = (int64_t)w->rows, index = (int64_t)at + days * (86400 / w->step_s);

	if (w->typical)
		index = (index % rows + rows) % rows;
	if (index < 0 || index >= rows)
		return NULL;
	return w->row[index].flags & (WEATHER_MISSING | WEATHER_DARK) ? NULL : &w->row[index];
}

/* The mean of what is known of both; of one, that. */
static double between(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return (a + b) / 2;
}

static bool fill(struct weather *w, size_t at)
{
	const struct weather_row *before = NULL, *after = NULL,
				 none = { .ghi_w_m2 = NAN,
					  .dni_w_m2 = NAN,
					  .dhi_w_m2 = NAN,
					  .poa_w_m2 = NAN };
	struct weather_row *row = &w->row[at];

	for (int64_t day = 1; day <= FILL_DAYS && !before; day++)
		before = neighbour(w, at, -day);
	for (int64_t day = 1; day <= FILL_DAYS && !after; day++)
		after = neighbour(w, at, day);
	if (!before && !after)
		return false;
	before = before ? before : &none;
	after = after ? after : &none;
	row->ghi_w_m2 = between(before->ghi_w_m2, after->ghi_w_m2);
	row->dni_w_m2 = between(before->dni_w_m2, after->dni_w_m2);
	row->dhi_w_m2 = between(before->dhi_w_m2, after->dhi_w_m2);
	row->poa_w_m2 = between(before->poa_w_m2, after->poa_w_m2);
	return true;
}

/* Values first, flags after: a filled row is no neighbour for the next. */
static void fill_all(struct weather *w)
{
	for (size_t i = 0; i < w->rows; i++)
		if (w->row[i].flags & (WEATHER_MISSING | WEATHER_DARK) && fill(w, i)) {
			w->row[i].flags |= WEATHER_FILLED;
			w->quality.filled++;
		}
}

static int treat_gaps(struct weather *w, enum weather_gaps gaps, struct fail *f)
{
	size_t count = w->quality.missing + w->quality.dark, first = 0;
	char when[64];

	if (count == 0)
		return 0;
	while (!(w->row[first].flags & (WEATHER_MISSING | WEATHER_DARK)))
		first++;
	tell_time(w->row[first].sun_s, when, sizeof(when));
	if ((double)count > GAP_SHARE_MAX * (double)w->rows)
		return fail_set(f, EINVAL,
				"%zu of %zu rows have no irradiance, first %s: too many to size "
				"anything by",
				count, w->rows, when);
	if (gaps == WEATHER_FAIL)
		return fail_set(
			f, EINVAL,
			"%zu rows have no irradiance (%zu of them say 0 with the sun above 10 "
			"degrees), first %s; --gaps fill takes the days around them",
			count, w->quality.dark, when);
	weather_note(w,
		     "%zu rows have no irradiance, %zu of them 0 with the sun above 10 degrees, "
		     "first %s: %s",
		     count, w->quality.dark, when,
		     gaps == WEATHER_FILL ? "filled from the same hour of the days around"
					  : "kept as darkness");
	if (gaps == WEATHER_FILL)
		fill_all(w);
	return 0;
}

static double sum_kwh_m2(struct weather *w, bool with_filled)
{
	double sum = 0;

	for (size_t i = 0; i < w->rows; i++) {
		double value = *main_value(w, &w->row[i]);

		if (!isnan(value) && (with_filled || !(w->row[i].flags & WEATHER_FILLED)))
			sum += value;
	}
	return sum * w->step_s / 3600 / 1000 / weather_years(w);
}

/* The centre of the sunshine in local solar time, on the circle of the day, should be noon. */
static int check_noon(struct weather *w, struct fail *f)
{
	double east = 0, north = 0, error_h;

	if ((int64_t)w->rows * w->step_s < NOON_DAYS_MIN * 86400)
		return 0;
	for (size_t i = 0; i < w->rows; i++) {
		const struct weather_row *row = &w->row[i];
		double solar_s = fmod((double)row->sun_s + w->longitude_deg * 240, 86400);
		double angle = (solar_s / 86400 - 0.5) * 2 * M_PI,
		       value = weather_irradiance(w, row);

		if (isnan(value))
			continue;
		east += value * sin(angle);
		north += value * cos(angle);
	}
	error_h = w->quality.noon_error_h = atan2(east, north) / (2 * M_PI) * 24;
	if (fabs(error_h) > NOON_HOPELESS_H)
		return fail_set(
			f, EINVAL,
			"the sunshine is centred %.1f h %s solar noon: the stamps are of another "
			"time zone, by about %+.0f h, or the place is another",
			fabs(error_h), error_h > 0 ? "after" : "before", -error_h);
	if (fabs(error_h) > NOON_ERROR_H && !w->in_plane)
		weather_note(w,
			     "the sunshine is centred %.2f h %s solar noon: the stamps look wrong "
			     "by about "
			     "%+.0f h (--utc-offset, or another file)",
			     fabs(error_h), error_h > 0 ? "after" : "before", -error_h);
	return 0;
}

int weather_check(struct weather *w, const struct weather_options *o, struct fail *f)
{
	struct weather_quality *q = &w->quality;

	complete(w);
	if (check_range(w, f) < 0 || check_noon(w, f) < 0)
		return -1;
	find_gaps(w);
	if (treat_gaps(w, o->gaps, f) < 0)
		return -1;
	q->raw_kwh_m2 = sum_kwh_m2(w, false);
	q->kwh_m2 = sum_kwh_m2(w, true);
	if (weather_years(w) < 1)
		weather_note(w,
			     "the file covers %.3g days, not a year: the rest of the year is in no "
			     "figure here",
			     (double)w->rows * w->step_s / 86400);
	if (q->no_temperature == w->rows)
		weather_note(
			w, "no temperature in the file: cells and battery are taken at 25 degrees");
	if (q->impossible)
		weather_note(w, "%zu values below -1 or above 1500 W/m2 were taken as missing",
			     q->impossible);
	return 0;
}
