/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather - finds the reader of a file, and what others ask of the rows. It must not know a
 * format.
 */
#include "solar/weather.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/path.h"
#include "solar/weather_reader.h"

#define SECONDS_PER_YEAR (365.2425 * 86400)
#define PLACE_DEG        0.5 /* farther apart is another site */

const struct weather_reader *const weather_readers[] = {
	&weather_epw,   &weather_tmy3, &weather_pvgis_json,    &weather_pvgis_csv, &weather_pvwatts,
	&weather_nsrdb, &weather_dump, &weather_solaranywhere, &weather_hourly,    NULL,
};

void weather_note(struct weather *w, const char *fmt, ...)
{
	struct weather_quality *q = &w->quality;
	va_list ap;

	if (q->notes == WEATHER_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(q->note[q->notes++], WEATHER_NOTE_BYTES, fmt, ap);
	va_end(ap);
}

static const struct weather_reader *find_reader(const char *text, size_t len, struct fail *f)
{
	struct sniff s = { 0 };
	struct lex l;
	bool cut;

	if (lex_init(&l, text, len, f) < 0)
		return NULL;
	while (s.lines < SNIFF_LINES && lex_line(&l, &s.line[s.lines], &cut))
		s.lines++;
	for (int i = 0; weather_readers[i]; i++)
		if (weather_readers[i]->sniff(&s))
			return weather_readers[i];
	fail_set(
		f, EINVAL,
		"not a weather file that is known: it begins with \"%.*s\"; expected PVGIS (CSV or "
		"JSON), EPW, TMY3, NSRDB or SAM CSV, SolarAnywhere, PVWatts, or a column of hourly "
		"irradiance",
		s.lines ? (int)(s.line[0].len < 60 ? s.line[0].len : 60) : 0,
		s.lines ? s.line[0].at : "");
	return NULL;
}

static void begin(struct weather *w, const struct weather_reader *r)
{
	memset(w, 0, sizeof(*w));
	w->format = r->name;
	w->latitude_deg = w->longitude_deg = w->elevation_m = NAN;
	w->slope_deg = w->azimuth_deg = NAN;
	w->zone_minutes = WEATHER_NO_ZONE;
	w->quality.noon_error_h = NAN;
}

/* What the user says of the place goes before what the file says. */
static int place(struct weather *w, const struct weather_options *o, struct fail *f)
{
	if (fabs(o->latitude_deg - w->latitude_deg) > PLACE_DEG ||
	    fabs(o->longitude_deg - w->longitude_deg) > PLACE_DEG)
		weather_note(w,
			     "the file is of %.3f, %.3f: another place was asked for, and the sun "
			     "of that is reckoned with, but not its weather",
			     w->latitude_deg, w->longitude_deg);
	if (!isnan(o->latitude_deg))
		w->latitude_deg = o->latitude_deg;
	if (!isnan(o->longitude_deg))
		w->longitude_deg = o->longitude_deg;
	if (isnan(w->latitude_deg) || isnan(w->longitude_deg))
		return fail_set(f, EINVAL,
				"no location in the file (%s); give --latitude and --longitude",
				w->format);
	if (fabs(w->latitude_deg) > 90 || fabs(w->longitude_deg) > 180)
		return fail_set(
			f, EINVAL,
			"latitude %g, longitude %g: expected -90 to 90 and -180 to 180 degrees",
			w->latitude_deg, w->longitude_deg);
	return 0;
}

int weather_parse(struct weather *w, const char *text, size_t len, const struct weather_options *o,
		  struct fail *f)
{
	struct weather_source src = { .w = w, .text = text, .len = len, .options = o };
	const struct weather_reader *r;
	int status = -1;

	memset(w, 0, sizeof(*w));
	r = find_reader(text, len, f);
	if (!r)
		return -1;
	begin(w, r);
	if (lex_init(&src.lex, text, len, f) < 0 || r->read(&src, f) < 0)
		goto out;
	if (w->rows == 0) {
		fail_set(f, EINVAL, "no row of weather in the file (%s)", r->name);
		goto out;
	}
	if (place(w, o, f) == 0 && weather_settle(&src, f) == 0 && weather_check(w, o, f) == 0)
		status = 0;
out:
	free(src.year);
	if (status < 0)
		weather_release(w);
	return status;
}

int weather_open(struct weather *w, const char *path, const struct weather_options *o,
		 struct fail *f)
{
	struct buf text = { 0 };
	int status = -1;

	memset(w, 0, sizeof(*w));
	if (path_read(path, WEATHER_BYTES_MAX, &text, f) == 0) {
		status = weather_parse(w, text.data ? text.data : "", text.len, o, f);
		if (status < 0)
			fail_within(f, "%s", path);
	}
	buf_release(&text);
	return status;
}

void weather_release(struct weather *w)
{
	free(w->row);
	memset(w, 0, sizeof(*w));
}

int weather_unfilled(const struct weather *w, struct weather *raw, struct fail *f)
{
	*raw = *w;
	raw->row = malloc(w->rows * sizeof(*w->row));
	if (!raw->row)
		return fail_set(f, ENOMEM, "no memory for %zu rows of weather", w->rows);
	memcpy(raw->row, w->row, w->rows * sizeof(*w->row));
	for (size_t i = 0; i < raw->rows; i++) {
		struct weather_row *row = &raw->row[i];

		if (!(row->flags & WEATHER_FILLED))
			continue;
		row->flags &= (uint8_t)~WEATHER_FILLED;
		row->ghi_w_m2 = row->dni_w_m2 = row->dhi_w_m2 = row->poa_w_m2 = 0;
	}
	raw->quality.filled = 0;
	raw->quality.kwh_m2 = w->quality.raw_kwh_m2;
	return 0;
}

double weather_irradiance(const struct weather *w, const struct weather_row *row)
{
	return w->in_plane ? row->poa_w_m2 : row->ghi_w_m2;
}

double weather_years(const struct weather *w)
{
	double years = (double)w->rows * w->step_s / SECONDS_PER_YEAR, whole = round(years);

	/* Of 365 or 366 days. */
	return whole >= 1 && fabs(years - whole) * SECONDS_PER_YEAR < 86400 ? whole : years;
}

int weather_local_hour(const struct weather *w, const struct weather_row *row)
{
	int64_t local = row->start_s + w->zone_minutes * 60;
	int64_t second = ((local % 86400) + 86400) % 86400;

	return (int)(second / 3600);
}
