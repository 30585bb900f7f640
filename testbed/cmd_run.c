/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run - `cipherwatt run CAMPAIGN.yaml`: options, signals, and the order of things from
 * the file to the last line. What is planned and where it is kept is in cmd_run_plan.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "testbed/cmd_run.h"
#include "testbed/commands.h"

#define AT(field) offsetof(struct run_settings, field)

static const struct opt options[] = {
	{ "testbed", 't', OPT_TEXT, AT(testbed), "FILE",
	  "nodes, meters and how to reach them; goes before what the campaign says of them", NULL,
	  NULL, 0, 0 },
	{ "db", 'd', OPT_TEXT, AT(db), "FILE",
	  "the database to write; made where missing, added to where not. Without it a new one in "
	  "$XDG_DATA_HOME/cipherwatt, named by campaign and start",
	  NULL, NULL, 0, 0 },
	{ "resume", 'r', OPT_FLAG, AT(resume), NULL,
	  "go on with the newest unfinished run of this campaign, in --db or among the databases "
	  "in $XDG_DATA_HOME/cipherwatt: same seed and order, what is stored is not run again; of "
	  "a "
	  "complete run the report is printed",
	  NULL, NULL, 0, 0 },
	{ "dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	  "print nodes, cells, order and time, as JSON with --json, and run nothing", NULL, NULL, 0,
	  0 },
	{ "only", 'o', OPT_TEXT, AT(only), "CELLS",
	  "only cells whose name matches one of these shell patterns, parted by commas", NULL, NULL,
	  0, 0 },
	{ "blocks", 'b', OPT_INTEGER, AT(blocks), "N", "this many blocks instead of the campaign's",
	  NULL, NULL, 1, PLAN_BLOCKS_MAX },
	{ "seed", 's', OPT_INTEGER, AT(seed), "N",
	  "seed of the random order instead of the campaign's", NULL, NULL, 0,
	  (INT64_C(1) << 53) - 1 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL,
	  "print the results as JSON on standard output; where the database and the report are "
	  "goes to standard error then",
	  NULL, NULL, 0, 0 },
	{ "report", 0, OPT_TEXT, AT(report), "FILE",
	  "where to write the HTML report; beside the database without it", NULL, NULL, 0, 0 },
	{ "progress", 'p', OPT_CHOICE, AT(progress), "MODE",
	  "how to show how far it is: a bar, plain lines, or nothing; auto is a bar on a terminal",
	  "auto", progress_mode_name, 0, 0 },
	{ 0 },
};

/* --- signals ---------------------------------------------------------------- */

static volatile sig_atomic_t signals, last_signal;

/* One more than "at once" needs is for a runner that does not hear: then the kernel ends it. */
static void on_signal(int number)
{
	last_signal = number;
	signals = signals + 1;
	if (signals > 1)
		signal(number, SIG_DFL);
}

static void catch_signals(void)
{
	/* Without SA_RESTART, so that a wait between phases ends. */
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* --- the run ---------------------------------------------------------------- */

static int fail(const struct run_job *j, int status, const struct fail *f)
{
	return command_fail(j->command, status, "%s", f->text);
}

static int open_store(struct run_job *j)
{
	struct fail f = { 0 };
	bool there = path_exists(j->db);

	j->runner.store = store_open(j->db, STORE_WRITE, &f);
	if (!j->runner.store || store_claim(j->runner.store, &f))
		return fail(j, EXIT_FAILED, &f);
	if (there && !j->settings->resume &&
	    store_unfinished_campaign(j->runner.store, buf_text(&j->plan.text), &f) > 0)
		log_say(LOG_NOTE,
			"%s holds an unfinished run of this campaign; a new one begins beside it "
			"(--resume would go on with the old one)",
			j->db);
	return -1;
}

static int start_nodes(struct run_job *j)
{
	struct fail f = { 0 };

	j->nodes = runner_nodes_start(&j->plan, &signals, &j->runner.world, &f);
	if (!j->nodes || runner_greet(&j->runner, &f) || runner_try_meters(&j->runner, &f))
		return fail(j, EXIT_FAILED, &f);
	return -1;
}

/* Begin or take up: the campaign's id is known behind this. */
static int begin(struct run_job *j)
{
	struct fail f = { 0 };
	json_t *all;
	char *text;
	int status;

	if (runner_limits(&j->runner, &f))
		return fail(j, EXIT_FAILED, &f);
	if (j->settings->resume) {
		status = runner_resume(&j->runner, j->campaign, &f);
	} else {
		all = runner_options(&j->plan, j->settings->only);
		text = json_dumps(all, JSON_COMPACT);
		j->campaign = runner_begin(&j->runner, text ? text : "{}", &f);
		status = j->campaign < 0 ? -1 : 0;
		free(text);
		json_decref(all);
	}
	if (!status)
		status = runner_timelines(&j->runner, &f);
	if (status && f.code == EINTR)
		return fail(j, 128 + last_signal, &f);
	return status ? fail(j, EXIT_FAILED, &f) : -1;
}

/* Trials of the plan that are to be there in the end, and those that are there now. */
static void count_trials(const struct run_job *j, int *total, int *stored)
{
	const struct plan *p = &j->plan;
	struct fail ignored = { 0 };

	*total = *stored = 0;
	for (int c = 0; c < p->cells; c++) {
		if (p->cell[c].unavailable)
			continue;
		*total += p->blocks;
		for (int b = 0; b < plan_blocks(p); b++) {
			bool there = store_has_trial(j->runner.store, j->runner.cell_id[c], b,
						     &ignored) > 0;

			*stored += there;
			*total += there && b >= p->blocks; /* an added one */
		}
	}
}

static void say_resume(const struct run_job *j)
{
	log_say(LOG_NOTE, "go on with: cipherwatt run %s%s%s --db %s --resume", j->file,
		j->settings->testbed ? " --testbed " : "",
		j->settings->testbed ? j->settings->testbed : "", j->db);
}

/* Runs what is missing. Returns the exit status so far. */
static int run_trials(struct run_job *j)
{
	struct runner *r = &j->runner;
	struct fail f = { 0 };
	int total, stored, status;

	count_trials(j, &total, &stored);
	progress_start(&r->progress, (enum progress_mode)j->settings->progress, total, stored,
		       plan_duration_ns(&j->plan) / (j->plan.blocks * j->plan.cells), clock_ns());
	r->progress.may_grow = j->plan.until.blocks_max > j->plan.blocks;
	status = runner_run(r, &f);
	progress_end(&r->progress, clock_ns());
	runner_nodes_stop(j->nodes, f.code == EINTR);
	j->nodes = NULL;
	if (!status && !r->interrupted)
		status = store_complete_campaign(r->store, j->campaign, &f);
	if (status && f.code != EINTR)
		command_fail(j->command, EXIT_FAILED, "%s", f.text);
	else if (status)
		log_say(LOG_NOTE, "%s", f.text);
	if (status || r->interrupted)
		say_resume(j);
	if (signals && (status || r->interrupted))
		return 128 + last_signal;
	return status ? EXIT_FAILED : EXIT_RESULT;
}

/* A run that has every trial: its report, as at its end. */
static int report_finished(struct run_job *j)
{
	struct fail f = { 0 };

	j->runner.store = store_open(j->db, STORE_READ, &f);
	if (!j->runner.store)
		return fail(j, EXIT_FAILED, &f);
	log_say(LOG_NOTE, "the run of %s is complete: nothing is left to run", j->file);
	return run_print_results(j, EXIT_RESULT);
}

static int run_all(struct run_job *j)
{
	int status = run_read_plan(j);

	if (status < 0)
		status = run_find_place(j);
	if (status < 0 && j->settings->dry_run)
		return run_dry(j);
	if (status < 0 && j->finished)
		return report_finished(j);
	if (status < 0)
		status = open_store(j);
	if (status < 0)
		status = start_nodes(j);
	if (status < 0)
		status = begin(j);
	if (status < 0)
		status = run_print_results(j, run_trials(j));
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct run_settings s = { 0 };
	struct run_job j = { .command = c, .settings = &s };
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands != 1)
		return command_fail(c, EXIT_USAGE, "expected one campaign file, %d were given",
				    operands);
	s.blocks_given = opt_given(options, argc, argv, operands, "blocks");
	s.seed_given = opt_given(options, argc, argv, operands, "seed");
	j.file = argv[1];
	j.runner.plan = &j.plan;
	j.runner.signals = &signals;
	catch_signals();
	status = run_all(&j);
	runner_nodes_stop(j.nodes, false);
	store_close(j.runner.store);
	free(j.runner.cell_id);
	free(j.runner.enough);
	plan_release(&j.plan);
	return command_finish(c, status);
}

const struct command cmd_run = {
	.name = "run",
	.usage = {
		.synopsis = "run CAMPAIGN.yaml [OPTION]...",
		.summary = "run a campaign: measure every cell in random blocks, and report",
		.description =
			"Reads a campaign (testbed/campaigns/quick.yaml explains how one is "
			"written), starts a node for the server and one for the client, and runs "
			"one trial of every cell in each block, in random order. Every trial is "
			"stored as it ends. Then the table of results is printed, and where the "
			"database and the HTML report are.\n\n"
			"With `timeline: true` a few associations of each cell are captured before "
			"the first trial, on the client's node, which needs root or the capability "
			"CAP_NET_RAW for it; docs/timeline.md says what is made of them.\n\n"
			"A run that was interrupted or killed loses at most the trial in flight; "
			"--resume goes on with it. Ctrl-C ends it after the trial in flight, twice "
			"at once.\n\n"
			"Exit status: 0 every cell has a valid trial; 1 it could not be run, or a "
			"node was lost; 2 wrong usage or campaign; 3 no trial of some cell is "
			"valid; 130 or 143 ended by a signal.",
		.examples =
			"  cipherwatt run testbed/campaigns/quick.yaml\n"
			"  cipherwatt run gateway.yaml --testbed bench.yaml --db gateway.db\n"
			"  cipherwatt run gateway.yaml --testbed bench.yaml --db gateway.db --resume\n"
			"  cipherwatt run quick.yaml --only '*:p256/*' --blocks 3 --json > p256.json\n",
		.options = options,
	},
	.run = run,
};
