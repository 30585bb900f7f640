/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run_plan - the plan and the database of a run, whether it begins or is taken up again.
 *
 * What was asked for at the beginning decides a resumed run; options that would change
 * it are refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "testbed/cmd_run.h"

/* A line for each error of the file, all of them. */
static int print_errors(const struct run_job *j, struct buf *errors)
{
	char *rest = NULL, *text = strdup(buf_text(errors));

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		fprintf(stderr, "cipherwatt %s: %s\n", j->command->name, line);
	free(text);
	return EXIT_USAGE;
}

static int fail_usage(const struct run_job *j, const struct fail *f)
{
	return command_fail(j->command, EXIT_USAGE, "%s", f->text);
}

/* Blocks, seed and choice of cells into the plan. */
static int shape_plan(struct run_job *j, const char *only, int64_t blocks, int64_t seed,
		      struct fail *f)
{
	if (only && plan_only(&j->plan, only, f))
		return -1;
	j->plan.blocks = (int)blocks;
	j->plan.seed = seed;
	return plan_draw(&j->plan, f);
}

static int refuse_with_resume(const struct run_job *j)
{
	const struct run_settings *s = j->settings;

	if (s->only || s->blocks_given || s->seed_given)
		return command_fail(j->command, EXIT_USAGE,
				    "--%s cannot be used with --resume: a run goes on as it was "
				    "begun",
				    s->only           ? "only"
				    : s->blocks_given ? "blocks"
						      : "seed");
	return -1;
}

int run_read_plan(struct run_job *j)
{
	const struct run_settings *s = j->settings;
	struct buf errors = { 0 };
	struct fail f = { 0 };
	int status = -1;

	if (s->resume && (status = refuse_with_resume(j)) >= 0)
		return status;
	if (plan_read(&j->plan, j->file, s->testbed, &errors))
		status = print_errors(j, &errors);
	else if (!s->resume && shape_plan(j, s->only, s->blocks_given ? s->blocks : j->plan.blocks,
					  s->seed_given ? s->seed : j->plan.seed, &f))
		status = fail_usage(j, &f);
	buf_release(&errors);
	return status;
}

/* The plan as the stored campaign had it. */
static int shape_as_stored(struct run_job *j, const struct campaign *c, struct fail *f)
{
	json_error_t bad;
	json_t *then = json_loads(c->options ? c->options : "{}", 0, &bad), *now = NULL;
	const char *only = json_string_value(json_object_get(then, "only"));
	int status = shape_plan(j, only, c->blocks, c->seed, f);

	if (!status) {
		now = runner_options(&j->plan, only);
		status = runner_same_options(c->options ? c->options : "{}", now, f);
	}
	json_decref(now);
	json_decref(then);
	return status;
}

/* The newest unfinished run, else the newest complete one: of that there is only the report. */
static int find_campaign(struct run_job *j, struct store *s, struct fail *f)
{
	const char *text = buf_text(&j->plan.text);
	struct campaign c = { 0 };
	int status;

	j->campaign = store_unfinished_campaign(s, text, f);
	if (!j->campaign) {
		j->campaign = store_complete_campaign_of(s, text, f);
		j->finished = j->campaign > 0;
	}
	if (j->campaign < 0)
		return -1;
	if (!j->campaign)
		return fail_set(f, ENOENT, "%s holds no run of %s as it is written now", j->db,
				j->file);
	if (store_get_campaign(s, j->campaign, &c, f))
		return -1;
	status = j->finished ? 0 : shape_as_stored(j, &c, f);
	campaign_release(&c);
	return status;
}

/* Of the databases in their usual place. As runner_place_find(). */
static int find_database(struct run_job *j, struct fail *f)
{
	const char *text = buf_text(&j->plan.text);
	int found = runner_place_find(j->plan.name, text, false, j->db, f);

	return found ? found : runner_place_find(j->plan.name, text, true, j->db, f);
}

static int find_to_resume(struct run_job *j)
{
	struct fail f = { 0 };
	struct store *s;
	int found = 1, status;

	if (!j->settings->db)
		found = find_database(j, &f);
	else
		snprintf(j->db, sizeof(j->db), "%s", j->settings->db);
	if (found < 0)
		return command_fail(j->command, EXIT_FAILED, "%s", f.text);
	if (!found)
		return command_fail(j->command, EXIT_FAILED,
				    "there is no run of %s as it is written now; give its database "
				    "with --db, or begin without --resume",
				    j->file);
	s = store_open(j->db, STORE_READ, &f);
	status = s ? find_campaign(j, s, &f) : -1;
	store_close(s);
	return status ? command_fail(j->command, EXIT_FAILED, "%s", f.text) : -1;
}

/* The report is written last, and must not take the place of what it is made from. */
static int check_report_place(const struct run_job *j)
{
	const struct run_settings *s = j->settings;
	const char *what = NULL;

	if (j->db[0] && store_owns(j->db, j->html))
		what = "the database itself or its log";
	else if (path_same(j->file, j->html))
		what = "the campaign";
	else if (s->testbed && path_same(s->testbed, j->html))
		what = "the testbed file";
	if (!what)
		return -1;
	return command_fail(j->command, EXIT_USAGE,
			    "the report would be written to %s, which is %s: name another file "
			    "with --report",
			    j->html, what);
}

int run_find_place(struct run_job *j)
{
	struct fail f = { 0 };
	int status = -1;

	if (j->settings->resume)
		status = find_to_resume(j);
	else if (j->settings->db)
		snprintf(j->db, sizeof(j->db), "%s", j->settings->db);
	else if (!j->settings->dry_run && runner_place_new(j->plan.name, j->db, &f))
		status = command_fail(j->command, EXIT_FAILED, "%s", f.text);
	if (j->settings->report)
		snprintf(j->html, sizeof(j->html), "%s", j->settings->report);
	else
		runner_place_beside(j->db, ".html", j->html);
	return status < 0 ? check_report_place(j) : status;
}

static int print_plan_json(const struct run_job *j)
{
	json_t *plan = plan_json(&j->plan, j->settings->only);
	char *text = plan ? json_dumps(plan, JSON_INDENT(1)) : NULL;
	int status = text ? EXIT_RESULT : command_fail(j->command, EXIT_FAILED, "no memory");

	if (text)
		puts(text);
	free(text);
	json_decref(plan);
	return status;
}

int run_dry(struct run_job *j)
{
	struct buf out = { 0 };

	if (j->settings->json)
		return print_plan_json(j);
	plan_print(&j->plan, &out);
	fputs(buf_text(&out), stdout);
	buf_release(&out);
	return EXIT_RESULT;
}
