/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_exec - "exec:COMMAND": a bench meter's own program, whose lines are readings.
 * It must not know what a line looks like.
 *
 * A line without a time of its own is stamped when it comes. One with a time keeps the steps of
 * that clock, begun at the first line: its absolute value says nothing here.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/proc.h"
#include "power/args.h"
#include "power/exec.h"
#include "power/exec_line.h"
#include "power/wide.h"

#define LINE_MOST   4096
#define BANNER_MOST 50
#define PATIENCE_NS NS_PER_S /* of one read; longer silence is told by stale samples */
#define STALL_NS    (10 * NS_PER_S)
#define GRACE_NS    NS_PER_S

struct exec {
	struct proc proc;
	struct proc_lines lines;
	const struct unit *time, *unit;
	int64_t volts_nv, stall_ns;
	int64_t heard_ns; /* when the last line came */
	int64_t line, readings, banner;
	int64_t shift_ns, last_own_ns, last_ns; /* own clock to ours */
	bool has_own;
	char refused[360]; /* why the newest line before the first reading was none */
};

/* Which figure of the lines is used; settled by the first one. */
static int settle(struct meter *m, struct exec *x, const struct exec_line *l)
{
	bool energy = m->facts.meaning == SAMPLE_INCREMENT || m->facts.meaning == SAMPLE_COUNTER;

	if (energy != l->known[ROLE_ENERGY])
		return fail_set(&m->fail, EINVAL,
				energy ? "meaning=%s needs lines with energy"
				       : "lines with energy need meaning=increment or counter, not "
					 "%s: {meaning=counter}COMMAND",
				sample_meaning_name[m->facts.meaning]);
	m->facts.kind = energy ? CODE_ENERGY : CODE_POWER;
	if (energy || l->known[ROLE_POWER] ||
	    (l->known[ROLE_CURRENT] && (x->volts_nv > 0 || l->known[ROLE_VOLTAGE])))
		return 0;
	if (l->known[ROLE_CURRENT])
		return fail_set(&m->fail, EINVAL,
				"current without voltage is no power; give the supply: "
				"{volts=3.3V}COMMAND");
	return fail_set(&m->fail, EINVAL,
			"the lines hold neither power, nor volts and amperes, nor "
			"energy");
}

static int code_of(struct meter *m, const struct exec *x, const struct exec_line *l, int64_t *code)
{
	int64_t volts_nv = x->volts_nv > 0 ? x->volts_nv : l->value[ROLE_VOLTAGE];

	if (m->facts.kind == CODE_ENERGY && l->known[ROLE_ENERGY])
		*code = l->value[ROLE_ENERGY];
	else if (m->facts.kind == CODE_POWER && l->known[ROLE_POWER])
		*code = l->value[ROLE_POWER];
	else if (m->facts.kind == CODE_ENERGY || !l->known[ROLE_CURRENT] ||
		 (x->volts_nv == 0 && !l->known[ROLE_VOLTAGE]) ||
		 !wide_muldiv_round(volts_nv, l->value[ROLE_CURRENT], NS_PER_S, code))
		return fail_set(&m->fail, EINVAL,
				"line %lld of the command has no figure like those before",
				(long long)x->line);
	return 0;
}

static int stamp(struct meter *m, struct exec *x, const struct exec_line *l, struct sample *s)
{
	int64_t ns = clock_ns();

	if (l->known[ROLE_TIME]) {
		int64_t own_ns = l->value[ROLE_TIME];

		if (x->has_own && own_ns <= x->last_own_ns)
			return fail_set(
				&m->fail, EINVAL,
				"line %lld of the command: its time does not move on (%.6g s "
				"after %.6g s)",
				(long long)x->line, (double)own_ns / 1e9,
				(double)x->last_own_ns / 1e9);
		if (!x->has_own)
			x->shift_ns = ns - own_ns;
		x->has_own = true;
		x->last_own_ns = own_ns;
		ns = own_ns + x->shift_ns;
	} else if (x->has_own) {
		return fail_set(&m->fail, EINVAL,
				"line %lld of the command has no time, but those "
				"before had",
				(long long)x->line);
	}
	if (ns <= x->last_ns)
		ns = x->last_ns + 1;
	x->last_ns = ns;
	s->before_ns = s->after_ns = ns;
	return 0;
}

/* The shell and what it started: they have a process group of their own, named by its id. */
static void stop(struct exec *x)
{
	if (x->proc.pid > 0)
		kill(-x->proc.pid, SIGTERM);
	proc_stop(&x->proc, GRACE_NS);
}

/* The command is over: well, or with a reason. */
static int ended(struct meter *m, struct exec *x)
{
	char how[80];

	if (proc_wait(&x->proc, clock_ns() + GRACE_NS) == 1 && x->proc.status == 0 &&
	    x->readings > 0)
		return 1;
	stop(x);
	proc_describe(&x->proc, how, sizeof how);
	if (x->readings == 0)
		return fail_set(&m->fail, EPIPE, "the command ended (%s) without a reading%s", how,
				x->refused[0] ? x->refused
					      : "; run it by hand to see what it says");
	return fail_set(&m->fail, EPIPE, "the command ended (%s) after %lld readings", how,
			(long long)x->readings);
}

/* 1 a line with figures, 0 none yet, 2 the end, -1 */
static int next_figures(struct meter *m, struct exec *x, struct exec_line *l, int64_t due_ns)
{
	const char *text;
	struct fail why = { 0 };
	int got = proc_lines_next(&x->lines, due_ns, &text, &why), status;

	if (got < 0 && why.code == ETIMEDOUT)
		return 0;
	if (got < 0)
		return fail_set(&m->fail, why.code, "the command's output: %s", why.text);
	if (got == 0)
		return 2;
	x->line++;
	x->heard_ns = clock_ns();
	fail_clear(&why);
	status = exec_line_read(text, x->time, x->unit, l, &why);
	if (status >= 0)
		return status;
	/* A banner before the first reading is usual. */
	if (x->readings == 0 && ++x->banner <= BANNER_MOST) {
		snprintf(x->refused, sizeof x->refused, "; its line %lld: %s", (long long)x->line,
			 why.text);
		return 0;
	}
	return fail_set(&m->fail, EINVAL, "line %lld of the command: %s", (long long)x->line,
			why.text);
}

static int exec_read(struct meter *m, struct sample *s)
{
	struct exec *x = m->impl;
	int64_t due_ns = clock_ns() + PATIENCE_NS;
	struct exec_line l;
	int status;

	*s = (struct sample){ .flags = 0 };
	do {
		status = next_figures(m, x, &l, due_ns);
	} while (status == 0 && clock_ns() < due_ns);
	if (status < 0)
		return -1;
	if (status == 2)
		return ended(m, x);
	if (status == 0) {
		if (clock_ns() - x->heard_ns > x->stall_ns)
			return fail_set(&m->fail, ETIMEDOUT,
					"the command printed nothing for %.3g s (%lld readings so "
					"far); {stall=60s}COMMAND waits longer%s",
					(double)x->stall_ns / 1e9, (long long)x->readings,
					x->readings ? "" : x->refused);
		s->before_ns = s->after_ns = clock_ns();
		s->flags = SAMPLE_STALE;
		return 0;
	}
	if (x->readings == 0 && settle(m, x, &l) != 0)
		return -1;
	if (code_of(m, x, &l, &s->code[0]) != 0 || stamp(m, x, &l, s) != 0)
		return -1;
	x->readings++;
	return 0;
}

static int take_unit(struct args *a, const char *key, bool time, const struct unit **unit)
{
	const char *text = args_text(a, key);

	if (text == NULL)
		return 0;
	*unit = unit_find(text, strlen(text));
	if (*unit != NULL && ((*unit)->role == ROLE_TIME) == time)
		return 0;
	return fail_set(a->fail, EINVAL, "%s=%s: expected a unit of %s", key, text,
			time ? "time, such as s" : "what is read, such as mW");
}

static int read_keys(struct meter *m, struct exec *x, const char *keys)
{
	int meaning = SAMPLE_INSTANT;
	double volts = 0, range_j = 0, error_pct = 0;
	int64_t period_ns = 0;
	struct args a;

	if (args_init(&a, keys, &m->fail) != 0 || take_unit(&a, "time", true, &x->time) != 0 ||
	    take_unit(&a, "unit", false, &x->unit) != 0)
		return -1;
	args_choice(&a, "meaning", sample_meaning_name, &meaning);
	args_quantity(&a, "volts", "V", &volts);
	args_quantity(&a, "wrap", "J", &range_j);
	args_duration(&a, "period", &period_ns);
	args_duration(&a, "stall", &x->stall_ns);
	m->facts.error_unknown = !args_real(&a, "error", &error_pct);
	if (args_finish(&a) != 0)
		return -1;
	if (!(volts >= 0 && volts <= 1e6) || !(range_j >= 0 && range_j < 9e9) ||
	    period_ns > INT64_MAX / 1024 || x->stall_ns <= 0 ||
	    !(error_pct >= 0 && error_pct < 100))
		return fail_set(&m->fail, EINVAL,
				"volts, wrap, period, stall or error is out of range");
	m->facts.gain_ppm = llround(error_pct * 1e4);
	x->volts_nv = llround(volts * 1e9);
	m->facts.meaning = (enum sample_meaning)meaning;
	m->facts.kind =
		meaning == SAMPLE_INCREMENT || meaning == SAMPLE_COUNTER ? CODE_ENERGY : CODE_POWER;
	m->facts.counter_range_nj = llround(range_j * 1e9);
	m->facts.period_ns = period_ns;
	return 0;
}

/* "{unit=mW,time=s}COMMAND" */
static int split(struct meter *m, struct exec *x, const char *arg, const char **command)
{
	const char *close = strchr(arg, '}');
	char keys[ARGS_BYTES] = "";

	*command = arg;
	if (*arg == '{') {
		if (close == NULL || (size_t)(close - arg) >= sizeof keys)
			return fail_set(&m->fail, EINVAL,
					"\"{\" without \"}\": expected exec:{unit=mW}COMMAND");
		snprintf(keys, sizeof keys, "%.*s", (int)(close - arg - 1), arg + 1);
		*command = close + 1;
	}
	if (**command == '\0')
		return fail_set(&m->fail, EINVAL,
				"expected a command that prints readings, such as exec:read-meter "
				"--watts");
	return read_keys(m, x, keys);
}

static int exec_open(struct meter *m, const char *arg)
{
	struct exec *x = calloc(1, sizeof *x);
	const char *command;

	if (x == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	x->stall_ns = STALL_NS;
	if (split(m, x, arg, &command) == 0) {
		char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)(uintptr_t)command,
				 NULL };

		if (proc_start(&x->proc, argv, PROC_STDOUT | PROC_GROUP, &m->fail) == 0) {
			proc_lines_init(&x->lines, x->proc.out_fd, LINE_MOST);
			x->heard_ns = clock_ns();
			snprintf(m->facts.basis, sizeof m->facts.basis, "lines of: %s", command);
			m->impl = x;
			return 0;
		}
	}
	free(x);
	return -1;
}

static int exec_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

static void exec_close(struct meter *m)
{
	struct exec *x = m->impl;

	if (x == NULL)
		return;
	stop(x);
	proc_lines_release(&x->lines);
	free(x);
}

const struct meter_ops meter_exec = {
	.name = "exec",
	.help = "[{unit=mW,time=s,meaning=instant,volts=3.3V,wrap=J,period=1s,stall=10s,error="
		"PERCENT}]COMMAND: "
		"a command that prints a reading a line: \"1234.5 mW\", \"12.5 s, 1234.5 mW\", "
		"\"5 V 200 mA\" or {\"time_s\": 12.5, \"power_mw\": 1234.5}",
	.open = exec_open,
	.read = exec_read,
	.watch = exec_watch,
	.close = exec_close,
};
