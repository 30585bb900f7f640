/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report - a campaign's figures, for people and for programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/command.h"
#include "lib/log.h"
#include "lib/path.h"
#include "lib/units.h"
#include "results/cmd_report.h"
#include "results/cmd_solar.h"
#include "results/pick.h"
#include "results/report.h"
#include "results/report_schema.h"
#include "results/threshold.h"

struct settings {
	const char *campaign, *output, *site, *requests_per_day;
	int format;
	struct opt_list thresholds;
	bool list, schema;
};

/* The order is that of report_formats. */
static const char *const formats[] = { "text",     "json",       "csv",    "html", "ndjson",
				       "markdown", "prometheus", "influx", NULL };

static const struct opt options[] = {
	{ .name = "campaign",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, campaign),
	  .metavar = "ID|NAME",
	  .help = "campaign to report, the newest of that name; the newest of all when absent" },
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPT_CHOICE,
	  .offset = offsetof(struct settings, format),
	  .metavar = "FORMAT",
	  .help = "text, json, csv, html, ndjson, markdown, prometheus or influx; by the ending of "
		  "--output (txt, json, csv, html, ndjson, md, prom, lp) when absent",
	  .preset = "text",
	  .choices = formats },
	{ .name = "output",
	  .letter = 'o',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, output),
	  .metavar = "FILE",
	  .help = "write there, whole or not at all, instead of to standard output" },
	{ .name = "list",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, list),
	  .help = "list the database's campaigns" },
	{ .name = "threshold",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct settings, thresholds),
	  .metavar = "DEMAND",
	  .help = "FIGURE(CELLS)>NUMBER, may be given several times: exit status 4 when a cell "
		  "misses it. FIGURE is a column of --format csv, the end of its name "
		  "(valid_trials), "
		  "or its first part and its end (client.requests_per_mwh): one alone must fit, "
		  "but "
		  "what both sides have means the server's. "
		  ".lo or .hi behind it is an end of its interval; CELLS are shell patterns of "
		  "names or "
		  "suites, all when absent; >= < and <= too" },
	{ .name = "site",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, site),
	  .metavar = "FILE",
	  .help = "of html: size panel and battery for the suites too, by this weather; "
		  "`cipherwatt "
		  "solar` has the options" },
	{ .name = "requests-per-day",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, requests_per_day),
	  .metavar = "N",
	  .help = "with --site: requests of a day, 86400 when absent" },
	{ .name = "schema",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, schema),
	  .help = "print the JSON Schema of --format json; no database is needed" },
	{ 0 },
};

static int list_campaign(int64_t id, const struct campaign *c, void *data)
{
	(void)data;
	printf("%" PRId64 "\t%s\t%s\t%s\n", id, c->started, c->complete ? "complete" : "incomplete",
	       c->name);
	return 0;
}

static int print(const struct command *c, const struct settings *set, const struct report *r,
		 int format)
{
	bool colour = !set->output && log_has_colour(STDOUT_FILENO);
	struct fail f = { 0 };
	struct buf out = { 0 };
	int status = EXIT_RESULT;

	if (report_formats[format].write(r, colour, &out) < 0)
		status = command_fail(c, EXIT_FAILED, "no memory for the report");
	else if (set->output && path_write(set->output, out.data, out.len, 0644, &f) < 0)
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	else if (!set->output)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return status;
}

static int format_of(const struct settings *set, bool given)
{
	const char *dot = set->output ? strrchr(set->output, '.') : NULL;

	for (int i = 0; !given && dot && formats[i]; i++)
		if (strcmp(dot + 1, report_formats[i].ending) == 0)
			return i;
	return set->format;
}

/* Every demand is read before any figure is printed. */
static int read_demands(const struct command *c, const struct settings *set,
			struct threshold demand[OPT_LIST_MAX])
{
	struct fail f = { 0 };

	for (int i = 0; i < set->thresholds.count; i++)
		if (threshold_read(&demand[i], set->thresholds.item[i], &f) < 0)
			return command_fail(c, EXIT_USAGE, "%s", f.text);
	return EXIT_RESULT;
}

static int check_demands(const struct command *c, const struct settings *set,
			 const struct threshold *demand, const struct report *r)
{
	struct buf lines = { 0 };
	struct fail f = { 0 };
	int missed = 0;

	for (int i = 0; i < set->thresholds.count && missed >= 0; i++) {
		int more = threshold_check(&demand[i], r, &lines, &f);

		missed = more < 0 ? -1 : missed + more;
	}
	if (missed < 0)
		missed = command_fail(c, EXIT_USAGE, "%s", f.text);
	else if (missed > 0)
		missed =
			command_fail(c, EXIT_THRESHOLD, "%d missed:\n%s", missed, buf_text(&lines));
	buf_release(&lines);
	return missed;
}

/* With a site the report says what the suites need there. */
static int print_with_site(const struct command *c, const struct settings *set, struct report *r,
			   int format)
{
	struct solar_options o;
	struct solar_settings solar;
	struct solar_study study;
	struct weather_options place;
	struct weather w;
	struct fail f = { 0 };
	int status;

	if (!set->site)
		return print(c, set, r, format);
	if (solar_default_options(&o, set->site, set->requests_per_day, &f) < 0 ||
	    solar_read_options(&o, &place, &solar, &f) < 0 ||
	    weather_open(&w, set->site, &place, &f) < 0)
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	solar_settle_options(&o, &w, &solar);
	if (solar_study_make(&study, r, &w, &solar, &f) < 0) {
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	} else {
		r->solar = &study;
		status = print(c, set, r, format);
		r->solar = NULL;
		solar_study_release(&study);
	}
	weather_release(&w);
	return status;
}

/* What no format but HTML shows is refused, not left out in silence. */
static int check_site(const struct command *c, const struct settings *set, int format)
{
	if (set->requests_per_day && !set->site)
		return command_fail(c, EXIT_USAGE, "--requests-per-day goes with --site FILE");
	if (set->site && report_formats[format].write != report_write_html)
		return command_fail(
			c, EXIT_USAGE,
			"--site goes with --format html; `cipherwatt solar` prints text and JSON");
	return EXIT_RESULT;
}

static int report(const struct command *c, const struct settings *set, struct store *s, int format)
{
	struct report r;
	struct threshold demand[OPT_LIST_MAX];
	int status = read_demands(c, set, demand), missed;

	if (status == EXIT_RESULT)
		status = check_site(c, set, format);
	if (status == EXIT_RESULT)
		status = command_load_report(c, s, set->campaign, &r);
	if (status != EXIT_RESULT)
		return status;
	status = print_with_site(c, set, &r, format);
	missed = status == EXIT_RESULT ? check_demands(c, set, demand, &r) : 0;
	report_release(&r);
	if (missed)
		status = missed;
	return status;
}

static int print_schema(const struct command *c)
{
	struct buf out = { 0 };

	report_schema(&out);
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return command_finish(c, EXIT_RESULT);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings set = { 0 };
	struct fail f = { 0 };
	struct store *s;
	int operands, status;
	bool given;

	status = command_parse(c, &set, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (set.schema && operands == 0)
		return print_schema(c);
	if (operands != 1)
		return command_fail(c, EXIT_USAGE, "%s",
				    operands ? "one database at a time" : "no database was named");
	given = opt_given(options, argc, argv, operands, "format");
	if (set.output && store_owns(argv[1], set.output))
		return command_fail(c, EXIT_USAGE,
				    "--output %s is the database itself or its log: name another "
				    "file",
				    set.output);
	s = store_open(argv[1], STORE_READ, &f);
	if (!s)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	if (!set.list)
		status = report(c, &set, s, format_of(&set, given));
	else if (store_each_campaign(s, list_campaign, NULL, &f) < 0)
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	else
		status = EXIT_RESULT;
	store_close(s);
	return command_finish(c, status);
}

const struct command cmd_report = {
	.name = "report",
	.usage = { .synopsis = "report DB [OPTION]...",
		   .summary = "show a campaign's figures: text, JSON, CSV, HTML and more",
		   .description = "Means and ratios come with 95 % intervals over trials; only "
				  "valid trials "
				  "enter, the others are listed with their reasons. Modelled "
				  "energy is called "
				  "so wherever it stands. A campaign that is still running can be "
				  "reported: "
				  "it is then marked as not complete.",
		   .examples = "  cipherwatt report results.db\n"
			       "  cipherwatt report results.db --list\n"
			       "  cipherwatt report results.db -o page.html --site tmy.csv\n"
			       "  cipherwatt report results.db --campaign quick -o quick.html\n"
			       "  cipherwatt report results.db --format json | jq .cells[].suite\n"
			       "  cipherwatt report results.db --threshold "
			       "'server.requests_per_mwh(tls1.3:*)>500'",
		   .options = options },
	.run = run,
};
