/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_file_test - published logs through the reader of logs: F01 to F11 of the shared data,
 * each with the figures that others computed. Skipped where the files are not there.
 */
#include "power/replay_maker.h"

static void f01_pi_ina219(void **state)
{
	static const struct {
		const char *file, *keys;
		double mj;
	} row[] = {
		{ "pi3-ina219/fibonacci/cpp_01.csv", "meaning=instant", 565.51 },
		{ "pi3-ina219/fibonacci/cpp_01.csv", "meaning=mean_starting", 565.31 },
		{ "pi3-ina219/fibonacci/cpp_01.csv", "meaning=mean_ending", 565.70 },
		{ "pi3-ina219/fibonacci/cpp_01.csv", "use=vi", 567.82 },
		{ "pi3-ina219/fibonacci/fibonacci_100000_python.csv", "", 45180.76 },
		{ "pi3-ina219/fibonacci/fibonacci_100000_python.csv", "use=vi", 45145.64 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct trace t = replay_file(row[i].file, row[i].keys);

		assert_int_equal(t.count, i < 4 ? 70 : 4692);
		assert_int_equal(t.facts.provenance, PROVENANCE_MEASURED);
		assert_joules(&t, row[i].mj / 1e3, 6e-6);
	}
}

/* F02: the stated energy contradicts mean power x length: refused unless one is chosen. */
static void f02_tables_of_runs(void **state)
{
	struct buf b = replay_shared("pi3-ina219/statistics/_http_get.csv");
	struct trace t;
	struct fail f;

	(void)state;
	assert_int_equal(replay_try("", b.data, b.len, &t, &f), -1);
	assert_non_null(strstr(f.text, "line 2: it states 1.505 J"));
	assert_non_null(strstr(f.text, "1.52798 J"));
	buf_release(&b);
	t = replay_file("pi3-ina219/statistics/_http_get.csv", "use=power");
	assert_int_equal(t.sample[1].code[0], 1352195000);
	assert_int_equal(t.sample[1].before_ns, 1130000000);
	trace_release(&t);
	t = replay_file("pi3-ina219/statistics/_http_get.csv", "use=energy");
	assert_int_equal(t.sample[1].code[0], 1505000000);
	trace_release(&t);
	/* Units inside the cells, fewer names than cells. */
	t = replay_file("pi3-ina219/statistics/humidity_cpp.csv", "");
	assert_int_equal(t.count, 11);
	assert_int_equal(t.sample[1].code[0], 1334297000);
	assert_int_equal(t.sample[1].before_ns, 97000000);
	trace_release(&t);
	/* No header, CRLF, no last line end. */
	t = replay_file("pi3-ina219/statistics/http_get_cpp.csv", "");
	assert_int_equal(t.count, 11);
	assert_int_equal(t.sample[1].before_ns, 288317000);
	assert_int_equal(t.sample[1].code[0], 1352846000);
	trace_release(&t);
	t = replay_file("pi3-ina219/statistics/scheduling_cpp.csv", "");
	assert_int_equal(t.count, 2);
	assert_joules(&t, 10.038821 * 1.949200, 1e-6);
}

/* F03: tuples; one gap of 46.8 ms and one row of 0 V, negative currents kept. */
static void f03_tuples(void **state)
{
	struct trace t = replay_file("ina219-tuples/data1.txt", "");
	struct fail f = { 0 };
	int negative = 0, absent = 0;
	struct energy e;

	(void)state;
	assert_int_equal(t.count, 3300);
	for (size_t i = 0; i < t.count; i++) {
		negative += t.sample[i].code[0] < 0;
		absent += (t.sample[i].flags & SAMPLE_ABSENT) != 0;
	}
	assert_int_equal(negative, 877);
	assert_int_equal(absent, 1);
	assert_non_null(strstr(t.facts.basis, "1 rows of 0 V"));
	replay_joules(&t, GAP_EXCLUDE, &e);
	assert_true(e.gaps >= 1 && e.longest_gap_ns >= 46768000);
	/* Without the row of 0 V and what touches it, the trapezoid of all: 40.3326 mJ. */
	assert_int_equal(energy_window(&t, t.sample[0].before_ns, t.sample[3299].before_ns,
				       GAP_EXCLUDE, 1000000000, &e, &f),
			 0);
	assert_true(fabs((double)e.energy_nj / 1e6 - (40.3326 - 13.416 * 1.376e-3 / 2)) < 1e-3);
	trace_release(&t);
}

/* F04: no header, no time: nothing without a dialect and a rate. */
static void f04_greenroom(void **state)
{
	const char *name = "greenroom/2021-09-19_23-12_power_data.csv";
	struct buf b = replay_shared(name);
	struct trace t;
	struct fail f;

	(void)state;
	assert_int_equal(replay_try("", b.data, b.len, &t, &f), -1);
	assert_non_null(strstr(f.text, "line 1 has 5 cells that no header names"));
	assert_int_equal(replay_try("dialect=greenroom", b.data, b.len, &t, &f), -1);
	assert_non_null(strstr(f.text, "rate="));
	buf_release(&b);
	t = replay_file(name, "dialect=greenroom,rate=10Hz");
	assert_int_equal(t.count, 61);
	assert_int_equal(t.sample[0].code[0], 485389813);
	assert_int_equal(t.sample[60].before_ns, 6000000000);
	assert_non_null(strstr(t.facts.basis, "untimed, 10 Hz as declared"));
	trace_release(&t);
	t = replay_file(name, "columns=-/label/voltage:V/current:mA/-,rate=10Hz");
	assert_int_equal(t.sample[0].code[0], 374095414);
	trace_release(&t);
}

static void f06_serial_monitor(void **state)
{
	struct trace t = replay_file("gassentinel/ina219-serial.txt", "");
	double sum = 0;

	(void)state;
	assert_int_equal(t.count, 308);
	for (size_t i = 0; i < t.count; i++)
		sum += (double)t.sample[i].code[0] / 1e6;
	assert_true(fabs(sum / 308 - 1072.539) < 0.001);
	assert_non_null(strstr(t.facts.basis, "74 blocks straddle"));
	assert_int_equal(t.sample[0].before_ns,
			 ((20 * 60 + 38) * 60 + 5) * INT64_C(1000000000) + 40000000);
	trace_release(&t);
}

static void f08_mlperf_tiny(void **state)
{
	static const double window[5][2] = { { 2.779, 13.784 },
					     { 15.661, 26.664 },
					     { 28.54, 39.543 },
					     { 41.418, 52.423 },
					     { 54.301, 65.304 } };
	static const double sum_uj[] = { 575458.86, 574818.57, 575288.67, 575389.59, 575296.69 };
	static const double official_uj[] = { 575449.020, 574767.590, 575329.990, 575379.480,
					      575287.000 };
	struct trace t = replay_file("mlperf-tiny-kws/trace1-energy.bin", "");

	(void)state;
	assert_int_equal(t.count, 66560);
	for (int i = 0; i < 5; i++) {
		struct fail f = { 0 };
		struct energy e;
		double uj;

		assert_int_equal(energy_window(&t, llround(window[i][0] * 1e9),
					       llround(window[i][1] * 1e9), GAP_FAIL, 0, &e, &f),
				 0);
		uj = (double)e.energy_nj / 1e3;
		assert_true(fabs(uj - sum_uj[i]) < 0.05);
		assert_true(fabs(uj - official_uj[i]) < 54);
	}
	trace_release(&t);
}

static void f09_joulescope(void **state)
{
	struct trace t = replay_file("joulescope-10s.csv", "");
	struct fail f = { 0 };
	struct energy e;

	(void)state;
	assert_int_equal(t.count, 21);
	assert_int_equal(t.facts.meaning, SAMPLE_MEAN_ENDING);
	assert_int_equal(energy_window(&t, 4000000000, 4500000000, GAP_FAIL, 0, &e, &f), 0);
	assert_true(fabs((double)e.energy_nj / 1e9 - 1.0948) < 6e-5);
	assert_joules(&t, 20.5321, 20.5321e-5);
	t = replay_file("joulescope-10s.csv", "meaning=mean_starting");
	assert_joules(&t, 20.3657, 6e-5);
	t = replay_file("joulescope-10s.csv", "meaning=instant");
	assert_joules(&t, 20.4489, 6e-5);
	/* The meter's own total, when it is asked for. */
	t = replay_file("joulescope-10s.csv", "energy=energy:J,meaning=counter");
	assert_joules(&t, 20.5321, 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f01_pi_ina219),      cmocka_unit_test(f02_tables_of_runs),
		cmocka_unit_test(f03_tuples),         cmocka_unit_test(f04_greenroom),
		cmocka_unit_test(f06_serial_monitor), cmocka_unit_test(f08_mlperf_tiny),
		cmocka_unit_test(f09_joulescope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
