/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_suites - `cipherwatt suites`: the catalogue, which engine offers what, and a
 * proof of each row by a full handshake in memory.
 *
 * Rows are gathered first and printed afterwards, as a table or as JSON from the
 * same values.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/commands.h"
#include "ciphers/probe.h"
#include "lib/log.h"
#include "lib/table.h"

#define ENGINES_MAX    8
#define REASON_BYTES   sizeof(((struct fail *)0)->text)
#define SLOW_KEY_BITS  7680
#define COLUMNS_BEFORE 5

enum state { NOT_OFFERED, OFFERED, PROVEN, FAILED };
static const char *const state_name[] = { "not offered", "offered", "proven", "failed" };

struct row {
	struct suite suite;
	enum state state[ENGINES_MAX];
	char reason[ENGINES_MAX][REASON_BYTES]; /* why not offered, or why failed */
};

struct settings {
	const char *engine;
	int version; /* index in version_choices */
	bool probe, all, json;
};

static const char *const version_choices[] = { "any",     "plain",   "tls1.2", "tls1.3",
					       "dtls1.2", "dtls1.3", NULL };

struct listing {
	const struct settings *settings;
	const struct engine_ops *engine[ENGINES_MAX];
	int engine_count;
	struct row *row;
	int count, cap, failed;
	struct fail fail;
};

/* --- which rows ----------------------------------------------------------- */

static int add_row(struct listing *l, const struct suite *s)
{
	if (l->count == l->cap) {
		int cap = l->cap ? l->cap * 2 : 128;
		struct row *grown = realloc(l->row, (size_t)cap * sizeof(*grown));

		if (!grown)
			return fail_set(&l->fail, ENOMEM, "no memory for the list of suites");
		l->row = grown;
		l->cap = cap;
	}
	memset(&l->row[l->count], 0, sizeof(*l->row));
	l->row[l->count++].suite = *s;
	return 0;
}

static const struct cipher *first_cipher_like(const struct suite *s)
{
	const struct cipher *c = ciphers;

	while (c->auth != s->cipher->auth || c->kx != s->cipher->kx ||
	       !(c->versions & 1u << s->version))
		c++;
	return c;
}

/* Each cipher, group and credential once a version: at most one part is not the usual one. */
static bool is_telling(const struct suite *s)
{
	static const char *const usual[] = { [AUTH_TLS13] = "p256",
					     [AUTH_RSA] = "rsa2048",
					     [AUTH_ECDSA] = "p256",
					     [AUTH_PSK] = "psk" };
	bool own_key = !strcmp(s->credential->name, usual[s->cipher->auth]);
	bool own_cipher = s->cipher == first_cipher_like(s);
	/* wolfSSL has no X25519 with a pre-shared key. */
	bool own_group = !s->group->id || !strcmp(s->group->name, "ffdhe2048") ||
			 !strcmp(s->group->name, s->cipher->kx == KX_ECDHE_PSK ? "p256" : "x25519");

	return own_cipher + own_group + own_key >= 2;
}

static int visit(const struct suite *s, void *data)
{
	struct listing *l = data;

	if (l->settings->version && (int)s->version != l->settings->version - 1)
		return 0;
	if (!l->settings->all && !suite_is_plain(s) && !is_telling(s))
		return 0;
	return add_row(l, s);
}

static int add_named(struct listing *l, char **names, int count)
{
	for (int i = 0; i < count; i++) {
		struct suite s;

		if (suite_parse(names[i], &s, &l->fail) || add_row(l, &s))
			return -1;
	}
	return 0;
}

/* Without --engine the null engine has no column: it offers plain alone. */
static int choose_engines(struct listing *l)
{
	const char *name = l->settings->engine;

	for (int i = 0; engines[i] && l->engine_count < ENGINES_MAX; i++)
		if (name ? !strcmp(engines[i]->name, name)
			 : l->settings->json || engines[i] != &engine_null)
			l->engine[l->engine_count++] = engines[i];
	if (l->engine_count || !name)
		return 0;
	fail_set(&l->fail, EINVAL, "--engine %s: no such engine in this program; there are:", name);
	for (int i = 0; engines[i]; i++) {
		size_t len = strlen(l->fail.text);

		snprintf(l->fail.text + len, sizeof(l->fail.text) - len, "%s %s", i ? "," : "",
			 engines[i]->name);
	}
	return -1;
}

/* --- what they can -------------------------------------------------------- */

static void prove(struct listing *l, struct row *r, int e, const struct credential *credential)
{
	struct fail f = { 0 };

	if (!probe_suite(l->engine[e], l->engine[e], &r->suite, credential, &f)) {
		r->state[e] = PROVEN;
		return;
	}
	r->state[e] = FAILED;
	snprintf(r->reason[e], REASON_BYTES, "%s", f.text);
	l->failed++;
}

static int get_credential(struct listing *l, const struct suite *s, struct credential *c)
{
	static bool told;

	if (s->credential->key_bits >= SLOW_KEY_BITS && !told && log_is_terminal()) {
		log_say(LOG_NOTE, "the first time, making RSA keys of %d bits takes minutes",
			s->credential->key_bits);
		told = true;
	}
	return credential_get(s->credential, NULL, NULL, c, &l->fail);
}

static int judge(struct listing *l, struct row *r)
{
	struct credential credential;
	bool certified = !suite_is_plain(&r->suite) && r->suite.credential->key != KEY_PSK;
	bool any = false;

	for (int e = 0; e < l->engine_count; e++) {
		const char *why = l->engine[e]->refuses(&r->suite);

		r->state[e] = why ? NOT_OFFERED : OFFERED;
		snprintf(r->reason[e], REASON_BYTES, "%s", why ? why : "");
		any = any || !why;
	}
	if (!l->settings->probe || !any)
		return 0;
	if (certified && get_credential(l, &r->suite, &credential))
		return -1;
	for (int e = 0; e < l->engine_count; e++)
		if (r->state[e] == OFFERED)
			prove(l, r, e, certified ? &credential : NULL);
	return 0;
}

/* --- output --------------------------------------------------------------- */

static void print_engines(const struct listing *l)
{
	for (int e = 0; e < l->engine_count; e++)
		printf("%s: %s, %s\n", l->engine[e]->name, l->engine[e]->version(),
		       l->engine[e]->build());
	printf("\n");
}

static int print_table(const struct listing *l)
{
	const char *heads[COLUMNS_BEFORE + ENGINES_MAX + 1] = { "suite", ">bits", "FS", "status",
								"RFC" };
	char text[SUITE_TEXT_BYTES], bits[16];
	struct table t;

	for (int e = 0; e < l->engine_count; e++)
		heads[COLUMNS_BEFORE + e] = l->engine[e]->name;
	if (table_init(&t, heads))
		return -1;
	for (int i = 0; i < l->count; i++) {
		const struct row *r = &l->row[i];
		const struct cipher *c = r->suite.cipher;
		const char *cells[COLUMNS_BEFORE + ENGINES_MAX] = {
			suite_format(&r->suite, text), bits,
			suite_is_forward_secret(&r->suite) ? "yes" : "no",
			status_name[suite_status(&r->suite)], c ? c->rfc + strlen("RFC ") : ""
		};

		snprintf(bits, sizeof(bits), "%d", suite_strength_bits(&r->suite));
		for (int e = 0; e < l->engine_count; e++)
			cells[COLUMNS_BEFORE + e] =
				r->state[e] == NOT_OFFERED ? r->reason[e] : state_name[r->state[e]];
		if (table_row(&t, cells)) {
			table_release(&t);
			return -1;
		}
	}
	table_print(&t, stdout);
	table_release(&t);
	return 0;
}

static void print_summary(const struct listing *l)
{
	char text[SUITE_TEXT_BYTES];

	printf("\n");
	for (int i = 0; i < l->count; i++)
		for (int e = 0; e < l->engine_count; e++)
			if (l->row[i].state[e] == FAILED)
				printf("failed: %s %s: %s\n", l->engine[e]->name,
				       suite_format(&l->row[i].suite, text), l->row[i].reason[e]);
	for (int e = 0; e < l->engine_count; e++) {
		int n[4] = { 0 };

		for (int i = 0; i < l->count; i++)
			n[l->row[i].state[e]]++;
		if (l->settings->probe)
			printf("%s: %d proven, %d failed, %d not offered\n", l->engine[e]->name,
			       n[PROVEN], n[FAILED], n[NOT_OFFERED]);
		else
			printf("%s: %d offered, %d not\n", l->engine[e]->name, n[OFFERED],
			       n[NOT_OFFERED]);
	}
}

static json_t *row_json(const struct listing *l, const struct row *r)
{
	json_t *states = json_object(), *reasons = json_object();
	const struct cipher *c = r->suite.cipher;
	char text[SUITE_TEXT_BYTES];

	for (int e = 0; e < l->engine_count; e++) {
		json_object_set_new(states, l->engine[e]->name,
				    json_string(state_name[r->state[e]]));
		if (*r->reason[e])
			json_object_set_new(reasons, l->engine[e]->name, json_string(r->reason[e]));
	}
	return json_pack("{s:s, s:i, s:i, s:b, s:s, s:b, s:o, s:o, s:o}", "suite",
			 suite_format(&r->suite, text), "strength_bits",
			 suite_strength_bits(&r->suite), "strength_class",
			 suite_strength_class(&r->suite), "forward_secrecy",
			 suite_is_forward_secret(&r->suite), "status",
			 status_name[suite_status(&r->suite)], "aead", c && c->aead, "rfc",
			 c ? json_string(c->rfc) : json_null(), "engines", states, "reasons",
			 reasons);
}

static int print_json(const struct listing *l)
{
	json_t *suites = json_array(), *builds = json_object(), *all;

	for (int e = 0; e < l->engine_count; e++)
		json_object_set_new(
			builds, l->engine[e]->name,
			json_pack("{s:s, s:s, s:s?}", "version", l->engine[e]->version(), "build",
				  l->engine[e]->build(), "unobserved", l->engine[e]->unobserved));
	for (int i = 0; i < l->count; i++)
		json_array_append_new(suites, row_json(l, &l->row[i]));
	all = json_pack("{s:s, s:b, s:o, s:o}", "schema", "cipherwatt/1", "probed",
			l->settings->probe, "engines", builds, "suites", suites);
	if (!all)
		return -1;
	/* What cannot be written shows at the end, with its reason. */
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	printf("\n");
	json_decref(all);
	return 0;
}

static int print(const struct listing *l)
{
	if (l->settings->json)
		return print_json(l);
	print_engines(l);
	if (print_table(l))
		return -1;
	print_summary(l);
	return 0;
}

/* --- the command ---------------------------------------------------------- */

static int run_listing(const struct command *c, struct listing *l, char **names, int count)
{
	if (choose_engines(l) || (count ? add_named(l, names, count) : suite_each(visit, l)))
		return command_fail(c, EXIT_USAGE, "%s", l->fail.text);
	for (int i = 0; i < l->count; i++)
		if (judge(l, &l->row[i]))
			return command_fail(c, EXIT_FAILED, "%s", l->fail.text);
	if (print(l))
		return command_fail(c, EXIT_FAILED, "no memory to print the list");
	return command_finish(c, l->failed ? EXIT_FAILED : EXIT_RESULT);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings settings;
	struct listing l = { .settings = &settings };
	int operands, status = command_parse(c, &settings, argc, argv, &operands);

	if (status >= 0)
		return status;
	status = run_listing(c, &l, argv + 1, operands);
	free(l.row);
	return status;
}

static const struct opt options[] = {
	{ .name = "engine",
	  .letter = 'e',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, engine),
	  .metavar = "ENGINE",
	  .help = "only this engine: openssl, wolfssl or null" },
	{ .name = "version",
	  .kind = OPT_CHOICE,
	  .offset = offsetof(struct settings, version),
	  .metavar = "VERSION",
	  .preset = "any",
	  .choices = version_choices,
	  .help = "only this protocol version" },
	{ .name = "all",
	  .letter = 'a',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, all),
	  .help = "every combination, not only one row for each cipher, group and credential" },
	{ .name = "probe",
	  .letter = 'p',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, probe),
	  .help = "prove each row by a full handshake in memory, the engine on both sides" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, json),
	  .help = "print JSON" },
	{ 0 },
};

const struct command cmd_suites = {
	.name = "suites",
	.usage = {
		.synopsis = "suites [OPTION]... [SUITE]...",
		.summary = "list cipher suites and which engine offers what",
		.description =
			"A suite is written VERSION:CIPHER:GROUP:CREDENTIAL, for example "
			"tls1.3:AES128-GCM-SHA256:x25519:p256; \"plain\" is no security at all. "
			"Without SUITE, the catalogue is listed: each cipher, key-exchange group "
			"and credential once a version, and every combination with --all.\n\n"
			"The bits are the strength by NIST SP 800-57: the weakest of key exchange, "
			"credential, cipher and hash. The engines' columns say whether the suite "
			"is offered, or why not. FS is forward secrecy; the status is recommended, "
			"legacy or broken, by IANA and today's RFCs, the worst of all parts. With "
			"--probe they say \"proven\" after a full "
			"handshake whose version, cipher, group and key were the ones asked for, "
			"or \"failed\", and the exit status is then 1. Nothing is timed.\n\n"
			"Certificates are made by a private authority when first needed and kept "
			"in the user's cache directory (~/.cache/cipherwatt/credentials).",
		.examples = "cipherwatt suites --version tls1.3\n"
			    "cipherwatt suites --probe --engine wolfssl\n"
			    "cipherwatt suites --probe tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa3072\n"
			    "cipherwatt suites --all --json",
		.options = options,
	},
	.run = run,
};
