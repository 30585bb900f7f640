/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load - `cipherwatt load URL`: options to parameters, signals, and the exit status.
 *
 * With --control it is what a node starts: a line for each phase as it begins, then the
 * result as one line; the end of its standard input ends it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/load_json.h"
#include "lib/clock.h"
#include "lib/command.h"
#include "lib/log.h"
#include "protocols/app.h"

struct settings {
	int64_t count, duration_ns, warmup_ns, timeout_ns, clients;
	int64_t record_bytes, records_per_send;
	const char *suite, *engine, *ca, *server_name, *cpus;
	int connection;
	bool insecure, gzip, verify_body, json, control;
};

#define AT(field) offsetof(struct settings, field)

static const struct opt options[] = {
	{ "count", 'n', OPT_INTEGER, AT(count), "N",
	  "measure exactly this many requests instead of a duration", NULL, NULL, 1, 0 },
	{ "duration", 'd', OPT_DURATION, AT(duration_ns), "DURATION",
	  "measure for this long; 5s when --count is not given either", NULL, NULL, 1, 0 },
	{ "clients", 'c', OPT_INTEGER, AT(clients), "N",
	  "clients at once; each waits for its response before it asks again", "8", NULL, 1,
	  LOAD_CLIENTS_MAX },
	{ "connection", 0, OPT_CHOICE, AT(connection), "MODE",
	  "a new connection and full handshake for each request, or one per client that is kept",
	  "full", connection_mode_name, 0, 0 },
	{ "suite", 's', OPT_TEXT, AT(suite), "SUITE",
	  "offer this alone, as VERSION:CIPHER:GROUP:CREDENTIAL, and end the run when another is "
	  "negotiated; without it the library's defaults are offered and the result reported",
	  NULL, NULL, 0, 0 },
	{ "engine", 'e', OPT_TEXT, AT(engine), "ENGINE",
	  "TLS library of the client, see 'cipherwatt suites'", NULL, NULL, 0, 0 },
	{ "ca", 0, OPT_TEXT, AT(ca), "FILE",
	  "verify the server's certificate against these CA certificates (PEM)", NULL, NULL, 0, 0 },
	{ "insecure", 'k', OPT_FLAG, AT(insecure), NULL, "do not verify the server's certificate",
	  NULL, NULL, 0, 0 },
	{ "server-name", 0, OPT_TEXT, AT(server_name), "NAME",
	  "name to ask for and to verify instead of the URL's host", NULL, NULL, 0, 0 },
	{ "warmup", 'w', OPT_DURATION, AT(warmup_ns), "DURATION",
	  "run this long before the measured window; not counted", "500ms", NULL, 0, 0 },
	{ "timeout", 't', OPT_DURATION, AT(timeout_ns), "DURATION",
	  "give a request up after this long, connecting included", "10s", NULL, 1, 0 },
	{ "gzip", 0, OPT_FLAG, AT(gzip), NULL, "accept gzip", NULL, NULL, 0, 0 },
	{ "verify-body", 0, OPT_FLAG, AT(verify_body), NULL,
	  "decode the first response of each client; one that does not decode is a failure", NULL,
	  NULL, 0, 0 },
	{ "record-size", 0, OPT_BYTES, AT(record_bytes), "BYTES",
	  "largest plaintext of one TLS record", "16KiB", NULL, 512, RECORD_BYTES_MAX },
	{ "records-per-send", 0, OPT_INTEGER, AT(records_per_send), "N",
	  "TLS records gathered in one send", "1", NULL, 1, 64 },
	{ "cpus", 0, OPT_TEXT, AT(cpus), "LIST", "run on the first of these CPUs, such as 1 or 2-3",
	  NULL, NULL, 0, 0 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL, "print one cell object", NULL, NULL, 0, 0 },
	{ "control", 0, OPT_FLAG, AT(control), NULL,
	  "print JSON lines, one for each phase as it begins and one with the result; end when "
	  "standard input ends",
	  NULL, NULL, 0, 0 },
	{ 0 },
};

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* --- settings to parameters ----------------------------------------------- */

/* -1, or the exit status. */
static int read_stop(const struct command *c, const struct settings *s, struct load_params *p)
{
	if (s->count && s->duration_ns)
		return command_fail(
			c, EXIT_USAGE,
			"--count and --duration both say when to end: give one of them");
	p->count = s->count;
	p->duration_ns = s->count ? 0 : s->duration_ns ? s->duration_ns : 5 * NS_PER_S;
	return -1;
}

static int read_trust(const struct command *c, const struct settings *s, const struct url *url)
{
	if (s->ca && s->insecure)
		return command_fail(
			c, EXIT_USAGE,
			"--ca verifies the certificate and --insecure does not: give one of "
			"them");
	if (!url_is_secure(url) && (s->ca || s->insecure))
		return command_fail(c, EXIT_USAGE, "%s has no certificates: --%s cannot be used",
				    url_scheme_name[url->scheme], s->ca ? "ca" : "insecure");
	if (url_is_secure(url) && !s->ca && !s->insecure)
		return command_fail(c, EXIT_USAGE,
				    "%s needs --ca FILE to verify the server's certificate, or "
				    "--insecure to measure without that",
				    url_scheme_name[url->scheme]);
	if (s->ca && access(s->ca, R_OK))
		return command_fail(c, EXIT_USAGE, "--ca: cannot read %s: %s", s->ca,
				    strerror(errno));
	return -1;
}

static int read_engine(const struct command *c, const struct settings *s, struct load_params *p)
{
	const char *names[8] = { NULL };
	const char *nearest;

	p->engine = url_is_secure(&p->url) ? engine_default() : &engine_null;
	if (!s->engine)
		return -1;
	p->engine = engine_by_name(s->engine);
	if (p->engine)
		return -1;
	for (int i = 0; engines[i] && i < 7; i++)
		names[i] = engines[i]->name;
	nearest = opt_nearest(s->engine, names);
	return command_fail(c, EXIT_USAGE, "--engine: there is no engine '%s' in this program%s%s",
			    s->engine, nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static int read_suite(const struct command *c, const struct settings *s, struct suite *suite,
		      struct load_params *p)
{
	struct fail f = { 0 };

	if (!s->suite)
		return -1;
	if (suite_parse(s->suite, suite, &f))
		return command_fail(c, EXIT_USAGE, "--suite: %s", f.text);
	if (url_is_secure(&p->url) && suite_is_plain(suite))
		return command_fail(c, EXIT_USAGE, "--suite plain: https needs TLS, write http");
	if (!url_is_secure(&p->url) && !suite_is_plain(suite))
		return command_fail(c, EXIT_USAGE, "--suite %s: %s has no TLS, write https",
				    s->suite, url_scheme_name[p->url.scheme]);
	p->suite = suite;
	return -1;
}

static int read_params(const struct command *c, const struct settings *s, const char *url,
		       struct suite *suite, struct load_params *p)
{
	struct fail f = { 0 };
	int status;

	if (url_parse(url, &p->url, &f))
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	status = read_stop(c, s, p);
	if (status < 0)
		status = read_trust(c, s, &p->url);
	if (status < 0)
		status = read_engine(c, s, p);
	if (status < 0)
		status = read_suite(c, s, suite, p);
	p->ca_file = s->ca;
	p->server_name = s->server_name;
	p->connection = (enum connection_mode)s->connection;
	p->clients = (int)s->clients;
	p->warmup_ns = s->warmup_ns;
	p->timeout_ns = s->timeout_ns;
	p->accepts = 1u << APP_IDENTITY | (s->gzip ? 1u << APP_GZIP : 0);
	p->verify_body = s->verify_body;
	p->record_bytes = (size_t)s->record_bytes;
	p->records_per_send = (int)s->records_per_send;
	p->cpus = s->cpus;
	return status;
}

/* --- what is said --------------------------------------------------------- */

/* One write() at a border of the window: nothing is buffered and nothing allocated. */
static void say_phase(void *data, enum load_phase phase, int64_t at_ns)
{
	static const char *const name[LOAD_PHASES] = { "warmup", "window", "closed" };
	bool window_opened = *(bool *)data;

	*(bool *)data |= phase == LOAD_WINDOW;
	if (phase != LOAD_DRAIN || window_opened)
		dprintf(STDOUT_FILENO, "{\"phase\":\"%s\",\"at_ns\":%lld}\n", name[phase],
			(long long)at_ns);
}

/* A run whose window never opened has no "closed" line: this one stands for it. */
static void say_failed(const char *why)
{
	json_t *line = json_pack("{s:s, s:I, s:s}", "phase", "failed", "at_ns",
				 (json_int_t)clock_ns(), "error", why);

	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
}

static int print_result(const struct settings *s, json_t *cell)
{
	json_t *line;
	int status;

	if (!s->json && !s->control) {
		load_text(cell, stdout);
		return 0;
	}
	if (!s->control) {
		status = json_dumpf(cell, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
		putchar('\n');
		return status;
	}
	line = json_pack("{s:O}", "result", cell);
	status = line ? json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)) : -1;
	putchar('\n');
	json_decref(line);
	return status;
}

static void print_warnings(const json_t *cell)
{
	const json_t *list = json_object_get(cell, "warnings"), *text;
	size_t i;

	json_array_foreach(list, i, text)
	{
		log_say(LOG_WARNING, "load: %s", json_string_value(text));
	}
}

/* --- the run -------------------------------------------------------------- */

static int judge(const struct command *c, const struct load_params *p, const struct load_result *r)
{
	char why[256];
	const char *reason = load_verdict(p, r, why);

	if (!r->window.succeeded)
		return command_fail(c, EXIT_FAILED, "nothing succeeded%s%s",
				    r->first_failure[0] ? ": " : "", r->first_failure);
	if (reason)
		return command_fail(c, EXIT_NOT_VALID, "not valid: %s%s%s", reason,
				    r->first_failure[0] ? "; first failure: " : "",
				    r->first_failure);
	return EXIT_RESULT;
}

static int report(const struct command *c, const struct settings *s, const struct load_params *p,
		  const struct load_result *r)
{
	json_t *cell = load_json(p, r);
	int status;

	if (!cell || print_result(s, cell)) {
		json_decref(cell);
		return command_fail(c, EXIT_FAILED, "cannot write the result");
	}
	print_warnings(cell);
	json_decref(cell);
	status = judge(c, p, r);
	return command_finish(c, status);
}

static int measure(const struct command *c, const struct settings *s, struct load_params *p)
{
	struct load_result r;
	struct fail f = { 0 };
	bool window_opened = false;
	int status;

	if (load_result_init(&r))
		return command_fail(c, EXIT_FAILED, "no memory for the result");
	p->stop = &stop;
	p->watch_stdin = s->control;
	p->on_phase = s->control ? say_phase : NULL;
	p->data = &window_opened;
	if (load_run(p, &r, &f)) {
		status = command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	} else {
		if (s->control && !window_opened)
			say_failed(r.first_failure[0] ? r.first_failure : "ended in the warm-up");
		status = report(c, s, p, &r);
	}
	load_result_release(&r);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings s;
	struct load_params p = { 0 };
	struct suite suite;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands != 1)
		return command_fail(c, EXIT_USAGE, "expected one URL, %d were given", operands);
	status = read_params(c, &s, argv[1], &suite, &p);
	if (status >= 0)
		return status;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return measure(c, &s, &p);
}

const struct command cmd_load = {
	.name = "load",
	.usage = {
		.synopsis = "load URL [OPTION]...",
		.summary = "load a server and measure requests per second and latency",
		.description =
			"Asks for URL over and over, with N clients in a closed loop, and measures "
			"a window behind a warm-up. The scheme is http or https. A request belongs "
			"to the window when it was due in it; what is not over 2 s after a window "
			"by duration is counted as in flight. Every request is counted as exactly "
			"one of succeeded, failed, timed out, in flight; a status of 400 and above "
			"is a failure, and only successes have latencies and a rate.\n\n"
			"Response time runs from when a request was due, service time from when it "
			"was sent, both to the last byte; handshake time from connect() to the "
			"finished handshake. In mode full nothing that could resume a session is "
			"kept, and a resumed handshake makes the result invalid. The server closes "
			"first there: it is asked to, its close confirms the end of the response, "
			"and no local port is left in TIME_WAIT.\n\n"
			"Exit status: 0 measured; 1 nothing succeeded, or the server negotiated "
			"another suite than the one asked for; 2 wrong usage; 3 measured but not "
			"valid: more than 1 % failed, timed out or still in flight, a resumed "
			"handshake in mode full, mixed suites, or interrupted (SIGINT prints what "
			"is there, with \"complete\": false).",
		.examples =
			"  cipherwatt load http://127.0.0.1:8080/page/512\n"
			"  cipherwatt load https://gateway.example/ --ca ca.pem --duration 10s --json\n"
			"  cipherwatt load https://127.0.0.1:8443/ --insecure --count 1000 \\\n"
			"      --suite tls1.3:AES128-GCM-SHA256:x25519:p256 --connection keepalive\n",
		.options = options,
	},
	.run = run,
};
