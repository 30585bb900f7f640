/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_solar - what a panel and a battery must be for a board, a suite and a site. */
#include "results/cmd_solar.h"

#include <stdio.h>

#include "results/pick.h"
#include "solar/load_profile.h"

static int show(const struct command *c, const struct solar_options *o, const struct solar_study *s)
{
	struct buf out = { 0 };
	int status = EXIT_RESULT;

	if (o->json)
		solar_write_json(s, &out);
	else
		solar_write_text(s, &out);
	if (out.failed)
		status = command_fail(c, EXIT_FAILED, "no memory for the result");
	else
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return status;
}

/* A mistake of a thousand in a unit is seen by what the design would be. */
static void warn_units(const struct solar_study *s)
{
	const struct solar_settings *set = &s->settings;

	for (size_t i = 0; i < s->designs && set->panel_w > 0; i++) {
		double ratio = s->design[i].year.panel_wh / s->design[i].year.load_wh;

		if (ratio < 0.2 || ratio > 50)
			fprintf(stderr,
				"cipherwatt solar: the panel gives %.3g times the load of %s: are "
				"--panel-wp %g "
				"W and --battery-wh %g Wh meant?\n",
				ratio, s->design[i].suite, s->design[i].panel_w,
				s->design[i].battery_wh);
	}
}

static int study(const struct command *c, const struct solar_options *o, const struct report *r)
{
	struct weather_options place;
	struct solar_settings set;
	struct solar_study s;
	struct weather w;
	struct fail f = { 0 };
	int status;

	if (solar_read_options(o, &place, &set, &f) < 0 ||
	    weather_open(&w, o->site, &place, &f) < 0)
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	solar_settle_options(o, &w, &set);
	if (o->load_profile && load_profile_open(&w, o->load_profile, &f) < 0)
		status = command_fail(c, EXIT_USAGE, "%s", f.text);
	else if (solar_study_make(&s, r, &w, &set, &f) < 0) {
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	} else {
		warn_units(&s);
		status = show(c, o, &s);
		solar_study_release(&s);
	}
	weather_release(&w);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct solar_options o = { 0 };
	struct fail f = { 0 };
	struct report r;
	struct store *s;
	int operands, status = command_parse(c, &o, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands != 1)
		return command_fail(c, EXIT_USAGE, "%s",
				    operands ? "one database at a time" : "no database was named");
	if (!o.site)
		return command_fail(c, EXIT_USAGE, "no site: --site FILE names its weather");
	s = store_open(argv[1], STORE_READ, &f);
	if (!s)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	status = command_load_report(c, s, o.campaign, &r);
	if (status == EXIT_RESULT) {
		status = study(c, &o, &r);
		report_release(&r);
	}
	store_close(s);
	return command_finish(c, status);
}

const struct command cmd_solar = {
	.name = "solar",
	.usage = { .synopsis = "solar DB --site FILE [OPTION]...",
		   .summary = "size panel and battery for a suite and a site",
		   .description = "The load of a suite is its node's idle power, the mean of what "
				  "the suites' cells idled at, and the net energy of a request "
				  "times the requests of each hour. The "
				  "worksheet (worst "
				  "month, days of autonomy) gives a first answer; the search then "
				  "runs every hour of "
				  "the file and takes the smallest design that lacks no more than "
				  "--lpsp of the "
				  "load's energy. The interval of the energy per request is "
				  "carried through; the uncertainty of the instrument or model "
				  "behind the idle power is said beside it.\n\n"
				  "A weather file is to be had for any place of Europe, Africa, "
				  "most of Asia and America from PVGIS, free of charge: "
				  "https://re.jrc.ec.europa.eu/pvg_tools/ -> TMY -> CSV.\n\n"
				  "A typical year understates long bad spells: for a site that "
				  "must not fail take a "
				  "file of many real years.",
		   .examples =
			   "  cipherwatt solar results.db --site tmy.csv --requests-per-day 20000\n"
			   "  cipherwatt solar results.db --site tmy.epw --profile day --battery "
			   "lfp "
			   "--soc-min 10\n"
			   "  cipherwatt solar results.db --site tmy.csv --json | jq "
			   "'.designs[] | {suite, panel_w, battery_wh}'",
		   .options = solar_opts },
	.run = run,
};
