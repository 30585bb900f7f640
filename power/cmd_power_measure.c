/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_measure - reads a meter, live or stored, and prints the report.
 * It must not know options' names beyond its messages, nor integrate.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/units.h"
#include "power/cmd_power_parts.h"
#include "power/power_csv.h"
#include "power/power_live.h"
#include "power/power_session.h"
#include "power/replay.h"
#include "power/sampler.h"

#define LIVE_NS     (250 * NS_PER_MS) /* on a terminal */
#define PLAIN_NS    NS_PER_S
#define LOOK_NS     (50 * NS_PER_MS)
#define EXPECTED_NS (2 * NS_PER_S) /* what is taken out every 50 ms, and a stall */
#define BATCH       4096

volatile sig_atomic_t power_interrupted;

static void on_signal(int number)
{
	(void)number;
	power_interrupted = 1;
}

void power_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	power_interrupted = 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

struct measuring {
	const struct command *command;
	const struct power_settings *set;
	struct power_session session;
	struct fail fail;
	int64_t save_ns; /* when the CSV is written out next */
	bool failed;     /* what is done with readings */
};

static int watch(const struct command *c, const struct power_settings *set, struct meter *m)
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

static bool to_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* What is in the file already stays until all else has gone well. */
static int open_csv(struct measuring *me)
{
	const char *path = me->set->csv;

	if (path == NULL)
		return EXIT_RESULT;
	me->session.csv = to_stdout(path) ? stdout : fopen(path, "ae");
	if (me->session.csv == NULL)
		return command_fail(me->command, EXIT_FAILED, "cannot write %s: %s", path,
				    strerror(errno));
	return EXIT_RESULT;
}

static int close_csv(struct measuring *me)
{
	FILE *out = me->session.csv;
	int bad;

	me->session.csv = NULL;
	if (out == NULL || out == stdout)
		return EXIT_RESULT;
	bad = ferror(out);
	if (fclose(out) != 0 || bad)
		return command_fail(me->command, EXIT_FAILED, "cannot write %s: %s", me->set->csv,
				    strerror(errno));
	return EXIT_RESULT;
}

static int feed(void *data, const struct sample *s, size_t count)
{
	struct measuring *me = data;

	if (!me->failed && power_session_feed(&me->session, s, count, &me->fail) != 0)
		me->failed = true;
	return me->failed ? -1 : 0;
}

static void drain(struct measuring *me, struct sampler *s, struct sample *room)
{
	size_t count;

	do {
		count = sampler_take(s, room, BATCH);
		feed(me, room, count);
	} while (count == BATCH && !me->failed);
}

/* Rows reach the file each second, so that a kill takes no more than that with it. */
static void save_csv(struct measuring *me, int64_t now_ns)
{
	if (me->session.csv == NULL || now_ns < me->save_ns)
		return;
	fflush(me->session.csv);
	me->save_ns = now_ns + PLAIN_NS;
}

/* Until the time is over, a signal comes, the meter is over or a file is full. */
static void watch_sampler(struct measuring *me, struct sampler *s, struct sample *room)
{
	const struct power_settings *set = me->set;
	bool own_output = !set->json && !to_stdout(set->csv), quiet, shown = false;
	int64_t start_ns = clock_ns(), end_ns = set->for_ns ? start_ns + set->for_ns : INT64_MAX;
	struct power_live live;
	int64_t each_ns, show_ns;

	power_live_init(&live, own_output ? stdout : stderr);
	quiet = !live.rewrite && (!own_output || set->energy);
	each_ns = live.rewrite ? LIVE_NS : PLAIN_NS;
	show_ns = start_ns + each_ns;
	while (!power_interrupted && !sampler_over(s) && !me->failed) {
		int64_t now_ns = clock_ns();

		if (now_ns >= end_ns)
			break;
		drain(me, s, room);
		save_csv(me, now_ns);
		if (now_ns >= show_ns && !quiet && me->session.count > 0) {
			power_live_show(&live, &me->session.facts, &me->session.newest,
					me->session.count, (double)(now_ns - start_ns) / 1e9);
			show_ns += each_ns;
			shown = true;
		}
		clock_sleep_until(now_ns + LOOK_NS < end_ns ? now_ns + LOOK_NS : end_ns);
	}
	power_live_end(&live, shown);
}

/* An exit status for what became of the energy and the files. */
static int judge(struct measuring *me, int ended)
{
	const struct energy *e = &me->session.report.energy;

	if (me->failed || ended != 0) {
		int code = me->fail.code;

		return command_fail(me->command,
				    code == EINVAL                      ? EXIT_USAGE
				    : code == ENODATA || code == ERANGE ? EXIT_NOT_VALID
									: EXIT_FAILED,
				    "%s", me->fail.text);
	}
	return me->session.want_energy && e->insufficient ? EXIT_NOT_VALID : EXIT_RESULT;
}

static int report(struct measuring *me, int64_t late, int64_t lost, int64_t cpu_ns)
{
	const struct power_settings *set = me->set;
	int ended = power_session_end(&me->session, late, lost, cpu_ns, &me->fail);
	int status = judge(me, ended), csv_status = close_csv(me);

	if (me->failed)
		return status;
	if (set->json && power_report_json(&me->session.report, stdout) != 0)
		return command_fail(me->command, EXIT_FAILED, "no memory for the report");
	if (!set->json)
		power_report_text(&me->session.report, to_stdout(set->csv) ? stderr : stdout);
	return csv_status != EXIT_RESULT ? csv_status : status;
}

static int begin_csv(struct measuring *me)
{
	FILE *out = me->session.csv;

	if (out == NULL)
		return 0;
	/* Only a regular file can be cut, and only such a one has something in it. */
	if (out != stdout && ftruncate(fileno(out), 0) != 0 && errno != EINVAL)
		return fail_set(&me->fail, errno, "cannot write %s: %s", me->set->csv,
				strerror(errno));
	power_csv_head(&me->session.facts, out);
	return 0;
}

static int begin(struct measuring *me, const struct meter_facts *facts, int64_t own_period_ns)
{
	int status = open_csv(me);

	if (status != EXIT_RESULT)
		return status;
	if (power_session_begin(&me->session, facts, own_period_ns, me->set->record, &me->fail) ==
		    0 &&
	    begin_csv(me) == 0)
		return EXIT_RESULT;
	close_csv(me);
	return command_fail(me->command, EXIT_FAILED, "%s", me->fail.text);
}

static int measure_stored(struct measuring *me, struct meter *m)
{
	const struct power_settings *set = me->set;
	struct trace counts = { .late = 0 };
	int status = begin(me, &m->facts, m->facts.period_ns);

	if (status != EXIT_RESULT)
		return status;
	me->session.report.stored = true;
	me->session.first_known = true;
	if (replay_window(m, set->has_from ? set->from_s : NAN, set->has_to ? set->to_s : NAN, feed,
			  me, &me->session.first_ns, &counts, &me->fail) != 0)
		me->failed = true;
	return report(me, counts.late, counts.lost, counts.cpu_ns);
}

static int measure_live(struct measuring *me, struct meter *m, struct sample *room)
{
	const struct power_settings *set = me->set;
	int64_t period_ns = set->rate_hz > 0 ? llround(1e9 / set->rate_hz) : set->period_ns;
	struct fail f = { 0 };
	struct sampler *s;
	struct trace rest;
	int status, stopped;

	s = sampler_start(m, period_ns, EXPECTED_NS, &f);
	if (s == NULL)
		return command_fail(me->command, EXIT_FAILED, "%s", f.text);
	status = begin(me, sampler_facts(s), m->facts.period_ns);
	if (status == EXIT_RESULT)
		watch_sampler(me, s, room);
	stopped = sampler_stop(s, &rest, &f);
	if (status == EXIT_RESULT) {
		feed(me, rest.sample, rest.count);
		status = report(me, rest.late, rest.lost, rest.cpu_ns);
	}
	if (stopped != 0)
		status = command_fail(me->command, EXIT_FAILED,
				      "the meter failed after %zu readings: %s", me->session.count,
				      f.text);
	trace_release(&rest);
	return status;
}

int power_measure(const struct command *c, const struct power_settings *set, struct meter *m)
{
	struct measuring *me = calloc(1, sizeof *me);
	struct sample *room = malloc(BATCH * sizeof *room);
	int status = watch(c, set, m);

	if (status != EXIT_RESULT)
		goto out;
	if (me == NULL || room == NULL) {
		status = command_fail(c, EXIT_FAILED, "no memory");
		goto out;
	}
	me->command = c;
	me->set = set;
	me->session.writer.fd = -1;
	me->session.want_energy = set->energy || set->json;
	me->session.policy = (enum gap_policy)set->gap;
	me->session.from_s = set->has_from ? set->from_s : NAN;
	me->session.to_s = set->has_to ? set->to_s : NAN;
	power_catch_signals();
	status = m->stored ? measure_stored(me, m) : measure_live(me, m, room);
	power_session_release(&me->session);
out:
	free(me);
	free(room);
	return status;
}
