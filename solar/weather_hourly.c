/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_hourly - a year as numbers in order, without a date: one irradiance a line, as HOMER
 * takes, or a table whose names carry their units. The first is the hour that begins the year in
 * the site's standard time.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/calendar.h"
#include "solar/weather_reader.h"

#define HOURS_COMMON 8760
#define HOURS_LEAP   8784
#define LINE_KW_MAX  2.0 /* no irradiance in kW/m2 is above it, and any year in W/m2 is */

static bool is_number(struct slice line)
{
	struct fail no = { 0 };
	double value;

	return weather_number(line, "", &value, &no) == 0 && !isnan(value);
}

static bool is_head(struct slice line, struct weather_columns *c)
{
	struct cells cells;

	if (!lex_split(line, ',', &cells))
		return false;
	weather_columns_find(c, &cells);
	return c->at[COLUMN_GHI] >= 0 && c->at[COLUMN_STAMP] < 0 && c->at[COLUMN_HOUR] < 0;
}

/* The first line that is no comment. */
static struct slice first_line(const struct sniff *s)
{
	for (int i = 0; i < s->lines; i++)
		if (s->line[i].len > 0 && *s->line[i].at != '#')
			return s->line[i];
	return (struct slice){ "", 0 };
}

static bool sniff(const struct sniff *s)
{
	struct weather_columns c;
	struct slice line = first_line(s);

	return is_number(line) || is_head(line, &c);
}

static int read_line(struct weather_source *src, const struct weather_columns *c, bool table,
		     struct slice line, struct fail *f)
{
	struct weather_row *row = weather_add(src, 2001, 0, f);
	struct cells cells;

	if (!row)
		return -1;
	if (!table)
		return weather_number(line, "irradiance", &row->ghi_w_m2, f);
	if (!lex_split(line, ',', &cells))
		return fail_set(f, EINVAL, "too many cells");
	return weather_values(c, &cells, row, f);
}

/* The year and the step follow from how many there are. */
static int date_rows(struct weather_source *src, struct fail *f)
{
	struct weather *w = src->w;
	bool leap = w->rows % HOURS_LEAP == 0;
	size_t hours = leap ? HOURS_LEAP : HOURS_COMMON;
	int64_t year = leap ? 2000 : 2001, begin;

	if (w->rows == 0)
		return 0; /* which is refused whatever the format */
	if (w->rows % hours != 0 || 3600 % (w->rows / hours) != 0)
		return fail_set(
			f, EINVAL,
			"%zu numbers; expected a year of them: 8760 (8784 in a leap year), or so "
			"many times a divisor of 3600",
			w->rows);
	src->step_s = (int32_t)(3600 / (w->rows / hours));
	begin = calendar_days((struct date){ year, 1, 1 }) * 86400;
	for (size_t i = 0; i < w->rows; i++) {
		src->year[i] = year;
		w->row[i].start_s = begin + (int64_t)i * src->step_s;
	}
	return 0;
}

/* A bare column does not say its unit. */
static void find_unit(struct weather *w)
{
	double most = 0;

	for (size_t i = 0; i < w->rows; i++)
		most = fmax(most, w->row[i].ghi_w_m2);
	if (most <= 0 || most >= LINE_KW_MAX)
		return;
	for (size_t i = 0; i < w->rows; i++)
		w->row[i].ghi_w_m2 *= 1000;
	weather_note(w, "the largest irradiance is %g: read as kW/m2", most);
}

static int read_hourly(struct weather_source *src, struct fail *f)
{
	struct weather_columns c;
	struct slice line;
	bool cut, begun = false, table = false;

	src->w->meaning = WEATHER_STARTS;
	while (lex_line(&src->lex, &line, &cut)) {
		line = slice_trim(line);
		if (line.len == 0 || *line.at == '#')
			continue;
		if (!begun) {
			begun = true;
			table = is_head(line, &c);
			if (table)
				continue;
		}
		if (read_line(src, &c, table, line, f) < 0)
			return fail_within(f, "line %d", src->lex.line);
	}
	if (!table)
		find_unit(src->w);
	return date_rows(src, f);
}

const struct weather_reader weather_hourly = {
	.name = "hourly numbers",
	.looks = "one irradiance a line, or a line of names such as ghi_kW_m2,t_amb_C",
	.sniff = sniff,
	.read = read_hourly,
};
