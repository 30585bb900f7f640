/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_test - the command in this process: its table, its outputs, its exit status.
 */
#include "power/cmd_power_maker.h"

static void table_is_sound(void **state)
{
	struct fail f = { 0 };

	(void)state;
	if (opt_check_table(cmd_power.usage.options, &f) != 0)
		fail_msg("%s", f.text);
	assert_int_equal(power("--help"), EXIT_RESULT);
	assert_non_null(strstr(output, "--self-test"));
}

static void self_test_passes(void **state)
{
	(void)state;
	assert_int_equal(power("--self-test"), EXIT_RESULT);
	assert_non_null(strstr(output, "V12 pass"));
	assert_non_null(strstr(output, "S09 pass"));
	assert_non_null(strstr(output, "25 of 25"));
	assert_null(strstr(output, "FAIL"));
}

static void list_names_sources(void **state)
{
	(void)state;
	assert_int_equal(power("--list"), EXIT_RESULT);
	assert_non_null(strstr(output, "orange-pi-pc"));
	assert_non_null(strstr(output, "not published"));
	assert_non_null(strstr(output, "sbc-reviews"));
	assert_non_null(strstr(output, "ina219:"));
}

static void json_keys(void **state)
{
	static const char *const keys[] = {
		"energy_mj",       "duration_s",   "mean_mw",
		"peak_mw",         "samples",      "gaps",
		"coverage",        "source",       "provenance",
		"uncertainty_pct", "late",         "lost",
		"stale",           "achieved_hz",  "interval_us",
		"basis",           "duty_pct",     "meaning",
		"gap_policy",      "insufficient", "sampler_cpu_pct",
		"sampler_cpu_s",   "read_us",
	};
	json_error_t error;
	json_t *o;
	double mj, seconds;

	(void)state;
	assert_int_equal(power("wave:constant,mean=2W --for 400ms --json"), EXIT_RESULT);
	o = json_loads(output, 0, &error);
	if (o == NULL)
		fail_msg("%s: %s", error.text, output);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (json_object_get(o, keys[i]) == NULL)
			fail_msg("no key %s", keys[i]);
	mj = json_real_value(json_object_get(o, "energy_mj"));
	seconds = json_real_value(json_object_get(o, "duration_s"));
	assert_true(mj > 2000 * seconds - 0.001 && mj < 2000 * seconds + 0.001);
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "synthetic");
	json_decref(o);
}

/* The word stands in every form of the output. */
static void modelled_everywhere(void **state)
{
	json_error_t error;
	json_t *o;
	char *at;

	(void)state;
	assert_int_equal(power("model:rpi-4b --for 800ms --energy"), EXIT_RESULT);
	at = strstr(output, "energy ");
	assert_non_null(at);
	assert_non_null(strstr(at, "mJ modelled"));
	assert_non_null(strstr(output, "sbc-reviews"));
	assert_int_equal(power("model:rpi-4b --for 800ms --json"), EXIT_RESULT);
	o = json_loads(output, 0, &error);
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "provenance")), "modelled");
	json_decref(o);
	assert_int_equal(power("model:rpi-4b --for 100ms --csv -"), EXIT_RESULT);
	assert_non_null(strstr(output, "# provenance: modelled"));
	at = strstr(output, "time_s,bus_mv,current_ma,power_mw,flags,provenance\n");
	assert_non_null(at);
	at = strchr(at, '\n') + 1;
	assert_true(*at != '\0');
	for (char *line; (line = strsep(&at, "\n")) != NULL;)
		assert_true(*line == '\0' || *line == '#' || strstr(line, ",modelled") != NULL);
	assert_int_equal(power("model:rpi-4b --for 1200ms"), EXIT_RESULT);
	assert_non_null(strstr(output, "mW  modelled"));
}

/* A chip that converts in 1 ms, asked every 50 ms, says little about a bursty load. */
static void seldom_asked(void **state)
{
	(void)state;
	power("wave:square,chip --for 300ms --rate 20");
	assert_non_null(strstr(output, "2.13 % of the time"));
	power("wave:square,chip --for 300ms");
	assert_null(strstr(output, "% of the time"));
	/* Means with a counter behind them see all of it. */
	power("wave:square --for 300ms --rate 20");
	assert_null(strstr(output, "% of the time"));
}

static void windows_and_gaps(void **state)
{
	(void)state;
	/* On a machine that stalls, it may be found insufficient. */
	power("wave:constant --for 300ms --energy --from 0.05 --to 0.15");
	assert_non_null(strstr(output, "duration     0.100 s"));
	assert_int_equal(power("wave:constant --for 300ms --energy --to 5 --gap fail"),
			 EXIT_NOT_VALID);
	assert_non_null(strstr(errors, "gap"));
	/* B60: wires the wrong way round. */
	power("wave:constant,mean=-1W --for 300ms --energy");
	assert_non_null(strstr(output, "invert"));
	assert_int_equal(power("wave:constant --for 300ms --energy --to 0.002"), EXIT_NOT_VALID);
	assert_non_null(strstr(output, "insufficient"));
}

/* Without --for it reads until interrupted, and then prints what there is. */
static void interrupt_ends_well(void **state)
{
	int ends[2], status;
	size_t used = 0;
	ssize_t got;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char *argv[] = { (char[]){ "power" }, (char[]){ "wave:constant,mean=2W" }, NULL };

		dup2(ends[1], 1);
		close(ends[0]);
		_exit(cmd_power.run(&cmd_power, 2, argv));
	}
	close(ends[1]);
	/* The first line shows that it reads. */
	while ((got = read(ends[0], output + used, sizeof output - 1 - used)) > 0) {
		if (used == 0)
			kill(child, SIGINT);
		used += (size_t)got;
	}
	output[used] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_RESULT);
	assert_non_null(strstr(output, "2000.000 mW  synthetic"));
	assert_non_null(strstr(output, "samples "));
}

static void refusals(void **state)
{
	static const struct {
		const char *line, *word;
		int status;
	} row[] = {
		{ "", "expected a METER", EXIT_USAGE },
		{ "wave:sine wave:sine", "one METER", EXIT_USAGE },
		{ "model:orange-pi-pc", "not published", EXIT_USAGE },
		{ "wave:sine --rate 5 --period 1s", "give one", EXIT_USAGE },
		{ "wave:sine --rate -5", "--rate", EXIT_USAGE },
		{ "wave:sine --rate 0", "0.001", EXIT_USAGE },
		{ "wave:sine --for 0s", "more than 0", EXIT_USAGE },
		{ "wave:sine --period 0s", "more than 0", EXIT_USAGE },
		{ "wave:sine --self-test", "no METER", EXIT_USAGE },
		{ "wave:sine --csv same --record same", "a file each", EXIT_USAGE },
		{ "wave:sine --from 1", "--energy", EXIT_USAGE },
		{ "wave:sine --json --csv -", "standard output", EXIT_USAGE },
		{ "wave:sine --watch 1", "model:", EXIT_USAGE },
		{ "model:rpi-4b --watch x", "--watch", EXIT_USAGE },
		{ "model:rpi-4b --watch 4194303", "not there", EXIT_FAILED },
		{ "wave:sine --for 50ms --csv /nonexistent/x.csv", "/nonexistent", EXIT_FAILED },
		{ "wave:sine --for 50ms --energy --from 2 --to 1", "empty window", EXIT_USAGE },
		{ "ina219:/nonexistent/i2c-1@0x40", "not enabled", EXIT_FAILED },
		{ "wave:sine --gap bridge", "exclude", EXIT_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		int status = power(row[i].line);

		if (status != row[i].status || strstr(errors, row[i].word) == NULL)
			fail_msg("power %s: status %d, \"%s\" should say \"%s\"", row[i].line,
				 status, errors, row[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(self_test_passes),
		cmocka_unit_test(list_names_sources),
		cmocka_unit_test(json_keys),
		cmocka_unit_test(modelled_everywhere),
		cmocka_unit_test(seldom_asked),
		cmocka_unit_test(windows_and_gaps),
		cmocka_unit_test(interrupt_ends_well),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
