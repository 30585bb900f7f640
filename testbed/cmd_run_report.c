/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run_report - the end of a run: the table, the HTML beside the database, and where
 * both are. What a report says is results' to know.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/log.h"
#include "results/report.h"
#include "testbed/cmd_run.h"

#define REPORT_MODE 0666

static int print_table(const struct run_job *j, const struct report *r)
{
	struct buf out = { 0 };
	bool colour = log_has_colour(STDOUT_FILENO);
	int bad = j->settings->json ? report_write_json(r, false, &out)
				    : report_write_text(r, colour, &out);

	if (!bad)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return bad ? command_fail(j->command, EXIT_FAILED, "no memory for the report") : -1;
}

static int write_page(const struct run_job *j, const struct report *r)
{
	struct buf out = { 0 };
	struct fail f = { 0 };
	int status = -1;

	if (report_write_html(r, false, &out))
		status = command_fail(j->command, EXIT_FAILED, "no memory for the HTML report");
	else if (path_write(j->html, out.data, out.len, REPORT_MODE, &f))
		status = command_fail(j->command, EXIT_FAILED, "%s", f.text);
	buf_release(&out);
	return status;
}

/* A cell that nothing is known of makes the whole run not valid. */
static int judge(const struct report *r)
{
	int status = EXIT_RESULT;

	for (size_t i = 0; i < r->cells; i++) {
		if (r->cell[i].valid_trials)
			continue;
		log_say(LOG_WARNING, "no valid trial of %s", r->cell[i].cell.name);
		status = EXIT_NOT_VALID;
	}
	return status;
}

/* Trials that are not run because this build cannot are not a secret. */
static void say_unavailable(const struct plan *p)
{
	for (int i = 0; i < p->cells; i++)
		if (p->cell[i].unavailable)
			log_say(LOG_WARNING, "not run: %s: %s", p->cell[i].cell.name,
				p->cell[i].unavailable);
}

static int print_all(struct run_job *j, const struct report *r, int status)
{
	FILE *places = j->settings->json ? stderr : stdout;
	int bad = print_table(j, r);

	if (bad < 0)
		bad = write_page(j, r);
	fflush(stdout);
	say_unavailable(&j->plan);
	if (status == EXIT_RESULT)
		status = judge(r);
	fprintf(places, "database %s\n", j->db);
	if (bad < 0)
		fprintf(places, "report %s\n", j->html);
	return bad < 0 ? status : bad;
}

int run_print_results(struct run_job *j, int status)
{
	struct report r;
	struct fail f = { 0 };

	if (report_load(j->runner.store, j->campaign, &r, &f))
		return command_fail(j->command, EXIT_FAILED, "%s", f.text);
	status = print_all(j, &r, status);
	report_release(&r);
	return status;
}
