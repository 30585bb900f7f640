/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_epw - EnergyPlus weather files: eight lines of head, then columns by their place.
 *
 * Hours run from 1 to 24 and name the end of the interval, in the site's standard time. PVGIS's
 * EPW is another thing under the same name: its rows are UTC whatever the head says, and its
 * irradiance is of an instant, which COMMENTS 2 tells.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solar/weather_reader.h"

#define EPW_CELLS_MIN 22

/* A column that is read, and from where on a value means "missing". */
struct place {
	int at;
	enum weather_column column;
	double missing_from;
	const char *what;
};

static const struct place places[] = {
	{ 6, COLUMN_TEMPERATURE, 99.9, "dry-bulb temperature" },
	{ 13, COLUMN_GHI, 9999, "global horizontal radiation" },
	{ 14, COLUMN_DNI, 9999, "direct normal radiation" },
	{ 15, COLUMN_DHI, 9999, "diffuse horizontal radiation" },
	{ 21, COLUMN_WIND, 999, "wind speed" },
};

static bool starts(struct slice s, const char *text)
{
	return s.len >= strlen(text) && strncmp(s.at, text, strlen(text)) == 0;
}

static bool sniff(const struct sniff *s)
{
	return s->lines > 0 && starts(s->line[0], "LOCATION,");
}

static int read_location(struct weather_source *src, const struct cells *c, struct fail *f)
{
	struct weather *w = src->w;

	if (c->count < 9)
		return fail_set(f, EINVAL, "LOCATION has %d cells; expected 10", c->count);
	weather_cell_text(c, 1, w->place, sizeof(w->place));
	if (weather_number(c->cell[6], "latitude", &w->latitude_deg, f) < 0 ||
	    weather_number(c->cell[7], "longitude", &w->longitude_deg, f) < 0 ||
	    weather_zone(c->cell[8], &w->zone_minutes, f) < 0)
		return -1;
	if (c->count > 9 && weather_number(c->cell[9], "elevation", &w->elevation_m, f) < 0)
		return -1;
	src->stamp_minutes = w->zone_minutes;
	src->zone_known = true;
	return 0;
}

/* PVGIS: "Irradiance Time Offset (h):-0.8239" counts from the end of the hour. */
static void read_comment(struct weather_source *src, const struct cells *c)
{
	char text[96];
	double hours;

	weather_cell_text(c, 1, text, sizeof(text));
	if (sscanf(text, "Irradiance Time Offset (h):%lf", &hours) != 1 || fabs(hours) > 1)
		return;
	src->w->meaning = WEATHER_INSTANT;
	src->sun_offset_s = (int32_t)lround((hours + 1) * 3600);
	if (src->stamp_minutes != 0)
		weather_note(
			src->w,
			"the head says UTC%+.1f h, but PVGIS writes the rows of its EPW in UTC: "
			"read so",
			src->stamp_minutes / 60.0);
	src->stamp_minutes = 0;
}

static int read_head(struct weather_source *src, int *per_hour, struct fail *f)
{
	struct slice line;
	struct cells c;
	bool cut;

	src->w->meaning = WEATHER_ENDS;
	while (lex_line(&src->lex, &line, &cut)) {
		double n = 1;

		if (!lex_split(line, ',', &c))
			continue;
		if (slice_equal(c.cell[0], "LOCATION") && read_location(src, &c, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
		if (starts(line, "COMMENTS 2"))
			read_comment(src, &c);
		if (!starts(line, "DATA PERIODS"))
			continue;
		if (c.count > 2 && weather_number(c.cell[2], "records per hour", &n, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
		if (!(n >= 1 && n <= 60) || 60 % (int)n != 0)
			return fail_set(f, EINVAL, "line %d: %g records per hour", src->lex.line,
					n);
		*per_hour = (int)n;
		return 0;
	}
	return fail_set(f, EINVAL, "no line DATA PERIODS: the head of this EPW is cut");
}

/*
 * The end of a row's interval in minutes of the day. Files of whole hours write minute 0 or 60;
 * files of parts begin at minute 0 (its start is meant) or end at 60.
 */
static int interval_end(int hour, int minute, int per_hour, bool from_zero)
{
	int step = 60 / per_hour;

	if (per_hour == 1)
		return hour * 60;
	return (hour - 1) * 60 + minute + (from_zero ? step : 0);
}

static int read_values(const struct cells *c, struct weather_row *row, struct fail *f)
{
	struct weather_reading r;

	weather_reading_clear(&r);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct place *p = &places[i];
		double *value = &r.value[p->column];

		if (weather_number(c->cell[p->at], p->what, value, f) < 0)
			return -1;
		if (*value >= p->missing_from)
			*value = NAN;
	}
	weather_take(&r, row);
	return 0;
}

static int read_row(struct weather_source *src, const struct cells *c, int per_hour,
		    bool *from_zero, struct fail *f)
{
	double part[5];
	int64_t label_s;
	struct weather_row *row;

	if (c->count < EPW_CELLS_MIN)
		return fail_set(f, EINVAL, "%d cells; expected 35", c->count);
	for (int i = 0; i < 5; i++)
		if (weather_number(c->cell[i], "date", &part[i], f) < 0)
			return -1;
	if (!(part[3] >= 1 && part[3] <= 24 && part[4] >= 0 && part[4] <= 60))
		return fail_set(f, EINVAL, "hour %g minute %g; expected 1 to 24 and 0 to 60",
				part[3], part[4]);
	if (src->w->rows == 0)
		*from_zero = part[4] == 0;
	if (weather_label_of(part[0], part[1], part[2],
			     interval_end((int)part[3], (int)part[4], per_hour, *from_zero),
			     &label_s, f) < 0)
		return -1;
	/* An instant is of the hour that ends here. */
	if (src->w->meaning == WEATHER_INSTANT)
		label_s -= 3600;
	row = weather_add(src, (int64_t)part[0], label_s, f);
	return row ? read_values(c, row, f) : -1;
}

static int read_epw(struct weather_source *src, struct fail *f)
{
	struct slice line;
	struct cells c;
	bool cut, from_zero = false;
	int per_hour = 1;

	if (read_head(src, &per_hour, f) < 0)
		return -1;
	src->step_s = 3600 / per_hour;
	while (lex_line(&src->lex, &line, &cut)) {
		if (slice_trim(line).len == 0)
			continue;
		if (!lex_split(line, ',', &c))
			return fail_set(f, EINVAL, "line %d: too many cells", src->lex.line);
		if (read_row(src, &c, per_hour, &from_zero, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
	}
	return 0;
}

const struct weather_reader weather_epw = {
	.name = "EPW",
	.looks = "LOCATION,...",
	.sniff = sniff,
	.read = read_epw,
};
