/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_pvgis_json - the same data as JSON. A number may be "-" (a plane that follows the sun)
 * or null; keys that are not known are passed over.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "solar/weather_reader.h"

static bool sniff_json(const struct sniff *s)
{
	for (int i = 0; i < s->lines; i++) {
		struct slice line = slice_trim(s->line[i]);

		if (line.len > 0)
			return *line.at == '{';
	}
	return false;
}

static double number_at(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* {"slope": {"value": 30, "optimal": false}} */
static double setting(const json_t *plane, const char *key)
{
	return number_at(json_object_get(plane, key), "value");
}

static void read_inputs(struct weather_source *src, const json_t *inputs)
{
	const json_t *at = json_object_get(inputs, "location");
	const json_t *mount = json_object_get(inputs, "mounting_system");
	const json_t *fixed = json_object_get(mount, "fixed");
	double offset_h = number_at(at, "irradiance_time_offset");
	struct weather *w = src->w;

	w->latitude_deg = number_at(at, "latitude");
	w->longitude_deg = number_at(at, "longitude");
	w->elevation_m = number_at(at, "elevation");
	if (fabs(offset_h) <= 1)
		src->sun_offset_s = (int32_t)lround(offset_h * 3600);
	w->slope_deg = setting(fixed, "slope");
	w->azimuth_deg = 180 + setting(fixed, "azimuth");
}

static int read_entry(struct weather_source *src, const json_t *entry, struct fail *f)
{
	struct weather_reading r;
	struct weather_row *row;
	int64_t year = 0, label_s = 0;
	bool stamped = false;
	const char *key;
	json_t *value;

	weather_reading_clear(&r);
	json_object_foreach((json_t *)entry, key, value)
	{
		double scale;
		int column = weather_column_find(key, &scale);
		const char *text = json_string_value(value);

		if (column == COLUMN_STAMP && text) {
			if (weather_stamp((struct slice){ text, strlen(text) }, &year, &label_s,
					  f) < 0)
				return -1;
			stamped = true;
		} else if (column >= 0 && json_is_number(value)) {
			r.value[column] = json_number_value(value) * scale;
		}
	}
	if (!stamped)
		return fail_set(f, EINVAL, "no time");
	row = weather_add(src, year, label_s, f);
	if (row)
		weather_take(&r, row);
	return row ? 0 : -1;
}

static int read_entries(struct weather_source *src, const json_t *outputs, struct fail *f)
{
	const json_t *list = json_object_get(outputs, "tmy_hourly");

	if (!list)
		list = json_object_get(outputs, "hourly");
	if (!json_is_array(list))
		return fail_set(
			f, EINVAL,
			"no list outputs.tmy_hourly or outputs.hourly: expected what PVGIS's "
			"seriescalc or tmy gives");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (read_entry(src, json_array_get(list, i), f) < 0)
			return fail_within(f, "entry %zu", i + 1);
	return 0;
}

static int read_json(struct weather_source *src, struct fail *f)
{
	json_error_t error;
	json_t *root = json_loadb(src->lex.at, (size_t)(src->lex.end - src->lex.at), 0, &error);
	int status = -1;

	if (!root)
		return fail_set(f, EINVAL, "line %d, column %d: %s", error.line, error.column,
				error.text);
	read_inputs(src, json_object_get(root, "inputs"));
	src->w->meaning = WEATHER_INSTANT;
	src->zone_known = true; /* UTC */
	status = read_entries(src, json_object_get(root, "outputs"), f);
	json_decref(root);
	return status;
}

const struct weather_reader weather_pvgis_json = {
	.name = "PVGIS JSON",
	.looks = "{\"inputs\": ..., \"outputs\": ...}",
	.sniff = sniff_json,
	.read = read_json,
};
