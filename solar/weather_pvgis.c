/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_pvgis - CSV of PVGIS: hourly series in a plane, and typical years.
 *
 * Times are UTC. Irradiance is of the instant at which the satellite looked: the minutes of an
 * hourly stamp, or the "Irradiance Time Offset" behind a typical year's whole hours. Azimuth 0
 * is south there. What stands behind the last row is a legend.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "solar/weather_reader.h"

static bool starts(struct slice s, const char *text)
{
	return s.len >= strlen(text) && strncasecmp(s.at, text, strlen(text)) == 0;
}

static bool is_head(struct slice line)
{
	return starts(line, "time,") || starts(line, "time(UTC),");
}

static bool sniff_csv(const struct sniff *s)
{
	for (int i = 0; i < s->lines; i++)
		if (is_head(s->line[i]))
			return true;
	return false;
}

/* "Label: value" or "Label:<TAB>value": the number in front of what follows, "30 deg." */
static bool labelled(struct slice line, const char *label, double *value)
{
	char text[64], *end;
	const char *colon = memchr(line.at, ':', line.len);
	struct slice rest;

	if (!starts(line, label) || !colon)
		return false;
	rest = slice_trim((struct slice){ colon + 1, line.len - (size_t)(colon + 1 - line.at) });
	if (rest.len == 0 || rest.len >= sizeof(text))
		return false;
	memcpy(text, rest.at, rest.len);
	text[rest.len] = '\0';
	*value = strtod(text, &end);
	return end != text && isfinite(*value);
}

static void read_label(struct weather_source *src, struct slice line)
{
	struct weather *w = src->w;
	double value;

	if (labelled(line, "Latitude", &value))
		w->latitude_deg = value;
	else if (labelled(line, "Longitude", &value))
		w->longitude_deg = value;
	else if (labelled(line, "Elevation", &value))
		w->elevation_m = value;
	else if (labelled(line, "Irradiance Time Offset", &value) && fabs(value) <= 1)
		src->sun_offset_s = (int32_t)lround(value * 3600);
	else if (labelled(line, "Slope", &value))
		w->slope_deg = value;
	else if (labelled(line, "Azimuth", &value))
		w->azimuth_deg = 180 + value;
}

/* 0 with *head false at the end of the file. */
static int read_labels(struct weather_source *src, struct cells *head, struct fail *f)
{
	struct slice line;
	bool cut;

	while (lex_line(&src->lex, &line, &cut)) {
		line = slice_trim(line);
		if (!is_head(line))
			read_label(src, line);
		else if (lex_split(line, ',', head))
			return 0;
		else
			break;
	}
	return fail_set(f, EINVAL, "line %d: expected the line of column names, time,...",
			src->lex.line);
}

static int read_row(struct weather_source *src, const struct weather_columns *c, struct slice line,
		    struct fail *f)
{
	struct cells cells;
	struct weather_row *row;
	int64_t year, label_s;

	if (!lex_split(line, ',', &cells) || cells.count <= c->at[COLUMN_STAMP])
		return fail_set(f, EINVAL, "%d cells", cells.count);
	if (weather_stamp(cells.cell[c->at[COLUMN_STAMP]], &year, &label_s, f) < 0)
		return -1;
	row = weather_add(src, year, label_s, f);
	return row ? weather_values(c, &cells, row, f) : -1;
}

static int read_csv(struct weather_source *src, struct fail *f)
{
	struct weather_columns c;
	struct cells head;
	struct slice line;
	bool cut;

	if (read_labels(src, &head, f) < 0)
		return -1;
	weather_columns_find(&c, &head);
	if (c.at[COLUMN_STAMP] < 0 ||
	    (c.at[COLUMN_GHI] < 0 && c.at[COLUMN_POA] < 0 && c.at[COLUMN_POA_BEAM] < 0))
		return fail_set(f, EINVAL,
				"line %d: no column of irradiance; expected G(h), G(i) or Gb(i)",
				src->lex.line);
	while (lex_line(&src->lex, &line, &cut)) {
		line = slice_trim(line);
		if (line.len == 0 || *line.at < '0' || *line.at > '9')
			break;
		if (read_row(src, &c, line, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
	}
	src->w->meaning = WEATHER_INSTANT;
	src->zone_known = true; /* UTC */
	return 0;
}

const struct weather_reader weather_pvgis_csv = {
	.name = "PVGIS CSV",
	.looks = "Latitude (decimal degrees): ..., then time,...",
	.sniff = sniff_csv,
	.read = read_csv,
};
