/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_test - faults that public projects had with logs, as small inputs: what they mean, and
 * what must be refused with line and reason.
 */
#include "power/replay_maker.h"

static void b21_pyjoules_wrap(void **state)
{
	struct trace t = replay_text("", "timestamp;tag;duration;package_0\n"
					 "1614164969.4923563;;288.83703422546387;"
					 "-253371267933.0\n");
	struct energy e;

	(void)state;
	assert_int_equal(t.facts.meaning, SAMPLE_INCREMENT);
	assert_true(fabs(replay_joules(&t, GAP_FAIL, &e) - 8772.060917) < 1e-6);
	assert_true(fabs((double)e.mean_nw / 1e9 - 30.37) < 0.005);
	assert_non_null(strstr(t.facts.basis, "counter range assumed"));
	assert_non_null(strstr(t.facts.basis, "1 wraps undone"));
	trace_release(&t);
}

/* B24: a range that nobody knows is not made up. */
static void b24_unknown_range(void **state)
{
	static const char log[] = "time_s,energy_uj\n0,3990000000\n10,4000000000\n20,10000\n"
				  "30,20000\n";
	struct trace t = replay_text("meaning=counter", log);
	struct energy e;

	(void)state;
	assert_true(fabs(replay_joules(&t, GAP_EXCLUDE, &e) - 10.01) < 1e-9);
	assert_int_equal(e.gaps, 1);
	trace_release(&t);
	t = replay_text("meaning=counter,wrap=4294.967296J", log);
	assert_joules(&t, 10 + (4294.967296 - 4000 + 0.01) + 0.01, 1e-9);
	replay_refuses("", log, "meaning=increment or meaning=counter");
}

/* B31: energy since the last look is not watts. B28: power is not energy either. */
static void b28_b31_power_is_not_energy(void **state)
{
	struct trace t = replay_text("meaning=increment",
				     "time_s,energy_j\n0,100\n0.5,100\n1,100\n1.5,100\n");
	struct energy e;

	(void)state;
	replay_joules(&t, GAP_FAIL, &e);
	assert_int_equal(e.mean_nw, 200000000000);
	trace_release(&t);
	t = replay_text("meaning=mean_ending", "time_s,power_w\n0,2\n5,2\n10,2\n");
	assert_joules(&t, 20, 1e-9);
	replay_refuses("meaning=counter", "time_s,power_w\n0,2\n5,2\n",
		       "not for a column of power");
}

/* B29, B30: domains lie inside one another: one is chosen, they are never added up. */
static void b29_b30_one_scope(void **state)
{
	static const char log[] = "time_s,psys_power_w,package_power_w,core_power_w,uncore_power_w,"
				  "mmio_power_w\n0,9.61,3.78,0.84,0.21,3.93\n"
				  "10,9.61,3.78,0.84,0.21,3.93\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "line 1: 5 columns with power");
	t = replay_text("power=psys_power", log);
	assert_joules(&t, 96.1, 1e-9);
	t = replay_text("power=package_power_w:W", log);
	assert_joules(&t, 37.8, 1e-9);
	replay_refuses("", "time_s,POM_5V_IN_power_mw,GPU_power_mw,CPU_power_mw\n0,3000,500,600\n",
		       "power=NAME:UNIT");
	t = replay_text("power=POM_5V_IN_power",
			"time_s,POM_5V_IN_power_mw,GPU_power_mw,CPU_power_mw\n0,3000,500,600\n"
			"1,3000,500,600\n");
	assert_joules(&t, 3, 1e-9);
}

static void b32_time_falls_back(void **state)
{
	static const char log[] = "#time,current,voltage,power,charge,energy\n"
				  "5450.89,0.00843744,4.84236,0.0408571,498.404,2409.77\n"
				  "5450.91,0.00843744,4.84236,0.0408571,498.404,2409.77\n"
				  "3303.44,0.0084382,4.84234,0.0408606,498.404,2409.77\n"
				  "3303.46,0.0084382,4.84234,0.0408606,498.404,2409.77\n";
	struct trace t;
	struct energy e;

	(void)state;
	replay_refuses("", log, "line 4: time falls back by 2147.47 s (2^31 us");
	t = replay_text("backward=rebase", log);
	assert_int_equal(t.count, 4);
	assert_int_equal(t.sample[3].before_ns - t.sample[0].before_ns, 60000000);
	assert_true(t.sample[2].flags & SAMPLE_REINIT);
	assert_non_null(strstr(t.facts.basis, "1 clock breaks"));
	assert_true(replay_joules(&t, GAP_EXCLUDE, &e) > 0.002);
	trace_release(&t);
	t = replay_text("backward=drop", log);
	assert_int_equal(t.count, 2);
	assert_non_null(strstr(t.facts.basis, "2 rows dropped"));
	trace_release(&t);
}

/* B33, F13: unpadded milliseconds; Ada's padded time; a model says so. */
static void b33_powerjoular(void **state)
{
	static const char head[] = "Date,CPU Utilization,Total Power,CPU Power,GPU Power\n";
	char log[512];
	struct trace t;

	(void)state;
	snprintf(log, sizeof log,
		 "%s2025-9-3 7:5:4.7,0.5,10,9,1\n2025-9-3 7:5:5.12,0.5,20,9,1\n%s"
		 "2025-9-3 7:5:6.107,0.5,20,9,1\n",
		 head, head);
	t = replay_text("", log);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.sample[0].before_ns % 60000000000, 4007000000);
	assert_int_equal(t.sample[1].before_ns % 60000000000, 5012000000);
	assert_int_equal(t.sample[0].before_ns / 1000000000, 1756883104);
	assert_int_equal(t.sample[0].code[0], 10000000000);
	assert_int_equal(t.facts.provenance, PROVENANCE_MODELLED);
	assert_non_null(strstr(t.facts.basis, "1 repeated headers"));
	trace_release(&t);
	snprintf(log, sizeof log,
		 "%s2025-09-03 07:05:04.70,0.5,10,9,1\n"
		 "2025-09-03 07:05:05.70,0.5,20,9,1\n",
		 head);
	t = replay_text("", log);
	assert_int_equal(t.sample[0].before_ns % 60000000000, 4700000000);
	trace_release(&t);
}

static void b34_one_stamp(void **state)
{
	static const char log[] = "time_s\tpower_mw\n0.030971766\t100\n0.030971766\t110\n"
				  "0.030971766\t120\n0.030971766\t130\n0.030971766\t140\n"
				  "0.030971766\t150\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "5 of 6 rows have the stamp of the row before");
	replay_refuses("time=none", log, "rate=");
	t = replay_text("time=none,rate=5kHz,meaning=mean_ending", log);
	assert_int_equal(t.facts.period_ns, 200000);
	assert_joules(&t, 0.650 * 200e-6, 1e-12);
}

/* B35, F15: stamps of writing are no times. */
static void b35_ppk2_api(void **state)
{
	static const char log[] = "ts,avg1000\n03-09-2025 07:05:04.123456,1000\n"
				  "03-09-2025 07:05:04.123456,2000\n"
				  "03-09-2025 07:05:04.123456,3000\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "current without voltage is no power");
	t = replay_text("volts=3V", log);
	assert_int_equal(t.facts.period_ns, 10000);
	assert_non_null(strstr(t.facts.basis, "untimed, 100000 Hz by the dialect"));
	assert_joules(&t, 6e-3 * 20e-6, 1e-12);
}

/* B37: two more channels mixed in as zeros make a trace longer and its energy low. */
static void b37_channels_mixed_in(void **state)
{
	char bytes[5 + 4 * 60] = "\xF1\x00\x00\x7A\x44", text[2048] = "time_s,power_w\n";
	struct trace t;
	struct fail f;

	(void)state;
	for (int i = 0; i < 60; i++)
		memcpy(bytes + 5 + 4 * i, i % 3 ? "\0\0\0\0" : "\x9A\x99\x51\x42", 4);
	assert_int_equal(replay_try("", bytes, sizeof bytes, &t, &f), -1);
	assert_non_null(strstr(f.text, "2 of every 3 samples are 0"));
	assert_null(t.sample);
	assert_int_equal(replay_try("zeros=data", bytes, sizeof bytes, &t, &f), 0);
	trace_release(&t);
	/* One that breaks the pattern is a reading of 0 (B49). */
	for (int i = 0; i < 60; i++)
		memcpy(bytes + 5 + 4 * i, i % 2 && i != 31 ? "\0\0\0\0" : "\x9A\x99\x51\x42", 4);
	assert_int_equal(replay_try("", bytes, sizeof bytes, &t, &f), 0);
	trace_release(&t);
	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%d\n", i, i % 2);
	replay_refuses("", text, "1 of every 2 samples are 0");
}

/* B31b: all ones are no reading. */
static void b31b_sentinels(void **state)
{
	struct trace t = replay_text("", "time_s,power_uw\n0,1000000\n1,4294967295000\n"
					 "2,4294967295\n3,1000000\n");

	(void)state;
	assert_true(t.sample[1].flags & SAMPLE_ABSENT);
	assert_true(t.sample[2].flags & SAMPLE_ABSENT);
	assert_int_equal(t.sample[3].flags, 0);
	trace_release(&t);
}

/* B39: rows with more cells than the header: shifted columns, with the line. */
static void b39_cells_and_names_differ(void **state)
{
	(void)state;
	replay_refuses("", "time_s,power_w,current_a\n0,1,2\n1,1,2\n2,20684370,1,2,20684370\n",
		       "line 4 has 5 cells where the header has 3");
	replay_refuses("", "time_s,power_w\n0,1,2\n", "line 2 has 3 cells where the header has 2");
	replay_refuses("", "time_s,power_w,current_a\n0,1\n1,1\n", "line 2 has 2 cells");
}

/* B41, B43, B49: gaps are seen, zeros are data, what is not there is no zero. */
static void missing_values(void **state)
{
	struct trace t = replay_text("", "time_s,power_w\n0,2\n1,2\n2,nan\n3,\n4,2\n5,0\n6,0\n");
	struct energy e;

	(void)state;
	assert_true(t.sample[2].flags & SAMPLE_ABSENT);
	assert_true(t.sample[3].flags & SAMPLE_ABSENT);
	assert_int_equal(t.sample[5].flags, 0);
	assert_true(fabs(replay_joules(&t, GAP_EXCLUDE, &e) - 3) < 1e-9);
	assert_int_equal(e.gaps, 1);
	assert_int_equal(e.covered_ns, 3000000000);
	assert_non_null(strstr(t.facts.basis, "2 values missing"));
	trace_release(&t);
}

static void b56_decimal_comma(void **state)
{
	struct trace t;

	(void)state;
	t = replay_text("", "time_s;power_mw\n0,0;100,5\n1,0;100,5\n");
	assert_joules(&t, 0.1005, 1e-9);
	t = replay_text("separator=hash,decimal=comma,columns=time:ms/power:mW/-",
			"0,000000#11913,476974#23490,014404\n");
	trace_release(&t);
}

static void b56_b57_refused(void **state)
{
	(void)state;
	replay_refuses("", "0,000000#11913,476974#23490,014404\n", "line 1");
	replay_refuses("", "6376827291,,cycles,mesos_test,2011741096,100,00,3,GHz\n",
		       "line 1 has 9 cells that no header names");
	replay_refuses("", "48,489790,5,206741,70,300000\n",
		       "line 1: the comma may part cells or decimals");
	replay_refuses("", "time_s,power_mw\n1,5,100,5\n", "is the comma a decimal sign");
	replay_refuses("separator=comma,decimal=comma", "a,b\n1,2\n", "cannot part both");
	replay_refuses("decimal=comma", "time_s;power_mw\n0;1.234,5\n1;2\n", "line 2, column 2");
}

/* B51, B52, B53: 1 mWh = 3.6 J, a unit in every column, charge is not energy. */
static void b51_units(void **state)
{
	struct trace t;

	(void)state;
	t = replay_text("", "time_s,power_w\n0,37.5\n600,37.5\n");
	assert_joules(&t, 6.25 * 3600, 1e-6);
	t = replay_text("meaning=counter", "time_h,energy_kwh\n0,0\n1,0.001\n");
	assert_joules(&t, 3600, 1e-6);
	t = replay_text("meaning=counter", "time_s,energy_mwh\n0,10\n100,20\n");
	assert_joules(&t, 36, 1e-9);
	t = replay_text("meaning=counter,volts=5V", "time_s,charge (mAh)\n0,0\n3600,10\n");
	assert_joules(&t, 10 * 3.6 * 5, 1e-9);
	replay_refuses("meaning=counter", "time_s,charge (mAh)\n0,0\n3600,10\n",
		       "charge without voltage is no energy");
	replay_refuses("", "time_s,power\n0,1\n", "line 2, column 2: the unit of power");
	replay_refuses("", "time_s,power (MW)\n0,1\n", "unit of power is not known");
	replay_refuses("power=V", "time_s,power\n0,1\n", "no unit of power");
}

/* B54: energy is the integral of V x I, not charge times the last voltage. */
static void b54_last_voltage(void **state)
{
	struct trace t = replay_text("use=vi", "time_s,voltage_v,current_a\n0,5,1\n10,4,1\n"
					       "10.001,0,0\n20,0,0\n");

	(void)state;
	assert_joules(&t, 45 + 0.002, 1e-6);
}

/* The night when the clocks go back: an hour comes twice, and the zone tells the two apart. */
static void zones(void **state)
{
	struct trace t =
		replay_text("", "timestamp,power_w\n"
				"2023-10-29T02:59:59+02:00,1\n2023-10-29T02:00:00+01:00,1\n"
				"2023-10-29T01:00:01Z,1\n2023-10-28T20:00:02.5-0500,1\n"
				"2023-10-29 06:30:04+0530,1\n");

	(void)state;
	assert_int_equal(t.count, 5);
	assert_joules(&t, 5, 1e-9);
	replay_refuses("", "timestamp,power_w\n2023-10-29T02:59:59+25:00,1\n", "line 2");
	replay_refuses("", "timestamp,power_w\n2023-10-29T02:59:59+,1\n", "line 2");
}

/* Power beside volts and amperes that say something else: used, but not in silence. */
static void told_twice(void **state)
{
	struct trace t = replay_text("", "time_s,voltage_v,current_ma,power_mw\n"
					 "0,5,200,1000\n1,5,200,1100\n2,5,200,950\n");

	(void)state;
	assert_null(strstr(t.facts.basis, "times"));
	trace_release(&t);
	t = replay_text("", "time_s,voltage_v,current_ma,power_mw\n"
			    "0,5,200,2000\n1,5,200,2000\n2,5,200,2000\n");
	assert_joules(&t, 4, 1e-9);
	assert_non_null(strstr(t.facts.basis, "power is 2 times volts x amperes"));
}

/* Section 10: BOM, CRLF, quotes, padding, trailing comma, repeated header, blank lines. */
static void text_oddities(void **state)
{
	struct trace t = replay_text("", "\xEF\xBB\xBF\"time (s)\", \"power (mW)\" ,\r\n\r\n"
					 " 0.0 , \"100\" ,\r\n 1.0 ,100,\r\n"
					 "\"time (s)\", \"power (mW)\" ,\r\n 2.0 ,100 mW,\r\n");

	(void)state;
	assert_int_equal(t.count, 3);
	assert_joules(&t, 0.2, 1e-9);
	/* The unit in a cell goes before its column's. */
	t = replay_text("", "time_s,power_mw\n0,100\n1,0.1 W\n2,100000 uW\n");
	assert_joules(&t, 0.2, 1e-9);
	replay_refuses("", "time_s,power_mw\n0,100 V\n", "a unit that fits");
	replay_refuses("", "\xFF\xFEt\0i\0", "UTF-16");
	replay_refuses("", "", "no row of data");
	replay_refuses("", "time_s,power_w\n", "no row of data");
	replay_refuses("", "time_s,power_w\n0,1\n1,abc\n2,1\n", "line 3, column 2: \"abc\"");
	replay_refuses("", "timestamp;tag;duration;package_0\n100;a;10;5\n105;b;10;5\n",
		       "line 3: the row begins 5 s before");
	/* A day has a midnight. */
	t = replay_text("time=timestamp",
			"timestamp,power_w\n23:59:59.5,1\n0:00:00.5,1\n0:00:01.5,1\n");
	assert_non_null(strstr(t.facts.basis, "1 midnights"));
	assert_joules(&t, 2, 1e-9);
	t = replay_text("", "timestamp,power_w\n2024-02-28T23:59:59Z,1\n2024-02-29T00:00:01Z,1\n");
	assert_joules(&t, 2, 1e-9);
}

static void keys_are_checked(void **state)
{
	static const char log[] = "time_s,power_w\n0,1\n1,1\n";

	(void)state;
	replay_refuses("meanin=instant", log, "did you mean \"meaning\"");
	replay_refuses("dialect=joulscope", log, "did you mean \"joulescope\"");
	replay_refuses("rate=-1Hz", log, "rate");
	replay_refuses("columns=watts:W", log, "none of");
	replay_refuses("power=nothing:W", log, "no column \"nothing\"");
	/* A last line that is cut may be all there was. */
	replay_refuses("volts=3.3",
		       ",n,sf,bw [kHz],t_meas [s],Q [mC],I_avg [mA]\n0,1.0,7.0,125.0,0,7.0,125.",
		       "none of its");
	replay_refuses("label=x", "time_s,power_w\n0,1\n1,1\n", "no column names the rows");
	replay_refuses("wrap=70J", "time_s,power_w\n0,1\n1,1\n", "meaning=counter");
	replay_refuses("label=x", "name,time_s,power_w\na,0,1\n", "no row of data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(b21_pyjoules_wrap),
		cmocka_unit_test(b24_unknown_range),
		cmocka_unit_test(b28_b31_power_is_not_energy),
		cmocka_unit_test(b29_b30_one_scope),
		cmocka_unit_test(b32_time_falls_back),
		cmocka_unit_test(b33_powerjoular),
		cmocka_unit_test(b34_one_stamp),
		cmocka_unit_test(b35_ppk2_api),
		cmocka_unit_test(b37_channels_mixed_in),
		cmocka_unit_test(b31b_sentinels),
		cmocka_unit_test(b39_cells_and_names_differ),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(b56_decimal_comma),
		cmocka_unit_test(b56_b57_refused),
		cmocka_unit_test(b51_units),
		cmocka_unit_test(b54_last_voltage),
		cmocka_unit_test(zones),
		cmocka_unit_test(told_twice),
		cmocka_unit_test(text_oddities),
		cmocka_unit_test(keys_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
