/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_shape_test - the shapes that people's tools write, as small logs. Those of which a whole
 * file is public are in replay_file_test.
 */
#include "power/replay_maker.h"

static void f11_cycler(void **state)
{
	static const char log[] =
		",n,sf,bw [kHz],br [bits/s],t_est [s],t_meas [s],Q [mC],I_avg [mA]\n"
		"0,1.0,7.0,125.0,5468.75,0.05,0.5,20.0,40.0\n1,2.0,7.0,125.0,5468.75,0.05,0.5,30.0,"
		"60.0\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "volts=");
	t = replay_text("volts=3.3V", log);
	assert_int_equal(t.facts.meaning, SAMPLE_INCREMENT);
	assert_int_equal(t.sample[2].before_ns, 1000000000);
	assert_joules(&t, 0.05 * 3.3, 1e-9);
}

/* B22, F12: columns by name, whatever their order; the counter wraps once. */
static void f12_energibridge(void **state)
{
	static const char log[] =
		"Delta,Time,CPU_FREQUENCY_0,CPU_FREQUENCY_1,CPU_FREQUENCY_10,PACKAGE_ENERGY (J),"
		"PP0_ENERGY (J)\n"
		"0,1700000000000,1,2,3,262000.0,50\n"
		"200,1700000000200,1,2,3,262100.0,51\n"
		"200,1700000000400,1,2,3,6.67115,52\n";
	struct trace t = replay_text("", log);
	struct energy e;

	(void)state;
	assert_int_equal(t.facts.meaning, SAMPLE_COUNTER);
	assert_true(fabs(replay_joules(&t, GAP_FAIL, &e) - 150) < 1e-6);
	trace_release(&t);
	/* The figures of a whole file: -250769.468 J without the wrap. */
	t = replay_text("", "Delta,Time,PACKAGE_ENERGY (J)\n0,1000,250779.468\n"
			    "1000,401000,10.0\n");
	assert_joules(&t, 11373.86085, 1e-5);
	/* Another counter on demand, never the sum. */
	t = replay_text("energy=PP0_ENERGY (J)", log);
	assert_joules(&t, 2, 1e-9);
}

static void f14_ppk2(void **state)
{
	static const char *const heads[] = { "", ",D0-D7", ",D0,D1,D2,D3,D4,D5,D6,D7" };
	static const char *const tails[] = { "", ",00000001", ",0,0,0,0,0,0,0,1" };
	char log[512];
	struct trace t;

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(log, sizeof log,
			 "Timestamp(ms),Current(uA)%s\n0.00,1000%s\n0.01,1000%s\n0.02,1000%s\n",
			 heads[i], tails[i], tails[i], tails[i]);
		replay_refuses("", log, "volts=");
		t = replay_text("volts=3.3V", log);
		assert_int_equal(t.facts.period_ns, 10000);
		assert_joules(&t, 3.3e-3 * 20e-6, 1e-12);
	}
}

static void f17_iio_capture(void **state)
{
	struct trace t = replay_text("", "timestamp ms, vshunt mV, vbus mV, power mW, current mA\n"
					 "0, 2, 5000, 1000, 200\n1000, 2, 5000, 1000, 200\n"
					 "2000, 2, 5000, 1000, 200\n");

	(void)state;
	assert_int_equal(t.sample[1].before_ns, 1000000000);
	assert_joules(&t, 2, 1e-9);
}

static void f18_arm_probe(void **state)
{
	static const char log[] = "# configuration: /etc/arm-probe.conf\n# date: today\n"
				  "time soc(V) soc(A) soc(W) big(V) big(A) big(W)\n"
				  "0.0 5 0.4 2.0 1 0.5 0.5\n1.0 5 0.4 2.0 1 0.5 0.5\n"
				  "2.0 5 0.4 2.0 1 0.5 0.5\n3.0 5 0.";
	struct trace t;

	(void)state;
	replay_refuses("", log, "line 3: 2 columns with power (soc, big)");
	t = replay_text("power=soc(W)", log);
	assert_int_equal(t.count, 3);
	assert_non_null(strstr(t.facts.basis, "cut last line dropped"));
	assert_joules(&t, 4, 1e-9);
}

static void f19_juno(void **state)
{
	static const char log[] = "sys_current,a57_current,sys_voltage,a57_voltage,sys_power,"
				  "a57_power,sys_energy,a57_energy\n1,1,5,1,5,1,5,1\n"
				  "1,1,5,1,5,1,10,2\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "power");
	replay_refuses("power=sys_power:W", log, "rate=");
	t = replay_text("power=sys_power:W,rate=1Hz", log);
	assert_joules(&t, 5, 1e-9);
}

/* F20: whole mWh: one count either way at each edge is in the uncertainty. */
static void f20_um25c(void **state)
{
	static const char log[] = "time_s,voltage_mV,current_mA,power_mW,acc_energy_mWh\n"
				  "1700000000.10,5000,200,1000,12\n1700000001.30,5000,200,1000,12\n"
				  "1700000002.50,5000,200,1000,13\n";
	struct trace t = replay_text("", log);
	struct energy e;

	(void)state;
	assert_joules(&t, 2.4, 1e-9);
	t = replay_text("energy=acc_energy:mWh,meaning=counter", log);
	assert_int_equal(t.facts.counter_step_nj, 3600000000);
	assert_true(fabs(replay_joules(&t, GAP_FAIL, &e) - 3.6) < 1e-9);
	/* Each edge is off by up to one count, evenly: 3.6 J / sqrt(3), twice. */
	assert_true(fabs((double)e.instrument_nj / 1e9 - 3.6 * sqrt(2.0 / 3)) < 1e-6);
	trace_release(&t);
}

static void f21_gmt(void **state)
{
	struct trace t = replay_text("", "1700000000000000 10000 Package_0\n"
					 "1700000000100000 20000 Package_0\n"
					 "1700000000200000 30000 Package_0\n"
					 "1700000000300000 40000 Pack");

	(void)state;
	assert_int_equal(t.count, 3);
	assert_non_null(strstr(t.facts.basis, "cut last line dropped"));
	assert_joules(&t, 0.05, 1e-9);
	/* What is missing shows as a gap. */
	t = replay_text("", "1700000000000000 10000 Package_0\n1700000000100000 20000 Package_0\n"
			    "1700000000200000 20000 Package_0\n1700000001200000 30000 Package_0\n");
	{
		struct energy e;

		assert_true(fabs(replay_joules(&t, GAP_EXCLUDE, &e) - 0.07) < 1e-9);
		assert_int_equal(e.gaps, 1);
	}
	trace_release(&t);
	replay_refuses("", "1700000000000000 10000 Package_0\n1700000000000000 10000 Package_1\n",
		       "line 2: rows of \"Package_0\" and \"Package_1\"");
	t = replay_text("label=Package_1",
			"1700000000000000 10000 Package_0\n1700000000000000 10000 Package_1\n"
			"1700000000100000 10000 Package_0\n1700000000100000 70000 Package_1\n");
	assert_joules(&t, 0.07, 1e-9);
}

/* F23: begin, tag, length: what lies between two blocks belongs to none. */
static void f23_pyjoules_spans(void **state)
{
	struct trace t = replay_text("", "timestamp;tag;duration;package_0\n"
					 "100.0;a;10.0;5000000\n"
					 "110.0;b;10.0;7000000\n"
					 "140.0;;10.0;9000000\n");
	struct energy e;

	(void)state;
	assert_true(fabs(replay_joules(&t, GAP_EXCLUDE, &e) - 21) < 1e-9);
	assert_int_equal(e.covered_ns, 30000000000);
	assert_int_equal(e.gaps, 1);
	assert_int_equal(e.longest_gap_ns, 20000000000);
	trace_release(&t);
}

static void f24_declared(void **state)
{
	static const char log[] = "0.0,1000.5\n10.25,1000.5\n20.5,1000.5\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "line 1 has 2 cells that no header names");
	t = replay_text("dialect=seelab", log);
	assert_joules(&t, 1.0005 * 0.0205, 1e-9);
	t = replay_text("time=ms,power=mW,meaning=mean_ending", log);
	assert_int_equal(t.facts.meaning, SAMPLE_MEAN_ENDING);
	assert_joules(&t, 1.0005 * 0.0205, 1e-9);
	replay_refuses("time=ms", log, "1 columns are declared");
}

/* F25: not a meter's log; its text is still cut right. */
static void f25_perf_stat(void **state)
{
	static const char log[] = "# started on Mon Nov  6 10:00:00 2023\n\n"
				  "0,31/msec/task-clock/306721/100,00/0/CPUs utilized\n";
	struct slice line;
	struct cells c;
	struct decimal d;
	int64_t us;

	(void)state;
	replay_refuses("", log, "line 3");
	line = (struct slice){ strstr(log, "0,31"), strlen(strstr(log, "0,31")) - 1 };
	assert_true(lex_split(line, '/', &c));
	assert_int_equal(c.count, 7);
	assert_int_equal(decimal_read(c.cell[0].at, c.cell[0].len, ',', &d), 4);
	assert_true(decimal_scale(&d, 1, 3, &us));
	assert_int_equal(us, 310);
	assert_int_equal(decimal_read(c.cell[4].at, c.cell[4].len, ',', &d), 6);
	assert_true(slice_equal(c.cell[6], "CPUs utilized"));
	/* ";100,00 ; ;": a separator and a decimal comma that do not clash. */
	assert_true(lex_split((struct slice){ ";100,00 ; ;", 11 }, ';', &c));
	assert_int_equal(c.count, 3);
	assert_int_equal(decimal_read(c.cell[1].at, c.cell[1].len, ',', &d), 6);
}

static void f26_no_units(void **state)
{
	static const char log[] = "\xEF\xBB\xBFtime,trace_a,trace_b\n0,0.5,0.1\n3600,0.5,0.1\n";
	struct trace t;

	(void)state;
	replay_refuses("", log, "no column with power");
	replay_refuses("power=trace_a:W", log, "the unit of time");
	t = replay_text("time=s,power=trace_a:W,scale=120", log);
	assert_joules(&t, 60 * 3600.0, 1e-6);
}

static void f27_sketch(void **state)
{
	static const char rows[] = "0,5.00,10.00,5.01,100.0\n100,5.00,10.00,5.01,100.0\n";
	char log[512];
	struct trace t;

	(void)state;
	snprintf(log, sizeof log, "ms,BusV[V],ShuntV[mV],LoadV[V],Current[mA]\r\n%s", rows);
	t = replay_text("", log);
	assert_joules(&t, 0.05, 1e-9);
	snprintf(log, sizeof log, "# ms,BusV[V],ShuntV[mV],LoadV[V],Current[mA]\n%s", rows);
	t = replay_text("", log);
	assert_joules(&t, 0.05, 1e-9);
	snprintf(log, sizeof log, "Hello!\nMeasuring with an INA219 ...\n%s", rows);
	t = replay_text("dialect=ina219-sketch", log);
	assert_non_null(strstr(t.facts.basis, "2 lines before the data skipped"));
	assert_joules(&t, 0.05, 1e-9);
	replay_refuses("", rows, "line 1 has 5 cells");
}

/*
 * Of our own CSV: a sample that came late holds all since the one before, where the meter was such
 * a one and its file says so.
 */
static void gapless_comes_back(void **state)
{
	static const char rows[] = "# meaning of a sample: mean_ending\n%s"
				   "time_s,power_mw,flags,provenance\n0.000000,1000,-,modelled\n"
				   "0.001000,1000,-,modelled\n0.002000,1000,-,modelled\n"
				   "0.010000,1000,late,modelled\n0.011000,1000,-,modelled\n";

	(void)state;
	for (int gapless = 0; gapless <= 1; gapless++) {
		struct energy e;
		struct trace t;
		char text[512];

		snprintf(text, sizeof text, rows, gapless ? "# gapless: yes\n" : "");
		t = replay_text("", text);
		assert_true(fabs(replay_joules(&t, GAP_EXCLUDE, &e) - (gapless ? 0.011 : 0.004)) <
			    1e-9);
		assert_int_equal(e.gaps, gapless ? 0 : 1);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f11_cycler),         cmocka_unit_test(f12_energibridge),
		cmocka_unit_test(f14_ppk2),           cmocka_unit_test(f17_iio_capture),
		cmocka_unit_test(f18_arm_probe),      cmocka_unit_test(f19_juno),
		cmocka_unit_test(f20_um25c),          cmocka_unit_test(f21_gmt),
		cmocka_unit_test(f23_pyjoules_spans), cmocka_unit_test(f24_declared),
		cmocka_unit_test(f25_perf_stat),      cmocka_unit_test(f26_no_units),
		cmocka_unit_test(f27_sketch),         cmocka_unit_test(gapless_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
