/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_source_test - the command with logs, recorded traces, other programs' output and
 * calibrations.
 */
#include "power/cmd_power_maker.h"

#include <sys/stat.h>

#include "lib/clock.h"
#include "power/power_live.h"

static char folder[] = "/tmp/cipherwatt-power-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[4][128];
	static int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static const char *line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *line(const char *format, ...)
{
	static char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return text;
}

/* A log is evaluated at once, whatever time it is about; windows in seconds of the trace. */
static void replay_log(void **state)
{
	int64_t start_ns = clock_ns();
	json_t *o;

	(void)state;
	write_file("log.csv",
		   "time_s,power_mw\n1000,100\n1010,100\n1020,100\n1030,300\n1040,300\n");
	o = power_json(line("replay:%s --json", in_folder("log.csv")), 3);
	assert_true(fabs(number(o, "energy_mj") - 7000) < 1e-6);
	assert_true(fabs(number(o, "duration_s") - 40) < 1e-9);
	assert_true(json_is_false(json_object_get(o, "uncertainty_known")));
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "measured");
	assert_string_equal(json_string_value(json_object_get(o, "verdict")),
			    "insufficient: fewer than 10 samples, shorter than 10 periods");
	json_decref(o);
	o = power_json(line("replay:%s --json --from 30 --to 40", in_folder("log.csv")), 3);
	assert_true(fabs(number(o, "energy_mj") - 3000) < 1e-6);
	json_decref(o);
	assert_true(clock_ns() - start_ns < 10 * NS_PER_S);
	power(line("replay:%s --energy", in_folder("log.csv")));
	assert_non_null(strstr(output, "instant assumed"));
	/* How good the instrument was, the log does not say. */
	assert_non_null(strstr(output, "0 % at least (k=1)"));
	o = power_json(line("replay:%s,error=1.5 --json", in_folder("log.csv")), 3);
	assert_true(json_is_true(json_object_get(o, "uncertainty_known")));
	assert_true(fabs(number(o, "uncertainty_pct") - 1.5) < 1e-9);
	json_decref(o);
	assert_null(strstr(output, "sampler "));
}

static void replay_refused(void **state)
{
	(void)state;
	write_file("bad.csv", "time_s,power_mw\n1,100\n2,abc\n3,1\n");
	assert_int_equal(power(line("replay:%s --energy", in_folder("bad.csv"))), EXIT_USAGE);
	assert_non_null(strstr(errors, "line 3, column 2: \"abc\""));
	assert_int_equal(power("replay:/nonexistent/x.csv"), EXIT_USAGE);
	assert_non_null(strstr(errors, "/nonexistent/x.csv"));
	assert_int_equal(power("replay:"), EXIT_USAGE);
	write_file("ok.csv", "time_s,power_mw\n1,100\n2,100\n");
	assert_int_equal(power(line("replay:%s --for 1s", in_folder("ok.csv"))), EXIT_USAGE);
	assert_non_null(strstr(errors, "--from and --to"));
	assert_int_equal(
		power(line("replay:%s --calibrate --load-current 1A", in_folder("ok.csv"))),
		EXIT_USAGE);
	assert_int_equal(power(line("replay:%s --energy --from 5 --to 6", in_folder("ok.csv"))),
			 EXIT_NOT_VALID);
}

/* What --csv writes, replay: reads, with its meaning and its provenance. */
static void csv_comes_back(void **state)
{
	double mj;
	json_t *o;

	(void)state;
	o = power_json(line("wave:sine,mean=2W,period=50ms --for 400ms --json --csv %s",
			    in_folder("wave.csv")),
		       0);
	mj = number(o, "energy_mj");
	json_decref(o);
	o = power_json(line("replay:%s --json", in_folder("wave.csv")), 0);
	/* Stamps are whole microseconds and powers whole nanowatts: what is lost is nothing. */
	assert_true(fabs(number(o, "energy_mj") - mj) < 1e-3);
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "synthetic");
	assert_string_equal(json_string_value(json_object_get(o, "meaning")), "mean_ending");
	json_decref(o);
}

static long long size_of(const char *name)
{
	struct stat st;

	return stat(in_folder(name), &st) == 0 ? (long long)st.st_size : -1;
}

/* Rows that come seldom are in the file soon all the same, whatever ends the program. */
static void killed_csv(void **state)
{
	int64_t give_up_ns = clock_ns() + 20 * NS_PER_S;
	pid_t child;

	(void)state;
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		_exit(power(line("wave:constant --rate 5 --csv %s", in_folder("killed.csv"))));
	}
	while (size_of("killed.csv") < 300 && clock_ns() < give_up_ns)
		clock_sleep_until(clock_ns() + 20 * NS_PER_MS);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(size_of("killed.csv") >= 300);
	assert_int_equal(power(line("replay:%s", in_folder("killed.csv"))), EXIT_RESULT);
}

static void recorded_trace(void **state)
{
	const char *path = in_folder("wave.trace");
	double mj, samples;
	json_t *o;

	(void)state;
	o = power_json(line("wave:ramp,mean=2W,amplitude=1W,period=40ms,chip --for 500ms --json "
			    "--record %s",
			    path),
		       0);
	mj = number(o, "energy_mj");
	samples = number(o, "samples");
	json_decref(o);
	o = power_json(line("replay:%s --json", path), 0);
	assert_true(fabs(number(o, "energy_mj") - mj) < 1e-9);
	assert_true(number(o, "samples") == samples);
	assert_non_null(strstr(json_string_value(json_object_get(o, "source")), "wave:ramp"));
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "synthetic");
	json_decref(o);
	o = power_json(line("replay:%s --json --from 0.1 --to 0.2", path), 0);
	assert_true(fabs(number(o, "duration_s") - 0.1) < 1e-9);
	assert_true(number(o, "energy_mj") > 100 && number(o, "energy_mj") < 300);
	json_decref(o);
	/* Nothing is overwritten. */
	assert_int_equal(power(line("wave:constant --for 50ms --record %s", path)), EXIT_FAILED);
	assert_non_null(strstr(errors, "not overwritten"));
	/* The reading that a calibration corrects is corrected afterwards, too. */
	o = power_json(line("replay:%s,trim_gain=100000 --json", path), 0);
	assert_true(fabs(number(o, "energy_mj") / mj - 1.1) < 1e-5);
	json_decref(o);
	/* Nor is the other file emptied by a run that is refused. */
	write_file("kept.csv", "rows of yesterday\n");
	assert_int_equal(power(line("wave:constant --for 50ms --record %s --csv %s", path,
				    in_folder("kept.csv"))),
			 EXIT_FAILED);
	assert_true(size_of("kept.csv") == 18);
	assert_int_equal(power(line("wave:constant --for 50ms --csv %s", in_folder("kept.csv"))),
			 EXIT_RESULT);
	assert_int_equal(power(line("replay:%s --csv %s/../%s/kept.csv", in_folder("kept.csv"),
				    folder, strrchr(folder, '/') + 1)),
			 EXIT_USAGE);
	assert_int_equal(power(line("replay:%s", in_folder("kept.csv"))), EXIT_RESULT);
}

static void exec_lines(void **state)
{
	json_t *o;

	(void)state;
	write_file("meter.sh", "echo Some banner\nfor i in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "
			       "\"$i s, 500 mW\"; done\n");
	o = power_json(line("exec:sh\t%s --json", in_folder("meter.sh")), 0);
	assert_true(fabs(number(o, "energy_mj") - 5500) < 1e-6);
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "measured");
	json_decref(o);
	write_file("vi.sh", "for i in 0 1 2 3 4 5 6 7 8 9 10; do echo \"$i,5.0 V,100 mA\"; done\n");
	o = power_json(line("exec:{time=s}sh\t%s --json", in_folder("vi.sh")), 0);
	assert_true(fabs(number(o, "energy_mj") - 5000) < 1e-6);
	json_decref(o);
	write_file("json.sh", "for i in 0 1 2 3 4 5 6 7 8 9 10; do echo \"{\\\"time_s\\\": $i, "
			      "\\\"energy_j\\\": $i.5}\"; done\n");
	o = power_json(line("exec:{meaning=counter}sh\t%s --json", in_folder("json.sh")), 0);
	assert_true(fabs(number(o, "energy_mj") - 10000) < 1e-6);
	json_decref(o);
}

static void exec_refused(void **state)
{
	static const struct {
		const char *script, *keys, *word;
	} row[] = {
		{ "exit 3\n", "", "exit status 3" },
		{ "true\n", "", "without a reading" },
		{ "echo 1,5 W\n", "", "line 1: \"1,5 W\" is no reading" },
		{ "echo 1 mW; echo oops\n", "", "line 2 of the command: \"oops\"" },
		{ "echo 1 mA\n", "", "give the supply" },
		{ "echo 1 J\n", "", "meaning=increment or counter" },
		{ "echo 1 s, 1 mW; echo 1 s, 1 mW\n", "", "time does not move on" },
		{ "echo 1 s, 1 mW; echo 1 mW\n", "", "has no time" },
		{ "echo 1 mW; exec sleep 100\n", "{stall=1500ms}", "printed nothing for 1.5 s" },
		{ "kill -9 $$\n", "", "exit status 137" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		write_file("x.sh", row[i].script);
		assert_int_equal(
			power(line("exec:%ssh\t%s --energy", row[i].keys, in_folder("x.sh"))),
			EXIT_FAILED);
		if (strstr(errors, row[i].word) == NULL)
			fail_msg("\"%s\" should say \"%s\"", errors, row[i].word);
	}
	assert_int_equal(power("exec:"), EXIT_USAGE);
	assert_int_equal(power("exec:{unit=mW"), EXIT_USAGE);
	assert_int_equal(power("exec:{unit=parsec}true"), EXIT_USAGE);
	assert_non_null(strstr(errors, "parsec"));
}

/* Gone, or dead and waiting for whoever reaps orphans here. */
static bool is_ended(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return true;
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	return strstr(text, ") Z ") != NULL || text[0] == '\0';
}

static bool wait_ended(pid_t pid)
{
	int64_t end_ns = clock_ns() + 10 * NS_PER_S;

	while (!is_ended(pid) && clock_ns() < end_ns)
		clock_sleep_until(clock_ns() + 10 * NS_PER_MS);
	return is_ended(pid);
}

/* A command that would go on for ever is ended with the measurement. */
static void exec_is_ended(void **state)
{
	pid_t pid = 0;
	FILE *f;

	(void)state;
	write_file("ever.sh", line("echo $$ > %s/pid\nfor i in 1 2 3 4 5 6 7 8 9 10; do echo 1 W; "
				   "done\nexec sleep 1000\n",
				   folder));
	power(line("exec:sh\t%s --for 500ms --energy", in_folder("ever.sh")));
	assert_non_null(strstr(output, "samples      10 "));
	f = fopen(in_folder("pid"), "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	assert_true(pid > 0 && wait_ended(pid));
}

/* A wave whose power is known, read by a meter that the keys make wrong. */
static void calibrations(void **state)
{
	char keys[512];
	json_t *o;

	(void)state;
	/* 2 W at 5 V: 400 mA. The "load" says 410: the meter reads 2.5 % low. */
	o = power_json("wave:constant,mean=2W,chip --calibrate --load-current 410mA --for 300ms "
		       "--json",
		       0);
	assert_true(fabs(number(o, "gain_ppm") - 25000) < 600);
	assert_true(number(o, "gain_error_ppm") < 500);
	assert_null(json_object_get(o, "offset"));
	snprintf(keys, sizeof keys, "%s --for 300ms --json",
		 json_string_value(json_object_get(o, "meter")));
	json_decref(o);
	/* The keys that it printed make the readings right. */
	o = power_json(keys, 0);
	assert_true(fabs(number(o, "mean_mw") - 5000 * 0.410) < 2);
	json_decref(o);
	/* No load: the offset. */
	o = power_json("wave:constant,mean=10mW,chip --calibrate --load-current 0A --for 300ms "
		       "--json",
		       0);
	assert_true(fabs(number(o, "offset") - 0.002) < 0.0005);
	assert_null(json_object_get(o, "gain_ppm"));
	json_decref(o);
	/* Against another meter, which is the same one. */
	o = power_json("wave:sine,mean=2W,amplitude=1W,period=70ms --calibrate --reference "
		       "wave:sine,mean=2W,amplitude=1W,period=70ms --for 400ms --json",
		       0);
	assert_true(fabs(number(o, "gain_ppm")) < 60000);
	json_decref(o);
}

static void calibrations_refused(void **state)
{
	static const struct {
		const char *line, *word;
	} row[] = {
		{ "wave:constant,chip --calibrate", "needs what is true" },
		{ "wave:constant,chip --load-current 1A", "--calibrate" },
		{ "wave:constant,chip --calibrate --load-current 1A --energy", "prints no energy" },
		{ "wave:constant --calibrate --load-current 1A --for 100ms", "--reference" },
		{ "wave:constant,chip,trim_gain=5 --calibrate --load-current 1A", "count twice" },
		{ "wave:constant,trim_offset=1mA --for 100ms", "power alone" },
		{ "wave:constant,trim_gain=x --for 100ms", "trim_gain=x" },
		{ "wave:constant,mean=2W,chip --calibrate --load-current 40A --for 200ms",
		  "no gain error" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_int_equal(power(row[i].line), EXIT_USAGE);
		if (strstr(errors, row[i].word) == NULL)
			fail_msg("%s: \"%s\" should say \"%s\"", row[i].line, errors, row[i].word);
	}
}

static void sparkline(void **state)
{
	static const double up[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, flat[] = { 5, 5.001, 5 };
	char text[LIVE_COLUMNS * 4 + 1];

	(void)state;
	power_live_spark(up, 8, false, text, sizeof text);
	assert_string_equal(text, "_.-~=+*#");
	power_live_spark(up, 8, true, text, sizeof text);
	assert_string_equal(text, "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588");
	power_live_spark(flat, 3, false, text, sizeof text);
	assert_string_equal(text, "___");
	power_live_spark(up, 0, false, text, sizeof text);
	assert_string_equal(text, "");
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "log.csv",    "bad.csv",  "ok.csv",     "wave.csv",
					     "wave.trace", "meter.sh", "vi.sh",      "json.sh",
					     "x.sh",       "kept.csv", "killed.csv", "ever.sh",
					     "pid" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_log),     cmocka_unit_test(replay_refused),
		cmocka_unit_test(csv_comes_back), cmocka_unit_test(recorded_trace),
		cmocka_unit_test(killed_csv),     cmocka_unit_test(exec_lines),
		cmocka_unit_test(exec_refused),   cmocka_unit_test(exec_is_ended),
		cmocka_unit_test(calibrations),   cmocka_unit_test(calibrations_refused),
		cmocka_unit_test(sparkline),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
