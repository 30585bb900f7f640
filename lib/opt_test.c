/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt_test - every kind and spelling, what is refused and in which words, the
 * table check, and help that fits a terminal.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/opt.h"

#define ARGS_MAX 48

struct settings {
	bool quiet, verbose;
	const char *file, *unset;
	struct opt_list suites, backends;
	int64_t clients, offset, wait_ns, limit_bytes;
	double rate;
	int mode;
};

static const char *const modes[] = { "full", "keepalive", "resume", NULL };

#define AT(member) offsetof(struct settings, member)

static const struct opt table[] = {
	{ "quiet", 'q', OPT_FLAG, AT(quiet), NULL, "say less", NULL, NULL, 0, 0 },
	{ "verbose", 'v', OPT_FLAG, AT(verbose), NULL, "say more", NULL, NULL, 0, 0 },
	{ "file", 'f', OPT_TEXT, AT(file), "FILE",
	  "where the result goes, in words that are many enough to need a second line", "-", NULL,
	  0, 0 },
	{ "unset", 0, OPT_TEXT, AT(unset), "TEXT", "no default", NULL, NULL, 0, 0 },
	{ "suite", 0, OPT_LIST, AT(suites), "SUITE", "a suite", NULL, NULL, 0, 0 },
	{ "backend", 0, OPT_LIST, AT(backends), "NAME", "a backend", "builtin", NULL, 0, 0 },
	{ "clients", 'c', OPT_INTEGER, AT(clients), "N", "how many", "10", NULL, 1, 10000 },
	{ "offset", 0, OPT_INTEGER, AT(offset), "N", "any number", "-3", NULL, 0, 0 },
	{ "wait", 'w', OPT_DURATION, AT(wait_ns), "DURATION", "how long", "1.5s", NULL, 1000000,
	  0 },
	{ "limit", 0, OPT_BYTES, AT(limit_bytes), "SIZE", "how large", "16KiB", NULL, 0, 1 << 20 },
	{ "rate-of-arrival-per-second", 0, OPT_REAL, AT(rate), "NUMBER", "how fast", "0.5", NULL, 0,
	  100 },
	{ "mode", 0, OPT_CHOICE, AT(mode), "MODE", "what a request does with its connection",
	  "keepalive", modes, 0, 0 },
	{ .name = NULL },
};

/* What came of a command line, written with blanks between the arguments. */
struct outcome {
	char text[512];
	char *argv[ARGS_MAX];
	int argc, operands;
	enum opt_result result;
	struct settings s;
	struct fail f;
};

static void run_table(struct outcome *o, const struct opt *rows, const char *line)
{
	char *save = NULL;

	memset(o, 0xa5, sizeof(*o)); /* nothing may rely on zeroed settings */
	o->f = (struct fail){ 0 };
	o->argc = 0;
	snprintf(o->text, sizeof(o->text), "load %s", line);
	for (char *word = strtok_r(o->text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(o->argc < ARGS_MAX);
		o->argv[o->argc++] = word;
	}
	o->result = opt_parse(rows, &o->s, o->argc, o->argv, &o->operands, &o->f);
}

static void run(struct outcome *o, const char *line)
{
	run_table(o, table, line);
}

static void expect_ok(struct outcome *o, const char *line)
{
	run(o, line);
	if (o->result != OPT_OK)
		fail_msg("%s: %s", line, o->f.text);
}

static void expect_bad(const char *line, const char *words)
{
	struct outcome o;

	run(&o, line);
	assert_int_equal(o.result, OPT_BAD);
	if (!strstr(o.f.text, words))
		fail_msg("'%s' does not say '%s'", o.f.text, words);
}

static void defaults_go_through_the_parser(void **state)
{
	struct outcome o;

	(void)state;
	expect_ok(&o, "");
	assert_false(o.s.quiet);
	assert_string_equal(o.s.file, "-");
	assert_null(o.s.unset);
	assert_int_equal(o.s.suites.count, 0);
	assert_int_equal(o.s.backends.count, 1);
	assert_int_equal(o.s.clients, 10);
	assert_int_equal(o.s.offset, -3);
	assert_int_equal(o.s.wait_ns, 1500000000);
	assert_int_equal(o.s.limit_bytes, 16384);
	assert_true(o.s.rate == 0.5);
	assert_int_equal(o.s.mode, 1);
	assert_int_equal(o.operands, 0);
}

static void every_spelling(void **state)
{
	static const char *const lines[] = {
		"--clients 7 --quiet --verbose --file=a=b --wait 2s --mode=resume",
		"-c 7 -qv -f a=b -w2s --mode resume",
		"-qvc7 -fa=b -w 2s --mode full --mode resume", /* the last one counts */
	};
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		expect_ok(&o, lines[i]);
		assert_int_equal(o.s.clients, 7);
		assert_true(o.s.quiet && o.s.verbose);
		assert_string_equal(o.s.file, "a=b");
		assert_int_equal(o.s.wait_ns, 2000000000);
		assert_int_equal(o.s.mode, 2);
	}
	expect_ok(&o, "--offset -12 --rate-of-arrival-per-second 1e1 --limit 1MiB --unset=");
	assert_int_equal(o.s.offset, -12);
	assert_true(o.s.rate == 10);
	assert_int_equal(o.s.limit_bytes, 1 << 20);
	assert_string_equal(o.s.unset, "");
}

static void lists_collect_and_replace_their_preset(void **state)
{
	struct outcome o;

	(void)state;
	expect_ok(&o, "--suite a --backend x --suite=b --backend y");
	assert_int_equal(o.s.suites.count, 2);
	assert_string_equal(o.s.suites.item[1], "b");
	assert_int_equal(o.s.backends.count, 2);
	assert_string_equal(o.s.backends.item[0], "x");
}

static void lists_have_a_limit(void **state)
{
	char line[512] = "";
	struct outcome o;

	(void)state;
	for (int i = 0; i < OPT_LIST_MAX; i++)
		strcat(line, "--suite=s ");
	expect_ok(&o, line);
	assert_int_equal(o.s.suites.count, OPT_LIST_MAX);
	strcat(line, "--suite=s ");
	expect_bad(line, "--suite: given more than 32 times");
}

static void operands_come_first(void **state)
{
	static const char *const expected[] = { "load", "one", "-", "three", "--clients", "-q" };
	struct outcome o;

	(void)state;
	expect_ok(&o, "one -c 5 - --quiet three -- --clients -q");
	assert_int_equal(o.operands, 5);
	for (int i = 0; i <= o.operands; i++)
		assert_string_equal(o.argv[i], expected[i]);
	assert_int_equal(o.argc, 10);
	assert_int_equal(o.s.clients, 5);
}

static bool given(struct outcome *o, const char *name)
{
	return opt_given(table, o->argc, o->argv, o->operands, name);
}

static void given_is_told_from_default(void **state)
{
	struct outcome o;

	(void)state;
	expect_ok(&o, "one -vc 10 two --file --quiet -- --wait");
	assert_true(given(&o, "clients")); /* though 10 is the default */
	assert_true(given(&o, "verbose"));
	assert_true(given(&o, "file"));
	assert_false(given(&o, "quiet")); /* it was the value of --file */
	assert_false(given(&o, "wait"));  /* it was an operand */
	assert_false(given(&o, "mode"));
}

static void help_is_asked_for(void **state)
{
	static const struct opt with_h[] = {
		{ "host", 'h', OPT_TEXT, AT(file), "HOST", "a host", NULL, NULL, 0, 0 },
		{ .name = NULL },
	};
	struct outcome o;

	(void)state;
	run(&o, "one --help --bogus");
	assert_int_equal(o.result, OPT_HELP);
	run(&o, "-qh");
	assert_int_equal(o.result, OPT_HELP);
	run(&o, "-- --help");
	assert_int_equal(o.result, OPT_OK);
	run_table(&o, with_h, "-h box");
	assert_int_equal(o.result, OPT_OK);
	assert_string_equal(o.s.file, "box");
}

static void refusals_say_what_to_do(void **state)
{
	(void)state;
	expect_bad("--clinets 3", "unknown option --clinets; did you mean --clients?");
	expect_bad("--clinets=3", "unknown option --clinets; did you mean --clients?");
	expect_bad("--hepl", "did you mean --help?");
	expect_bad("--client",
		   "did you mean --clients?"); /* no abbreviations: scripts would break */
	expect_bad("--zzzzzz", "unknown option --zzzzzz");
	expect_bad("-x", "unknown option -x");
	expect_bad("-qx", "unknown option -x");
	expect_bad("--clients", "--clients needs a value: --clients N");
	expect_bad("-c", "--clients needs a value");
	expect_bad("--quiet=yes", "--quiet takes no value, 'yes' was given");
	expect_bad("--help=me", "--help takes no value");
	expect_bad("--clients 0", "--clients: '0' is not a whole number between 1 and 10000");
	expect_bad("--clients 10001", "between 1 and 10000");
	expect_bad("--clients=", "--clients: ''");
	expect_bad("--clients 5x", "'5x'");
	expect_bad("--wait 5", "--wait: '5' is not a duration");
	expect_bad("--wait 10us", "--wait: '10us' is too small; expected at least 1 ms");
	expect_bad("--limit 2MiB", "--limit: '2MiB' is not between 0 B and 1 MiB");
	expect_bad("--rate-of-arrival-per-second 100.5", "'100.5' is not between 0 and 100");
	expect_bad("--rate-of-arrival-per-second nan", "'nan' is not a finite number");
	expect_bad("--mode resum",
		   "'resum' is not one of full, keepalive, resume; did you mean resume?");
	expect_bad("--mode zzz", "'zzz' is not one of full, keepalive, resume");
}

static void expect_table_bad(struct opt row, const char *words)
{
	struct opt rows[] = { table[0], row, { .name = NULL } };
	struct fail f = { 0 };

	assert_int_equal(opt_check_table(rows, &f), -1);
	if (!strstr(f.text, words))
		fail_msg("'%s' does not say '%s'", f.text, words);
}

static void tables_are_checked(void **state)
{
	struct opt good = { "count", 'n', OPT_INTEGER, 0, "N", "how many", "1", NULL, 1, 9 };
	struct fail f = { 0 };
	struct opt bad;

	(void)state;
	if (opt_check_table(table, &f))
		fail_msg("%s", f.text);
	expect_table_bad((bad = good, bad.name = "quiet", bad), "--quiet: the name comes twice");
	expect_table_bad((bad = good, bad.letter = 'q', bad), "--count: -q is --quiet already");
	expect_table_bad((bad = good, bad.name = "--count", bad), "without dashes");
	expect_table_bad((bad = good, bad.name = "help", bad), "every command has it");
	expect_table_bad((bad = good, bad.help = NULL, bad), "--count: no help");
	expect_table_bad((bad = good, bad.help = "", bad), "no help");
	expect_table_bad((bad = good, bad.help = "Many.", bad), "full stop");
	expect_table_bad((bad = good, bad.metavar = NULL, bad), "metavar");
	expect_table_bad((bad = good, bad.preset = "10", bad), "--count: preset: '10'");
	expect_table_bad((bad = good, bad.max = 1, bad.min = 2, bad), "min is above max");
	expect_table_bad((bad = good, bad.kind = OPT_FLAG, bad), "metavar");
	expect_table_bad((bad = good, bad.kind = OPT_CHOICE, bad), "without choices");
}

static void nearest_name(void **state)
{
	static const char *const names[] = { "run", "report", "serve", "load", "power", NULL };
	static const char *const counted[] = { "count", "court", NULL };

	(void)state;
	assert_string_equal(opt_nearest("sevre", names), "serve");
	assert_string_equal(opt_nearest("reprot", names), "report");
	assert_string_equal(opt_nearest("repo-rts", names), "report");
	assert_string_equal(opt_nearest("lod", names), "load");
	assert_string_equal(opt_nearest("rum", names), "run");
	assert_string_equal(opt_nearest("power", names), "power");
	assert_string_equal(opt_nearest("counts", counted),
			    "count"); /* not the later, farther one */
	assert_null(opt_nearest("lxyd", names));
	assert_null(opt_nearest("benchmark", names));
	assert_null(opt_nearest("", names));
}

static char *help_of(const struct opt_usage *usage)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	opt_print_help(out, usage);
	fclose(out);
	return text;
}

static void expect_in(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("not in the help: %s\n%s", words, text);
}

static void help_tells_the_table(void **state)
{
	static const struct opt_usage usage = {
		.synopsis = "load URL [OPTION]...",
		.summary = "load a server",
		.description =
			"A first paragraph that is long enough to be broken into two lines by "
			"whoever prints it.\n\nA second one.",
		.examples = "cipherwatt load https://[::1]:4433/ \\\n    --clients 5",
		.options = table,
	};
	char *text = help_of(&usage);

	(void)state;
	assert_int_equal(strncmp(text, "Usage: cipherwatt load URL [OPTION]...\n", 39), 0);
	expect_in(text, "\n\nA second one.\n");
	expect_in(text, "\n  -c, --clients N           how many (1 to 10000; default 10)\n");
	expect_in(text, "\n      --rate-of-arrival-per-second NUMBER\n"
			"                            how fast (0 to 100; default 0.5)\n");
	expect_in(text, "(at least 1 ms; default 1.5s)");
	expect_in(text, "(0 B to 1 MiB; default 16KiB)");
	expect_in(text, "(may be repeated; default builtin)");
	expect_in(text, "connection: full,\n                            keepalive, resume (default "
			"keepalive)\n");
	expect_in(text, "\n  -h, --help                show this help and exit\n");
	expect_in(text, "Examples:\n  cipherwatt load https://[::1]:4433/ \\\n      --clients 5\n");
	for (const struct opt *o = table; o->name; o++)
		expect_in(text, o->name);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		assert_true(strcspn(line, "\n") <= 80);
		assert_true(line[0] == '\n' || line[strcspn(line, "\n") - 1] != ' ');
	}
	free(text);
}

#define FORTY "0123456789012345678901234567890123456789"

/* Eighty columns are full, the eighty-first breaks the line; µ is one column. */
static void help_breaks_at_the_column(void **state)
{
	const struct opt none = { .name = NULL };
	const struct opt_usage usage = {
		.synopsis = "x",
		.description = FORTY " 0123456789012345678901234567890123456µµ " FORTY " " FORTY,
		.options = &none,
	};
	char *text = help_of(&usage);

	(void)state;
	expect_in(text, "\n" FORTY " 0123456789012345678901234567890123456µµ\n" FORTY "\n" FORTY
			"\n\nOptions:\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_go_through_the_parser),
		cmocka_unit_test(every_spelling),
		cmocka_unit_test(lists_collect_and_replace_their_preset),
		cmocka_unit_test(lists_have_a_limit),
		cmocka_unit_test(operands_come_first),
		cmocka_unit_test(given_is_told_from_default),
		cmocka_unit_test(help_is_asked_for),
		cmocka_unit_test(refusals_say_what_to_do),
		cmocka_unit_test(tables_are_checked),
		cmocka_unit_test(nearest_name),
		cmocka_unit_test(help_tells_the_table),
		cmocka_unit_test(help_breaks_at_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
