/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve - `cipherwatt serve URL...`: its options, and who serves. They become parameters
 * in cmd_serve_params.c; what follows is in serve_own.c and serve_other.c.
 */
#include "servers/cmd_serve.h"

#include "lib/log.h"
#include "servers/serve_life.h"

#define AT(field) offsetof(struct serve_settings, field)

static const char *const compress_whens[] = {
	[SERVE_COMPRESS_REQUEST] = "request", [SERVE_COMPRESS_ONCE] = "once", NULL
};
static const char *const https[] = { [SERVE_HTTP_1_1] = "1.1", [SERVE_HTTP_2] = "2", NULL };

static const struct opt options[] = {
	{ "server", 0, OPT_TEXT, AT(server), "NAME",
	  "what serves: builtin, or one that is configured, started and watched: nginx, "
	  "apache-event, apache-prefork, lighttpd, s_server, haproxy",
	  "builtin", NULL, 0, 0 },
	{ "suite", 's', OPT_LIST, AT(suites), "SUITE",
	  "cipher suite, as VERSION:CIPHER:GROUP:CREDENTIAL; one for every https, coaps and "
	  "coaps+tcp URL, or given as often as there are such; " SERVE_DEFAULT_SUITE
	  " and " SERVE_DTLS_SUITE " when left out",
	  NULL, NULL, 0, 0 },
	{ "engine", 'e', OPT_TEXT, AT(engine), "ENGINE",
	  "TLS and DTLS library of the https, coaps and coaps+tcp URLs, see 'cipherwatt suites'",
	  NULL, NULL, 0, 0 },
	{ "workload", 'w', OPT_TEXT, AT(workload), "NAME",
	  "what is served: page, that is / and /page/SIZE[/json|text|random]; access, "
	  "decisions who may pass, asked for at " ACCESS_TARGET "; or message, secured "
	  "messages sent to " MESSAGE_TARGET " and answered in kind",
	  "page", NULL, 0, 0 },
	{ "profile", 0, OPT_TEXT, AT(profile), "NAME",
	  "with --workload message: how messages are secured, as `cipherwatt message --list` "
	  "prints; the first of those when left out. Clients need the files of --credentials too",
	  NULL, NULL, 0, 0 },
	{ "policy", 0, OPT_TEXT, AT(access.policy), "FILE",
	  "with --workload access: who may pass where (YAML); a hospital's when left out", NULL,
	  NULL, 0, 0 },
	{ "users", 0, OPT_TEXT, AT(access.users), "FILE",
	  "with --workload access: SQLite database of users and access points, made with generated "
	  "ones where it is not there; in memory when left out",
	  NULL, NULL, 0, 0 },
	{ "access-users", 0, OPT_INTEGER, AT(access.count), "N",
	  "with --workload access: how many users are generated; 1000 when left out", NULL, NULL, 1,
	  ACCESS_USERS_MAX },
	{ "access-model", 0, OPT_CHOICE, AT(access.model), "MODEL",
	  "with --workload access: what decides: attributes of user, access point and environment "
	  "(abac), or area and role alone (rbac)",
	  "abac", access_model_name, 0, 0 },
	{ "audit", 0, OPT_TEXT, AT(access.audit), "FILE",
	  "with --workload access: append every decision to this log. Where it cannot be "
	  "written, nobody is let in",
	  NULL, NULL, 0, 0 },
	{ "durability", 0, OPT_CHOICE, AT(access.durability), "WHEN",
	  "when a decision is on the disk: before its answer leaves (each), soon after "
	  "(batched), or as the system likes (none)",
	  "none", access_durability_name, 0, 0 },
	{ "audit-batch", 0, OPT_DURATION, AT(access.batch_ns), "DURATION",
	  "with --durability batched: how long decisions are gathered; 10ms when left out", NULL,
	  NULL, 1000000, 0 },
	{ "clock-skew", 0, OPT_DURATION, AT(access.skew_ns), "DURATION",
	  "with --workload access: how far the time of a request may be off; 10s when left out",
	  NULL, NULL, 1000000, INT64_C(3600000000000) },
	{ "payload", 'p', OPT_BYTES, AT(payload_bytes), "SIZE",
	  "size of the page /, or of what a message says", "512B", NULL, 0, 0 },
	{ "payload-kind", 0, OPT_TEXT, AT(payload_kind), "KIND",
	  "content of pages: json, text or random (incompressible)", "json", NULL, 0, 0 },
	{ "payload-max", 0, OPT_BYTES, AT(payload_bytes_max), "SIZE",
	  "largest page that may be asked for. A page is compressed whole before any of it is "
	  "sent, "
	  "and its thread answers nobody else meanwhile; 16 MiB when left out, or --payload "
	  "where that is more",
	  NULL, NULL, 1, 0 },
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
	{ "psk-file", 0, OPT_TEXT, AT(psk_file), "FILE",
	  "pre-shared keys of the clients, for suites with the credential psk: a line "
	  "IDENTITY=BASE64 for each",
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
	  "TLS 1.2: keep sessions for clients that resume them by id, whichever thread they meet",
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
	{ "max-handshakes", 0, OPT_INTEGER, AT(handshakes), "N",
	  "coaps: handshakes at once on each thread; hellos beyond are not answered", "1000", NULL,
	  1, 1000000 },
	{ "dtls-timeout", 0, OPT_DURATION, AT(retransmit_ns), "DURATION",
	  "coaps: how long a flight of a handshake waits for its answer before it is sent again, "
	  "twice as long each time",
	  "1s", NULL, DTLS_RETRANSMIT_NS_MIN, DTLS_RETRANSMIT_NS_MAX },
	{ "mtu", 0, OPT_BYTES, AT(mtu), "BYTES", "coap and coaps: the longest datagram sent",
	  "1200", NULL, 256, 4096 },
	{ "counters", 0, OPT_FLAG, AT(counters), NULL,
	  "for each line on standard input print the counters so far as a line of JSON; end when "
	  "standard input ends",
	  NULL, NULL, 0, 0 },
	{ "verbose", 'v', OPT_FLAG, AT(verbose), NULL,
	  "say why handshakes and requests fail, one line each", NULL, NULL, 0, 0 },
	{ 0 },
};

static int read_adapter(const struct command *c, const struct serve_settings *s,
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

/* What is asked of a server that has it not, or is set up without it. */
static int refuse_ours(const struct command *c, int argc, char **argv, int operands,
		       const struct serve_settings *s, const struct server_adapter *adapter)
{
	static const char *const ours[] = { "idle-timeout", "handshake-timeout", "max-head" };
	const char *name = s->session_ids        ? "session-ids"
			   : s->early_data_bytes ? "early-data"
			   : s->client_ca        ? "client-ca"
			   : s->psk_file         ? "psk-file"
			   : s->window_bytes     ? "window"
						 : NULL;

	for (size_t i = 0; !name && i < sizeof(ours) / sizeof(ours[0]); i++)
		if (opt_given(options, argc, argv, operands, ours[i]))
			name = ours[i];
	if (!name && !adapter->has_limit &&
	    opt_given(options, argc, argv, operands, "max-connections"))
		name = "max-connections";
	if (!name)
		return -1;
	return command_fail(c, EXIT_USAGE, "--%s is of the builtin server, not of %s; leave it out",
			    name, s->server);
}

static bool is_http(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (p->listener[i].url.scheme != URL_HTTP && p->listener[i].url.scheme != URL_HTTPS)
			return false;
	return true;
}

/* --- what an option needs of the URLs ------------------------------------------ */

static bool has_secure(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (url_is_secure(&p->listener[i].url))
			return true;
	return false;
}

static bool has_datagram(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (url_is_datagram(&p->listener[i].url))
			return true;
	return false;
}

static bool has_dtls(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (p->listener[i].url.scheme == URL_COAPS)
			return true;
	return false;
}

static bool has_http(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (p->listener[i].url.scheme == URL_HTTP || p->listener[i].url.scheme == URL_HTTPS)
			return true;
	return false;
}

static const struct {
	const char *option;
	bool (*met)(const struct server_params *p);
	const char *otherwise; /* behind "--OPTION " */
} needs[] = {
	{ "mtu", has_datagram, "is for coap:// and coaps:// only" },
	{ "dtls-timeout", has_dtls, "is for coaps:// only" },
	{ "max-handshakes", has_dtls, "is for coaps:// only" },
	{ "tickets", has_secure, "is of TLS: http and coap have none, write https or coaps+tcp" },
	{ "handshake-timeout", has_secure, "is of TLS and DTLS: there is no handshake without" },
	{ "http", has_http, "is for http:// and https:// only" },
};

/* -1, or the exit status. */
static int check_needs(const struct command *c, int argc, char **argv, int operands,
		       const struct server_params *p)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (opt_given(options, argc, argv, operands, needs[i].option) && !needs[i].met(p))
			return command_fail(c, EXIT_USAGE, "--%s %s", needs[i].option,
					    needs[i].otherwise);
	return -1;
}

static int run(const struct command *c, int argc, char **argv)
{
	const struct server_adapter *adapter = NULL;
	struct server_params p = { 0 };
	struct serve_settings s;
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (s.verbose)
		log_set_level(LOG_DETAIL);
	status = read_adapter(c, &s, &adapter);
	if (status < 0)
		status = serve_read_params(c, &s, argv + 1, operands, &p);
	if (status < 0)
		status = check_needs(c, argc, argv, operands, &p);
	if (status < 0 && adapter->program && !is_http(&p))
		status = command_fail(c, EXIT_USAGE, "--server %s serves http:// and https:// only",
				      s.server);
	if (status < 0 && adapter->program)
		status = refuse_ours(c, argc, argv, operands, &s, adapter);
	if (status < 0)
		status = adapter->program ? serve_other(c, adapter, &p, s.counters)
					  : serve_own(c, &p, s.counters);
	psk_table_release(&p.psk);
	return status;
}

const struct command cmd_serve = {
	.name = "serve",
	.usage = { .synopsis = "serve URL... [OPTION]...",
		   .summary = "serve pages over HTTP and CoAP until told to stop",
		   .description =
			   "Listens at each URL and prints 'listening on URL' for it, with the "
			   "real "
			   "port where 0 was asked. A URL begins with http, https, coap, coaps, "
			   "coap+tcp or coaps+tcp; https, coaps and coaps+tcp use one suite alone, "
			   "with a certificate made for it by a private CA, or pre-shared keys. "
			   "Ends with status 0 on SIGINT or SIGTERM.",
		   .examples = "cipherwatt serve https://127.0.0.1:8443\n"
			       "cipherwatt serve http://127.0.0.1:0 https://127.0.0.1:0 --engine "
			       "wolfssl --suite tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		   .options = options },
	.run = run,
};
