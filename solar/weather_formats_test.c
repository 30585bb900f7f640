/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_formats_test - the formats of stations and services: zones, meanings of a stamp, names
 * of columns. docs/solar-cases.md names the rows.
 */
#include "solar/load_profile.h"
#include "solar/weather_fixture.h"

#define NSRDB_HEAD                                                                            \
	"Source,Location ID,Latitude,Longitude,Time Zone,Elevation,Local Time Zone,Version\n" \
	"NSRDB,1,40,-105,%s,1800,%s,%s\n"                                                     \
	"Year,Month,Day,Hour,Minute,GHI,DHI,Temperature,,,\n"

static struct weather nsrdb(const char *zone, const char *local, const char *version)
{
	struct buf b = { 0 };
	struct weather w;

	buf_printf(&b, NSRDB_HEAD, zone, local, version);
	table_days(&b, nsrdb_row, 2012, 6, 1, 40);
	w = read_text(buf_text(&b), &as_the_file_says);
	buf_release(&b);
	return w;
}

/* B-9: of two zones, an empty one is never 0. B-13: a minute is the centre. B-18: blank columns. */
static void two_time_zones(void **state)
{
	int64_t first = calendar_days((struct date){ 2012, 6, 1 }) * 86400;
	struct weather w = nsrdb("-7", "-7", "v3");
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(w.row[0].start_s, first + 7 * 3600);
	assert_int_equal(w.row[0].sun_s, first + 7 * 3600 + 1800);
	assert_int_equal(w.zone_minutes, -7 * 60);
	assert_near(w.quality.noon_error_h, 0, 0.3);
	weather_release(&w);
	w = nsrdb("", "-7", "");
	assert_int_equal(w.row[0].start_s, first + 7 * 3600);
	weather_release(&w);
	w = nsrdb("-6", "-7", "unknown");
	assert_int_equal(w.row[0].start_s, first + 6 * 3600);
	assert_int_equal(w.zone_minutes, -7 * 60);
	assert_true(noted(&w, "before solar noon"));
	weather_release(&w);
	/* Local stamps that the head calls UTC: seen by where the sunshine is. */
	buf_printf(&b, NSRDB_HEAD, "0", "-7", "v3");
	table_days(&b, nsrdb_row, 2012, 6, 1, 40);
	refused(buf_text(&b), &as_the_file_says, "7.0 h before solar noon");
	buf_clear(&b);
	buf_printf(&b, NSRDB_HEAD, "", "", "v3");
	table_days(&b, nsrdb_row, 2012, 6, 1, 2);
	refused(buf_text(&b), &as_the_file_says, "no time zone in the file");
	buf_release(&b);
}

/* No 17, 18 and 14: SAM's names, beam and diffuse alone, the southern half of the earth, 30 min. */
static void sams_own_files(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	buf_puts(&b, "Location,City,Region,Country,Lat,Lng,tz,Elevation,Source\n"
		     "1,Buenos Aires,-,AR,-34.6,-58.5,-3,25,made\n"
		     "Year,Month,Day,Hour,Beam,Diffuse,Tdry,Wspd\n");
	for (int i = 0; i < 72; i++)
		buf_printf(&b, "2011,12,%d,%d,%d,%d,25,2\n", 1 + i / 24, i % 24,
			   i % 24 >= 7 && i % 24 < 18 ? 700 : 0,
			   i % 24 >= 7 && i % 24 < 18 ? 90 : 0);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_near(w.latitude_deg, -34.6, 0);
	assert_string_equal(w.place, "Buenos Aires");
	/* At noon of December the sun stands 78 degrees high there. */
	assert_near(w.row[12].ghi_w_m2, 700 * sin(78 * M_PI / 180) + 90, 15);
	assert_int_equal(w.row[12].start_s % 86400, 15 * 3600);
	weather_release(&w);
	buf_clear(&b);
	buf_printf(&b, NSRDB_HEAD, "-7", "-7", "v3");
	for (int i = 0; i < 96; i++)
		buf_printf(&b, "2012,6,%d,%d,%d,%d,0,5,,,\n", 1 + i / 48, i / 2 % 24, i % 2 * 30,
			   i / 2 % 24 > 6 ? 100 : 0);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.step_s, 1800);
	weather_release(&w);
	buf_release(&b);
}

/* Cells that are numbers, or nothing, and no date. */
static void days_that_no_calendar_has(void **state)
{
	static const char *const bad[] = { "", "1e300", "-1e300", "nan", "2012.5", "1800" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct buf b = { 0 };

		buf_printf(
			&b,
			"LOCATION,X,-,Y,made,1,40,-105,-7.0,1800\nDATA PERIODS,1,1,Data,Sunday, "
			"6/ 1, 6/10\n%s,6,1,1,60,?9,20,1,50,80000,0,0,300,0,9999,9999,0,0,0,0,180,"
			"3,0,0\n",
			bad[i]);
		refused(buf_text(&b), &as_the_file_says, i == 3 ? "no number" : "there is no such");
		buf_release(&b);
	}
}

/* B-6: the same hours as EPW and as TMY3. B-10: 9999, 99.9 and 999 are no measurements. */
static void two_stations_formats(void **state)
{
	struct buf epw = { 0 }, tmy3 = { 0 };
	struct weather a, b;

	(void)state;
	buf_puts(&epw, "LOCATION,X,-,Y,made,1,40,-105,-7.0,1800\nDATA PERIODS,1,1,Data,Sunday, 6/ "
		       "1, 6/10\n");
	buf_puts(&tmy3, "1,\"X, AND Y\",CO,-7.0,40,-105,1800\nDate (MM/DD/YYYY),Time (HH:MM),GHI "
			"(W/m^2),Dry-bulb (C)\n");
	for (int i = 0; i < 240; i++) {
		int day = 1 + i / 24, hour = 1 + i % 24, ghi = hour > 6 && hour <= 18 ? 300 + i : 0;

		buf_printf(&epw,
			   "2012,6,%d,%d,60,?9,%s,1,50,80000,0,0,300,%d,9999,9999,0,0,0,0,180,%s,0,"
			   "0\n",
			   day, hour, i == 5 ? "99.9" : "20.5", i == 12 ? 9999 : ghi,
			   i == 5 ? "999" : "3");
		buf_printf(&tmy3, "06/%02d/2012,%02d:00,%d,20.5\n", day, hour,
			   i == 12 ? -9900 : ghi);
	}
	a = read_text(buf_text(&epw), &as_the_file_says);
	b = read_text(buf_text(&tmy3), &as_the_file_says);
	assert_int_equal(a.rows, 240);
	assert_int_equal(b.rows, 240);
	for (size_t i = 0; i < a.rows; i++) {
		assert_int_equal(a.row[i].start_s, b.row[i].start_s);
		assert_int_equal(a.row[i].sun_s, b.row[i].sun_s);
		assert_near(a.row[i].ghi_w_m2, b.row[i].ghi_w_m2, 0);
	}
	assert_int_equal(a.row[0].start_s,
			 calendar_days((struct date){ 2012, 6, 1 }) * 86400 + 7 * 3600);
	assert_int_equal(a.quality.missing, 1);
	assert_int_equal(a.quality.no_temperature, 1);
	assert_int_equal(b.quality.missing, 1);
	weather_release(&a);
	weather_release(&b);
	buf_release(&epw);
	buf_release(&tmy3);
}

/* No 9: minutes 0 and 30 with hours from 1. */
static void epw_of_half_hours(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	buf_puts(&b, "LOCATION,X,-,Y,made,1,40,-105,-7.0,1800\nDATA PERIODS,1,2,Data,Sunday, 6/ 1, "
		     "6/10\n");
	for (int i = 0; i < 96; i++)
		buf_printf(
			&b,
			"2012,6,%d,%d,%d,?9,20,1,50,80000,0,0,300,%d,9999,9999,0,0,0,0,180,3,0,0\n",
			1 + i / 48, 1 + i / 2 % 24, i % 2 * 30, i / 2 % 24 > 6 ? 100 : 0);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.step_s, 1800);
	assert_int_equal(w.rows, 96);
	assert_int_equal(w.row[0].start_s % 86400, 7 * 3600);
	weather_release(&w);
	buf_release(&b);
}

/* B-11: Latin-1 in a name. No 12: the end of the period, and the UTC column left alone. */
static void a_name_in_latin_1(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	buf_puts(&b, "0,\"Neuch\xe2tel\",-,1,47,7,430,\"Data Version: 3.4 / Averaging Method: End "
		     "of Period\"\n"
		     "ObservationTime(LST),Global Horizontal Irradiance (GHI) "
		     "W/m2,AmbientTemperature (deg "
		     "C),ObservationTime(GMT)\n");
	for (int i = 0; i < 288; i++)
		buf_printf(&b, "06/01/2021 %02d:%02d,%d,20,06/01/2021 00:00\n",
			   (i * 5 + 5) / 60 % 24, (i * 5 + 5) % 60,
			   i == 100            ? -999
			   : i > 72 && i < 216 ? 400
					       : 0);
	b.len -= strlen("06/01/2021 00:00,0,20,06/01/2021 00:00\n");
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.rows, 287);
	assert_int_equal(w.step_s, 300);
	/* B-14: the centre is half a step before the stamp. */
	assert_int_equal(w.row[0].start_s % 86400, 23 * 3600);
	assert_int_equal(w.row[0].sun_s - w.row[0].start_s, 150);
	weather_release(&w);
	buf_release(&b);
}

/* B-17: what is one format is not read as another. */
static void formats_are_told_apart(void **state)
{
	struct weather w = nsrdb("-7", "-7", "v3");

	(void)state;
	assert_string_equal(w.format, "NSRDB or SAM CSV");
	weather_release(&w);
}

/* B-20: 17:59 for 18:00. B-21: an hour twice in autumn, none in spring. */
static void stamps_off_the_grid(void **state)
{
	struct buf b = { 0 };
	struct weather w;
	char *at;

	(void)state;
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	table_days(&b, compact_row, 2012, 6, 1, 40);
	w = read_text(buf_text(&b), &as_the_file_says);
	weather_release(&w);
	buf_clear(&b);
	buf_printf(&b, NSRDB_HEAD, "-7", "-7", "v3");
	table_days(&b, nsrdb_row, 2012, 6, 1, 10);
	at = strstr(b.data, "2012,6,3,17,30");
	assert_non_null(at);
	memcpy(at, "2012,6,3,17,29", strlen("2012,6,3,17,29"));
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.quality.snapped, 1);
	assert_true(noted(&w, "off the grid"));
	weather_release(&w);
	at = strstr(b.data, "2012,6,3,17,29");
	memcpy(at, "2012,6,3,17,10", strlen("2012,6,3,17,10"));
	refused(buf_text(&b), &as_the_file_says, "off the grid of 3600 s");
	buf_release(&b);
}

/* No 22: 8760 lines of 60 minutes; and what is no such file. */
static void a_load_profile_by_the_minute(void **state)
{
	struct buf b = { 0 }, site = { 0 };
	struct fail f = { 0 };
	struct weather w;

	(void)state;
	buf_printf(&site, NSRDB_HEAD, "-7", "-7", "v3");
	table_days(&site, nsrdb_row, 2012, 2, 28, 3); /* the 29th is in it */
	w = read_text(buf_text(&site), &as_the_file_says);
	buf_puts(&b, "# made\n");
	for (int hour = 0; hour < 8760; hour++)
		for (int minute = 0; minute < 60; minute++)
			buf_printf(&b, "%d%s", hour / 24 + minute, minute < 59 ? "," : "\r\n");
	assert_int_equal(load_profile_parse(&w, b.data, b.len, &f), 0);
	/* 28 February is day 58 from 0, and comes twice; the mean minute is 29.5. */
	assert_near(w.row[0].load_w, 58 + 29.5, 1e-9);
	assert_near(w.row[24].load_w, 58 + 29.5, 1e-9);
	assert_near(w.row[48].load_w, 59 + 29.5, 1e-9);
	buf_puts(&b, "1\n");
	assert_int_equal(load_profile_parse(&w, b.data, b.len, &f), -1);
	assert_non_null(strstr(f.text, "525601 numbers; expected a year of them"));
	f = (struct fail){ 0 };
	assert_int_equal(load_profile_parse(&w, "1\n-2\n", 5, &f), -1);
	assert_non_null(strstr(f.text, "line 2: -2 is no load"));
	f = (struct fail){ 0 };
	assert_int_equal(load_profile_parse(&w, "1 x\n", 4, &f), -1);
	assert_non_null(strstr(f.text, "line 1: load: \"x\" is no number"));
	weather_release(&w);
	buf_release(&b);
	buf_release(&site);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_time_zones),
		cmocka_unit_test(sams_own_files),
		cmocka_unit_test(days_that_no_calendar_has),
		cmocka_unit_test(two_stations_formats),
		cmocka_unit_test(epw_of_half_hours),
		cmocka_unit_test(a_name_in_latin_1),
		cmocka_unit_test(formats_are_told_apart),
		cmocka_unit_test(stamps_off_the_grid),
		cmocka_unit_test(a_load_profile_by_the_minute),
	};

	return cmocka_run_group_tests_name("weather_formats", tests, NULL, NULL);
}
