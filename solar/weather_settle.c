/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_settle - from labels in a file's clock to rows in UTC on one even grid.
 *
 * A typical year is laid round a circle of 365 days, so that a file in UTC and one that begins at
 * local midnight are the same. A row that is left out is put in as missing; two for one time are
 * refused.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calendar.h"
#include "solar/weather_reader.h"

#define YEAR_DAYS      365
#define SNAP_S         120
#define STEP_SAMPLES   4096
#define TYPICAL_YEAR   2001 /* has no leap day, begins nowhere in particular */
#define INSERTED_SHARE 0.1
#define NOBODY         INT64_MIN /* no row has come for this place */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median distance of labels: a seam between months of different years does not move it. */
static int find_step(struct weather_source *src, struct fail *f)
{
	int64_t apart[STEP_SAMPLES];
	struct weather *w = src->w;
	size_t n = 0;

	for (size_t i = 1; i < w->rows && n < STEP_SAMPLES; i++)
		if (w->row[i].start_s > w->row[i - 1].start_s)
			apart[n++] = w->row[i].start_s - w->row[i - 1].start_s;
	if (n == 0)
		return fail_set(f, EINVAL, "%zu rows, none later than the one before", w->rows);
	qsort(apart, n, sizeof(*apart), by_value);
	/* Stamps of whole minutes may be off by one: 3,660 s is an hour. */
	src->step_s = (int32_t)((apart[n / 2] + 150) / 300 * 300);
	if (src->step_s == 0)
		src->step_s = (int32_t)apart[n / 2];
	if (apart[n / 2] > 86400 / 2 || 86400 % src->step_s != 0)
		return fail_set(f, EINVAL,
				"rows are %lld s apart; expected a part of a day such as 3600",
				(long long)apart[n / 2]);
	return 0;
}

/* Months of different years follow each other, or the same month comes back. */
static bool is_typical(const struct weather_source *src)
{
	for (size_t i = 1; i < src->w->rows; i++)
		if (src->year[i] < src->year[i - 1] || src->year[i] > src->year[i - 1] + 1)
			return true;
	return src->w->typical;
}

static int find_zone(struct weather_source *src, struct fail *f)
{
	const struct weather_options *o = src->options;
	struct weather *w = src->w;

	if (!src->zone_known && !o->zone_given)
		return fail_set(
			f, EINVAL,
			"no time zone in the file (%s); give --utc-offset, the standard time of "
			"its stamps",
			w->format);
	if (!src->zone_known)
		src->stamp_minutes = o->zone_minutes;
	if (o->zone_given)
		w->zone_minutes = o->zone_minutes;
	else if (w->zone_minutes == WEATHER_NO_ZONE)
		w->zone_minutes = (int)lround(w->longitude_deg / 15) * 60;
	return 0;
}

static int64_t floor_to(int64_t value, int64_t step)
{
	int64_t rest = value % step;

	return value - (rest < 0 ? rest + step : rest);
}

/* The row's beginning, still in the file's clock, and where the sun is looked up. */
static void place_row(const struct weather_source *src, struct weather_row *row)
{
	int64_t label_s = row->start_s;

	switch (src->w->meaning) {
	case WEATHER_INSTANT:
		row->start_s = floor_to(label_s, src->step_s);
		row->sun_s = label_s + src->sun_offset_s;
		return;
	case WEATHER_STARTS:
		break;
	case WEATHER_CENTRE:
		row->start_s = label_s - src->step_s / 2;
		break;
	case WEATHER_ENDS:
		row->start_s = label_s - src->step_s;
		break;
	}
	row->sun_s = row->start_s + src->step_s / 2;
}

/*
 * Into the typical year, by month and day; the sun is looked up in the year that it was seen in.
 * False: 29 February.
 */
static bool fold_year(struct weather_row *row)
{
	int64_t day = floor_to(row->start_s, 86400) / 86400;
	struct date d = calendar_date(day);

	if (d.month == 2 && d.day == 29)
		return false;
	d.year = TYPICAL_YEAR;
	row->start_s += (calendar_days(d) - day) * 86400;
	return true;
}

static void to_utc(const struct weather_source *src, struct weather_row *row)
{
	int64_t begin_s = calendar_days((struct date){ TYPICAL_YEAR, 1, 1 }) * 86400;
	int64_t year_s = (int64_t)YEAR_DAYS * 86400;

	row->start_s -= src->stamp_minutes * 60;
	row->sun_s -= src->stamp_minutes * 60;
	if (src->w->typical)
		row->start_s = begin_s + (row->start_s - begin_s + year_s) % year_s;
}

/* On the grid through the first row, within two minutes. */
static int snap(struct weather *w, struct weather_row *row, int64_t phase_s, struct fail *f)
{
	int64_t off = row->start_s - phase_s - floor_to(row->start_s - phase_s, w->step_s);

	if (off > w->step_s / 2)
		off -= w->step_s;
	if (off == 0)
		return 0;
	if (llabs(off) > SNAP_S) {
		struct date d = calendar_date(floor_to(row->start_s, 86400) / 86400);

		return fail_set(
			f, EINVAL,
			"a row of %lld-%02d-%02d is %lld s off the grid of %d s that the others "
			"keep",
			(long long)d.year, d.month, d.day, (long long)off, w->step_s);
	}
	row->start_s -= off;
	row->sun_s -= off;
	w->quality.snapped++;
	return 0;
}

static int move_rows(struct weather_source *src, struct fail *f)
{
	struct weather *w = src->w;
	int64_t phase_s = 0;
	size_t kept = 0;

	for (size_t i = 0; i < w->rows; i++) {
		struct weather_row row = w->row[i];

		place_row(src, &row);
		if (w->typical && !fold_year(&row)) {
			w->quality.dropped++;
			continue;
		}
		to_utc(src, &row);
		if (kept == 0)
			phase_s = row.start_s;
		if (snap(w, &row, phase_s, f) < 0)
			return -1;
		w->row[kept++] = row;
	}
	w->rows = kept;
	return 0;
}

struct span {
	int64_t first_s;
	size_t rows;
};

static struct span find_span(const struct weather *w)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < w->rows; i++) {
		first = w->row[i].start_s < first ? w->row[i].start_s : first;
		last = w->row[i].start_s > last ? w->row[i].start_s : last;
	}
	if (!w->typical)
		return (struct span){ first, (size_t)((last - first) / w->step_s) + 1 };
	return (struct span){ first, (size_t)YEAR_DAYS * 86400 / (size_t)w->step_s };
}

static int refuse_twice(const struct weather *w, size_t twice, size_t holes, int64_t at_s,
			struct fail *f)
{
	struct date d = calendar_date(floor_to(at_s, 86400) / 86400);

	if (!w->typical && twice <= holes && holes <= twice * 2 && (d.month >= 9 || d.month <= 5))
		return fail_set(
			f, EINVAL,
			"%zu times come twice (%lld-%02d-%02d) and %zu not at all: this looks like "
			"local time with daylight saving; expected UTC or standard time",
			twice, (long long)d.year, d.month, d.day, holes);
	return fail_set(f, EINVAL, "%zu times come twice, first on %lld-%02d-%02d", twice,
			(long long)d.year, d.month, d.day);
}

/* Every row to its place in a whole grid. */
static int lay_out(struct weather *w, struct fail *f)
{
	struct span span = find_span(w);
	size_t twice = 0, holes;
	int64_t twice_s = 0;
	struct weather_row *grid;

	if (span.rows > w->rows + (size_t)(INSERTED_SHARE * (double)w->rows) + 48)
		return fail_set(
			f, EINVAL,
			"%zu rows where %zu are expected from the first to the last: too many are "
			"left out",
			w->rows, span.rows);
	grid = malloc(span.rows * sizeof(*grid));
	if (!grid)
		return fail_set(f, ENOMEM, "no memory for %zu rows of weather", span.rows);
	for (size_t i = 0; i < span.rows; i++)
		grid[i].start_s = NOBODY;
	for (size_t i = 0; i < w->rows; i++) {
		size_t at = (size_t)((w->row[i].start_s - span.first_s) / w->step_s);

		if (at >= span.rows || grid[at].start_s != NOBODY) {
			twice_s = twice++ ? twice_s : w->row[i].start_s;
			continue;
		}
		grid[at] = w->row[i];
	}
	holes = span.rows - (w->rows - twice);
	for (size_t i = 0; i < span.rows; i++) {
		int64_t start_s = span.first_s + (int64_t)i * w->step_s;

		if (grid[i].start_s == NOBODY)
			grid[i] = (struct weather_row){
				start_s, start_s + w->step_s / 2, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
				0
			};
	}
	free(w->row);
	w->row = grid;
	w->rows = span.rows;
	w->quality.inserted = holes;
	return twice ? refuse_twice(w, twice, holes, twice_s, f) : 0;
}

int weather_settle(struct weather_source *src, struct fail *f)
{
	struct weather *w = src->w;

	if (find_zone(src, f) < 0 || (src->step_s == 0 && find_step(src, f) < 0))
		return -1;
	w->step_s = src->step_s;
	w->typical = is_typical(src);
	if (move_rows(src, f) < 0 || lay_out(w, f) < 0)
		return -1;
	if (w->quality.dropped)
		weather_note(w,
			     "a typical year has 365 days: %zu rows of 29 February were left out",
			     w->quality.dropped);
	if (w->quality.inserted)
		weather_note(w, "%zu rows that the file leaves out are taken as missing",
			     w->quality.inserted);
	if (w->quality.snapped)
		weather_note(w, "%zu stamps up to two minutes off the grid were moved onto it",
			     w->quality.snapped);
	return 0;
}
