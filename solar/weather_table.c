/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_table - columns by their names, cells as numbers. It must not know which format a
 * table is of, nor any time zone.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/units.h"
#include "solar/weather_reader.h"

struct alias {
	const char *name;
	enum weather_column column;
	double scale;
};

/* As the sources spell them. No two formats give one name two meanings. */
static const struct alias aliases[] = {
	/* PVGIS */
	{ "time", COLUMN_STAMP, 1 },
	{ "time(UTC)", COLUMN_STAMP, 1 },
	{ "G(h)", COLUMN_GHI, 1 },
	{ "Gb(n)", COLUMN_DNI, 1 },
	{ "Gd(h)", COLUMN_DHI, 1 },
	{ "G(i)", COLUMN_POA, 1 },
	{ "Gb(i)", COLUMN_POA_BEAM, 1 },
	{ "Gd(i)", COLUMN_POA_SKY, 1 },
	{ "Gr(i)", COLUMN_POA_GROUND, 1 },
	{ "H_sun", COLUMN_SUN_HEIGHT, 1 },
	{ "T2m", COLUMN_TEMPERATURE, 1 },
	{ "WS10m", COLUMN_WIND, 1 },
	{ "Int", COLUMN_RECONSTRUCTED, 1 },
	/* NSRDB and SAM */
	{ "Year", COLUMN_YEAR, 1 },
	{ "Month", COLUMN_MONTH, 1 },
	{ "Day", COLUMN_DAY, 1 },
	{ "Hour", COLUMN_HOUR, 1 },
	{ "Minute", COLUMN_MINUTE, 1 },
	{ "GHI", COLUMN_GHI, 1 },
	{ "DNI", COLUMN_DNI, 1 },
	{ "DHI", COLUMN_DHI, 1 },
	{ "Global", COLUMN_GHI, 1 },
	{ "GH", COLUMN_GHI, 1 },
	{ "Beam", COLUMN_DNI, 1 },
	{ "DN", COLUMN_DNI, 1 },
	{ "Diffuse", COLUMN_DHI, 1 },
	{ "DF", COLUMN_DHI, 1 },
	{ "Temperature", COLUMN_TEMPERATURE, 1 },
	{ "Tdry", COLUMN_TEMPERATURE, 1 },
	{ "Dry-bulb", COLUMN_TEMPERATURE, 1 },
	{ "Wind Speed", COLUMN_WIND, 1 },
	{ "Wspd", COLUMN_WIND, 1 },
	/* TMY3 */
	{ "Date (MM/DD/YYYY)", COLUMN_DATE, 1 },
	{ "Time (HH:MM)", COLUMN_TIME, 1 },
	{ "GHI (W/m^2)", COLUMN_GHI, 1 },
	{ "DNI (W/m^2)", COLUMN_DNI, 1 },
	{ "DHI (W/m^2)", COLUMN_DHI, 1 },
	{ "Dry-bulb (C)", COLUMN_TEMPERATURE, 1 },
	{ "Wspd (m/s)", COLUMN_WIND, 1 },
	/* PVWatts */
	{ "Beam Irradiance (W/m^2)", COLUMN_DNI, 1 },
	{ "Diffuse Irradiance (W/m^2)", COLUMN_DHI, 1 },
	{ "Plane of Array Irradiance (W/m^2)", COLUMN_POA, 1 },
	{ "Ambient Temperature (C)", COLUMN_TEMPERATURE, 1 },
	{ "Wind Speed (m/s)", COLUMN_WIND, 1 },
	/* SolarAnywhere; its UTC column is left alone */
	{ "ObservationTime(LST)", COLUMN_STAMP, 1 },
	{ "Global Horizontal Irradiance (GHI) W/m2", COLUMN_GHI, 1 },
	{ "Direct Normal Irradiance (DNI) W/m2", COLUMN_DNI, 1 },
	{ "Diffuse Horizontal Irradiance (DIF) W/m2", COLUMN_DHI, 1 },
	{ "AmbientTemperature (deg C)", COLUMN_TEMPERATURE, 1 },
	{ "WindSpeed (m/s)", COLUMN_WIND, 1 },
	/* Tables of hourly numbers, by the units in their names */
	{ "ghi_W_m2", COLUMN_GHI, 1 },
	{ "ghi_kW_m2", COLUMN_GHI, 1000 },
	{ "dni_W_m2", COLUMN_DNI, 1 },
	{ "dhi_W_m2", COLUMN_DHI, 1 },
	{ "t_amb_C", COLUMN_TEMPERATURE, 1 },
	{ "load_W", COLUMN_LOAD, 1 },
	{ "load_kW", COLUMN_LOAD, 1000 },
};

int weather_column_find(const char *name, double *scale)
{
	for (size_t k = 0; k < sizeof(aliases) / sizeof(*aliases); k++) {
		if (strcasecmp(aliases[k].name, name) != 0)
			continue;
		*scale = aliases[k].scale;
		return (int)aliases[k].column;
	}
	return -1;
}

int weather_columns_find(struct weather_columns *c, const struct cells *head)
{
	int known = 0;

	for (int i = 0; i < COLUMNS; i++)
		c->at[i] = -1;
	for (int i = 0; i < head->count; i++) {
		char name[64];
		double scale;
		int column;

		weather_cell_text(head, i, name, sizeof(name));
		column = weather_column_find(name, &scale);
		if (column < 0 || c->at[column] >= 0)
			continue;
		c->at[column] = i;
		c->scale[column] = scale;
		known++;
	}
	return known;
}

void weather_cell_text(const struct cells *c, int at, char *dst, size_t len)
{
	size_t n = at >= 0 && at < c->count ? c->cell[at].len : 0;

	if (n >= len)
		n = len - 1;
	if (n)
		memcpy(dst, c->cell[at].at, n);
	dst[n] = '\0';
}

int weather_number(struct slice cell, const char *what, double *value, struct fail *f)
{
	char text[48];
	struct fail no = { 0 };

	cell = slice_trim(cell);
	*value = NAN;
	if (cell.len == 0 || slice_equal(cell, "-"))
		return 0;
	if (*cell.at == '+')
		cell = (struct slice){ cell.at + 1, cell.len - 1 };
	snprintf(text, sizeof(text), "%.*s", (int)cell.len, cell.at);
	if (cell.len >= sizeof(text) || units_real(text, value, &no) < 0)
		return fail_set(f, EINVAL, "%s: \"%s\" is no number", what, text);
	return 0;
}

static const char *const column_names[COLUMNS] = {
	[COLUMN_GHI] = "global irradiance",
	[COLUMN_DNI] = "direct irradiance",
	[COLUMN_DHI] = "diffuse irradiance",
	[COLUMN_POA] = "irradiance in plane",
	[COLUMN_POA_BEAM] = "direct irradiance in plane",
	[COLUMN_POA_SKY] = "diffuse irradiance in plane",
	[COLUMN_POA_GROUND] = "reflected irradiance in plane",
	[COLUMN_TEMPERATURE] = "temperature",
	[COLUMN_WIND] = "wind speed",
	[COLUMN_SUN_HEIGHT] = "H_sun",
	[COLUMN_RECONSTRUCTED] = "Int",
	[COLUMN_LOAD] = "load",
};

void weather_reading_clear(struct weather_reading *r)
{
	for (int i = 0; i < COLUMNS; i++)
		r->value[i] = NAN;
}

int weather_values(const struct weather_columns *c, const struct cells *cells,
		   struct weather_row *row, struct fail *f)
{
	struct weather_reading r;

	weather_reading_clear(&r);
	for (int i = COLUMN_GHI; i < COLUMNS; i++) {
		if (c->at[i] < 0 || c->at[i] >= cells->count)
			continue;
		if (weather_number(cells->cell[c->at[i]], column_names[i], &r.value[i], f) < 0)
			return -1;
		r.value[i] *= c->scale[i];
	}
	weather_take(&r, row);
	return 0;
}

void weather_take(const struct weather_reading *r, struct weather_row *row)
{
	double ground = r->value[COLUMN_POA_GROUND];

	row->ghi_w_m2 = r->value[COLUMN_GHI];
	row->dni_w_m2 = r->value[COLUMN_DNI];
	row->dhi_w_m2 = r->value[COLUMN_DHI];
	row->poa_w_m2 = r->value[COLUMN_POA];
	if (isnan(row->poa_w_m2))
		row->poa_w_m2 = r->value[COLUMN_POA_BEAM] + r->value[COLUMN_POA_SKY] +
				(isnan(ground) ? 0 : ground);
	row->temperature_c = r->value[COLUMN_TEMPERATURE];
	row->wind_m_s = r->value[COLUMN_WIND];
	row->load_w = r->value[COLUMN_LOAD];
	if (r->value[COLUMN_RECONSTRUCTED] == 1)
		row->flags |= WEATHER_RECONSTRUCTED;
}

struct weather_row *weather_add(struct weather_source *src, int64_t year, int64_t label_s,
				struct fail *f)
{
	struct weather *w = src->w;
	struct weather_row *row;

	if (w->rows == src->room) {
		size_t room = src->room ? src->room * 2 : 10240;
		struct weather_row *rows = reallocarray(w->row, room, sizeof(*rows));
		int64_t *years = reallocarray(src->year, room, sizeof(*years));

		w->row = rows ? rows : w->row;
		src->year = years ? years : src->year;
		if (!rows || !years) {
			fail_set(f, ENOMEM, "no memory for %zu rows of weather", room);
			return NULL;
		}
		src->room = room;
	}
	row = &w->row[w->rows];
	src->year[w->rows++] = year;
	*row = (struct weather_row){ .start_s = label_s,
				     .ghi_w_m2 = NAN,
				     .dni_w_m2 = NAN,
				     .dhi_w_m2 = NAN,
				     .poa_w_m2 = NAN,
				     .temperature_c = NAN,
				     .wind_m_s = NAN,
				     .load_w = NAN };
	return row;
}
