/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_choose - which suite a gateway should use, by a campaign's figures. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "results/pick.h"
#include "testbed/choose_suite.h"
#include "testbed/commands.h"

struct settings {
	const char *campaign, *like, *objective, *versions, *keys, *suite;
	int role, source, config;
	int64_t min_bits, latency_ns, memory_bytes;
	double requests_per_day;
	bool forward_secrecy, post_quantum, allow_legacy, json;
};

static const char *const sources[] = { "best", "measured", "modelled", NULL };
static const char *const configs[] = { "none",    "nginx",   "apache", "openssl",
				       "wolfssl", "libcoap", NULL };

#define AT(m) offsetof(struct settings, m)

static const struct opt options[] = {
	{ "campaign", 0, OPT_TEXT, AT(campaign), "ID|NAME", "campaign; the newest when absent",
	  NULL, NULL, 0, 0 },
	{ "like", 'l', OPT_TEXT, AT(like), "TEXT",
	  "rank the cells that are like the first with this in its name in all but the suite", NULL,
	  NULL, 0, 0 },
	{ "objective", 'O', OPT_TEXT, AT(objective), "WHAT",
	  "energy (requests per mWh), net-energy, throughput, latency, day (Wh a day), or weights: "
	  "energy=2,latency=1",
	  "energy", NULL, 0, 0 },
	{ "role", 0, OPT_CHOICE, AT(role), "ROLE", "whose energy and memory count", "server",
	  role_names, 0, 0 },
	{ "requests-per-day", 'n', OPT_REAL, AT(requests_per_day), "N", "for the objective day",
	  "86400", NULL, 0, 0 },
	{ "min-bits", 0, OPT_INTEGER, AT(min_bits), "N", "strength at least", "0", NULL, 0, 512 },
	{ "forward-secrecy", 0, OPT_FLAG, AT(forward_secrecy), NULL,
	  "a stolen key must not open what was recorded", NULL, NULL, 0, 0 },
	{ "post-quantum", 0, OPT_FLAG, AT(post_quantum), NULL,
	  "nor a quantum computer: a KEM in the key exchange", NULL, NULL, 0, 0 },
	{ "versions", 0, OPT_TEXT, AT(versions), "LIST",
	  "that the clients know, of tls1.2,tls1.3,dtls1.2,dtls1.3", NULL, NULL, 0, 0 },
	{ "keys", 0, OPT_TEXT, AT(keys), "LIST",
	  "that the clients know: rsa, ecdsa, eddsa, psk, mldsa, slhdsa, or credentials such as "
	  "p256",
	  NULL, NULL, 0, 0 },
	{ "latency-max", 0, OPT_DURATION, AT(latency_ns), "DURATION",
	  "95th percentile of the response time at most", "0", NULL, 0, 0 },
	{ "memory-max", 0, OPT_BYTES, AT(memory_bytes), "BYTES",
	  "peak of the role's processes at most", "0", NULL, 0, 0 },
	{ "allow-legacy", 0, OPT_FLAG, AT(allow_legacy), NULL,
	  "legacy and broken suites, and plain, too", NULL, NULL, 0, 0 },
	{ "energy-source", 0, OPT_CHOICE, AT(source), "SOURCE",
	  "measured or modelled, never both; best is measured where there is any", "best", sources,
	  0, 0 },
	{ "config", 0, OPT_CHOICE, AT(config), "PROGRAM",
	  "print the first's configuration for it, alone", "none", configs, 0, 0 },
	{ "suite", 's', OPT_TEXT, AT(suite), "SUITE",
	  "with --config: of this suite; no database is needed", NULL, NULL, 0, 0 },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL, NULL, 0, 0 },
	{ 0 },
};

static int objective_by_name(const char *name, size_t len)
{
	for (int i = 0; choose_objective_names[i]; i++)
		if (strlen(choose_objective_names[i]) == len &&
		    strncmp(choose_objective_names[i], name, len) == 0)
			return i;
	return -1;
}

/* "energy", or "energy=2,latency=1". */
static int read_objective(const char *text, double weight[CHOOSE_OBJECTIVES], struct fail *f)
{
	if (!*text)
		return fail_set(f, EINVAL,
				"--objective is empty; expected energy, net-energy, throughput, "
				"latency or day");
	while (*text) {
		size_t len = strcspn(text, ","), name = strcspn(text, "=,");
		int at = objective_by_name(text, name);
		char number[32] = "1";

		if (name < len)
			snprintf(number, sizeof(number), "%.*s", (int)(len - name - 1),
				 text + name + 1);
		if (at < 0)
			return fail_set(f, EINVAL,
					"--objective: \"%.*s\" is none; expected energy, "
					"net-energy, throughput, "
					"latency or day",
					(int)name, text);
		if (weight[at] > 0)
			return fail_set(f, EINVAL, "--objective: %s stands there twice",
					choose_objective_names[at]);
		if (units_real(number, &weight[at], f) < 0 || !(weight[at] > 0))
			return fail_set(f, EINVAL,
					"--objective: weight \"%s\"; expected more than 0", number);
		text += len + (text[len] == ',');
	}
	return 0;
}

/* Every word of a list must be known: a slip would refuse all suites. */
static int check_versions(const char *list, struct fail *f)
{
	for (const char *at = list; at && *at;) {
		size_t len = strcspn(at, ",");
		bool known = false;

		for (int i = 0; i < TLS_VERSIONS; i++)
			known |= strlen(tls_version_name[i]) == len &&
				 strncmp(tls_version_name[i], at, len) == 0;
		if (!known)
			return fail_set(f, EINVAL,
					"--versions: \"%.*s\"; expected plain, tls1.2, tls1.3, "
					"dtls1.2, dtls1.3",
					(int)len, at);
		at += len + (at[len] == ',');
	}
	return 0;
}

static int check_keys(const char *list, struct fail *f)
{
	for (const char *at = list; at && *at;) {
		size_t len = strcspn(at, ",");
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)len, at);
		if (!choose_key_known(word) && !credential_kind_by_name(word))
			return fail_set(f, EINVAL,
					"--keys: \"%s\"; expected rsa, ecdsa, eddsa, psk, mldsa, "
					"slhdsa or a "
					"credential such as p256",
					word);
		at += len + (at[len] == ',');
	}
	return 0;
}

static int read_rules(const struct settings *set, struct choose_rules *r, struct fail *f)
{
	*r = (struct choose_rules){ .campaign = set->campaign,
				    .role = (enum energy_role)set->role,
				    .requests_per_day = set->requests_per_day,
				    .strength_bits = set->min_bits,
				    .forward_secret = set->forward_secrecy,
				    .post_quantum = set->post_quantum,
				    .allow_legacy = set->allow_legacy,
				    .versions = set->versions,
				    .keys = set->keys,
				    .latency_us = (double)set->latency_ns / 1000,
				    .memory_bytes = set->memory_bytes,
				    .source = set->source ? sources[set->source] : NULL,
				    .like = set->like };
	if (!(set->requests_per_day >= 0))
		return fail_set(f, EINVAL, "--requests-per-day %g; expected 0 or more",
				set->requests_per_day);
	if (check_versions(set->versions, f) < 0 || check_keys(set->keys, f) < 0)
		return -1;
	return read_objective(set->objective, r->weight, f);
}

/* A name is anyone's: no line of it, and no end of a comment, gets into a configuration. */
static void put_name(const char *name, struct buf *out)
{
	for (const char *at = name; *at; at++)
		buf_byte(out,
			 (uint8_t)((unsigned char)*at < ' ' || strchr("*\\", *at) ? '?' : *at));
}

/* Where it comes from: choice is NULL where the suite was named. */
static void put_origin(const struct choice *choice, const char *suite, struct buf *out)
{
	char objective[192];

	if (!choice) {
		buf_printf(out, "%s, as named; no campaign chose it", suite);
		return;
	}
	choose_objective_text(&choice->rules, objective, sizeof(objective));
	buf_printf(out, "%s, the first of campaign ", suite);
	put_name(choice->report->campaign.name, out);
	buf_printf(out, " (%s) by %s of the %s%s%s%s", choice->report->campaign.started, objective,
		   choose_role_text(choice->rules.role), *choice->source ? "; its energy is " : "",
		   choice->source,
		   *choice->source && strcmp(choice->source, "measured") ? ", not measured" : "");
}

/* choice: what chose the suite; NULL: it was named. */
static int print_config(const struct command *c, const struct settings *set,
			const struct choice *choice, const char *text)
{
	const struct choose_config *row = choose_config_by_name(configs[set->config]);
	struct buf out = { 0 }, origin = { 0 };
	struct fail f = { 0 };
	struct suite s;
	int status = EXIT_RESULT;

	if (!row)
		status = command_fail(c, EXIT_FAILED, "--config %s is not in this build",
				      configs[set->config]);
	else if (suite_parse(text, &s, &f) < 0)
		status = command_fail(c, EXIT_USAGE, "%s", f.text);
	else if (row->write(&s, &out, &f) < 0)
		status = command_fail(c, EXIT_FAILED, "%s: %s", text, f.text);
	else {
		put_origin(choice, text, &origin);
		printf("%s%s%s\n", row->open, buf_text(&origin), row->close);
		fwrite(out.data, 1, out.len, stdout);
	}
	buf_release(&origin);
	buf_release(&out);
	return status;
}

static int show(const struct command *c, const struct settings *set, const struct choice *choice)
{
	struct buf out = { 0 };
	int status;

	if (set->config && choice->entries == 0)
		return command_fail(c, EXIT_THRESHOLD, "no suite meets all constraints");
	if (set->config)
		return print_config(c, set, choice, choice->entry[0].facts->suite);
	if (set->json)
		choose_write_json(choice, &out);
	else
		choose_write_text(choice, &out);
	if (!out.failed)
		fwrite(out.data, 1, out.len, stdout);
	status = out.failed        ? command_fail(c, EXIT_FAILED, "no memory for the ranking")
		 : choice->entries ? EXIT_RESULT
				   : EXIT_THRESHOLD;
	buf_release(&out);
	return status;
}

static int rank(const struct command *c, const struct settings *set,
		const struct choose_rules *rules, const struct report *r)
{
	struct choose_facts *facts = calloc(r->cells + 1, sizeof(*facts));
	struct choice choice;
	struct fail f = { 0 };
	int status;

	if (!facts)
		return command_fail(c, EXIT_FAILED, "no memory for %zu cells", r->cells);
	for (size_t i = 0; i < r->cells; i++)
		choose_suite_facts(r->cell[i].cell.suite, &facts[i]);
	if (choose_make(&choice, r, facts, rules, &f) < 0) {
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	} else {
		status = show(c, set, &choice);
		choose_release(&choice);
	}
	free(facts);
	return status;
}

static int open_and_rank(const struct command *c, const struct settings *set, const char *path)
{
	struct choose_rules rules;
	struct fail f = { 0 };
	struct report r;
	struct store *s;
	int status;

	if (read_rules(set, &rules, &f) < 0)
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	s = store_open(path, STORE_READ, &f);
	if (!s)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	status = command_load_report(c, s, set->campaign, &r);
	if (status == EXIT_RESULT) {
		status = rank(c, set, &rules, &r);
		report_release(&r);
	}
	store_close(s);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings set = { 0 };
	int operands, status = command_parse(c, &set, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (set.json && set.config)
		return command_fail(c, EXIT_USAGE,
				    "--json and --config: a configuration is no JSON, give one");
	if (set.suite && !set.config)
		return command_fail(c, EXIT_USAGE, "--suite goes with --config PROGRAM");
	if (set.suite && operands == 0)
		return command_finish(c, print_config(c, &set, NULL, set.suite));
	if (operands != 1 || set.suite)
		return command_fail(c, EXIT_USAGE, "%s",
				    operands ? "one database, or a --suite"
					     : "no database was named");
	return command_finish(c, open_and_rank(c, &set, argv[1]));
}

const struct command cmd_choose = {
	.name = "choose",
	.usage = { .synopsis = "choose DB [OPTION]...",
		   .summary = "rank suites under constraints; print a configuration",
		   .description = "Cells that differ in nothing but the suite are ranked by one "
				  "objective or by "
				  "weights. A place is claimed only where the difference to the "
				  "next, block by "
				  "block, has a 95 % interval that leaves out none and is not of "
				  "less than 0.1 %. What each "
				  "constraint costs is "
				  "said: the best suite that it alone keeps out. Measured and "
				  "modelled energy never "
				  "meet in one ranking.\n\n"
				  "With weights the value is a score without a unit: the weighted "
				  "geometric mean of the objectives in each trial, latency (us) "
				  "and day (Wh) turned over, so that more is better. "
				  "energy=2,latency=1 is (energy^2 / latency)^(1/3). Only the "
				  "ratio of two scores means anything.\n\n"
				  "--config says in its first line, a comment, what chose the "
				  "suite.\n\n"
				  "Exit status 4: no suite meets all constraints.",
		   .examples = "  cipherwatt choose results.db --min-bits 128 --forward-secrecy\n"
			       "  cipherwatt choose results.db --objective energy=2,latency=1 "
			       "--keys ecdsa\n"
			       "  cipherwatt choose results.db --config nginx\n"
			       "  cipherwatt choose --suite tls1.3:AES128-GCM-SHA256:x25519:p256 "
			       "--config openssl",
		   .options = options },
	.run = run,
};
