/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve - `cipherwatt serve URL...`: options to parameters. What follows is in
 * serve_own.c and serve_other.c.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/command.h"
#include "lib/log.h"
#include "servers/serve_life.h"

struct settings {
	struct opt_list suites;
	const char *server, *engine, *workload, *payload_kind, *cert, *key, *credentials, *cpus,
		*client_ca;
	int64_t payload_bytes, payload_bytes_max, threads, record_bytes;
	int64_t gzip_level, brotli_level, zstd_level;
	int64_t records_per_send, tickets, idle_timeout_ns, handshake_timeout_ns, head_bytes;
	int64_t connections, streams, window_bytes, early_data_bytes;
	int compress_when, http;
	bool close_each, counters, session_ids, verbose;
};

#define AT(field)     offsetof(struct settings, field)
#define DEFAULT_SUITE "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define BODY_BYTES    65536
#define BACKLOG       1024 /* the kernel cuts it to net.core.somaxconn */

enum { WHEN_REQUEST, WHEN_ONCE };
static const char *const compress_whens[] = { "request", "once", NULL };

enum { HTTP_1_1, HTTP_2 };
static const char *const https[] = { "1.1", "2", NULL };

static const struct opt options[] = {
	{ "server", 0, OPT_TEXT, AT(server), "NAME",
	  "what serves: builtin, or one that is configured, started and watched: nginx, "
	  "apache-event, apache-prefork, lighttpd, s_server, haproxy",
	  "builtin", NULL, 0, 0 },
	{ "suite", 's', OPT_LIST, AT(suites), "SUITE",
	  "cipher suite, as VERSION:CIPHER:GROUP:CREDENTIAL; one for every https URL, or given as "
	  "often as there are https URLs; " DEFAULT_SUITE " when left out",
	  NULL, NULL, 0, 0 },
	{ "engine", 'e', OPT_TEXT, AT(engine), "ENGINE",
	  "TLS library of the https URLs, see 'cipherwatt suites'", NULL, NULL, 0, 0 },
	{ "workload", 'w', OPT_TEXT, AT(workload), "NAME",
	  "what is served: page, that is / and /page/SIZE[/json|text|random]", "page", NULL, 0, 0 },
	{ "payload", 'p', OPT_BYTES, AT(payload_bytes), "SIZE", "size of the page /", "512B", NULL,
	  0, 0 },
	{ "payload-kind", 0, OPT_TEXT, AT(payload_kind), "KIND",
	  "content of pages: json, text or random (incompressible)", "json", NULL, 0, 0 },
	{ "payload-max", 0, OPT_BYTES, AT(payload_bytes_max), "SIZE",
	  "largest page that may be asked for", "64MiB", NULL, 0, 0 },
	{ "gzip-level", 0, OPT_INTEGER, AT(gzip_level), "N",
	  "compression for clients that accept gzip, 1 to 9; 0 never compresses", "6", NULL, 0, 9 },
	{ "brotli-level", 0, OPT_INTEGER, AT(brotli_level), "N",
	  "the same for clients that accept br, 1 to 11", "0", NULL, 0, 11 },
	{ "zstd-level", 0, OPT_INTEGER, AT(zstd_level), "N",
	  "the same for clients that accept zstd, 1 to 22; where several codings are accepted, "
	  "zstd comes before br, and br before gzip",
	  "0", NULL, 0, 22 },
	{ "compress-when", 0, OPT_CHOICE, AT(compress_when), "WHEN",
	  "compress each page again for every request, or once and keep it", "request",
	  compress_whens, 0, 0 },
	{ "cert", 0, OPT_TEXT, AT(cert), "FILE",
	  "certificate chain (PEM) instead of one made for the suite; needs --key", NULL, NULL, 0,
	  0 },
	{ "key", 0, OPT_TEXT, AT(key), "FILE", "private key (PEM) of --cert", NULL, NULL, 0, 0 },
	{ "credentials", 0, OPT_TEXT, AT(credentials), "DIR",
	  "where certificates and their CAs are made and kept; the user's cache when left out",
	  NULL, NULL, 0, 0 },
	{ "threads", 't', OPT_INTEGER, AT(threads), "N",
	  "threads, each with its own sockets and TLS contexts; 0: one per CPU it may run on", "0",
	  NULL, 0, SERVER_THREADS_MAX },
	{ "cpus", 0, OPT_TEXT, AT(cpus), "LIST",
	  "pin thread after thread to these CPUs, such as 0,2-3", NULL, NULL, 0, 0 },
	{ "record-size", 0, OPT_BYTES, AT(record_bytes), "BYTES",
	  "largest plaintext of one TLS record", "16KiB", NULL, 512, RECORD_BYTES_MAX },
	{ "records-per-send", 0, OPT_INTEGER, AT(records_per_send), "N",
	  "TLS records gathered in one send", "1", NULL, 1, 64 },
	{ "tickets", 0, OPT_INTEGER, AT(tickets), "N",
	  "session tickets sent after a handshake, good for every thread; 0: none", "0", NULL, 0,
	  16 },
	{ "session-ids", 0, OPT_FLAG, AT(session_ids), NULL,
	  "TLS 1.2: keep sessions for clients that resume them by id. A thread knows its own only: "
	  "with --threads 1 every one can be used",
	  NULL, NULL, 0, 0 },
	{ "early-data", 0, OPT_BYTES, AT(early_data_bytes), "SIZE",
	  "TLS 1.3 with tickets: take so much before the handshake is done. Nothing stops a "
	  "replay of it; 0 takes none",
	  "0", NULL, 0, EARLY_DATA_BYTES_MAX },
	{ "client-ca", 0, OPT_TEXT, AT(client_ca), "FILE",
	  "ask clients for a certificate, and turn away those without one of this CA (PEM)", NULL,
	  NULL, 0, 0 },
	{ "idle-timeout", 0, OPT_DURATION, AT(idle_timeout_ns), "DURATION",
	  "close a connection after this long without a whole request, or without progress of an "
	  "answer",
	  "60s", NULL, 1, 0 },
	{ "handshake-timeout", 0, OPT_DURATION, AT(handshake_timeout_ns), "DURATION",
	  "close a connection whose handshake is not done after this long", "10s", NULL, 1, 0 },
	{ "close-each", 0, OPT_FLAG, AT(close_each), NULL,
	  "close every connection after one answer, whatever its client says", NULL, NULL, 0, 0 },
	{ "http", 0, OPT_CHOICE, AT(http), "VERSION",
	  "1.1, or 2 for HTTP/2 beside it: https:// with clients that choose h2 by ALPN, http:// "
	  "with those that begin with its preface",
	  "1.1", https, 0, 0 },
	{ "streams", 0, OPT_INTEGER, AT(streams), "N",
	  "with --http 2: requests at once on one connection; 100 when left out", NULL, NULL, 1,
	  10000 },
	{ "window", 0, OPT_BYTES, AT(window_bytes), "SIZE",
	  "with --http 2: how much content clients may send ahead, on a stream and on a "
	  "connection; 65535 B when left out",
	  NULL, NULL, 1024, INT32_MAX },
	{ "max-head", 0, OPT_BYTES, AT(head_bytes), "SIZE",
	  "longest request line and header fields together", "16KiB", NULL, 256, 1 << 20 },
	{ "max-connections", 0, OPT_INTEGER, AT(connections), "N",
	  "connections at once; those beyond are closed unread", "10000", NULL, 1, 1000000 },
	{ "counters", 0, OPT_FLAG, AT(counters), NULL,
	  "for each line on standard input print the counters so far as a line of JSON; end when "
	  "standard input ends",
	  NULL, NULL, 0, 0 },
	{ "verbose", 'v', OPT_FLAG, AT(verbose), NULL,
	  "say why handshakes and requests fail, one line each", NULL, NULL, 0, 0 },
	{ 0 },
};

/* --- settings to parameters ---------------------------------------------------- */

static int read_engine(const struct command *c, const struct settings *s,
		       const struct engine_ops **engine)
{
	const char *names[8] = { NULL };
	const char *nearest;

	*engine = s->engine ? engine_by_name(s->engine) : engine_default();
	if (*engine)
		return -1;
	for (int i = 0; engines[i] && i < 7; i++)
		names[i] = engines[i]->name;
	nearest = opt_nearest(s->engine, names);
	return command_fail(c, EXIT_USAGE, "--engine: there is no engine '%s' in this program%s%s",
			    s->engine, nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static int read_url(const struct command *c, const char *text, struct url *u)
{
	struct fail f = { 0 };

	if (url_parse(text, u, &f) != 0)
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	if (u->scheme != URL_HTTP && u->scheme != URL_HTTPS)
		return command_fail(c, EXIT_USAGE,
				    "%s: %s:// cannot be served yet, only http:// "
				    "and https:// can",
				    text, url_scheme_name[u->scheme]);
	if (strcmp(u->target, "/") != 0)
		return command_fail(c, EXIT_USAGE,
				    "%s: a server listens at a host and port; leave out %s", text,
				    u->target);
	return -1;
}

static int read_urls(const struct command *c, char **text, int count, struct server_params *p)
{
	int status = -1;

	if (count == 0)
		return command_fail(c, EXIT_USAGE,
				    "give the URL to listen at, such as https://127.0.0.1:8443");
	if (count > SERVER_LISTENERS_MAX)
		return command_fail(c, EXIT_USAGE, "%d URLs are given; at most %d can be served",
				    count, SERVER_LISTENERS_MAX);
	for (p->listeners = 0; p->listeners < count && status < 0; p->listeners++)
		status = read_url(c, text[p->listeners], &p->listener[p->listeners].url);
	return status;
}

static int count_secure(const struct server_params *p)
{
	int n = 0;

	for (int i = 0; i < p->listeners; i++)
		n += url_is_secure(&p->listener[i].url);
	return n;
}

/* Without https there is no TLS to choose a suite or library for. */
static int check_plain(const struct command *c, const struct settings *s)
{
	for (int i = 0; i < s->suites.count; i++)
		if (strcmp(s->suites.item[i], "plain") != 0)
			return command_fail(c, EXIT_USAGE,
					    "--suite %s: http:// has no TLS, write "
					    "https://",
					    s->suites.item[i]);
	if (s->engine && strcmp(s->engine, engine_null.name) != 0)
		return command_fail(c, EXIT_USAGE,
				    "--engine %s: http:// has no TLS, write https://", s->engine);
	if (s->session_ids || s->early_data_bytes || s->client_ca)
		return command_fail(c, EXIT_USAGE, "http:// has no TLS: --%s cannot be used",
				    s->session_ids ? "session-ids"
				    : s->client_ca ? "client-ca"
						   : "early-data");
	if (s->cert || s->key || s->credentials)
		return command_fail(c, EXIT_USAGE,
				    "http:// has no certificates: --%s cannot be used",
				    s->credentials ? "credentials"
				    : s->cert      ? "cert"
						   : "key");
	return -1;
}

static int read_suites(const struct command *c, const struct settings *s,
		       const struct engine_ops *engine, struct server_params *p)
{
	int secure = count_secure(p), next = 0, given = s->suites.count;
	struct fail f = { 0 };

	if (given > 1 && given != secure)
		return command_fail(c, EXIT_USAGE,
				    "--suite is given %d times for %d https URLs: give one for "
				    "all, or one for each in their order",
				    given, secure);
	for (int i = 0; i < p->listeners; i++) {
		struct server_listener *l = &p->listener[i];
		const char *text = "plain";

		l->engine = &engine_null;
		if (url_is_secure(&l->url)) {
			l->engine = engine;
			text = given == 0   ? DEFAULT_SUITE
			       : given == 1 ? s->suites.item[0]
					    : s->suites.item[next++];
		}
		if (suite_parse(text, &l->suite, &f) != 0)
			return command_fail(c, EXIT_USAGE, "--suite: %s", f.text);
	}
	return -1;
}

/* A certificate of the user's own fits suites of one credential only. */
static int check_certificate(const struct command *c, const struct settings *s,
			     const struct server_params *p)
{
	const struct credential_kind *kind = NULL;

	if (!s->cert != !s->key)
		return command_fail(c, EXIT_USAGE, "--cert and --key go together: give both");
	if (s->cert && s->credentials)
		return command_fail(c, EXIT_USAGE,
				    "--credentials is where certificates are made, --cert is one "
				    "already: give one of them");
	for (const char *const *file = (const char *const[]){ s->cert, s->key, NULL }; *file;
	     file++)
		if (access(*file, R_OK) != 0)
			return command_fail(c, EXIT_USAGE, "cannot read %s: %s", *file,
					    strerror(errno));
	for (int i = 0; s->cert && i < p->listeners; i++) {
		const struct credential_kind *one = p->listener[i].suite.credential;

		if (url_is_secure(&p->listener[i].url) && kind && one != kind)
			return command_fail(c, EXIT_USAGE,
					    "--cert is one certificate, but the suites want %s "
					    "and %s",
					    kind->name, one->name);
		if (url_is_secure(&p->listener[i].url))
			kind = one;
	}
	return -1;
}

static int read_workload(const struct command *c, const struct settings *s, struct server_params *p)
{
	p->workload = workload_by_name(s->workload);
	if (!p->workload)
		return command_fail(c, EXIT_USAGE,
				    "--workload: there is no workload '%s'; there is "
				    "page",
				    s->workload);
	p->workload_params =
		(struct workload_params){ .payload_bytes = s->payload_bytes,
					  .payload_kind = s->payload_kind,
					  .payload_bytes_max = s->payload_bytes_max,
					  .level = { [APP_GZIP] = (int)s->gzip_level,
						     [APP_BROTLI] = (int)s->brotli_level,
						     [APP_ZSTD] = (int)s->zstd_level },
					  .compress_once = s->compress_when == WHEN_ONCE };
	if (s->compress_when == WHEN_ONCE && !s->gzip_level && !s->brotli_level && !s->zstd_level)
		return command_fail(
			c, EXIT_USAGE,
			"--compress-when once with every level 0: nothing is compressed");
	return -1;
}

static int read_http(const struct command *c, const struct settings *s, struct server_params *p)
{
	p->http2 = s->http == HTTP_2;
	p->streams = (uint32_t)s->streams;
	p->window_bytes = (uint32_t)s->window_bytes;
	if (!p->http2 && (s->streams || s->window_bytes))
		return command_fail(c, EXIT_USAGE,
				    "--%s is about HTTP/2, which is off: add --http 2",
				    s->streams ? "streams" : "window");
	return -1;
}

static void copy_numbers(const struct settings *s, struct server_params *p)
{
	p->cert_file = s->cert;
	p->key_file = s->key;
	p->credential_dir = s->credentials;
	p->threads = (int)s->threads;
	p->cpus = s->cpus;
	p->record_bytes = (size_t)s->record_bytes;
	p->records_per_send = (int)s->records_per_send;
	p->tickets = (int)s->tickets;
	p->session_ids = s->session_ids;
	p->early_data_bytes = (size_t)s->early_data_bytes;
	p->client_ca_file = s->client_ca;
	p->close_each = s->close_each;
	p->idle_timeout_ns = s->idle_timeout_ns;
	p->handshake_timeout_ns = s->handshake_timeout_ns;
	p->head_bytes = (size_t)s->head_bytes;
	p->body_bytes = BODY_BYTES;
	p->connections = (int)s->connections;
	p->backlog = BACKLOG;
}

static int read_adapter(const struct command *c, const struct settings *s,
			const struct server_adapter **adapter)
{
	const char *nearest;

	*adapter = adapter_by_name(s->server);
	if (*adapter)
		return -1;
	nearest = opt_nearest(s->server, server_adapter_names);
	return command_fail(c, EXIT_USAGE, "--server: no server is called '%s'%s%s", s->server,
			    nearest ? "; did you mean " : "", nearest ? nearest : "");
}

/* -1, or the exit status. */
static int read_params(const struct command *c, const struct settings *s, char **urls, int count,
		       struct server_params *p)
{
	const struct engine_ops *engine = NULL;
	int status = read_urls(c, urls, count, p);

	if (status < 0)
		status = read_engine(c, s, &engine);
	if (status < 0 && count_secure(p) == 0)
		status = check_plain(c, s);
	if (status < 0)
		status = read_suites(c, s, engine, p);
	if (status < 0)
		status = check_certificate(c, s, p);
	if (status < 0)
		status = read_workload(c, s, p);
	if (status < 0)
		status = read_http(c, s, p);
	copy_numbers(s, p);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	const struct server_adapter *adapter = NULL;
	struct server_params p = { 0 };
	struct settings s;
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (s.verbose)
		log_set_level(LOG_DETAIL);
	status = read_adapter(c, &s, &adapter);
	if (status < 0)
		status = read_params(c, &s, argv + 1, operands, &p);
	if (status < 0 && adapter->program && p.http2)
		status = command_fail(c, EXIT_USAGE,
				      "--http 2: %s is started for HTTP/1.1 only; leave it out",
				      s.server);
	if (status < 0 && adapter->program && (s.session_ids || s.early_data_bytes || s.client_ca))
		status = command_fail(c, EXIT_USAGE,
				      "--%s is of the builtin server, not of %s; leave it out",
				      s.session_ids ? "session-ids"
				      : s.client_ca ? "client-ca"
						    : "early-data",
				      s.server);
	if (status >= 0)
		return status;
	return adapter->program ? serve_other(c, adapter, &p, s.counters)
				: serve_own(c, &p, s.counters);
}

const struct command cmd_serve = {
	.name = "serve",
	.usage = { .synopsis = "serve URL... [OPTION]...",
		   .summary = "serve pages over http and https until told to stop",
		   .description =
			   "Listens at each URL and prints 'listening on URL' for it, with the "
			   "real "
			   "port where 0 was asked. https:// uses one suite alone, with a "
			   "certificate made for it by a private CA. Ends with status 0 on SIGINT "
			   "or SIGTERM.",
		   .examples = "cipherwatt serve https://127.0.0.1:8443\n"
			       "cipherwatt serve http://127.0.0.1:0 https://127.0.0.1:0 --engine "
			       "wolfssl --suite tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		   .options = options },
	.run = run,
};
