/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power - `cipherwatt power`: options, and which of its works is done.
 * It must not know how a meter is read or energy computed.
 */
#include "power/cmd_power.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/table.h"
#include "lib/units.h"
#include "power/board.h"
#include "power/cmd_power_parts.h"
#include "power/energy.h"
#include "power/sibling_vectors.h"
#include "power/vectors.h"

#define AT(field) offsetof(struct power_settings, field)

static const struct opt options[] = {
	{ "for", 'f', OPT_DURATION, AT(for_ns), "DURATION",
	  "read for this long; until interrupted (Ctrl-C) when not given", NULL, NULL, 0, 0 },
	{ "rate", 'r', OPT_REAL, AT(rate_hz), "HZ",
	  "readings a second, at most the meter's own pace, which is taken when neither this nor "
	  "--period is given",
	  NULL, NULL, 0, 0 },
	{ "period", 'p', OPT_DURATION, AT(period_ns), "DURATION", "time between readings", NULL,
	  NULL, 0, 0 },
	{ "energy", 'e', OPT_FLAG, AT(energy), NULL,
	  "print energy, duration, mean, peak, coverage and uncertainty at the end", NULL, NULL, 0,
	  0 },
	{ "from", 0, OPT_REAL, AT(from_s), "S",
	  "begin of the energy window, seconds after the first reading", NULL, NULL, 0, 0 },
	{ "to", 0, OPT_REAL, AT(to_s), "S",
	  "end of the energy window, seconds after the first reading", NULL, NULL, 0, 0 },
	{ "gap", 'g', OPT_CHOICE, AT(gap), "POLICY",
	  "gaps in the window: give up, hold the value before, draw a line, or leave the time out",
	  "exclude", gap_policy_name, 0, 0 },
	{ "watch", 'w', OPT_LIST, AT(watch), "PID", "process whose CPU time a model counts", NULL,
	  NULL, 0, 0 },
	{ "csv", 0, OPT_TEXT, AT(csv), "FILE", "write every reading; - is standard output", NULL,
	  NULL, 0, 0 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL, "print the report as JSON, energy included", NULL,
	  NULL, 0, 0 },
	{ "record", 0, OPT_TEXT, AT(record), "FILE",
	  "write a compressed trace as it is read, which replay:FILE reads again; what is complete "
	  "survives any end",
	  NULL, NULL, 0, 0 },
	{ "calibrate", 0, OPT_FLAG, AT(calibrate), NULL,
	  "find gain and offset against known loads (--load-current) or another meter "
	  "(--reference)",
	  NULL, NULL, 0, 0 },
	{ "load-current", 0, OPT_LIST, AT(load_current), "AMPERES",
	  "a known load such as 500mA; several, one after the other, give gain and offset", NULL,
	  NULL, 0, 0 },
	{ "load-error", 0, OPT_REAL, AT(load_error_pct), "PERCENT",
	  "standard uncertainty of the known loads", "0", NULL, 0, 0 },
	{ "reference", 0, OPT_TEXT, AT(reference), "METER",
	  "the meter to calibrate against, in the same circuit", NULL, NULL, 0, 0 },
	{ "self-test", 0, OPT_FLAG, AT(self_test), NULL,
	  "read register vectors through the simulated chips and say pass or fail", NULL, NULL, 0,
	  0 },
	{ "list", 0, OPT_FLAG, AT(list), NULL, "list the meters, and the boards with their watts",
	  NULL, NULL, 0, 0 },
	{ 0 },
};

/* A line for each vector; 1 when it failed. */
static int say_vector(const char *id, const char *chip, const char *about, bool passed,
		      const char *why)
{
	printf("%s %s  %s: %s%s%s\n", id, passed ? "pass" : "FAIL", chip, about, why[0] ? ": " : "",
	       why);
	return !passed;
}

static int self_test(void)
{
	int failed = 0, count = 0;
	char why[320];

	for (const struct ina219_vector *v = ina219_vectors; v->id != NULL; v++, count++) {
		bool passed = vector_passes(v, why, sizeof why);

		failed += say_vector(v->id, "ina219", v->about, passed, why);
	}
	for (const struct sibling_vector *v = sibling_vectors; v->id != NULL; v++, count++) {
		bool passed = sibling_passes(v, why, sizeof why);

		failed += say_vector(v->id, v->chip, v->about, passed, why);
	}
	printf("self-test %s: %d of %d register vectors read right through the simulated chips\n",
	       failed ? "FAILED" : "passed", count - failed, count);
	return failed ? EXIT_FAILED : EXIT_RESULT;
}

static const char *watts(int mw, char *dst, size_t len)
{
	snprintf(dst, len, "%.4g", mw / 1e3);
	return mw ? dst : "not published";
}

static int list(const struct command *c)
{
	static const char *const heads[] = { "board", ">cores", ">idle W", ">loaded W",
					     "scope", "source", NULL };
	struct table t;
	int bad;

	printf("Meters (the METER of `cipherwatt power METER`):\n");
	for (int i = 0; meters[i] != NULL; i++)
		printf("  %s:%s\n", meters[i]->name, meters[i]->help);
	printf("\nBoards for model: (published figures, sources differ by up to a factor of two;\n"
	       "defaults for sizing, never a measurement):\n");
	bad = table_init(&t, heads);
	for (const struct board *b = boards; b->name != NULL && bad == 0; b++) {
		char cores[16], idle[32], loaded[32];
		const char *cells[] = { b->name,
					cores,
					watts(b->idle_mw, idle, sizeof idle),
					watts(b->loaded_mw, loaded, sizeof loaded),
					b->scope ? b->scope : "",
					b->source };

		snprintf(cores, sizeof cores, "%d", b->cores);
		bad = table_row(&t, cells);
	}
	if (bad == 0)
		table_print(&t, stdout);
	table_release(&t);
	return bad ? command_fail(c, EXIT_FAILED, "no memory") : EXIT_RESULT;
}

static int check_calibration(const struct command *c, const struct power_settings *set)
{
	if (!set->calibrate && (set->load_current.count > 0 || set->reference != NULL))
		return command_fail(c, EXIT_USAGE,
				    "--load-current and --reference are for --calibrate");
	if (!set->calibrate)
		return -1;
	if ((set->load_current.count > 0) == (set->reference != NULL))
		return command_fail(
			c, EXIT_USAGE,
			"--calibrate needs what is true: --load-current 500mA (as often "
			"as there are loads) or --reference METER");
	if (set->energy || set->csv != NULL || set->record != NULL || set->has_from || set->has_to)
		return command_fail(c, EXIT_USAGE,
				    "--calibrate prints no energy and writes no readings");
	if (!(set->load_error_pct >= 0 && set->load_error_pct < 100))
		return command_fail(c, EXIT_USAGE, "--load-error: expected 0 to 100 %%");
	return -1;
}

/* Is path the file that "replay:FILE,..." reads? */
static bool is_source(const char *text, const char *path)
{
	const char *colon = strchr(text, ':');
	char name[4096];
	struct stat source, st;

	if (colon == NULL || path == NULL)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(colon + 1, ","), colon + 1);
	return stat(name, &source) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_dev == source.st_dev && st.st_ino == source.st_ino;
}

static int check_stored(const struct command *c, const struct power_settings *set,
			const struct meter *m, const char *text)
{
	if (!m->stored)
		return -1;
	if (is_source(text, set->csv))
		return command_fail(c, EXIT_USAGE,
				    "--csv %s is the file that is read: give another name",
				    set->csv);
	if (set->has_for || set->has_rate || set->has_period)
		return command_fail(
			c, EXIT_USAGE,
			"--for, --rate and --period are for readings to come; --from and "
			"--to choose among those of a replay");
	if (set->calibrate)
		return command_fail(c, EXIT_USAGE, "--calibrate needs a meter that is there");
	return -1;
}

static int check(const struct command *c, const struct power_settings *set, int operands,
		 char **argv)
{
	if (operands != 1)
		return command_fail(
			c, EXIT_USAGE,
			operands ? "one METER at a time, but also got \"%s\""
				 : "expected a METER, such as model:rpi-4b; --list shows "
				   "them%s",
			operands ? argv[2] : "");
	if (set->has_rate && set->has_period)
		return command_fail(c, EXIT_USAGE, "--rate and --period say the same: give one");
	if (set->has_rate && !(set->rate_hz >= 0.001 && set->rate_hz <= 100000))
		return command_fail(c, EXIT_USAGE, "--rate: expected 0.001 to 100000 Hz");
	if ((set->has_for && set->for_ns == 0) || (set->has_period && set->period_ns == 0))
		return command_fail(c, EXIT_USAGE, "--for, --period: expected more than 0");
	if ((set->has_from || set->has_to) && !set->energy && !set->json)
		return command_fail(c, EXIT_USAGE, "--from and --to need --energy or --json");
	if (set->json && set->csv != NULL && strcmp(set->csv, "-") == 0)
		return command_fail(c, EXIT_USAGE,
				    "--json and --csv - both want standard output: give a file");
	if (set->csv != NULL && set->record != NULL && strcmp(set->csv, set->record) == 0)
		return command_fail(c, EXIT_USAGE, "--csv and --record want a file each");
	if (!(fabs(set->from_s) < 1e9 && fabs(set->to_s) < 1e9))
		return command_fail(c, EXIT_USAGE, "--from, --to: expected seconds");
	return check_calibration(c, set);
}

static void note_given(struct power_settings *set, int argc, char **argv, int operands)
{
	set->has_from = opt_given(options, argc, argv, operands, "from");
	set->has_to = opt_given(options, argc, argv, operands, "to");
	set->has_for = opt_given(options, argc, argv, operands, "for");
	set->has_rate = opt_given(options, argc, argv, operands, "rate");
	set->has_period = opt_given(options, argc, argv, operands, "period");
}

static int run(const struct command *c, int argc, char **argv)
{
	struct power_settings set = { 0 };
	struct meter m;
	int operands, status;

	status = command_parse(c, &set, argc, argv, &operands);
	if (status >= 0)
		return status;
	note_given(&set, argc, argv, operands);
	if ((set.self_test || set.list) && operands > 0)
		return command_fail(c, EXIT_USAGE,
				    "--self-test and --list are about all meters: give no METER");
	if (set.self_test || set.list)
		return command_finish(c, set.self_test ? self_test() : list(c));
	status = check(c, &set, operands, argv);
	if (status >= 0)
		return status;
	if (meter_open(&m, argv[1]) != 0)
		return command_fail(c, m.fail.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s",
				    m.fail.text);
	status = check_stored(c, &set, &m, argv[1]);
	if (status < 0)
		status = set.calibrate ? power_calibrate(c, &set, &m, argv[1])
				       : power_measure(c, &set, &m);
	meter_close(&m);
	return command_finish(c, status);
}

const struct command cmd_power = {
	.name = "power",
	.usage = {
		.synopsis = "power METER [OPTION]...",
		.summary = "read a power meter: live, as CSV, or as energy over a window",
		.description =
			"Reads METER and shows volts, milliamperes and milliwatts; --list shows the "
			"meters and boards. Readings go on until --for is over, Ctrl-C or the end of "
			"the source; memory does not grow with them.\n\n"
			"Energy is integrated from the readings by what a reading means; gaps are "
			"counted and never bridged unless --gap says how. The uncertainty is the "
			"instrument's, one standard deviation.\n\n"
			"A figure that a model made says \"modelled\" wherever it is printed.\n\n"
			"Exit status: 0 a result, 1 failed, 2 wrong options, 3 read but not valid "
			"(too short, too many gaps).",
		.examples = "cipherwatt power ina219:/dev/i2c-1@0x40,shunt=0.1,max=2A\n"
			    "cipherwatt power ina219:/dev/i2c-1@0x40,avg=8 --for 60s --energy --json\n"
			    "cipherwatt power model:rpi-4b --watch 1234 --for 10s --energy\n"
			    "cipherwatt power wave:sine,mean=2W,amplitude=1W --for 5s --csv wave.csv\n"
			    "cipherwatt power ina219:/dev/i2c-1@0x40 --record day.trace\n"
			    "cipherwatt power replay:day.trace --energy --from 3600 --to 7200\n"
			    "cipherwatt power replay:log.csv,power=mW,meaning=mean_ending --energy\n"
			    "cipherwatt power 'exec:{unit=W}read-my-plug' --for 60s --energy\n"
			    "cipherwatt power ina219:/dev/i2c-1@0x40 --calibrate --load-current 0A \\\n"
			    "    --load-current 500mA\n"
			    "cipherwatt power --self-test",
		.options = options,
	},
	.run = run,
};
