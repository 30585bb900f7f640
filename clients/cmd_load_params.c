/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_params - the options of `cipherwatt load`, and what they mean to the generator.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "ciphers/psk_file.h"
#include "clients/body.h"
#include "clients/bucket.h"
#include "clients/cmd_load.h"
#include "clients/driver.h"
#include "lib/clock.h"
#include "protocols/app.h"

#define AT(field) offsetof(struct load_settings, field)

static const char *const http_name[] = { "1.1", "2", NULL };
static const char *const resumption_name[] = { "ticket", "session-id", NULL };

const struct opt load_options[] = {
	{ "count", 'n', OPT_INTEGER, AT(count), "N",
	  "measure exactly this many requests instead of a duration", NULL, NULL, 1, 0 },
	{ "duration", 'd', OPT_DURATION, AT(duration_ns), "DURATION",
	  "measure for this long; 5s when --count is not given either", NULL, NULL, 1, 0 },
	{ "clients", 'c', OPT_INTEGER, AT(clients), "N",
	  "clients at once, each with a connection and one request at a time, or --streams", "8",
	  NULL, 1, LOAD_CLIENTS_MAX },
	{ "connection", 0, OPT_TEXT, AT(connection), "MODE",
	  "full: a new connection and full handshake for each request; keepalive: one per client "
	  "that is kept; keepalive:N: a new one after N requests; resume, resume:N: a new "
	  "connection for each request, all or N percent of the handshakes resumed",
	  "full", NULL, 0, 0 },
	{ "resumption", 0, OPT_CHOICE, AT(resumption), "KIND",
	  "what a resumed handshake offers; a session id exists before TLS 1.3 only", "ticket",
	  resumption_name, 0, 0 },
	{ "http", 0, OPT_CHOICE, AT(http), "VERSION",
	  "2 asks for HTTP/2 by ALPN, or speaks it at once to http://; a server that does not "
	  "agree ends the run",
	  "1.1", http_name, 0, 0 },
	{ "streams", 0, OPT_INTEGER, AT(streams), "N",
	  "HTTP/2: requests that each client has open at once on its connection, which must be "
	  "kept",
	  "1", NULL, 1, LOAD_CLIENTS_MAX },
	{ "window", 0, OPT_BYTES, AT(window_bytes), "BYTES",
	  "HTTP/2: content that the server may send ahead; 65535 when not given", NULL, NULL, 1,
	  INT32_MAX },
	{ "rate", 'r', OPT_REAL, AT(rate_per_s), "R",
	  "open loop: this many requests per second are due, of all clients together, whether or "
	  "not responses came; without it, or 0, each client waits for its response",
	  NULL, NULL, 0, (int64_t)ARRIVAL_RATE_MAX_PER_S },
	{ "arrivals", 0, OPT_CHOICE, AT(arrivals), "KIND",
	  "with --rate: starts a fixed period apart, or random ones as of many independent users",
	  "fixed", arrival_kind_name, 0, 0 },
	{ "seed", 0, OPT_INTEGER, AT(seed), "N", "of random arrivals; a fresh one when not given",
	  NULL, NULL, 1, INT64_C(1) << 53 },
	{ "think", 0, OPT_DURATION, AT(think_ns), "DURATION",
	  "closed loop: each client waits this long before it asks again", "0", NULL, 0, 0 },
	{ "ramp", 0, OPT_DURATION, AT(ramp_ns), "DURATION",
	  "clients start evenly spread over this instead of all at once", "0", NULL, 0, 0 },
	{ "connection-rate", 0, OPT_REAL, AT(connection_rate_per_s), "R",
	  "at most this many new connections per second, of all clients together", NULL, NULL, 0,
	  (int64_t)ARRIVAL_RATE_MAX_PER_S },
	{ "threads", 'T', OPT_INTEGER, AT(threads), "N",
	  "threads, each with a loop, a TLS context and its share of the clients", "1", NULL, 1,
	  LOAD_THREADS_MAX },
	{ "upload-rate", 0, OPT_TEXT, AT(upload_rate), "RATE",
	  "send at most this, such as 0.7kB/s, of all clients together, TLS included", NULL, NULL,
	  0, 0 },
	{ "download-rate", 0, OPT_TEXT, AT(download_rate), "RATE", "receive at most this", NULL,
	  NULL, 0, 0 },
	{ "min-success", 0, OPT_REAL, AT(min_success_pct), "PERCENT",
	  "fewer successes of the requests, or fewer clients that get a connection, and the result "
	  "is not valid",
	  "99", NULL, 0, 100 },
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
	{ "psk-file", 0, OPT_TEXT, AT(psk_file), "FILE",
	  "pre-shared keys, for a suite with the credential psk: a line IDENTITY=BASE64 for each",
	  NULL, NULL, 0, 0 },
	{ "psk-identity", 0, OPT_TEXT, AT(psk_identity), "NAME",
	  "which of them the clients use; the first of the file when left out; each: client after "
	  "client another, in the file's order and over again",
	  NULL, NULL, 0, 0 },
	{ "warmup", 'w', OPT_DURATION, AT(warmup_ns), "DURATION",
	  "run this long before the measured window; not counted", "500ms", NULL, 0, 0 },
	{ "timeout", 't', OPT_DURATION, AT(timeout_ns), "DURATION",
	  "give a request up after this long, connecting included", "10s", NULL, 1, 0 },
	{ "accept", 0, OPT_LIST, AT(accept), "CODING",
	  "accept content coded so: gzip, br or zstd; may be given several times", NULL, NULL, 0,
	  0 },
	{ "gzip", 0, OPT_FLAG, AT(gzip), NULL, "the same as --accept gzip", NULL, NULL, 0, 0 },
	{ "verify-body", 0, OPT_FLAG, AT(verify_body), NULL,
	  "decode the first response of each client; one that does not decode, or is coded as "
	  "was not accepted, is a failure",
	  NULL, NULL, 0, 0 },
	{ "record-size", 0, OPT_BYTES, AT(record_bytes), "BYTES",
	  "largest plaintext of one TLS record", "16KiB", NULL, 512, RECORD_BYTES_MAX },
	{ "records-per-send", 0, OPT_INTEGER, AT(records_per_send), "N",
	  "TLS records gathered in one send", "1", NULL, 1, 64 },
	{ "cpus", 0, OPT_TEXT, AT(cpus), "LIST",
	  "run each thread on one of these CPUs, in turn, such as 1 or 2-3", NULL, NULL, 0, 0 },
	{ "driver", 0, OPT_CHOICE, AT(driver), "NAME",
	  "cross-check: let this program load the server, and read its figures; what it cannot do "
	  "is refused, what it does not tell is null",
	  "builtin", driver_names, 0, 0 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL, "print one cell object", NULL, NULL, 0, 0 },
	{ "control", 0, OPT_FLAG, AT(control), NULL,
	  "print JSON lines, one for each phase as it begins and one with the result; end when "
	  "standard input ends",
	  NULL, NULL, 0, 0 },
	{ 0 },
};

static bool uses_keys(const struct load_params *p)
{
	return p->suite && p->suite->credential->key == KEY_PSK;
}

/* -1, or the exit status. */
static int read_stop(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	if (s->count && s->duration_ns)
		return command_fail(
			c, EXIT_USAGE,
			"--count and --duration both say when to end: give one of them");
	p->count = s->count;
	p->duration_ns = s->count ? 0 : s->duration_ns ? s->duration_ns : 5 * NS_PER_S;
	return -1;
}

/* Who has the key is trusted. */
static int check_no_trust(const struct command *c, const struct load_settings *s)
{
	if (!s->ca && !s->insecure)
		return -1;
	return command_fail(c, EXIT_USAGE,
			    "--suite %s: a server with a pre-shared key shows no certificate; "
			    "leave out --%s",
			    s->suite, s->ca ? "ca" : "insecure");
}

static int read_trust(const struct command *c, const struct load_settings *s,
		      const struct load_params *p)
{
	const struct url *url = &p->url;

	if (uses_keys(p))
		return check_no_trust(c, s);
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

static int read_engine(const struct command *c, const struct load_settings *s,
		       struct load_params *p)
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

static int read_suite(const struct command *c, const struct load_settings *s, struct suite *suite,
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

static int choose_key(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	if (s->psk_identity && !strcmp(s->psk_identity, "each"))
		return -1;
	p->psk_one = s->psk_identity ? psk_table_find(&p->psk, s->psk_identity) : p->psk.row;
	if (p->psk_one)
		return -1;
	return command_fail(c, EXIT_USAGE,
			    "--psk-identity: %s has no identity '%s'; it has %zu, the first is "
			    "'%s'",
			    s->psk_file, s->psk_identity, p->psk.rows, p->psk.row->identity);
}

static int read_keys(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	struct fail f = { 0 };

	if (!uses_keys(p) && (s->psk_file || s->psk_identity))
		return command_fail(c, EXIT_USAGE, "--%s needs a --suite with the credential psk",
				    s->psk_file ? "psk-file" : "psk-identity");
	if (!uses_keys(p))
		return -1;
	if (!s->psk_file)
		return command_fail(c, EXIT_USAGE,
				    "--suite %s: the keys are missing, give --psk-file FILE",
				    s->suite);
	if (psk_file_read(s->psk_file, &p->psk, &f))
		return command_fail(c, EXIT_USAGE, "--psk-file: %s", f.text);
	return choose_key(c, s, p);
}

/* What belongs to one kind of loop only. */
static int read_loop(const struct command *c, const struct load_settings *s)
{
	if (s->rate_per_s > 0 && s->think_ns)
		return command_fail(
			c, EXIT_USAGE,
			"--think is for a closed loop: with --rate, requests are due by "
			"its schedule");
	if (!(s->rate_per_s > 0) && (s->arrivals != ARRIVAL_FIXED || s->seed))
		return command_fail(
			c, EXIT_USAGE,
			"--arrivals and --seed belong to an open loop: give --rate too");
	if (s->seed && s->arrivals != ARRIVAL_POISSON)
		return command_fail(c, EXIT_USAGE, "--seed is for --arrivals poisson");
	return -1;
}

static int read_pace(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	struct fail f = { 0 };
	int64_t number;
	int status = read_loop(c, s);

	if (status >= 0)
		return status;
	if (connection_parse(s->connection, &p->connection, &number, &f))
		return command_fail(c, EXIT_USAGE, "--connection: %s", f.text);
	if (connection_kind[p->connection].resumes && !url_is_secure(&p->url))
		return command_fail(c, EXIT_USAGE,
				    "--connection %s: http has no TLS, there is nothing to resume",
				    s->connection);
	p->resume_pct = connection_kind[p->connection].resumes ? (int)number : 0;
	p->connection_requests = connection_kind[p->connection].keeps ? number : 0;
	p->resumption = s->resumption ? RESUMPTION_SESSION_ID : RESUMPTION_TICKET;
	if (s->upload_rate && bucket_parse_rate(s->upload_rate, &p->upload_bytes_per_s, &f))
		return command_fail(c, EXIT_USAGE, "--upload-rate: %s", f.text);
	if (s->download_rate && bucket_parse_rate(s->download_rate, &p->download_bytes_per_s, &f))
		return command_fail(c, EXIT_USAGE, "--download-rate: %s", f.text);
	if (s->window_bytes && !s->http)
		return command_fail(c, EXIT_USAGE, "--window belongs to HTTP/2: give --http 2 too");
	p->http2 = s->http;
	p->streams = (int)s->streams;
	p->window_bytes = (uint32_t)s->window_bytes;
	p->rate_per_s = s->rate_per_s;
	p->arrivals = (enum arrival_kind)s->arrivals;
	p->seed = s->seed ? (uint64_t)s->seed : rng_fresh_seed();
	p->think_ns = s->think_ns;
	p->ramp_ns = s->ramp_ns;
	p->connection_rate_per_s = s->connection_rate_per_s;
	p->min_success_pct = s->min_success_pct;
	return -1;
}

/* What is accepted need not be decoded: only a body that is to be verified is. */
static int read_accept(const struct command *c, const struct load_settings *s,
		       struct load_params *p)
{
	p->accepts = 1u << APP_IDENTITY | (s->gzip ? 1u << APP_GZIP : 0);
	for (int i = 0; i < s->accept.count; i++) {
		enum app_encoding e = app_encoding_by_name(s->accept.item[i]);

		if (e == APP_ENCODINGS)
			return command_fail(c, EXIT_USAGE,
					    "--accept: no content coding is called '%s': expected "
					    "gzip, br or zstd",
					    s->accept.item[i]);
		if (s->verify_body && body_refuses(e))
			return command_fail(c, EXIT_USAGE,
					    "--verify-body: %s cannot be decoded: %s",
					    s->accept.item[i], body_refuses(e));
		p->accepts |= 1u << e;
	}
	p->verify_body = s->verify_body;
	return -1;
}

int load_read_params(const struct command *c, const struct load_settings *s, const char *url,
		     struct suite *suite, struct load_params *p)
{
	struct fail f = { 0 };
	int status;

	if (url_parse(url, &p->url, &f))
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	status = read_stop(c, s, p);
	if (status < 0)
		status = read_suite(c, s, suite, p);
	if (status < 0)
		status = read_keys(c, s, p);
	if (status < 0)
		status = read_trust(c, s, p);
	if (status < 0)
		status = read_engine(c, s, p);
	if (status < 0)
		status = read_pace(c, s, p);
	if (status < 0)
		status = read_accept(c, s, p);
	if (status < 0 && s->threads > s->clients)
		status = command_fail(c, EXIT_USAGE, "--threads %lld is more than --clients %lld",
				      (long long)s->threads, (long long)s->clients);
	p->ca_file = s->ca;
	p->server_name = s->server_name;
	p->clients = (int)s->clients;
	p->threads = (int)s->threads;
	p->warmup_ns = s->warmup_ns;
	p->timeout_ns = s->timeout_ns;
	p->record_bytes = (size_t)s->record_bytes;
	p->records_per_send = (int)s->records_per_send;
	p->cpus = s->cpus;
	return status;
}
