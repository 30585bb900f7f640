/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_nsrdb - NSRDB's CSV and SAM's: a line of names, a line of values, then a table. Also such
 * a table alone, as programs write it out again, and PVWatts's hourly results.
 *
 * A minute is the centre of its interval; without minutes an hour names its beginning. "Time Zone"
 * is the clock of the stamps, "Local Time Zone" that of the site: an empty one is never 0.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "solar/weather_reader.h"

static bool starts(struct slice s, const char *text)
{
	return s.len >= strlen(text) && strncasecmp(s.at, text, strlen(text)) == 0;
}

/* The index of the first of these names (they end with NULL) among the cells; -1: none. */
static int find(const struct cells *c, const char *const *names)
{
	for (; *names; names++)
		for (int i = 0; i < c->count; i++)
			if (c->cell[i].len == strlen(*names) &&
			    strncasecmp(c->cell[i].at, *names, c->cell[i].len) == 0)
				return i;
	return -1;
}

static const char *const latitude_names[] = { "Latitude", "Lat", NULL };
static const char *const longitude_names[] = { "Longitude", "Long", "Lng", "Lon", NULL };
static const char *const zone_names[] = { "Time Zone", "tz", "Timezone", NULL };
static const char *const local_names[] = { "Local Time Zone", NULL };
static const char *const elevation_names[] = { "Elevation", "Elev", NULL };
static const char *const place_names[] = { "City", "Location", "Location ID", NULL };

static bool is_table(struct slice line)
{
	struct weather_columns c;
	struct cells cells;

	if (!lex_split(line, ',', &cells))
		return false;
	weather_columns_find(&c, &cells);
	return c.at[COLUMN_MONTH] >= 0 && c.at[COLUMN_DAY] >= 0 && c.at[COLUMN_HOUR] >= 0 &&
	       (c.at[COLUMN_GHI] >= 0 || c.at[COLUMN_DNI] >= 0 || c.at[COLUMN_POA] >= 0);
}

static bool sniff_nsrdb(const struct sniff *s)
{
	struct cells c;

	return s->lines > 2 && lex_split(s->line[0], ',', &c) && find(&c, latitude_names) >= 0 &&
	       find(&c, longitude_names) >= 0 && is_table(s->line[2]);
}

static bool sniff_dump(const struct sniff *s)
{
	return s->lines > 1 && is_table(s->line[0]);
}

static bool sniff_pvwatts(const struct sniff *s)
{
	return s->lines > 0 && starts(s->line[0], "PVWatts");
}

static int meta_number(const struct cells *values, int at, const char *what, double *value,
		       struct fail *f)
{
	*value = NAN;
	return at >= 0 && at < values->count ? weather_number(values->cell[at], what, value, f) : 0;
}

static int read_zones(struct weather_source *src, const struct cells *names,
		      const struct cells *values, struct fail *f)
{
	int at[2] = { find(names, zone_names), find(names, local_names) };
	int minutes[2] = { WEATHER_NO_ZONE, WEATHER_NO_ZONE };

	for (int i = 0; i < 2; i++)
		if (at[i] >= 0 && at[i] < values->count && values->cell[at[i]].len > 0 &&
		    weather_zone(values->cell[at[i]], &minutes[i], f) < 0)
			return -1;
	if (minutes[0] == WEATHER_NO_ZONE)
		minutes[0] = minutes[1];
	if (minutes[0] == WEATHER_NO_ZONE)
		return 0;
	src->zone_known = true;
	src->stamp_minutes = minutes[0];
	src->w->zone_minutes = minutes[1] == WEATHER_NO_ZONE ? minutes[0] : minutes[1];
	return 0;
}

static int read_meta(struct weather_source *src, struct fail *f)
{
	struct weather *w = src->w;
	struct slice line[2];
	struct cells names, values;
	bool cut;

	if (!lex_line(&src->lex, &line[0], &cut) || !lex_line(&src->lex, &line[1], &cut) ||
	    !lex_split(line[0], ',', &names) || !lex_split(line[1], ',', &values))
		return fail_set(f, EINVAL, "lines 1 and 2: expected names and values of the site");
	weather_cell_text(&values, find(&names, place_names), w->place, sizeof(w->place));
	if (meta_number(&values, find(&names, latitude_names), "latitude", &w->latitude_deg, f) <
		    0 ||
	    meta_number(&values, find(&names, longitude_names), "longitude", &w->longitude_deg, f) <
		    0 ||
	    meta_number(&values, find(&names, elevation_names), "elevation", &w->elevation_m, f) <
		    0 ||
	    read_zones(src, &names, &values, f) < 0)
		return fail_within(f, "line 2");
	return 0;
}

struct parts {
	double year, month, day, hour, minute;
};

static int read_part(const struct weather_columns *c, const struct cells *cells,
		     enum weather_column column, const char *what, double absent, double *value,
		     struct fail *f)
{
	*value = absent;
	if (c->at[column] < 0)
		return 0;
	if (c->at[column] >= cells->count ||
	    weather_number(cells->cell[c->at[column]], what, value, f) < 0)
		return fail_set(f, EINVAL, "no %s", what);
	if (!(*value >= 0 && *value < 10000) || *value != floor(*value))
		return fail_set(f, EINVAL, "%s %g", what, *value);
	return 0;
}

static int read_row(struct weather_source *src, const struct weather_columns *c,
		    const struct cells *cells, struct fail *f)
{
	struct parts p;
	struct weather_row *row;
	int64_t label_s;

	if (read_part(c, cells, COLUMN_YEAR, "year", 2001, &p.year, f) < 0 ||
	    read_part(c, cells, COLUMN_MONTH, "month", 1, &p.month, f) < 0 ||
	    read_part(c, cells, COLUMN_DAY, "day", 1, &p.day, f) < 0 ||
	    read_part(c, cells, COLUMN_HOUR, "hour", 0, &p.hour, f) < 0 ||
	    read_part(c, cells, COLUMN_MINUTE, "minute", 0, &p.minute, f) < 0 ||
	    weather_label((int64_t)p.year, (int)p.month, (int)p.day,
			  (int64_t)(p.hour * 60 + p.minute), &label_s, f) < 0)
		return -1;
	row = weather_add(src, (int64_t)p.year, label_s, f);
	return row ? weather_values(c, cells, row, f) : -1;
}

/* From the line of column names to the end, or to a line of totals. */
static int read_table(struct weather_source *src, struct slice head, struct fail *f)
{
	struct weather_columns c;
	struct cells cells;
	struct slice line;
	bool cut;

	lex_split(head, ',', &cells);
	weather_columns_find(&c, &cells);
	src->w->meaning = c.at[COLUMN_MINUTE] >= 0 ? WEATHER_CENTRE : WEATHER_STARTS;
	while (lex_line(&src->lex, &line, &cut)) {
		line = slice_trim(line);
		if (line.len == 0)
			continue;
		if (starts(line, "Totals") || starts(line, "\"Totals"))
			break;
		if (!lex_split(line, ',', &cells))
			return fail_set(f, EINVAL, "line %d: too many cells", src->lex.line);
		if (read_row(src, &c, &cells, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
	}
	return 0;
}

static int read_nsrdb(struct weather_source *src, struct fail *f)
{
	struct slice head;
	bool cut;

	if (read_meta(src, f) < 0 || !lex_line(&src->lex, &head, &cut))
		return -1;
	return read_table(src, head, f);
}

static int read_dump(struct weather_source *src, struct fail *f)
{
	struct slice head;
	bool cut;

	if (!lex_line(&src->lex, &head, &cut))
		return fail_set(f, EINVAL, "line 1: expected the names of the columns");
	return read_table(src, head, f);
}

/* "Lat (deg N):,39.73" and its like; longitude is west there. */
static void pvwatts_meta(struct weather *w, struct slice line)
{
	const struct {
		const char *label;
		double sign, *value;
	} known[] = {
		{ "Lat (deg N)", 1, &w->latitude_deg },  { "Long (deg W)", -1, &w->longitude_deg },
		{ "Elev (m)", 1, &w->elevation_m },      { "Array Tilt", 1, &w->slope_deg },
		{ "Array Azimuth", 1, &w->azimuth_deg },
	};
	struct fail no = { 0 };
	struct cells c;
	double value;

	if (!lex_split(line, ',', &c) || c.count < 2)
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (starts(c.cell[0], known[i].label) &&
		    weather_number(c.cell[1], known[i].label, &value, &no) == 0)
			*known[i].value = known[i].sign * value;
}

static int read_pvwatts(struct weather_source *src, struct fail *f)
{
	struct slice line;
	bool cut;

	while (lex_line(&src->lex, &line, &cut)) {
		if (!is_table(line)) {
			pvwatts_meta(src->w, line);
			continue;
		}
		src->w->typical = true; /* no years at all */
		if (!isnan(src->w->longitude_deg)) {
			src->zone_known = true;
			src->stamp_minutes = (int)lround(src->w->longitude_deg / 15) * 60;
		}
		return read_table(src, line, f);
	}
	return fail_set(f, EINVAL, "no line of column names Month,Day,Hour,...");
}

const struct weather_reader weather_nsrdb = {
	.name = "NSRDB or SAM CSV",
	.looks = "Source,Location ID,City,... or another line with Latitude and Longitude",
	.sniff = sniff_nsrdb,
	.read = read_nsrdb,
};

const struct weather_reader weather_dump = {
	.name = "table by year, month, day, hour",
	.looks = "Year,Month,Day,Hour,...,GHI",
	.sniff = sniff_dump,
	.read = read_dump,
};

const struct weather_reader weather_pvwatts = {
	.name = "PVWatts hourly results",
	.looks = "PVWatts: Hourly PV Performance Data",
	.sniff = sniff_pvwatts,
	.read = read_pvwatts,
};
