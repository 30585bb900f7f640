/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_run - what the two files of `cipherwatt run` share. For cmd_run*.c only. */
#ifndef TESTBED_CMD_RUN_H
#define TESTBED_CMD_RUN_H

#include "lib/command.h"
#include "testbed/runner.h"
#include "testbed/runner_place.h"

struct run_settings {
	const char *testbed, *db, *only, *report;
	int64_t blocks, seed;
	bool resume, dry_run, json;
	bool blocks_given, seed_given;
	int progress;
};

/* One run from its file to its last line. */
struct run_job {
	const struct command *command;
	const struct run_settings *settings;
	const char *file; /* the campaign */
	struct plan plan;
	struct runner runner;
	struct runner_nodes *nodes;
	char db[PATH_BYTES], html[PATH_BYTES];
	int64_t campaign;
	bool finished; /* of --resume: nothing is left to run */
};

/* Each -1 to go on, else the exit status after its error was printed. */
int run_read_plan(struct run_job *j);
int run_find_place(struct run_job *j);
int run_dry(struct run_job *j);
/* The results that are there, however the run ended; status is returned or made worse. */
int run_print_results(struct run_job *j, int status);

#endif
