/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_speed - `cipherwatt speed`: what each primitive costs on this machine, the
 * handshake-mix score, and the least that a handshake can cost.
 *
 * It lives here and not with the primitives because it also reads a meter, which they must
 * not know. It chooses what is measured, in which order, and the exit status.
 */
#include "testbed/cmd_speed.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/units.h"
#include "testbed/commands.h"

#define PROGRESS_NS (10 * NS_PER_S) /* between plain lines */

#define AT(field) offsetof(struct speed_settings, field)

static const struct opt options[] = {
	{ "engine", 'e', OPT_LIST, AT(engine), "ENGINE",
	  "only this engine: openssl, wolfssl or null", NULL, NULL, 0, 0 },
	{ "only", 'o', OPT_LIST, AT(only), "PATTERN",
	  "only primitives like this, as in sign:* or *gcm/1024", NULL, NULL, 0, 0 },
	{ "time", 't', OPT_DURATION, AT(time_ns), "DURATION",
	  "time each primitive for at least this long", "1s", NULL, 1000000, 0 },
	{ "precision", 'p', OPT_REAL, AT(precision_pct), "PCT",
	  "go on until the 95 % interval is narrower than this share of the mean", "2", NULL, 0,
	  0 },
	{ "max-time", 'm', OPT_DURATION, AT(max_time_ns), "DURATION",
	  "but no longer than this: the figure then says that it is wide", "3s", NULL, 1000000, 0 },
	{ "mix", 'x', OPT_FLAG, AT(mix), NULL, "print the handshake-mix score with its parts", NULL,
	  NULL, 0, 0 },
	{ "suite", 's', OPT_LIST, AT(suite), "SUITE",
	  "print the least that a full handshake of this suite can cost either side", NULL, NULL, 0,
	  0 },
	{ "meter", 0, OPT_TEXT, AT(meter), "METER",
	  "print energy per operation too, read from this meter (see cipherwatt power --list)",
	  NULL, NULL, 0, 0 },
	{ "idle", 0, OPT_DURATION, AT(idle_ns), "DURATION",
	  "with --meter: idle this long before and after, to know the net energy", "2s", NULL,
	  10000000, 0 },
	{ "list", 'l', OPT_FLAG, AT(list), NULL, "list the primitives, measure nothing", NULL, NULL,
	  0, 0 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL, "print JSON", NULL, NULL, 0, 0 },
	{ 0 },
};

/* --- what is asked for ---------------------------------------------------------- */

static int no_engine(const char *name, struct fail *f)
{
	fail_set(f, EINVAL, "--engine %s: no such engine in this program; there are:", name);
	for (int i = 0; engines[i]; i++) {
		size_t len = strlen(f->text);

		snprintf(f->text + len, sizeof(f->text) - len, "%s %s", i ? "," : "",
			 engines[i]->name);
	}
	return -1;
}

static int choose_engines(struct speed_session *s, struct fail *f)
{
	const struct opt_list *named = &s->set.engine;

	for (int i = 0; i < named->count; i++)
		if (!engine_by_name(named->item[i]))
			return no_engine(named->item[i], f);
	for (int i = 0; engines[i] && s->engines < SPEED_ENGINES_MAX; i++) {
		bool wanted = !named->count;

		for (int k = 0; k < named->count; k++)
			wanted = wanted || !strcmp(named->item[k], engines[i]->name);
		if (wanted)
			s->engine[s->engines++] = engines[i];
	}
	return 0;
}

struct choice {
	struct speed_session *s;
	const char *pattern; /* NULL: all that are usual */
	int found;
};

/* With or without its length; what is rare only by its own name. */
static bool matches(const struct operation *o, const char *pattern)
{
	struct operation bare = { .op = o->op, .algorithm = o->algorithm };
	char text[OPERATION_TEXT_BYTES];

	if (o->algorithm->rare && (!pattern || !strstr(pattern, o->algorithm->name)))
		return false;
	return !pattern || !fnmatch(pattern, operation_format(o, text), 0) ||
	       !fnmatch(pattern, operation_format(&bare, text), 0);
}

static int choose(const struct operation *o, void *data)
{
	struct choice *c = data;
	bool nothing = o->op == OP_NOTHING;

	if (!matches(o, c->pattern))
		return 0;
	c->found++;
	for (int e = 0; e < c->s->engines; e++)
		/* The null engine does nothing, and nothing else does. */
		if ((c->s->engine[e] == &engine_null) == nothing &&
		    speed_book_want(&c->s->book, c->s->engine[e], o))
			return -1;
	return 0;
}

static int choose_like(struct speed_session *s, const char *pattern, struct fail *f)
{
	struct choice c = { .s = s, .pattern = pattern };

	if (operation_each(choose, &c))
		return fail_set(f, ENOMEM, "no memory for the list of primitives");
	if (c.found)
		return 0;
	return fail_set(f, EINVAL,
			"--only %s: no primitive is called that, or only slow ones that must be "
			"named in full; cipherwatt speed --list shows them all",
			pattern);
}

static int choose_suites(struct speed_session *s, struct fail *f)
{
	const struct opt_list *l = &s->set.suite;

	for (int i = 0; i < l->count; i++) {
		if (suite_parse(l->item[i], &s->suite[i], f))
			return fail_within(f, "--suite %s", l->item[i]);
		for (int e = 0; e < s->engines; e++)
			if (s->engine[e] != &engine_null &&
			    speed_handshake_want(&s->book, s->engine[e], &s->suite[i], f))
				return -1;
	}
	return 0;
}

static int choose_mix(struct speed_session *s, struct fail *f)
{
	for (int e = 0; s->set.mix && e < s->engines; e++)
		if (s->engine[e] != &engine_null && mix_want(&s->book, s->engine[e]))
			return fail_set(f, ENOMEM, "no memory for the list of primitives");
	return 0;
}

/* Everything, unless something was named. The harness's own cost is always there. */
static int choose_all(struct speed_session *s, struct fail *f)
{
	const struct speed_settings *set = &s->set;

	if (choose_engines(s, f) || choose_like(s, "nothing", f))
		return -1;
	if ((set->mix || set->suite.count) && s->engines == 1 && s->engine[0] == &engine_null)
		return fail_set(f, EINVAL,
				"--mix and --suite need an engine with cryptography: the null "
				"engine has none");
	if (!set->only.count && !set->mix && !set->suite.count && choose_like(s, NULL, f))
		return -1;
	for (int i = 0; i < set->only.count; i++)
		if (choose_like(s, set->only.item[i], f))
			return -1;
	return choose_mix(s, f) || choose_suites(s, f) ? -1 : 0;
}

static int check(const struct speed_settings *set, struct fail *f)
{
	if (!(set->precision_pct > 0 && set->precision_pct <= 100))
		return fail_set(f, EINVAL, "--precision %g: expected above 0, up to 100 %%",
				set->precision_pct);
	if (set->max_time_ns < set->time_ns)
		return fail_set(f, EINVAL, "--max-time must be at least --time");
	if (set->list && set->json)
		return fail_set(f, EINVAL, "--list prints text alone: leave --json out");
	return 0;
}

/* --- measured -------------------------------------------------------------------- */

static int64_t expected_ns(const struct speed_session *s)
{
	return s->book.count * (s->set.time_ns + s->set.time_ns / 10);
}

static void announce(const struct speed_session *s)
{
	char least[32], most[32];

	units_format_duration(s->book.count * s->set.time_ns, least, sizeof(least));
	units_format_duration(s->book.count * s->set.max_time_ns, most, sizeof(most));
	if (s->book.count * s->set.time_ns > PROGRESS_NS)
		log_say(LOG_NOTE, "measuring %d primitives takes %s to %s", s->book.count, least,
			most);
}

/* Between two of them, never within one. */
static void progress(const struct speed_session *s, int done, int64_t *spoken_ns)
{
	const struct speed_figure *f = &s->book.figure[done];
	char name[OPERATION_TEXT_BYTES];

	if (log_is_terminal()) {
		fprintf(stderr, "\r\033[K%d/%d %s %s", done + 1, s->book.count, f->engine->name,
			operation_format(&f->what, name));
		fflush(stderr);
	} else if (clock_ns() - *spoken_ns > PROGRESS_NS) {
		log_say(LOG_NOTE, "%d of %d measured", done, s->book.count);
		*spoken_ns = clock_ns();
	}
}

static void measure_all(struct speed_session *s)
{
	struct speed_plan plan = speed_plan_usual;
	int64_t spoken_ns = clock_ns();

	plan.time_ns = s->set.time_ns;
	plan.max_time_ns = s->set.max_time_ns;
	plan.precision = s->set.precision_pct / 100;
	for (int i = 0; i < s->book.count; i++) {
		struct speed_figure *f = &s->book.figure[i];
		struct operation what = f->what;

		progress(s, i, &spoken_ns);
		if (speed_measure(f->engine, &what, &plan, f))
			s->failed += f->fail.code != ENOTSUP;
		else
			s->wide += !f->precise;
	}
	if (log_is_terminal())
		fprintf(stderr, "\r\033[K");
}

static int take_energy(struct speed_session *s, struct fail *f)
{
	int ret = speed_meter_stop(&s->meter, f);

	s->energy = calloc((size_t)s->book.count, sizeof(*s->energy));
	if (!s->energy)
		return fail_set(f, ENOMEM, "no memory for the energy");
	for (int i = 0; i < s->book.count; i++)
		speed_meter_energy(&s->meter, &s->book.figure[i], &s->energy[i]);
	return ret;
}

static int print(const struct command *c, const struct speed_session *s)
{
	if (s->set.json ? speed_print_json(s) : speed_print(s))
		return command_fail(c, EXIT_FAILED, "no memory to print the figures");
	return EXIT_RESULT;
}

static int judge(const struct command *c, const struct speed_session *s, bool precision_asked)
{
	if (s->failed)
		return command_fail(c, EXIT_FAILED, "%d primitive%s failed", s->failed,
				    s->failed > 1 ? "s" : "");
	if (!s->wide)
		return EXIT_RESULT;
	log_say(LOG_WARNING,
		"%d figure%s stayed wider than %g %%: something else uses this machine, or it "
		"changes its speed; give a longer --max-time",
		s->wide, s->wide > 1 ? "s" : "", s->set.precision_pct);
	return precision_asked ? EXIT_NOT_VALID : EXIT_RESULT;
}

static int measure(const struct command *c, struct speed_session *s, bool precision_asked)
{
	struct fail f = { 0 };
	int status, meter = 0;

	announce(s);
	if (s->set.meter && speed_meter_start(&s->meter, &s->set, expected_ns(s), &f))
		return command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	measure_all(s);
	if (s->set.meter)
		meter = take_energy(s, &f);
	if (meter && !s->energy)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	status = print(c, s);
	if (meter)
		return command_fail(c, EXIT_FAILED, "the meter failed: %s", f.text);
	return status == EXIT_RESULT ? judge(c, s, precision_asked) : status;
}

/* --- the command ------------------------------------------------------------------- */

static int list(const struct command *c)
{
	return speed_print_list() ? command_fail(c, EXIT_FAILED, "no memory to print the list")
				  : EXIT_RESULT;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct speed_session s = { 0 };
	struct fail f = { 0 };
	int operands, status = command_parse(c, &s.set, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands)
		return command_fail(c, EXIT_USAGE,
				    "\"%s\" is one word too many: use --only or "
				    "--suite",
				    argv[1]);
	if (opt_given(options, argc, argv, operands, "idle") && !s.set.meter)
		return command_fail(c, EXIT_USAGE, "--idle is about --meter: give that too");
	if (check(&s.set, &f) || (!s.set.list && choose_all(&s, &f)))
		status = command_fail(c, f.code == ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", f.text);
	else if (s.set.list)
		status = list(c);
	else
		status = measure(c, &s, opt_given(options, argc, argv, operands, "precision"));
	speed_meter_release(&s.meter);
	speed_book_release(&s.book);
	free(s.energy);
	return command_finish(c, status);
}

const struct command cmd_speed = {
	.name = "speed",
	.usage = {
		.synopsis = "speed [OPTION]...",
		.summary = "cost of each primitive on this machine, and the handshake-mix score",
		.description =
			"Times the primitives that TLS is made of, by each engine: sign, verify, "
			"key generation and agreement, encapsulation, records sealed and opened by "
			"length, hashes and MACs. Keys and buffers are made beforehand, and each "
			"primitive proves once that it works. Without --only, --mix or --suite all "
			"are timed, which takes some minutes.\n\n"
			"A primitive is repeated in batches of 10 ms and more until --time has passed "
			"and the mean is known to --precision, or until --max-time; \"+-%\" is half "
			"the 95 % interval. \"CPU us/op\" is the processor's time: where it is less "
			"than us/op, something else had the processor. \"nothing\", of the null "
			"engine, is the cost of the harness, which is subtracted from nothing. "
			"Agreement has the check of the peer's value in it, as a handshake has, and "
			"meets another peer each time where the library would remember one.\n\n"
			"The handshake-mix score is 1000 / sum(weight / operations per second) over "
			"the primitives of a TLS 1.2 ECDHE-ECDSA-AES128 handshake on P-256 and its "
			"first data: larger is faster. With --suite, the primitives that either side "
			"of a full handshake must run are listed and summed: no handshake of that "
			"engine can cost less processor time.\n\n"
			"With --meter the machine idles before and after; net energy is "
			"gross less idle. What a model made says \"modelled\".\n\n"
			"What a library was built without is listed as such and is no error. Exit "
			"status: 0 a result, 1 a primitive failed, 2 wrong options, 3 a figure is "
			"wider than the --precision that was given.",
		.examples = "cipherwatt speed --only 'sign:*' --only 'verify:*'\n"
			    "cipherwatt speed --mix --engine openssl\n"
			    "cipherwatt speed --suite tls1.3:AES128-GCM-SHA256:x25519:p256\n"
			    "cipherwatt speed --only '*gcm/16384' --meter model:rpi-4b --json",
		.options = options,
	},
	.run = run,
};
