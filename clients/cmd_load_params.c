/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_params - what the options of `cipherwatt load` mean to the generator.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ciphers/psk_file.h"
#include "clients/body.h"
#include "clients/bucket.h"
#include "clients/cmd_load.h"
#include "lib/clock.h"
#include "protocols/app.h"

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
	if (s->count_each && (s->count || s->duration_ns))
		return command_fail(c, EXIT_USAGE,
				    "--count-per-client says when to end: leave out --%s",
				    s->count ? "count" : "duration");
	p->count = s->count_each ? s->count_each * s->clients : s->count;
	p->count_each = s->count_each;
	p->duration_ns = p->count ? 0 : s->duration_ns ? s->duration_ns : 5 * NS_PER_S;
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

/* What the clients show of themselves. */
static int read_own(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	const char *const files[] = { s->cert, s->key };

	if (!s->cert != !s->key)
		return command_fail(c, EXIT_USAGE, "--cert and --key go together: give both");
	if (s->cert && (!url_is_secure(&p->url) || uses_keys(p)))
		return command_fail(c, EXIT_USAGE,
				    "%s: --cert cannot be used: there are no certificates",
				    uses_keys(p) ? s->suite : url_scheme_name[p->url.scheme]);
	for (int i = 0; i < 2; i++)
		if (files[i] && access(files[i], R_OK))
			return command_fail(c, EXIT_USAGE, "cannot read %s: %s", files[i],
					    strerror(errno));
	p->cert_file = s->cert;
	p->key_file = s->key;
	return -1;
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

/* What a suite is of: which scheme has it in place of that of u, which has none? */
static const char *secure_name(const struct url *u, const struct suite *suite)
{
	if (tls_version_is_datagram(suite->version))
		return url_scheme_name[URL_COAPS];
	return url_scheme_name[u->scheme == URL_HTTP ? URL_HTTPS : URL_COAPS_TCP];
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
		return command_fail(c, EXIT_USAGE, "--suite plain: %s is never plain, write %s",
				    url_scheme_name[p->url.scheme],
				    url_scheme_name[p->url.scheme == URL_HTTPS   ? URL_HTTP
						    : p->url.scheme == URL_COAPS ? URL_COAP
										 : URL_COAP_TCP]);
	if (!url_is_secure(&p->url) && !suite_is_plain(suite))
		return command_fail(c, EXIT_USAGE, "--suite %s: %s has no %s, write %s", s->suite,
				    url_scheme_name[p->url.scheme],
				    tls_version_is_datagram(suite->version) ? "DTLS" : "TLS",
				    secure_name(&p->url, suite));
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
	if (s->seed && s->arrivals != ARRIVAL_POISSON && strcmp(s->workload, asker_access.name))
		return command_fail(c, EXIT_USAGE,
				    "--seed is for --rate R --arrivals poisson, or --workload "
				    "access, which asks at random: nothing here is random");
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
				    "--connection %s: %s has no TLS, there is nothing to resume",
				    s->connection, url_scheme_name[p->url.scheme]);
	p->resume_pct = connection_kind[p->connection].resumes ? (int)number : 0;
	p->connection_requests = connection_kind[p->connection].keeps ? number : 0;
	p->resumption = s->resumption ? RESUMPTION_SESSION_ID : RESUMPTION_TICKET;
	p->early_data = s->early_data;
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
	p->californium = s->histogram;
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

static int read_workload(const struct command *c, const struct load_settings *s,
			 struct load_params *p)
{
	const char *names[8] = { NULL };
	const char *nearest;

	p->asker = asker_by_name(s->workload);
	p->asking.access =
		(struct access_asking){ .encoding = (enum access_encoding)s->access_encoding,
					.model = (enum access_model)s->access_model,
					.users = s->access_users,
					.seed = p->seed };
	p->asking.message = (struct message_params){ .profile = s->profile,
						     .credential_dir = s->credentials,
						     .payload_bytes = s->payload_bytes };
	if (p->asker)
		return -1;
	for (int i = 0; askers[i] && i < 7; i++)
		names[i] = askers[i]->name;
	nearest = opt_nearest(s->workload, names);
	return command_fail(c, EXIT_USAGE, "--workload: there is no workload '%s'%s%s", s->workload,
			    nearest ? "; did you mean " : "", nearest ? nearest : "");
}

int load_read_params(const struct command *c, const struct load_settings *s, const char *url,
		     struct suite *suite, struct load_params *p)
{
	struct fail f = { 0 };
	int status;

	if (url_parse(url, &p->url, &f))
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	p->clients = (int)s->clients;
	status = read_stop(c, s, p);
	if (status < 0)
		status = read_suite(c, s, suite, p);
	if (status < 0)
		status = read_keys(c, s, p);
	if (status < 0)
		status = read_trust(c, s, p);
	if (status < 0)
		status = read_own(c, s, p);
	if (status < 0)
		status = read_engine(c, s, p);
	if (status < 0)
		status = read_pace(c, s, p);
	if (status < 0)
		status = read_accept(c, s, p);
	if (status < 0)
		status = load_read_datagrams(c, s, p);
	if (status < 0)
		status = read_workload(c, s, p);
	if (status < 0 && s->threads > s->clients)
		status = command_fail(c, EXIT_USAGE, "--threads %lld is more than --clients %lld",
				      (long long)s->threads, (long long)s->clients);
	p->ca_file = s->ca;
	p->server_name = s->server_name;
	p->threads = (int)s->threads;
	p->warmup_ns = s->warmup_ns;
	p->timeout_ns = s->timeout_ns;
	p->record_bytes = (size_t)s->record_bytes;
	p->records_per_send = (int)s->records_per_send;
	p->cpus = s->cpus;
	p->stamps = s->stamps;
	p->secrets = s->secrets;
	return status;
}
