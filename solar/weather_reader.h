/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_reader - what the readers of the formats share: their table, the columns they know by
 * name, and what they leave for weather_settle() to do.
 *
 * A reader puts the label of each row, as a count of seconds in the file's own clock, into
 * start_s and says what it means; it converts no time zone and repairs nothing.
 */
#ifndef SOLAR_WEATHER_READER_H
#define SOLAR_WEATHER_READER_H

#include <limits.h>

#include "lib/lex.h"
#include "solar/weather.h"

#define SNIFF_LINES 40
/* Of a site, while nobody has told: by its longitude then. */
#define WEATHER_NO_ZONE INT_MIN

struct sniff {
	struct slice line[SNIFF_LINES];
	int lines;
};

/* A file while it is read. */
struct weather_source {
	struct weather *w;
	const char *text;
	size_t len;
	struct lex lex;
	size_t room;          /* rows allocated */
	bool zone_known;      /* stamp_minutes is true */
	int stamp_minutes;    /* zone of the stamps, east of UTC positive */
	int32_t step_s;       /* 0: from the stamps */
	int32_t sun_offset_s; /* WEATHER_INSTANT: from the stamp to when the sun was seen */
	int64_t *year;        /* of each row's stamp: a typical year's jump */
	const struct weather_options *options;
};

struct weather_reader {
	const char *name;
	const char *looks; /* what such a file begins with, for messages */
	bool (*sniff)(const struct sniff *s);
	int (*read)(struct weather_source *src, struct fail *f);
};

/* The order counts: the first that knows the file reads it. Ends with NULL. */
extern const struct weather_reader *const weather_readers[];
extern const struct weather_reader weather_epw, weather_tmy3, weather_pvgis_csv, weather_pvgis_json,
	weather_nsrdb, weather_dump, weather_solaranywhere, weather_pvwatts, weather_hourly;

enum weather_column {
	COLUMN_STAMP, /* date and time in one text */
	COLUMN_DATE,
	COLUMN_TIME,
	COLUMN_YEAR,
	COLUMN_MONTH,
	COLUMN_DAY,
	COLUMN_HOUR,
	COLUMN_MINUTE,
	COLUMN_GHI,
	COLUMN_DNI,
	COLUMN_DHI,
	COLUMN_POA,
	COLUMN_POA_BEAM,
	COLUMN_POA_SKY,
	COLUMN_POA_GROUND,
	COLUMN_TEMPERATURE,
	COLUMN_WIND,
	COLUMN_SUN_HEIGHT,
	COLUMN_RECONSTRUCTED,
	COLUMN_LOAD,
	COLUMNS
};

struct weather_columns {
	int at[COLUMNS]; /* -1: the file has none */
	double scale[COLUMNS];
};

/* The values of one row by column, as the file has them. */
struct weather_reading {
	double value[COLUMNS];
};

/* Any case. -1: a name that is not known. */
int weather_column_find(const char *name, double *scale);
void weather_reading_clear(struct weather_reading *r); /* all NAN */
void weather_take(const struct weather_reading *r, struct weather_row *row);
/* A zone as hours east of UTC, "-5.0" or "5.5". -1: it is none, or beyond 14 hours. */
int weather_zone(struct slice text, int *minutes, struct fail *f);
/* How many of the names in the head are known. */
int weather_columns_find(struct weather_columns *c, const struct cells *head);
/* A copy of a cell, NUL-terminated and cut to fit; "" where there is none. */
void weather_cell_text(const struct cells *c, int at, char *dst, size_t len);
/* A cell as a number; NAN where it is empty. -1: it holds something else: the column and text. */
int weather_number(struct slice cell, const char *what, double *value, struct fail *f);
/* The values (not the time) of one line. */
int weather_values(const struct weather_columns *c, const struct cells *cells,
		   struct weather_row *row, struct fail *f);

/* A new row, all unknown; NULL: no memory (f). label_s is in the file's clock. */
struct weather_row *weather_add(struct weather_source *src, int64_t year, int64_t label_s,
				struct fail *f);

/* Label of a date and a time of day. -1: there is no such day or minute. */
int weather_label(int64_t year, int month, int day, int64_t minutes, int64_t *label_s,
		  struct fail *f);
/* Of numbers as they stand in cells: NAN, parts of a day and the like are refused. */
int weather_label_of(double year, double month, double day, double minutes, int64_t *label_s,
		     struct fail *f);
/* "20180101:0010", "2018-01-01 00:10", "2018-01-01T00:10:00Z", "01/31/2018 00:10". */
int weather_stamp(struct slice text, int64_t *year, int64_t *label_s, struct fail *f);

void weather_note(struct weather *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Labels become UTC, the step is found, what is odd is repaired or refused. */
int weather_settle(struct weather_source *src, struct fail *f);
/* Units, negatives, dark hours, gaps, noon. */
int weather_check(struct weather *w, const struct weather_options *o, struct fail *f);

#endif
