/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power - `cipherwatt power`: options, the live line, and which report is printed.
 * It must not know how a meter is read or energy computed.
 */
#include "power/cmd_power.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/table.h"
#include "lib/units.h"
#include "power/board.h"
#include "power/convert.h"
#include "power/power_report.h"
#include "power/sampler.h"
#include "power/vectors.h"

#define LIVE_NS     (250 * NS_PER_MS) /* on a terminal */
#define PLAIN_NS    NS_PER_S
#define EXPECTED_NS (60 * NS_PER_S) /* room when no --for is given */

struct settings {
	int64_t for_ns, period_ns;
	double rate_hz, from_s, to_s;
	const char *csv;
	struct opt_list watch;
	int gap;
	bool json, energy, self_test, list;
	bool has_from, has_to;
};

#define AT(field) offsetof(struct settings, field)

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
	{ "self-test", 0, OPT_FLAG, AT(self_test), NULL,
	  "read register vectors through the simulated chip and say pass or fail", NULL, NULL, 0,
	  0 },
	{ "list", 0, OPT_FLAG, AT(list), NULL, "list the meters, and the boards with their watts",
	  NULL, NULL, 0, 0 },
	{ 0 },
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int self_test(void)
{
	int failed = 0, count = 0;
	char why[320];

	for (const struct ina219_vector *v = ina219_vectors; v->id != NULL; v++, count++) {
		bool passed = vector_passes(v, why, sizeof why);

		printf("%s %s  %s%s%s\n", v->id, passed ? "pass" : "FAIL", v->about,
		       why[0] ? ": " : "", why);
		failed += !passed;
	}
	printf("self-test %s: %d of %d register vectors read right through the simulated INA219\n",
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

/* One reading as people read it. */
static void describe(const struct meter_facts *facts, const struct sample *s, char *dst, size_t len)
{
	char flags[96] = "";
	struct convert c;
	struct reading r;

	convert_init(&c, facts);
	if (s->flags)
		power_flags_text(s->flags, flags, sizeof flags);
	if (facts->kind == CODE_ENERGY && !(s->flags & SAMPLE_ABSENT))
		snprintf(dst, len, "%12.6f mJ  %s  %s", (double)s->code[0] / 1e6,
			 provenance_name[facts->provenance], flags);
	else if (!convert_sample(&c, s, &r))
		snprintf(dst, len, "no reading  %s  %s", provenance_name[facts->provenance], flags);
	else if (facts->kind == CODE_BUS_SHUNT)
		snprintf(dst, len, "%7.3f V %9.3f mA %10.3f mW  %s  %s", (double)r.bus_uv / 1e6,
			 (double)r.current_na / 1e6, (double)r.power_nw / 1e6,
			 provenance_name[facts->provenance], flags);
	else
		snprintf(dst, len, "%10.3f mW  %s  %s", (double)r.power_nw / 1e6,
			 provenance_name[facts->provenance], flags);
}

static void show(struct sampler *s, const struct meter_facts *facts, int64_t start_ns, FILE *out,
		 bool rewrite)
{
	struct sample newest;
	size_t count = sampler_peek(s, &newest);
	double seconds = (double)(clock_ns() - start_ns) / 1e9;
	char text[192];

	if (count == 0)
		return;
	describe(facts, &newest, text, sizeof text);
	fprintf(out, "%s%8.2f s %s  %.4g Hz%s", rewrite ? "\r" : "", seconds, text,
		(double)count / seconds, rewrite ? "\033[K" : "\n");
	fflush(out);
}

/* Until the time is over, a signal comes or the meter fails. Shows readings meanwhile. */
static void wait_and_show(struct sampler *s, const struct settings *set,
			  const struct meter_facts *facts)
{
	bool own_output = !set->json && !(set->csv && strcmp(set->csv, "-") == 0);
	FILE *out = own_output ? stdout : stderr;
	bool rewrite = isatty(fileno(out)), quiet = !rewrite && (!own_output || set->energy);
	int64_t start_ns = clock_ns(), end_ns = set->for_ns ? start_ns + set->for_ns : INT64_MAX;
	int64_t show_ns = start_ns + (rewrite ? LIVE_NS : PLAIN_NS);

	while (!interrupted && !sampler_failed(s)) {
		int64_t now_ns = clock_ns(), due_ns = now_ns + 50 * NS_PER_MS;

		if (now_ns >= end_ns)
			break;
		if (now_ns >= show_ns && !quiet) {
			show(s, facts, start_ns, out, rewrite);
			show_ns += rewrite ? LIVE_NS : PLAIN_NS;
		}
		clock_sleep_until(due_ns < end_ns ? due_ns : end_ns);
	}
	if (rewrite)
		fprintf(out, "\r\033[K");
}

static int watch(const struct command *c, const struct settings *set, struct meter *m)
{
	pid_t pids[OPT_LIST_MAX];

	for (int i = 0; i < set->watch.count; i++) {
		struct fail f = { 0 };
		int64_t pid;

		if (units_integer(set->watch.item[i], 1, INT32_MAX, &pid, &f) != 0)
			return command_fail(c, EXIT_USAGE, "--watch %s: %s", set->watch.item[i],
					    f.text);
		pids[i] = (pid_t)pid;
	}
	if (set->watch.count > 0 && m->facts.provenance != PROVENANCE_MODELLED)
		return command_fail(c, EXIT_USAGE,
				    "--watch is for model: meters; %s reads what flows, whoever "
				    "causes it",
				    m->ops->name);
	if (set->watch.count > 0 && m->ops->watch(m, pids, set->watch.count) != 0)
		return command_fail(c, EXIT_FAILED, "--watch: %s", m->fail.text);
	if (set->watch.count == 0 && m->facts.provenance == PROVENANCE_MODELLED)
		log_say(LOG_NOTE, "no --watch PID: the model shows the idle board");
	return EXIT_RESULT;
}

static int write_csv(const struct command *c, const char *path, const struct power_report *r)
{
	FILE *out;
	int bad;

	if (strcmp(path, "-") == 0) {
		power_report_csv(r, stdout);
		return EXIT_RESULT;
	}
	out = fopen(path, "we");
	if (out == NULL)
		return command_fail(c, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
	power_report_csv(r, out);
	bad = ferror(out);
	if (fclose(out) != 0 || bad)
		return command_fail(c, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
	return EXIT_RESULT;
}

/* The energy of the window asked for. An exit status. */
static int integrate(const struct command *c, const struct settings *set, struct power_report *r)
{
	struct fail f = { 0 };
	int64_t first_ns, last_ns, from_ns, to_ns;

	if (energy_span(r->trace, &first_ns, &last_ns) != 0)
		return command_fail(c, EXIT_NOT_VALID, "fewer than two readings: no energy");
	from_ns = set->has_from ? first_ns + llround(set->from_s * 1e9) : first_ns;
	to_ns = set->has_to ? first_ns + llround(set->to_s * 1e9) : last_ns;
	r->policy = (enum gap_policy)set->gap;
	if (energy_window(r->trace, from_ns, to_ns, r->policy, 0, &r->energy, &f) != 0)
		return command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_NOT_VALID, "%s",
				    f.text);
	r->has_energy = true;
	return r->energy.insufficient ? EXIT_NOT_VALID : EXIT_RESULT;
}

static int report(const struct command *c, const struct settings *set, const struct trace *t,
		  int64_t own_period_ns)
{
	struct power_report r;
	int status = EXIT_RESULT, csv_status = EXIT_RESULT;

	if (power_report_init(&r, t, own_period_ns) != 0)
		return command_fail(c, EXIT_FAILED, "no memory");
	if (set->energy || set->json)
		status = integrate(c, set, &r);
	if (set->csv != NULL)
		csv_status = write_csv(c, set->csv, &r);
	if (set->json && power_report_json(&r, stdout) != 0)
		return command_fail(c, EXIT_FAILED, "no memory for the report");
	if (!set->json)
		power_report_text(&r, set->csv && strcmp(set->csv, "-") == 0 ? stderr : stdout);
	return csv_status != EXIT_RESULT ? csv_status : status;
}

static int measure(const struct command *c, const struct settings *set, struct meter *m)
{
	int64_t period_ns = set->rate_hz > 0 ? llround(1e9 / set->rate_hz) : set->period_ns;
	struct fail f = { 0 };
	struct trace t;
	struct sampler *s;
	int status, stopped;

	status = watch(c, set, m);
	if (status != EXIT_RESULT)
		return status;
	catch_signals();
	s = sampler_start(m, period_ns, set->for_ns ? set->for_ns : EXPECTED_NS, &f);
	if (s == NULL)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	wait_and_show(s, set, &m->facts);
	stopped = sampler_stop(s, &t, &f);
	status = report(c, set, &t, m->facts.period_ns);
	if (stopped != 0)
		status = command_fail(c, EXIT_FAILED, "the meter failed after %zu readings: %s",
				      t.count, f.text);
	trace_release(&t);
	return status;
}

static int check(const struct command *c, const struct settings *set, int operands, char **argv)
{
	if (operands != 1)
		return command_fail(
			c, EXIT_USAGE,
			operands ? "one METER at a time, but also got \"%s\""
				 : "expected a METER, such as model:rpi-4b; --list shows "
				   "them%s",
			operands ? argv[2] : "");
	if (set->rate_hz != 0 && set->period_ns != 0)
		return command_fail(c, EXIT_USAGE, "--rate and --period say the same: give one");
	if (!(set->rate_hz == 0 || (set->rate_hz >= 0.001 && set->rate_hz <= 100000)))
		return command_fail(c, EXIT_USAGE, "--rate: expected 0.001 to 100000 Hz");
	if ((set->has_from || set->has_to) && !set->energy && !set->json)
		return command_fail(c, EXIT_USAGE, "--from and --to need --energy or --json");
	if (set->json && set->csv != NULL && strcmp(set->csv, "-") == 0)
		return command_fail(c, EXIT_USAGE,
				    "--json and --csv - both want standard output: give a file");
	if (!(fabs(set->from_s) < 1e9 && fabs(set->to_s) < 1e9))
		return command_fail(c, EXIT_USAGE, "--from, --to: expected seconds");
	return -1;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings set = { 0 };
	struct meter m;
	int operands, status;

	status = command_parse(c, &set, argc, argv, &operands);
	if (status >= 0)
		return status;
	set.has_from = opt_given(options, argc, argv, operands, "from");
	set.has_to = opt_given(options, argc, argv, operands, "to");
	if (set.self_test || set.list)
		return command_finish(c, set.self_test ? self_test() : list(c));
	status = check(c, &set, operands, argv);
	if (status >= 0)
		return status;
	if (meter_open(&m, argv[1]) != 0)
		return command_fail(c, m.fail.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s",
				    m.fail.text);
	status = measure(c, &set, &m);
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
			"meters and boards.\n\n"
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
			    "cipherwatt power --self-test",
		.options = options,
	},
	.run = run,
};
