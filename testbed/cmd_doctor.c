/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_doctor - `cipherwatt doctor`: what on this machine would spoil a measurement, and the cure.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/checkup.h"
#include "testbed/commands.h"
#include "testbed/environment.h"

struct settings {
	int64_t for_ns;
	bool json;
};

static const struct opt options[] = {
	{ .name = "for",
	  .kind = OPT_DURATION,
	  .offset = offsetof(struct settings, for_ns),
	  .metavar = "DURATION",
	  .help = "watch the machine for so long; what comes now and then needs longer to be seen",
	  .preset = "2s",
	  .min = 100 * NS_PER_MS,
	  .max = 600 * NS_PER_S },
	{ .name = "json",
	  .letter = 'j',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, json),
	  .help = "print JSON" },
	{ 0 },
};

/* All findings in the order of the rows. */
struct findings {
	const struct checkup **row;
	struct checkup_finding *one;
	size_t count;
	size_t of[CHECKUP_VERDICTS];
};

static int look(const struct checkup_view *v, struct findings *all, struct fail *f)
{
	size_t count = 0;

	for (int i = 0; checkups[i]; i++)
		for (const struct checkup *c = checkups[i]; c->name; c++)
			count++;
	all->row = calloc(count, sizeof(*all->row));
	all->one = calloc(count, sizeof(*all->one));
	if (!all->row || !all->one)
		return fail_set(f, ENOMEM, "no memory for what was found");
	for (int i = 0; checkups[i]; i++)
		for (const struct checkup *c = checkups[i]; c->name; c++) {
			struct checkup_finding *found = &all->one[all->count];

			all->row[all->count++] = c;
			c->look(v, found);
			all->of[found->verdict]++;
		}
	return 0;
}

#define FOUND_COLUMN 19

static void print_finding(const struct checkup *row, const struct checkup_finding *found)
{
	const char *text = found->found;

	printf("%-8s %-9s ", checkup_verdict_name[found->verdict], row->name);
	opt_print_wrapped(stdout, text, text + strlen(text), FOUND_COLUMN, FOUND_COLUMN);
	if (!found->cure[0])
		return;
	/* What may be a command to copy is not broken into lines. */
	printf("%*scure: %s\n", FOUND_COLUMN, "", found->cure);
}

static void print_text(const struct findings *all)
{
	for (int verdict = 0; verdict < CHECKUP_VERDICTS; verdict++)
		for (size_t i = 0; i < all->count; i++)
			if ((int)all->one[i].verdict == verdict)
				print_finding(all->row[i], &all->one[i]);
	printf("\n%zu would spoil a measurement, %zu limit how far it reaches, %zu are good, "
	       "%zu cannot be told\n",
	       all->of[CHECKUP_SPOILS], all->of[CHECKUP_NOTE], all->of[CHECKUP_GOOD],
	       all->of[CHECKUP_UNKNOWN]);
}

static int print_json(const struct checkup_view *v, const struct findings *all)
{
	json_t *checks = json_array(), *root;
	int bad;

	for (size_t i = 0; i < all->count; i++)
		json_array_append_new(
			checks, json_pack("{s:s, s:s, s:s, s:s, s:s*}", "name", all->row[i]->name,
					  "about", all->row[i]->about, "verdict",
					  checkup_verdict_name[all->one[i].verdict], "found",
					  all->one[i].found, "cure",
					  all->one[i].cure[0] ? all->one[i].cure : NULL));
	root = json_pack("{s:s, s:o, s:f, s:I, s:I, s:o}", "schema", "cipherwatt/1", "machine",
			 environment_json(v->root), "watched_s", (double)v->watched_ns / NS_PER_S,
			 "spoils", (json_int_t)all->of[CHECKUP_SPOILS], "notes",
			 (json_int_t)all->of[CHECKUP_NOTE], "checks", checks);
	bad = !root || json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	puts("");
	json_decref(root);
	return bad ? -1 : 0;
}

static int run(const struct command *k, int argc, char **argv)
{
	struct checkup_view view = { .root = "" };
	struct findings all = { 0 };
	struct settings set;
	struct fail f = { 0 };
	int operands, status = command_parse(k, &set, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands)
		return command_fail(k, EXIT_USAGE,
				    "\"%s\" is one word too many: this machine is looked at; for "
				    "another one, ssh HOST cipherwatt doctor",
				    argv[1]);
	if (checkup_watch(&view, set.for_ns, &f) || look(&view, &all, &f))
		status = command_fail(k, EXIT_FAILED, "%s", f.text);
	else {
		status = all.of[CHECKUP_SPOILS] ? EXIT_NOT_VALID : EXIT_RESULT;
		if (!set.json)
			print_text(&all);
		else if (print_json(&view, &all))
			status = command_fail(k, EXIT_FAILED, "no memory for the JSON");
	}
	free(all.row);
	free(all.one);
	checkup_release(&view);
	return status;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.usage = {
		.synopsis = "doctor [OPTION]...",
		.summary = "what on this machine would spoil a measurement, and the cure",
		.description =
			"Looks at clocks, heat, supply, other processes, limits of the kernel and "
			"what a power meter needs, and watches the machine for a while meanwhile. "
			"It changes nothing.\n\n"
			"\"spoils\": a figure taken now would be wrong, or not the same tomorrow. "
			"\"note\": it limits how far a figure reaches, or what can be measured here. "
			"\"unknown\": the machine does not tell. Run it on each node of a testbed, "
			"while nothing else runs.\n\n"
			"Exit status 0 when nothing spoils, 3 when something does.",
		.examples = "cipherwatt doctor\n"
			    "cipherwatt doctor --for 30s --json\n"
			    "ssh board cipherwatt doctor",
		.options = options,
	},
	.run = run,
};
