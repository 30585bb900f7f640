/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve_params - from what the options of `serve` say to the parameters of a server, and
 * the refusal of what contradicts itself. It must not know who serves.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ciphers/psk_file.h"
#include "servers/cmd_serve.h"

#define PAGE_BYTES_MAX (16 << 20) /* compressing one holds up a thread for a second or so */
#define BODY_BYTES     65536
#define BACKLOG        1024 /* the kernel cuts it to net.core.somaxconn */

static int read_engine(const struct command *c, const struct serve_settings *s,
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

/* Without a secure URL there is no TLS to choose a suite or library for. */
static int check_plain(const struct command *c, const struct serve_settings *s,
		       const struct server_params *p)
{
	const struct url *first = &p->listener[0].url;
	const char *scheme = url_scheme_name[first->scheme];
	const char *secure = first->scheme == URL_HTTP   ? "https"
			     : first->scheme == URL_COAP ? "coaps"
							 : "coaps+tcp";
	const char *other = s->session_ids        ? "session-ids"
			    : s->client_ca        ? "client-ca"
			    : s->early_data_bytes ? "early-data"
			    : s->psk_file         ? "psk-file"
						  : NULL;

	for (int i = 0; i < s->suites.count; i++)
		if (strcmp(s->suites.item[i], "plain") != 0)
			return command_fail(c, EXIT_USAGE,
					    "--suite %s: %s:// has no TLS, write %s://",
					    s->suites.item[i], scheme, secure);
	if (s->engine && strcmp(s->engine, engine_null.name) != 0)
		return command_fail(c, EXIT_USAGE, "--engine %s: %s:// has no TLS, write %s://",
				    s->engine, scheme, secure);
	if (other)
		return command_fail(c, EXIT_USAGE, "%s:// has no TLS: --%s cannot be used", scheme,
				    other);
	if (s->cert || s->key || (s->credentials && strcmp(s->workload, "message") != 0))
		return command_fail(c, EXIT_USAGE, "%s:// has no certificates: --%s cannot be used",
				    scheme,
				    s->cert  ? "cert"
				    : s->key ? "key"
					     : "credentials");
	return -1;
}

static int read_suites(const struct command *c, const struct serve_settings *s,
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
			text = given == 0   ? url_is_datagram(&l->url) ? SERVE_DTLS_SUITE
								       : SERVE_DEFAULT_SUITE
			       : given == 1 ? s->suites.item[0]
					    : s->suites.item[next++];
		}
		if (suite_parse(text, &l->suite, &f) != 0)
			return command_fail(c, EXIT_USAGE, "--suite: %s", f.text);
	}
	return -1;
}

/* A certificate of the user's own fits suites of one credential only. */
static int check_certificate(const struct command *c, const struct serve_settings *s,
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

		if (!url_is_secure(&p->listener[i].url) || one->key == KEY_PSK)
			continue;
		if (kind && one != kind)
			return command_fail(c, EXIT_USAGE,
					    "--cert is one certificate, but the suites want %s "
					    "and %s",
					    kind->name, one->name);
		kind = one;
	}
	if (s->cert && !kind)
		return command_fail(c, EXIT_USAGE,
				    "--cert: pre-shared keys are all that the suites use, no "
				    "certificate");
	return -1;
}

static bool uses_keys(const struct server_listener *l)
{
	return l->suite.credential->key == KEY_PSK;
}

static int read_keys(const struct command *c, const struct serve_settings *s,
		     struct server_params *p)
{
	struct server_listener *user = NULL;
	char suite[SUITE_TEXT_BYTES];
	struct fail f = { 0 };

	for (int i = 0; i < p->listeners; i++)
		if (uses_keys(&p->listener[i]))
			user = &p->listener[i];
	if (!user && s->psk_file)
		return command_fail(c, EXIT_USAGE,
				    "--psk-file: no suite has the credential psk; leave it out");
	if (!user)
		return -1;
	suite_format(&user->suite, suite);
	if (!s->psk_file)
		return command_fail(c, EXIT_USAGE,
				    "--suite %s: the clients' keys are missing, give --psk-file "
				    "FILE",
				    suite);
	if (s->client_ca)
		return command_fail(c, EXIT_USAGE,
				    "--client-ca: with --suite %s clients show a key, no "
				    "certificate",
				    suite);
	if (psk_file_read(s->psk_file, &p->psk, &f))
		return command_fail(c, EXIT_USAGE, "--psk-file: %s", f.text);
	return -1;
}

static int64_t largest_page(const struct serve_settings *s)
{
	if (s->payload_bytes_max)
		return s->payload_bytes_max;
	return s->payload_bytes > PAGE_BYTES_MAX ? s->payload_bytes : PAGE_BYTES_MAX;
}

static int read_workload(const struct command *c, const struct serve_settings *s,
			 struct server_params *p)
{
	p->workload = workload_by_name(s->workload);
	if (!p->workload)
		return command_fail(c, EXIT_USAGE,
				    "--workload: there is no workload '%s' in this program; see "
				    "'cipherwatt serve --help'",
				    s->workload);
	if (s->profile && strcmp(s->workload, "message") != 0)
		return command_fail(c, EXIT_USAGE, "--profile is of --workload message, not %s",
				    s->workload);
	p->workload_params =
		(struct workload_params){ .payload_bytes = s->payload_bytes,
					  .payload_kind = s->payload_kind,
					  .payload_bytes_max = largest_page(s),
					  .level = { [APP_GZIP] = (int)s->gzip_level,
						     [APP_BROTLI] = (int)s->brotli_level,
						     [APP_ZSTD] = (int)s->zstd_level },
					  .compress_once = s->compress_when == SERVE_COMPRESS_ONCE,
					  .message = { .profile = s->profile,
						       .credential_dir = s->credentials } };
	if (s->compress_when == SERVE_COMPRESS_ONCE && !s->gzip_level && !s->brotli_level &&
	    !s->zstd_level)
		return command_fail(
			c, EXIT_USAGE,
			"--compress-when once with every level 0: nothing is compressed");
	return serve_read_access(c, s, &p->workload_params.access);
}

static int read_http(const struct command *c, const struct serve_settings *s,
		     struct server_params *p)
{
	p->http2 = s->http == SERVE_HTTP_2;
	p->streams = (uint32_t)s->streams;
	p->window_bytes = (uint32_t)s->window_bytes;
	if (!p->http2 && (s->streams || s->window_bytes))
		return command_fail(c, EXIT_USAGE,
				    "--%s is about HTTP/2, which is off: add --http 2",
				    s->streams ? "streams" : "window");
	return -1;
}

static void copy_numbers(const struct serve_settings *s, struct server_params *p)
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
	p->handshakes = (int)s->handshakes;
	p->retransmit_ns = s->retransmit_ns;
	p->mtu = (size_t)s->mtu;
	p->head_bytes = (size_t)s->head_bytes;
	p->body_bytes = p->workload && p->workload->stages ? MESSAGE_WIRE_BYTES_MAX : BODY_BYTES;
	p->connections = (int)s->connections;
	p->backlog = BACKLOG;
}

int serve_read_params(const struct command *c, const struct serve_settings *s, char **urls,
		      int count, struct server_params *p)
{
	const struct engine_ops *engine = NULL;
	int status = read_urls(c, urls, count, p);

	if (status < 0)
		status = read_engine(c, s, &engine);
	if (status < 0 && count_secure(p) == 0)
		status = check_plain(c, s, p);
	if (status < 0)
		status = read_suites(c, s, engine, p);
	if (status < 0)
		status = check_certificate(c, s, p);
	if (status < 0)
		status = read_keys(c, s, p);
	if (status < 0)
		status = read_workload(c, s, p);
	if (status < 0)
		status = read_http(c, s, p);
	copy_numbers(s, p);
	return status;
}
