/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weather_test - kinds of fault that public trackers report of weather readers, as small texts:
 * what a table holds. docs/solar-cases.md names the rows.
 */
#include "solar/weather_fixture.h"

static const struct weather_options golden = { 40, -105, true, -7 * 60, WEATHER_FILL };

/* B-1: labels before the table may be any, in any number. */
static void labels_in_any_number(void **state)
{
	static const char *const heads[] = { "", "Irradiance Time Offset (h): 0.1761\r\n",
					     "Something New: 7\r\n\r\nmonth,year\r\n1,2018\r\n" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct buf b = { 0 };
		struct weather w;

		buf_printf(&b, PVGIS_HEAD "%stime(UTC),T2m,G(h)\r\n", heads[i]);
		table_days(&b, compact_row, 2018, 6, 1, 3);
		buf_puts(&b, "\r\nT2m: 2-m air temperature\r\n");
		w = read_text(buf_text(&b), &as_the_file_says);
		assert_int_equal(w.rows, 72);
		assert_int_equal(w.row[0].sun_s - w.row[0].start_s, i == 1 ? 634 : 0);
		assert_near(w.elevation_m, 250, 0);
		weather_release(&w);
		buf_release(&b);
	}
}

/* What a short file, or one of another place, does not tell is said. */
static void less_than_asked_for_is_noted(void **state)
{
	const struct weather_options south = { .latitude_deg = -45, .longitude_deg = 8 };
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	buf_puts(&b, PVGIS_HEAD "time(UTC),T2m,G(h)\r\n");
	table_days(&b, compact_row, 2018, 6, 1, 3);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_true(noted(&w, "covers 3 days, not a year"));
	assert_false(noted(&w, "another place"));
	weather_release(&w);
	w = read_text(buf_text(&b), &south);
	assert_true(noted(&w, "the file is of 45.000, 8.000: another place was asked for"));
	weather_release(&w);
	buf_clear(&b);
	buf_puts(&b, PVGIS_HEAD "time(UTC),T2m,G(h)\r\n");
	table_days(&b, compact_row, 2018, 1, 1, 365);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_false(noted(&w, "not a year"));
	weather_release(&w);
	buf_release(&b);
}

/* B-2: what is no time names the line and the forms that are. */
static void times_in_several_forms(void **state)
{
	static put_row *const forms[] = { compact_row, iso_row, zulu_row };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct buf b = { 0 };
		struct weather w;

		buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
		table_days(&b, forms[i], 2018, 6, 1, 2);
		w = read_text(buf_text(&b), &as_the_file_says);
		assert_int_equal(w.rows, 48);
		assert_int_equal(w.row[0].start_s,
				 calendar_days((struct date){ 2018, 6, 1 }) * 86400);
		weather_release(&w);
		buf_release(&b);
	}
	refused(PVGIS_HEAD "time,T2m,G(h)\n2018.06.01 00h,10,0\n", &as_the_file_says,
		"line 5: \"2018.06.01 00h\" is no time that is known; expected 20180101:0010");
	refused(PVGIS_HEAD "time,T2m,G(h)\n20180230:0000,10,0\n", &as_the_file_says,
		"line 5: 2018-02-30 is no day");
}

/* No 4: nothing says where. */
static void a_table_without_a_place(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_puts(&b, "time(UTC),T2m,G(h)\n");
	table_days(&b, compact_row, 2018, 6, 1, 2);
	refused(buf_text(&b), &as_the_file_says, "no location in the file");
	buf_release(&b);
}

/* S-3: a negative zero and a little below are 0; much below is no measurement. */
static void negative_irradiance(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n20180531:2200,10,-0.0\n20180531:2300,10,-0.4\n");
	table_days(&b, compact_row, 2018, 6, 1, 10);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_false(signbit(w.row[0].ghi_w_m2));
	assert_near(w.row[1].ghi_w_m2, 0, 0);
	assert_int_equal(w.quality.clamped, 1);
	assert_int_equal(w.quality.impossible, 0);
	weather_release(&w);
	buf_printf(&b, "20180611:0000,10,-7\n");
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.quality.impossible, 1);
	assert_int_equal(w.quality.missing, 1);
	weather_release(&w);
	buf_release(&b);
}

/* Numbers that are no W/m2. */
static void units_that_are_others(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	for (int i = 0; i < 48; i++)
		buf_printf(&b, "201806%02d:%02d00,10,0.%d\n", 1 + i / 24, i % 24,
			   i % 24 > 6 ? 5 : 0);
	refused(buf_text(&b), &as_the_file_says, "looks like kW/m2");
	buf_clear(&b);
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	for (int i = 0; i < 48; i++)
		buf_printf(&b, "201806%02d:%02d00,10,4200\n", 1 + i / 24, i % 24);
	refused(buf_text(&b), &as_the_file_says, "daily sums");
	buf_release(&b);
	refused("hello\nworld\n", &as_the_file_says, "not a weather file that is known");
	refused("", &as_the_file_says, "not a weather file that is known");
	refused("{\"outputs\": 3}", &as_the_file_says, "no list outputs.tmy_hourly");
	refused("{\"outputs\": ", &as_the_file_says, "line 1");
}

static void leap_day(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	/* B-4: a real year keeps it. */
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	table_days(&b, compact_row, 2016, 1, 1, 366);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_int_equal(w.rows, 8784);
	assert_int_equal(w.step_s, 3600);
	assert_false(w.typical);
	assert_near(weather_years(&w), 1, 0);
	weather_release(&w);
	/* B-5: a typical one drops it, and says so. */
	buf_clear(&b);
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	table_days(&b, compact_row, 2018, 1, 1, 31);
	table_days(&b, compact_row, 2016, 2, 1, 29);
	table_days(&b, compact_row, 2011, 3, 1, 306);
	w = read_text(buf_text(&b), &as_the_file_says);
	assert_true(w.typical);
	assert_int_equal(w.rows, 8760);
	assert_int_equal(w.quality.dropped, 24);
	assert_true(noted(&w, "29 February"));
	weather_release(&w);
	buf_release(&b);
}

static void local_time_with_daylight_saving(void **state)
{
	struct buf b = { 0 };
	int64_t first = calendar_days((struct date){ 2015, 1, 1 });

	(void)state;
	buf_puts(&b, PVGIS_HEAD "time,T2m,G(h)\n");
	for (int64_t hour = 0; hour < 8760; hour++) {
		/* From 29 March to 25 October the clock is an hour ahead. */
		int64_t shown = hour + (hour >= (31 + 28 + 28) * 24 + 2 && hour < 297 * 24 + 2);
		struct date d = calendar_date(first + shown / 24);

		buf_printf(&b, "%04d%02d%02d:%02d00,10,%d\n", (int)d.year, d.month, d.day,
			   (int)(shown % 24), shown % 24 > 6 && shown % 24 < 18 ? 200 : 0);
	}
	refused(buf_text(&b), &as_the_file_says, "looks like local time with daylight saving");
	buf_release(&b);
}

/* No 21: one number a line, CRLF, kW. No 22's like: a load beside it. */
static void numbers_in_order(void **state)
{
	struct buf b = { 0 };
	struct weather w;

	(void)state;
	for (int i = 0; i < 8760; i++)
		buf_printf(&b, "%.3f\r\n", i % 24 > 6 && i % 24 < 18 ? 0.4 : 0.0);
	w = read_text(buf_text(&b), &golden);
	assert_int_equal(w.rows, 8760);
	assert_near(w.row[12].ghi_w_m2, 400, 1e-9);
	assert_true(noted(&w, "read as kW/m2"));
	assert_int_equal(w.row[0].start_s % 86400, 7 * 3600);
	weather_release(&w);
	refused(buf_text(&b), &as_the_file_says, "no location");
	buf_puts(&b, "0.1\n");
	refused(buf_text(&b), &golden, "8761 numbers");
	buf_release(&b);
	refused("ghi_W_m2,t_amb_C\n", &golden, "no row of weather");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_in_any_number),
		cmocka_unit_test(less_than_asked_for_is_noted),
		cmocka_unit_test(times_in_several_forms),
		cmocka_unit_test(a_table_without_a_place),
		cmocka_unit_test(negative_irradiance),
		cmocka_unit_test(units_that_are_others),
		cmocka_unit_test(leap_day),
		cmocka_unit_test(local_time_with_daylight_saving),
		cmocka_unit_test(numbers_in_order),
	};

	return cmocka_run_group_tests_name("weather", tests, NULL, NULL);
}
