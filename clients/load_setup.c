/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_setup - checks and allocations that must not happen inside a window.
 */
#include "clients/load_setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "clients/peer_streams.h"
#include "lib/affinity.h"
#include "lib/clock.h"

/* Descriptors besides the clients' sockets: standard streams, the loop's, the libraries'. */
#define OTHER_DESCRIPTORS 32
/* How long Linux keeps the port of a connection that this side closed. */
#define TIME_WAIT_S 60.0

/* --- settings ------------------------------------------------------------- */

static int check_scheme(const struct load_params *p, struct fail *f)
{
	const char *why = p->suite ? p->engine->refuses(p->suite) : NULL;
	char text[SUITE_TEXT_BYTES];

	if (p->url.scheme != URL_HTTP && p->url.scheme != URL_HTTPS)
		return fail_set(f, EINVAL, "load speaks http and https, not %s",
				url_scheme_name[p->url.scheme]);
	if (why)
		return fail_set(f, EINVAL, "engine %s does not offer %s: %s", p->engine->name,
				suite_format(p->suite, text), why);
	if (p->url.scheme == URL_HTTP && p->engine != &engine_null)
		return fail_set(f, EINVAL, "http has no TLS: engine %s cannot be used, write https",
				p->engine->name);
	if (p->url.scheme == URL_HTTPS && p->engine == &engine_null)
		return fail_set(f, EINVAL, "https needs TLS: engine null has none, write http");
	if (p->url.scheme == URL_HTTP && connection_kind[p->connection].resumes)
		return fail_set(f, EINVAL, "http has no TLS: there is nothing to resume");
	if (connection_kind[p->connection].resumes && p->resumption == RESUMPTION_SESSION_ID &&
	    p->suite && p->suite->version == TLS13)
		return fail_set(f, EINVAL, "TLS 1.3 has no session ids: resume by ticket");
	if (p->suite && tls_version_is_datagram(p->suite->version))
		return fail_set(f, EINVAL, "https runs over TLS, not %s",
				tls_version_name[p->suite->version]);
	return 0;
}

static int check_numbers(const struct load_params *p, struct fail *f)
{
	if (p->clients < 1 || p->clients > LOAD_CLIENTS_MAX)
		return fail_set(f, EINVAL, "%d clients: expected 1 to %d", p->clients,
				LOAD_CLIENTS_MAX);
	if ((p->count > 0) == (p->duration_ns > 0))
		return fail_set(f, EINVAL, "a run ends by a count or by a duration: give one");
	if (p->timeout_ns <= 0)
		return fail_set(f, EINVAL, "the time-out must be longer than nothing");
	if (p->threads > LOAD_THREADS_MAX || p->threads > p->clients)
		return fail_set(f, EINVAL, "%d threads for %d clients: expected 1 to %d",
				p->threads, p->clients,
				p->clients < LOAD_THREADS_MAX ? p->clients : LOAD_THREADS_MAX);
	if (p->streams > 1 && (!p->http2 || !connection_kind[p->connection].keeps))
		return fail_set(f, EINVAL,
				"%d streams at once need HTTP/2 and a connection that is kept: "
				"--http 2 --connection keepalive",
				p->streams);
	if ((int64_t)p->streams * p->clients > LOAD_CLIENTS_MAX)
		return fail_set(f, EINVAL, "%d streams of %d clients: expected up to %d together",
				p->streams, p->clients, LOAD_CLIENTS_MAX);
	if (p->rate_per_s < 0 || p->rate_per_s > ARRIVAL_RATE_MAX_PER_S)
		return fail_set(f, EINVAL, "a rate of %g requests/s: expected up to %g",
				p->rate_per_s, ARRIVAL_RATE_MAX_PER_S);
	if (p->rate_per_s > 0 && p->think_ns)
		return fail_set(
			f, EINVAL,
			"clients think in a closed loop only: with a rate, requests are due "
			"by its schedule");
	return 0;
}

/* --- this machine --------------------------------------------------------- */

static int raise_descriptors(int clients, struct fail *f)
{
	rlim_t needed = (rlim_t)clients + OTHER_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return 0;
	if (limit.rlim_max < needed)
		return fail_set(
			f, EMFILE,
			"%d clients need %llu open files and this user may have %llu: raise the "
			"limit (ulimit -Hn) or use fewer clients",
			clients, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = needed;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return fail_set(f, errno, "cannot raise the limit of open files to %llu: %s",
				(unsigned long long)needed, strerror(errno));
	return 0;
}

/* How many local ports there are; 0 when the system does not tell. */
static int local_ports(int *low, int *high)
{
	FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	int read;

	if (!range)
		return 0;
	read = fscanf(range, "%d %d", low, high);
	fclose(range);
	return read == 2 ? *high - *low + 1 : 0;
}

/* The server closes first, so a port is free again at once: one for each client is enough. */
static int check_ports(int clients, struct fail *f)
{
	int low, high, ports = local_ports(&low, &high);

	if (!ports || clients <= ports)
		return 0;
	return fail_set(
		f, EADDRNOTAVAIL,
		"%d clients need as many local ports and net.ipv4.ip_local_port_range has %d "
		"(%d to %d): widen it or use fewer clients",
		clients, ports, low, high);
}

const char *load_port_warning(const struct load_params *p, char dst[256])
{
	double seconds = p->duration_ns ? (double)p->duration_ns / NS_PER_S : TIME_WAIT_S;
	double per_s = p->connection_rate_per_s > 0 ? p->connection_rate_per_s : p->rate_per_s;
	double connections = per_s * (seconds < TIME_WAIT_S ? seconds : TIME_WAIT_S);
	int low, high, ports = local_ports(&low, &high);

	if (p->connection_requests)
		connections /= (double)p->connection_requests;
	else if (connection_kind[p->connection].keeps)
		return NULL;
	if (p->count && connections > (double)p->count)
		connections = (double)p->count;
	if (!ports || connections <= ports)
		return NULL;
	snprintf(dst, 256,
		 "%.0f connections within a minute and %d local ports (%d to %d): they run out "
		 "unless the server closes first",
		 connections, ports, low, high);
	return dst;
}

static int pin(const char *cpus, int index, struct fail *f)
{
	cpu_set_t set;

	if (!cpus)
		return 0;
	if (affinity_parse(cpus, &set, f))
		return -1;
	if (affinity_pin_thread(&set, index))
		return fail_set(f, errno, "cannot pin to CPUs %s: %s", cpus, strerror(errno));
	return 0;
}

/* --- the parts ------------------------------------------------------------ */

static const char *server_name(const struct load_params *p)
{
	return p->server_name ? p->server_name : p->url.host;
}

static int open_domain(struct load_setup *s, const struct load_params *p, struct fail *f)
{
	const struct psk *psk = p->psk_one ? p->psk_one : p->psk.row;

	s->domain.ops = p->engine;
	s->domain.params = (struct tls_params){
		.role = CLIENT,
		.suite = p->suite,
		.ca_file = p->ca_file,
		.server_name = server_name(p),
		.record_bytes = p->record_bytes,
		.alpn = p->http2 ? app_http2.name : NULL,
		.resumption =
			connection_kind[p->connection].resumes ? p->resumption : RESUMPTION_NONE,
		.psk_identity = psk ? psk->identity : NULL,
		.psk_key = psk ? psk->key : NULL,
		.psk_key_bytes = psk ? psk->key_bytes : 0,
	};
	if (p->engine->domain_open(&s->domain))
		return fail_set(f, s->domain.fail.code ? s->domain.fail.code : EINVAL,
				"engine %s: %s", p->engine->name, s->domain.fail.text);
	s->domain_is_open = true;
	return 0;
}

/* As a URL would write it: brackets around IPv6, the port unless it is the scheme's own. */
static void write_host(struct load_setup *s, const struct load_params *p)
{
	const char *name = server_name(p);
	bool literal6 = strchr(name, ':');
	uint16_t own = p->url.scheme == URL_HTTPS ? 443 : 80;
	int len = snprintf(s->host, sizeof(s->host), "%s%s%s", literal6 ? "[" : "", name,
			   literal6 ? "]" : "");

	if (p->url.port != own && len > 0 && (size_t)len < sizeof(s->host))
		snprintf(s->host + len, sizeof(s->host) - (size_t)len, ":%u", p->url.port);
}

static int threads_of(const struct load_params *p)
{
	return p->threads > 1 ? p->threads : 1;
}

/* A share of at least one byte per second; the burst bridges what a loop is late. */
static void open_bucket(struct bucket *b, int64_t bytes_per_s, int threads, int index)
{
	int64_t share = load_share(bytes_per_s, threads, index);

	bucket_init(b, bytes_per_s && !share ? 1 : share, share / 100, clock_ns());
}

static void open_limits(struct load_setup *s, const struct load_params *p, int index)
{
	int threads = threads_of(p);

	open_bucket(&s->env.upload, p->upload_bytes_per_s, threads, index);
	open_bucket(&s->env.download, p->download_bytes_per_s, threads, index);
	s->env.limited = p->upload_bytes_per_s || p->download_bytes_per_s;
	s->env.connection_requests = p->connection_requests;
	s->env.resume_pct = connection_kind[p->connection].resumes ? p->resume_pct : 0;
}

static void open_env(struct load_setup *s, const struct load_params *p)
{
	s->env.loop = s->loop;
	s->env.domain = &s->domain;
	s->env.app = p->http2 ? &app_http2 : &app_http1;
	s->env.http2 = p->http2;
	s->env.window_bytes = p->window_bytes;
	s->env.streams = p->streams;
	s->env.verify_body = p->verify_body;
	s->env.timeout_ns = p->timeout_ns;
	write_host(s, p);
	s->env.request = (struct app_request){
		.method = APP_GET,
		.target = p->url.target,
		.host = s->host,
		.accepts = p->accepts,
		.scheme = p->url.scheme == URL_HTTP ? "http" : NULL,
		.keep_alive = connection_kind[p->connection].keeps,
	};
}

/* Client after client another, counted over all threads. */
static const struct psk *key_of(const struct load_params *p, int index, int client)
{
	size_t number = (size_t)client * (size_t)threads_of(p) + (size_t)index;

	return p->psk.rows && !p->psk_one ? &p->psk.row[number % p->psk.rows] : NULL;
}

static int open_peers(struct load_setup *s, const struct load_params *p, int index, int clients,
		      struct fail *f)
{
	struct peer *peers = calloc((size_t)clients, sizeof(*peers));
	bool carry = s->env.streams > 1;
	int *made = carry ? &s->carriers_count : &s->peers_count;

	*(carry ? &s->carriers : &s->peers) = peers;
	if (!peers)
		return fail_set(f, ENOMEM, "no memory for %d clients", clients);
	for (; *made < clients; ++*made) {
		struct peer *peer = &peers[*made];

		if (!peer_init(peer, &s->env, p->record_bytes, p->records_per_send, f) &&
		    (!carry || !peer_streams_init(peer, f))) {
			peer->psk = key_of(p, index, *made);
			continue;
		}
		peer_release(peer);
		return fail_within(f, "client %d of %d", *made + 1, clients);
	}
	return 0;
}

/* The streams of a client stand side by side. */
static int open_streams(struct load_setup *s, struct fail *f)
{
	int streams = s->env.streams, count = streams * s->carriers_count;

	if (!s->carriers)
		return 0;
	s->peers = calloc((size_t)count, sizeof(*s->peers));
	if (!s->peers)
		return fail_set(f, ENOMEM, "no memory for %d streams", count);
	for (; s->peers_count < count; s->peers_count++) {
		struct peer *carrier = &s->carriers[s->peers_count / streams];

		if (!peer_stream_init(&s->peers[s->peers_count], carrier, f))
			continue;
		peer_release(&s->peers[s->peers_count]);
		return -1;
	}
	return 0;
}

int load_facts_check(const struct load_params *p, const struct tls_facts *facts, struct fail *f)
{
	if (p->suite && facts_check(p->suite, facts, CLIENT, f))
		return -1;
	if (!p->http2 || facts->version == TLS_NONE || !strcmp(facts->alpn, app_http2.name))
		return 0;
	return fail_set(f, EPROTO,
			"the server did not agree to HTTP/2: asked for %s by ALPN, it chose %s",
			app_http2.name, facts->alpn[0] ? facts->alpn : "nothing");
}

void load_plan(struct arrival *a, const struct load_params *p, int index)
{
	if (p->rate_per_s <= 0)
		arrival_closed(a, p->think_ns);
	else if (p->arrivals == ARRIVAL_FIXED)
		arrival_fixed(a, p->rate_per_s, index, threads_of(p));
	else
		arrival_poisson(a, p->rate_per_s, p->seed, index, threads_of(p));
}

int64_t load_join_ns(const struct load_params *p, int index, int client, int64_t from_ns)
{
	int64_t number = (int64_t)client * threads_of(p) + index;

	return from_ns + (int64_t)((__int128)p->ramp_ns * number / p->clients);
}

int64_t load_share(int64_t number, int threads, int index)
{
	return number / threads + (index < number % threads);
}

int load_target_find(struct load_target *t, const struct load_params *p, struct fail *f)
{
	if (check_scheme(p, f) || check_numbers(p, f) || raise_descriptors(p->clients, f) ||
	    check_ports(p->clients, f))
		return -1;
	t->addresses =
		net_resolve(p->url.host, p->url.port, false, t->address, NET_ADDRESSES_MAX, f);
	return t->addresses < 0 ? -1 : 0;
}

int load_setup_open(struct load_setup *s, const struct load_params *p,
		    const struct load_target *target, int index, struct fail *f)
{
	int clients = (int)load_share(p->clients, threads_of(p), index);

	if (pin(p->cpus, index, f))
		return -1;
	s->loop = loop_new();
	if (!s->loop)
		return fail_set(f, ENOMEM, "cannot make an event loop");
	open_env(s, p);
	open_limits(s, p, index);
	memcpy(s->env.address, target->address, sizeof(target->address));
	s->env.addresses = target->addresses;
	return open_domain(s, p, f) || open_peers(s, p, index, clients, f) || open_streams(s, f)
		       ? -1
		       : 0;
}

void load_setup_release(struct load_setup *s)
{
	for (int i = 0; i < s->peers_count; i++)
		peer_release(&s->peers[i]);
	for (int i = 0; i < s->carriers_count; i++)
		peer_release(&s->carriers[i]);
	free(s->peers);
	free(s->carriers);
	if (s->domain_is_open)
		s->domain.ops->domain_close(&s->domain);
	loop_free(s->loop);
	*s = (struct load_setup){ 0 };
}
