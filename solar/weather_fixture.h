/* SPDX-License-Identifier: Apache-2.0 */
/* weather_fixture - weather files made in memory, and what a reader says of them. */
#ifndef SOLAR_WEATHER_FIXTURE_H
#define SOLAR_WEATHER_FIXTURE_H

#include "lib/calendar.h"
#include "solar/site_fixture.h"

static inline struct weather read_text(const char *text, const struct weather_options *o)
{
	struct fail f = { 0 };
	struct weather w;

	if (weather_parse(&w, text, strlen(text), o, &f) < 0)
		fail_msg("%s", f.text);
	return w;
}

static inline void refused(const char *text, const struct weather_options *o, const char *why)
{
	struct fail f = { 0 };
	struct weather w;

	assert_int_equal(weather_parse(&w, text, strlen(text), o, &f), -1);
	if (!strstr(f.text, why))
		fail_msg("\"%s\" does not say \"%s\"", f.text, why);
	assert_null(w.row);
}

static inline bool noted(const struct weather *w, const char *what)
{
	for (int i = 0; i < w->quality.notes; i++)
		if (strstr(w->quality.note[i], what))
			return true;
	return false;
}

/* A table of so many days; the sun shines from 6 to 18 o'clock of the label's clock. */

typedef void put_row(struct buf *b, struct date d, int hour, int ghi);

static inline void compact_row(struct buf *b, struct date d, int hour, int ghi)
{
	buf_printf(b, "%04d%02d%02d:%02d00,10.0,%d\r\n", (int)d.year, d.month, d.day, hour, ghi);
}

static inline void iso_row(struct buf *b, struct date d, int hour, int ghi)
{
	buf_printf(b, "%04d-%02d-%02d %02d:00,10,%d\n", (int)d.year, d.month, d.day, hour, ghi);
}

static inline void zulu_row(struct buf *b, struct date d, int hour, int ghi)
{
	buf_printf(b, "%04d-%02d-%02dT%02d:00:00Z,10,%d\n", (int)d.year, d.month, d.day, hour, ghi);
}

static inline void nsrdb_row(struct buf *b, struct date d, int hour, int ghi)
{
	buf_printf(b, "%d,%d,%d,%d,30,%d,0,5,,,\n", (int)d.year, d.month, d.day, hour, ghi);
}

static inline void table_days(struct buf *b, put_row *put, int year, int month, int day, int days)
{
	int64_t first = calendar_days((struct date){ year, month, day });

	for (int64_t d = first; d < first + days; d++)
		for (int hour = 0; hour < 24; hour++)
			put(b, calendar_date(d), hour,
			    hour >= 6 && hour < 18 ? 600 - abs(2 * hour - 23) * 40 : 0);
}

#define PVGIS_HEAD                                                                     \
	"Latitude (decimal degrees): 45.000\r\nLongitude (decimal degrees): 8.000\r\n" \
	"Elevation (m): 250.0\r\n"

#endif
