/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_files_test - the public sample files, read as their sources mean them; sums and counts
 * as the sheet of facts has them.
 */
#include "lib/rng.h"
#include "solar/site_fixture.h"
#include "solar/sun.h"
#include "solar/weather_reader.h"

struct expected {
	const char *file, *format;
	size_t rows;
	bool typical;
	double kwh_m2; /* as the file has it, unfilled */
	int zone_minutes;
};

static const struct expected files[] = {
	{ TMY_CSV, "PVGIS CSV", 8760, true, 1435.861, 60 },
	{ TMY_JSON, "PVGIS JSON", 8760, true, 1435.861, 60 },
	{ TMY_EPW, "EPW", 8760, true, 1435.861, 60 },
	{ "NLD_Amsterdam062400_IWEC.epw", "EPW", 8760, true, 982.481, 60 },
	{ "723170TYA.CSV", "TMY3", 8760, true, 1566.203, -300 },
	{ "ssc_phoenix_psmv3_60_tmy.csv", "NSRDB or SAM CSV", 8760, true, 2115.088, -420 },
	{ PVWATTS, "PVWatts hourly results", 8760, true, 1930.894, -420 },
};

static void sums_of_the_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const struct expected *e = &files[i];
		struct weather w = open_site(e->file);

		assert_string_equal(w.format, e->format);
		assert_int_equal(w.rows, e->rows);
		assert_int_equal(w.typical, e->typical);
		assert_near(w.quality.raw_kwh_m2, e->kwh_m2, 0.0006);
		assert_int_equal(w.zone_minutes, e->zone_minutes);
		assert_true(fabs(w.quality.noon_error_h) < 0.3);
		for (size_t k = 1; k < w.rows; k++)
			assert_int_equal(w.row[k].start_s - w.row[k - 1].start_s, w.step_s);
		weather_release(&w);
	}
}

/* S-1: 44 rows say 0 with the sun well up; filled, the year has 1448.971 kWh/m2. */
static void dark_hours_are_found_and_filled(void **state)
{
	struct weather_options o = as_the_file_says;
	struct weather w = open_site(TMY_CSV), raw;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(w.quality.dark, 44);
	assert_int_equal(w.quality.filled, 44);
	assert_near(w.quality.kwh_m2, 1448.971, 0.0006);
	assert_int_equal(weather_unfilled(&w, &raw, &f), 0);
	o.gaps = WEATHER_KEEP;
	weather_release(&w);
	w = open_site_with(TMY_CSV, &o);
	assert_int_equal(w.quality.filled, 0);
	for (size_t i = 0; i < w.rows; i++)
		assert_near(raw.row[i].ghi_w_m2, w.row[i].ghi_w_m2, 0);
	weather_release(&w);
	weather_release(&raw);
}

static void gaps_may_be_refused(void **state)
{
	struct weather_options o = as_the_file_says;
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct fail f = { 0 };
	char path[PATH_BYTES];
	struct weather w = open_site(TMY_CSV);

	(void)state;
	weather_release(&w);
	o.gaps = WEATHER_FAIL;
	snprintf(path, sizeof path, "%s/data/weather/" TMY_CSV, shared ? shared : "../shared");
	assert_int_equal(weather_open(&w, path, &o, &f), -1);
	assert_non_null(strstr(f.text, "44 rows have no irradiance"));
	assert_non_null(strstr(f.text, "first 2009-03-03 10:10 UTC"));
}

/* S-2, B-16: PVGIS's EPW has its rows in UTC, whatever its head says: it equals the CSV. */
static void three_files_of_one_year(void **state)
{
	struct weather a = open_site(TMY_CSV), b = open_site(TMY_EPW), c = open_site(TMY_JSON);

	(void)state;
	for (size_t i = 0; i < a.rows; i++) {
		assert_int_equal(a.row[i].start_s, b.row[i].start_s);
		assert_int_equal(a.row[i].start_s, c.row[i].start_s);
		assert_int_equal(a.row[i].sun_s, c.row[i].sun_s);
		assert_true(llabs(a.row[i].sun_s - b.row[i].sun_s) <= 1);
		assert_near(a.row[i].ghi_w_m2, b.row[i].ghi_w_m2, 0.006);
		assert_near(a.row[i].ghi_w_m2, c.row[i].ghi_w_m2, 0);
		assert_near(a.row[i].temperature_c, b.row[i].temperature_c, 0.006);
	}
	assert_non_null(strstr(b.quality.note[0], "PVGIS writes the rows of its EPW in UTC"));
	weather_release(&a);
	weather_release(&b);
	weather_release(&c);
}

/* No 1: a plane's three parts; the last row is a slot that the satellite missed. */
static void a_series_in_a_plane(void **state)
{
	struct weather w =
		open_site("pvgis_hourly_Timeseries_45.000_8.000_SA_30deg_0deg_2016_2016.csv");

	(void)state;
	assert_int_equal(w.rows, 14);
	assert_true(w.in_plane);
	assert_near(w.slope_deg, 30, 0);
	assert_near(w.azimuth_deg, 180, 0);
	assert_near(w.row[8].poa_w_m2, 26.71 + 8.28 + 0.21, 1e-9);
	assert_int_equal(w.row[8].sun_s - w.row[8].start_s, 600);
	assert_true(w.row[13].flags & WEATHER_DARK);
	assert_int_equal(w.quality.reconstructed, 5);
	assert_near(sun_at(w.row[13].sun_s, 45, 8).elevation_rad * 180 / M_PI, 18.3, 0.1);
	weather_release(&w);
}

/* No 2: "-" for a slope that follows the sun, null for a horizon. */
static void a_series_in_json(void **state)
{
	struct weather w =
		open_site("pvgis_hourly_Timeseries_45.000_8.000_SA2_10kWp_CIS_5_2a_2013_2014.json");

	(void)state;
	assert_int_equal(w.rows, 10);
	assert_true(isnan(w.slope_deg));
	assert_near(w.row[9].poa_w_m2, 423.28, 1e-9);
	weather_release(&w);
}

/* No 13: no line of the place. No 21: kW, and a load. */
static void tables_that_need_a_place(void **state)
{
	struct weather_options o = { 40.0, -105.0, true, -7 * 60, WEATHER_FILL };
	struct weather w = open_site_with("test_psm3_tmy-2017.csv", &o);

	(void)state;
	assert_int_equal(w.rows, 8760);
	assert_near(w.quality.raw_kwh_m2, 1777.892, 0.0006);
	assert_int_equal(w.meaning, WEATHER_CENTRE);
	weather_release(&w);
	o = (struct weather_options){ 33.56, -86.75, true, -6 * 60, WEATHER_FILL };
	w = open_site_with(BHAM, &o);
	assert_near(w.quality.raw_kwh_m2, 1756.86, 0.005);
	assert_near(w.row[0].load_w, 772.599, 1e-6);
	weather_release(&w);
}

#define MUTANTS 400

/* Files with bytes changed, cut or doubled: read or refused, with nothing broken. */
static void damaged_files(void **state)
{
	static const char *const names[] = {
		TMY_CSV, TMY_EPW, "723170TYA.CSV", PVWATTS, "ssc_phoenix_psmv3_60_tmy.csv", BHAM
	};
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct weather_options o = { 33.56, -86.75, true, -6 * 60, WEATHER_FILL };
	struct rng g;

	(void)state;
	rng_seed(&g, 3);
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		struct weather w;
		struct buf text = { 0 };
		struct fail f = { 0 };
		char path[PATH_BYTES];

		snprintf(path, sizeof path, "%s/data/weather/%s", shared ? shared : "../shared",
			 names[k]);
		if (!path_exists(path))
			skip();
		assert_int_equal(path_read(path, WEATHER_BYTES_MAX, &text, &f), 0);
		/* The head and some days: where the readers decide. */
		text.len = text.len < 12000 ? text.len : 12000;
		for (int i = 0; i < MUTANTS; i++) {
			char *copy = malloc(text.len);

			assert_non_null(copy);
			memcpy(copy, text.data, text.len);
			for (uint64_t n = 1 + rng_below(&g, 8); n > 0; n--)
				copy[rng_below(&g, text.len)] = (char)rng_below(&g, 256);
			f = (struct fail){ 0 };
			if (weather_parse(&w, copy, 1 + rng_below(&g, text.len), &o, &f) == 0)
				weather_release(&w);
			else
				assert_true(f.text[0] != '\0');
			free(copy);
		}
		buf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_the_files),
		cmocka_unit_test(dark_hours_are_found_and_filled),
		cmocka_unit_test(gaps_may_be_refused),
		cmocka_unit_test(three_files_of_one_year),
		cmocka_unit_test(a_series_in_a_plane),
		cmocka_unit_test(a_series_in_json),
		cmocka_unit_test(tables_that_need_a_place),
		cmocka_unit_test(damaged_files),
	};

	return cmocka_run_group_tests_name("weather_files", tests, NULL, NULL);
}
