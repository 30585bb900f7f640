/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare - two cells, two campaigns or two databases against each other. */
#include "results/cmd_compare.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare_print.h"
#include "results/pick.h"

#define NAMED_MAX 6 /* of cells that a pattern matches, in the message */

struct settings {
	const char *campaign;
	bool paired, unpaired, json;
};

static const struct opt options[] = {
	{ .name = "campaign",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, campaign),
	  .metavar = "ID|NAME",
	  .help = "campaign to compare cells of, or to take from two databases; the newest when "
		  "absent" },
	{ .name = "paired",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, paired),
	  .help = "compare block by block, as cells of one campaign are; of two campaigns only "
		  "where the n-th blocks ran side by side" },
	{ .name = "unpaired",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, unpaired),
	  .help = "compare trials without pairs, as those of two campaigns are" },
	{ .name = "json",
	  .letter = 'j',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, json),
	  .help = "print JSON" },
	{ 0 },
};

static int add_pair(struct comparison *c, const struct cell_summary *a,
		    const struct cell_summary *b)
{
	struct compare_pair *grown = reallocarray(c->pair, c->pairs + 1, sizeof(*grown));

	if (!grown)
		return -1;
	c->pair = grown;
	return compare_cells(a, b, c->paired, &grown[c->pairs++]);
}

static int print(const struct command *k, const struct settings *set, struct comparison *c)
{
	struct buf out = { 0 };
	int status = EXIT_RESULT;

	if (compare_holm(c->pair, c->pairs) < 0)
		out.failed = true;
	else if (set->json)
		compare_print_json(c, &out);
	else
		compare_print_text(c, &out);
	if (out.failed)
		status = command_fail(k, EXIT_FAILED, "no memory for the comparison");
	else
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return status;
}

static bool matches(const char *pattern, const struct cell *c)
{
	return !strcmp(pattern, c->name) || !fnmatch(pattern, c->name, 0) ||
	       !fnmatch(pattern, c->suite, 0);
}

/* The one cell that is meant; NULL: the error is printed, and the status in *status. */
static const struct cell_summary *find_cell(const struct command *k, const struct report *r,
					    const char *pattern, int *status)
{
	const struct cell_summary *found = NULL;
	struct buf names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < r->cells; i++) {
		if (!matches(pattern, &r->cell[i].cell))
			continue;
		found = found ? found : &r->cell[i];
		if (n++ < NAMED_MAX)
			buf_printf(&names, "\n  %s", r->cell[i].cell.name);
	}
	if (n == 0)
		*status = command_fail(k, EXIT_USAGE,
				       "\"%s\" is neither a campaign nor a cell of campaign %s: "
				       "`cipherwatt report DB --format csv` has the cells' names",
				       pattern, r->campaign.name);
	else if (n > 1)
		*status =
			command_fail(k, EXIT_USAGE,
				     "\"%s\" is %zu cells; it must be one, so say more of it:%s%s",
				     pattern, n, buf_text(&names), n > NAMED_MAX ? "\n  ..." : "");
	buf_release(&names);
	return n == 1 ? found : NULL;
}

static int compare_two_cells(const struct command *k, const struct settings *set, struct store *s,
			     const char *left, const char *right)
{
	struct comparison c = { .paired = !set->unpaired };
	const struct cell_summary *a, *b = NULL;
	struct report r;
	int status = command_load_report(k, s, set->campaign, &r);

	if (status != EXIT_RESULT)
		return status;
	c.a = c.b = &r;
	a = find_cell(k, &r, left, &status);
	if (a)
		b = find_cell(k, &r, right, &status);
	if (b)
		status = add_pair(&c, a, b) < 0 ? command_fail(k, EXIT_FAILED, "no memory")
						: print(k, set, &c);
	free(c.pair);
	report_release(&r);
	return status;
}

static const struct cell_summary *cell_named(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->cells; i++)
		if (!strcmp(r->cell[i].cell.name, name))
			return &r->cell[i];
	return NULL;
}

/* Cells of the same name. */
static int compare_reports(const struct command *k, const struct settings *set,
			   const struct report *a, const struct report *b)
{
	struct comparison c = { .a = a, .b = b, .paired = set->paired };
	int status = 0;

	for (size_t i = 0; i < a->cells && status == 0; i++) {
		const struct cell_summary *other = cell_named(b, a->cell[i].cell.name);

		c.only_a += !other;
		if (other)
			status = add_pair(&c, &a->cell[i], other);
	}
	c.only_b = b->cells - c.pairs;
	if (status < 0)
		status = command_fail(k, EXIT_FAILED, "no memory");
	else if (c.pairs == 0)
		status = command_fail(k, EXIT_USAGE,
				      "campaigns %s and %s have no cell of the same name",
				      a->campaign.name, b->campaign.name);
	else
		status = print(k, set, &c);
	free(c.pair);
	return status;
}

/* The two may be one store. */
static int compare_campaigns(const struct command *k, const struct settings *set, struct store *s,
			     const char *left, struct store *t, const char *right)
{
	struct report a, b;
	int status = command_load_report(k, s, left, &a);

	if (status != EXIT_RESULT)
		return status;
	status = command_load_report(k, t, right, &b);
	if (status == EXIT_RESULT) {
		status = compare_reports(k, set, &a, &b);
		report_release(&b);
	}
	report_release(&a);
	return status;
}

/* A name of a campaign, or its number. */
static bool is_campaign(struct store *s, const char *which)
{
	struct fail f = { 0 };
	struct campaign c;
	int64_t id = pick_campaign(s, which, &f);

	if (id <= 0 || store_get_campaign(s, id, &c, &f) < 0)
		return false;
	campaign_release(&c);
	return true;
}

static int compare_in(const struct command *k, const struct settings *set, const char *path,
		      const char *left, const char *right)
{
	struct fail f = { 0 };
	struct store *s = store_open(path, STORE_READ, &f);
	int status;

	if (!s)
		return command_fail(k, EXIT_FAILED, "%s", f.text);
	if (is_campaign(s, left) && is_campaign(s, right))
		status = compare_campaigns(k, set, s, left, s, right);
	else
		status = compare_two_cells(k, set, s, left, right);
	store_close(s);
	return status;
}

static int compare_databases(const struct command *k, const struct settings *set, const char *left,
			     const char *right)
{
	struct fail f = { 0 };
	struct store *s = store_open(left, STORE_READ, &f);
	struct store *t = s ? store_open(right, STORE_READ, &f) : NULL;
	int status = t ? compare_campaigns(k, set, s, set->campaign, t, set->campaign)
		       : command_fail(k, EXIT_FAILED, "%s", f.text);

	store_close(t);
	store_close(s);
	return status;
}

static int run(const struct command *k, int argc, char **argv)
{
	struct settings set = { 0 };
	int operands, status = command_parse(k, &set, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (set.paired && set.unpaired)
		return command_fail(k, EXIT_USAGE, "--paired and --unpaired exclude each other");
	if (operands == 2)
		status = compare_databases(k, &set, argv[1], argv[2]);
	else if (operands == 3)
		status = compare_in(k, &set, argv[1], argv[2], argv[3]);
	else
		return command_fail(k, EXIT_USAGE,
				    "expected a database and two cells or campaigns, or two "
				    "databases");
	return command_finish(k, status);
}

const struct command cmd_compare = {
	.name = "compare",
	.usage = { .synopsis = "compare DB A B [OPTION]... | compare DB DB [OPTION]...",
		   .summary = "two cells, campaigns or databases: difference, interval, verdict",
		   .description =
			   "A and B are campaigns (name or number), or cells (a name, or a shell "
			   "pattern of names or suites that one cell alone matches). Of two "
			   "campaigns, "
			   "or the newest of two databases, cells of the same name are compared: "
			   "two "
			   "boards, two versions of a library. What differs between the machines "
			   "is "
			   "listed.\n\n"
			   "Each figure has its difference with a 95 % interval, a p-value "
			   "corrected "
			   "for all comparisons made (Holm), second opinions, an effect size, and "
			   "a "
			   "verdict: better, worse, or no difference proven. Modelled and measured "
			   "energy are never compared.\n\n"
			   "The columns A and B are means over trials, each trial's own figure "
			   "counting the same. "
			   "A report's figures per CPU second and per mWh are ratios of sums, in "
			   "which a trial with more requests counts more, and its percentiles "
			   "those of all trials' requests together. Where trials are alike they "
			   "differ little from these; where trials are unequal, perhaps by much.",
		   .examples =
			   "  cipherwatt compare results.db '*:rsa3072/512B/identity/*/openssl' "
			   "'*:p256/512B/identity/*/openssl'\n"
			   "  cipherwatt compare results.db monday tuesday --json\n"
			   "  cipherwatt compare pi3.db pi4.db",
		   .options = options },
	.run = run,
};
