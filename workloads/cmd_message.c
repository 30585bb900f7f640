/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_message - `cipherwatt message`: what securing a message costs, stage by stage, and
 * single messages to and from files, for other tools to read and to write.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ciphers/object_crypto.h"
#include "lib/clock.h"
#include "lib/path.h"
#include "workloads/commands.h"
#include "workloads/message.h"
#include "workloads/message_bench.h"

#define AT(field) offsetof(struct settings, field)

struct settings {
	const char *profile, *credentials, *secure, *read;
	int64_t count, payload_bytes;
	int role;
	bool json, list;
};

static const char *const roles[] = { "client", "server", NULL };

static const struct opt options[] = {
	{ "profile", 0, OPT_TEXT, AT(profile), "NAME",
	  "how messages are secured, as --list prints; the first of those when left out", NULL,
	  NULL, 0, 0 },
	{ "count", 'n', OPT_INTEGER, AT(count), "N", "pairs of request and answer to measure", "20",
	  NULL, 1, 1000000 },
	{ "payload", 'p', OPT_BYTES, AT(payload_bytes), "SIZE", "size of what a message says",
	  "512B", NULL, 0, MESSAGE_PAYLOAD_BYTES_MAX },
	{ "secure", 0, OPT_TEXT, AT(secure), "FILE",
	  "measure nothing: print a secured message that says what is in FILE", NULL, NULL, 0, 0 },
	{ "read", 0, OPT_TEXT, AT(read), "FILE",
	  "measure nothing: print what the secured message in FILE says, if it is to be believed",
	  NULL, NULL, 0, 0 },
	{ "from", 0, OPT_CHOICE, AT(role), "WHO", "who secures what --secure or --read is about",
	  "client", roles, 0, 0 },
	{ "credentials", 0, OPT_TEXT, AT(credentials), "DIR",
	  "where certificates and secrets of both sides are made and kept; the user's cache when "
	  "left out",
	  NULL, NULL, 0, 0 },
	{ "list", 'l', OPT_FLAG, AT(list), NULL, "print the profiles, and what they do", NULL, NULL,
	  0, 0 },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL, NULL, 0, 0 },
	{ 0 },
};

static int check_profile(const struct command *c, const struct settings *s)
{
	struct buf names = { 0 };

	if (!s->profile || message_profile_by_name(s->profile))
		return -1;
	message_profile_names(&names);
	command_fail(c, EXIT_USAGE, "--profile: there is no profile '%s'; expected %s", s->profile,
		     buf_text(&names));
	buf_release(&names);
	return EXIT_USAGE;
}

/* Options that what is asked for would not look at; -1: none. */
static int check_options(const struct command *c, const struct settings *s, int argc, char **argv,
			 int operands)
{
	static const char *const measuring[] = { "count", "payload", "json", NULL };
	const char *instead = s->list ? "list" : s->secure ? "secure" : s->read ? "read" : NULL;

	for (const char *const *name = measuring; instead && *name; name++)
		if (opt_given(options, argc, argv, operands, *name))
			return command_fail(c, EXIT_USAGE,
					    "--%s is of a measurement, and --%s measures nothing: "
					    "leave one of them out",
					    *name, instead);
	if (!s->secure && !s->read && opt_given(options, argc, argv, operands, "from"))
		return command_fail(c, EXIT_USAGE,
				    "--from is of one message: give --secure or --read with it, or "
				    "leave it out");
	if (s->list && (s->secure || s->read))
		return command_fail(c, EXIT_USAGE, "--list and --%s are two things: give one",
				    s->secure ? "secure" : "read");
	return -1;
}

/* --- one message ---------------------------------------------------------------------- */

static int open_party(const struct command *c, const struct settings *s, enum message_role role,
		      struct message_party *p)
{
	*p = (struct message_party){ .role = role, .credential_dir = s->credentials };
	p->profile = s->profile ? message_profile_by_name(s->profile) : message_profile_default();
	if (message_open(p))
		return command_fail(c, EXIT_FAILED, "%s", p->fail.text);
	return -1;
}

static int read_file(const struct command *c, const char *file, size_t max, struct buf *out)
{
	struct fail f = { 0 };

	if (path_read(file, max, out, &f))
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	return -1;
}

static int random_id(char id[MESSAGE_ID_BYTES], struct fail *f)
{
	uint64_t n[2];

	if (object_random(n, sizeof n, f))
		return -1;
	snprintf(id, MESSAGE_ID_BYTES, "%016" PRIx64 "%016" PRIx64, n[0], n[1]);
	return 0;
}

/* A text that a profile's format cannot carry: this program may have one that can. */
static const char *cure(const struct message_party *p)
{
	const struct message_profile *any_bytes = message_profile_by_name("cose");

	if (p->fail.code != EINVAL || !any_bytes || p->profile == any_bytes)
		return "";
	return "; --profile cose carries any bytes";
}

static int secure(const struct command *c, const struct settings *s)
{
	struct message_content content = { 0 };
	struct message_stages t = { 0 };
	struct message_party p;
	struct buf out = { 0 };
	int status = open_party(c, s, (enum message_role)s->role, &p);

	if (status < 0)
		status = read_file(c, s->secure, MESSAGE_CONTENT_BYTES_MAX, &content.text);
	if (status < 0 && (random_id(content.id, &p.fail) ||
			   message_secure(&p, &content, clock_wall_ns(), &out, &t)))
		status = command_fail(c, EXIT_FAILED, "%s: %s%s", s->secure, p.fail.text, cure(&p));
	if (status < 0) {
		fwrite(out.data, 1, out.len, stdout);
		status = command_finish(c, EXIT_RESULT);
	}
	message_content_release(&content);
	message_close(&p);
	buf_release(&out);
	return status;
}

static int read_one(const struct command *c, const struct settings *s)
{
	struct message_content content = { 0 };
	struct message_stages t = { 0 };
	struct message_party p;
	struct buf in = { 0 };
	int status =
		open_party(c, s, s->role == MESSAGE_CLIENT ? MESSAGE_SERVER : MESSAGE_CLIENT, &p);

	if (status < 0)
		status = read_file(c, s->read, MESSAGE_BYTES_MAX, &in);
	if (status < 0 &&
	    message_read(&p, in.len ? in.data : "", in.len, clock_wall_ns(), &content, &t))
		status = command_fail(c, EXIT_FAILED,
				      "%s: %s (read as %s; --profile names another, if the message "
				      "was secured by that)",
				      s->read, p.fail.text, p.profile->name);
	if (status < 0) {
		if (content.text.len)
			fwrite(content.text.data, 1, content.text.len, stdout);
		status = command_finish(c, EXIT_RESULT);
	}
	message_content_release(&content);
	message_close(&p);
	buf_release(&in);
	return status;
}

/* --- many ----------------------------------------------------------------------------- */

static int print_json(const struct command *c, const struct message_bench *b)
{
	json_t *o = message_bench_json(b);

	if (!o)
		return command_fail(c, EXIT_FAILED, "no memory for JSON");
	json_dumpf(o, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(o);
	return command_finish(c, EXIT_RESULT);
}

/* Profiles that secure more than a username token are set beside one. */
static int print_tables(const struct command *c, const struct message_bench *b,
			const struct message_params *params)
{
	const struct message_profile *token = message_profile_by_name("username-token");
	const struct message_profile *profile = message_profile_by_name(b->profile);
	struct message_params other = *params;
	struct message_bench t;
	struct fail f = { 0 };
	int status;

	message_bench_print(b, stdout);
	if (!token || !profile->signer)
		return command_finish(c, EXIT_RESULT);
	other.profile = token->name;
	if (message_bench_run(&t, &other, b->pairs, &f)) {
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	} else {
		message_bench_print_ratio(b, &t, stdout);
		status = command_finish(c, EXIT_RESULT);
	}
	message_bench_release(&t);
	return status;
}

static int measure(const struct command *c, const struct settings *s)
{
	struct message_params params = { .profile = s->profile,
					 .credential_dir = s->credentials,
					 .payload_bytes = s->payload_bytes };
	struct message_bench b;
	struct fail f = { 0 };
	int status;

	if (message_bench_run(&b, &params, s->count, &f)) {
		status = command_fail(c, EXIT_FAILED, "%s", f.text);
	} else if (s->json) {
		status = print_json(c, &b);
	} else {
		status = print_tables(c, &b, &params);
	}
	message_bench_release(&b);
	return status;
}

static int list(const struct command *c)
{
	for (const struct message_profile *p = message_profiles; p->name; p++)
		printf("%-16s %s\n", p->name, p->help);
	return command_finish(c, EXIT_RESULT);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings s;
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands)
		return command_fail(c, EXIT_USAGE, "'%s' is not expected", argv[1]);
	status = check_profile(c, &s);
	if (status < 0)
		status = check_options(c, &s, argc, argv, operands);
	if (status >= 0)
		return status;
	if (s.secure && s.read)
		return command_fail(c, EXIT_USAGE, "--secure and --read are two things: give one");
	if (s.list)
		return list(c);
	if (s.secure)
		return secure(c, &s);
	return s.read ? read_one(c, &s) : measure(c, &s);
}

const struct command cmd_message = {
	.name = "message",
	.usage = { .synopsis = "message [OPTION]...",
		   .summary = "what securing a message costs, stage by stage",
		   .description =
			   "Secures and reads messages between two parties in this process, one "
			   "pair "
			   "to warm up and then N, and prints how long each stage took: building, "
			   "canonicalising, signing, encrypting, serialising; parsing, decrypting "
			   "key and data, trust, timestamp, verifying.\n\n"
			   "SOAP messages are signed, then encrypted (WS-Security 1.0), COSE "
			   "messages "
			   "are a COSE_Sign1 in a COSE_Encrypt0 (RFC 9052). The times within "
			   "xmlsec "
			   "are taken by transforms between its own. What it does not let apart is "
			   "told together: reading a signature's nodes with verifying its value, "
			   "base64 of what is encrypted with serialising or parsing, and in COSE "
			   "the "
			   "digest with the signature.",
		   .examples = "cipherwatt message --profile legacy --count 100\n"
			       "cipherwatt message --secure order.txt > order.xml\n"
			       "cipherwatt message --read order.xml\n",
		   .options = options },
	.run = run,
};
