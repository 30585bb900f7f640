/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_station - TMY3, and SolarAnywhere's CSV that took its first line from it: a station, its
 * standard time and its place, then columns by name. Times name the end of the interval;
 * midnight is 24:00.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "solar/weather_reader.h"

static bool second_line_starts(const struct sniff *s, const char *text)
{
	return s->lines > 1 && s->line[1].len >= strlen(text) &&
	       strncasecmp(s->line[1].at, text, strlen(text)) == 0;
}

static bool sniff_tmy3(const struct sniff *s)
{
	return second_line_starts(s, "Date (MM/DD/YYYY),Time (HH:MM)");
}

static bool sniff_solaranywhere(const struct sniff *s)
{
	return second_line_starts(s, "ObservationTime(LST),");
}

/* 723170,"GREENSBORO PIEDMONT TRIAD INT",NC,-5.0,36.100,-79.950,273 */
static int read_station(struct weather_source *src, struct fail *f)
{
	struct weather *w = src->w;
	struct slice line;
	struct cells c;
	bool cut;

	if (!lex_line(&src->lex, &line, &cut) || !lex_split(line, ',', &c) || c.count < 7)
		return fail_set(
			f, EINVAL,
			"line 1: expected station,name,state,zone,latitude,longitude,elevation");
	weather_cell_text(&c, 1, w->place, sizeof(w->place));
	if (weather_zone(c.cell[3], &w->zone_minutes, f) < 0 ||
	    weather_number(c.cell[4], "latitude", &w->latitude_deg, f) < 0 ||
	    weather_number(c.cell[5], "longitude", &w->longitude_deg, f) < 0 ||
	    weather_number(c.cell[6], "elevation", &w->elevation_m, f) < 0)
		return fail_within(f, "line 1");
	src->stamp_minutes = w->zone_minutes;
	src->zone_known = true;
	w->meaning = WEATHER_ENDS;
	return 0;
}

/* Two digits and what stands behind them. */
static int two(const char *at, char behind)
{
	if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9' || at[2] != behind)
		return -1;
	return (at[0] - '0') * 10 + at[1] - '0';
}

/* "02/29/1996" and "24:00" */
static int date_and_time(const struct weather_columns *c, const struct cells *cells, int64_t *year,
			 int64_t *label_s, struct fail *f)
{
	char date[16], time[16];
	int month, day, hour, minute;
	double y = 0;

	weather_cell_text(cells, c->at[COLUMN_DATE], date, sizeof(date));
	weather_cell_text(cells, c->at[COLUMN_TIME], time, sizeof(time));
	month = strlen(date) == 10 ? two(date, '/') : -1;
	day = month < 0 ? -1 : two(date + 3, '/');
	hour = strlen(time) == 5 ? two(time, ':') : -1;
	minute = hour < 0 ? -1 : two(time + 3, '\0');
	if (day < 0 || minute < 0 || minute > 59 ||
	    weather_number((struct slice){ date + 6, 4 }, "year", &y, f) < 0)
		return fail_set(f, EINVAL, "\"%s,%s\"; expected MM/DD/YYYY,HH:MM", date, time);
	*year = (int64_t)y;
	return weather_label(*year, month, day, hour * 60 + minute, label_s, f);
}

/* Codes for "not measured" of both formats. */
static void drop_missing(struct weather_row *row)
{
	double *values[] = { &row->ghi_w_m2, &row->dni_w_m2, &row->dhi_w_m2, &row->temperature_c,
			     &row->wind_m_s };

	for (int i = 0; i < 5; i++)
		if (*values[i] <= -900 || *values[i] >= 9999)
			*values[i] = NAN;
	if (row->temperature_c >= 99.9)
		row->temperature_c = NAN;
}

static int read_row(struct weather_source *src, const struct weather_columns *c,
		    const struct cells *cells, struct fail *f)
{
	struct weather_row *row;
	int64_t year, label_s;
	int status;

	if (c->at[COLUMN_STAMP] >= 0 && c->at[COLUMN_STAMP] < cells->count)
		status = weather_stamp(cells->cell[c->at[COLUMN_STAMP]], &year, &label_s, f);
	else
		status = date_and_time(c, cells, &year, &label_s, f);
	row = status == 0 ? weather_add(src, year, label_s, f) : NULL;
	if (!row || weather_values(c, cells, row, f) < 0)
		return -1;
	drop_missing(row);
	return 0;
}

static int read_table(struct weather_source *src, struct fail *f)
{
	struct weather_columns c;
	struct slice line;
	struct cells cells;
	bool cut;

	if (read_station(src, f) < 0)
		return -1;
	if (!lex_line(&src->lex, &line, &cut) || !lex_split(line, ',', &cells))
		return fail_set(f, EINVAL, "line 2: expected the names of the columns");
	weather_columns_find(&c, &cells);
	if (c.at[COLUMN_GHI] < 0)
		return fail_set(f, EINVAL, "line 2: no column of global horizontal irradiance");
	while (lex_line(&src->lex, &line, &cut)) {
		if (slice_trim(line).len == 0)
			continue;
		if (!lex_split(line, ',', &cells))
			return fail_set(f, EINVAL, "line %d: too many cells", src->lex.line);
		if (read_row(src, &c, &cells, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
	}
	return 0;
}

const struct weather_reader weather_tmy3 = {
	.name = "TMY3",
	.looks = "station line, then Date (MM/DD/YYYY),Time (HH:MM),...",
	.sniff = sniff_tmy3,
	.read = read_table,
};

const struct weather_reader weather_solaranywhere = {
	.name = "SolarAnywhere CSV",
	.looks = "station line, then ObservationTime(LST),...",
	.sniff = sniff_solaranywhere,
	.read = read_table,
};
