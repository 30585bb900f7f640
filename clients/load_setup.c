/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_setup - allocations that must not happen inside a window.
 */
#include "clients/load_setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/dgram_peer.h"
#include "clients/dgram_setup.h"
#include "clients/peer_streams.h"
#include "lib/affinity.h"
#include "lib/clock.h"

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

const struct app_ops *load_app(const struct load_params *p)
{
	if (p->url.scheme == URL_COAP_TCP || p->url.scheme == URL_COAPS_TCP)
		return &app_coap_tcp;
	return p->http2 ? &app_http2 : &app_http1;
}

bool load_app_lasts(const struct load_params *p)
{
	return load_app(p) != &app_http1;
}

static int open_domain(struct load_setup *s, const struct load_params *p, struct fail *f)
{
	const struct psk *psk = p->psk_one ? p->psk_one : p->psk.row;

	s->domain.ops = p->engine;
	s->domain.params = (struct tls_params){
		.role = CLIENT,
		.suite = p->suite,
		.ca_file = p->ca_file,
		.cert_file = p->cert_file,
		.key_file = p->key_file,
		.server_name = server_name(p),
		/* A message is never cut: what is longer than a datagram goes in blocks. */
		.record_bytes = s->env.dgram ? RECORD_BYTES_MAX : p->record_bytes,
		.retransmit_ns = p->datagrams.dtls_timeout_ns,
		.mtu = s->env.dgram ? s->env.dgram->mtu_bytes : 0,
		.alpn = load_app_lasts(p) && !url_is_datagram(&p->url) ? load_app(p)->name : NULL,
		.resumption =
			connection_kind[p->connection].resumes ? p->resumption : RESUMPTION_NONE,
		.early_data_bytes = p->early_data ? EARLY_DATA_BYTES_MAX : 0,
		.psk_identity = psk ? psk->identity : NULL,
		.psk_key = psk ? psk->key : NULL,
		.psk_key_bytes = psk ? psk->key_bytes : 0,
		.observer = p->stamps ? &s->stamps.observer : NULL,
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
	uint16_t own = url_is_secure(&p->url) ? 443 : 80;
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
	s->env.closed_loop = p->rate_per_s <= 0;
	s->env.connection_requests = p->connection_requests;
	s->env.early_data = p->early_data;
	s->env.resume_pct = connection_kind[p->connection].resumes ? p->resume_pct : 0;
}

static void open_env(struct load_setup *s, const struct load_params *p)
{
	s->env.loop = s->loop;
	s->env.domain = &s->domain;
	s->env.app = load_app(p);
	s->env.lasts = load_app_lasts(p);
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

/* Threads ask different questions, and in every run of one seed the same. */
static int open_asker(struct load_setup *s, const struct load_params *p, int index, struct fail *f)
{
	struct asker *a = &s->env.questions.asker;
	bool whole_site = !strcmp(p->url.target, "/");

	a->ops = p->asker ? p->asker : &asker_page;
	a->params = p->asking;
	a->params.target = whole_site && a->ops != &asker_page ? NULL : p->url.target;
	a->params.accepts = p->accepts;
	a->params.access.seed += (uint64_t)index;
	if (a->ops->open(a))
		return fail_set(f, a->fail.code, "workload %s: %s", a->ops->name, a->fail.text);
	s->asker_is_open = true;
	return 0;
}

/* Client after client another, counted over all threads. */
static const struct psk *key_of(const struct load_params *p, int index, int client)
{
	size_t number = (size_t)client * (size_t)threads_of(p) + (size_t)index;

	return p->psk.rows && !p->psk_one ? &p->psk.row[number % p->psk.rows] : NULL;
}

static int open_peer(struct peer *peer, struct peer_env *env, const struct load_params *p,
		     struct fail *f)
{
	if (env->dgram)
		return dgram_peer_init(peer, env, f);
	return peer_init(peer, env, p->record_bytes, p->records_per_send, f);
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

		if (!open_peer(peer, &s->env, p, f) && (!carry || !peer_streams_init(peer, f))) {
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

	/* ramp_ns * number / clients, whose product may not fit. */
	return from_ns + p->ramp_ns / p->clients * number +
	       p->ramp_ns % p->clients * number / p->clients;
}

int64_t load_share(int64_t number, int threads, int index)
{
	return number / threads + (index < number % threads);
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
	if (open_asker(s, p, index, f) ||
	    (p->stamps && stamps_open(&s->stamps, p->stamps, p->secrets, f)))
		return -1;
	open_env(s, p);
	open_limits(s, p, index);
	memcpy(s->env.address, target->address, sizeof(target->address));
	s->env.addresses = target->addresses;
	if (url_is_datagram(&p->url) && dgram_setup_open(&s->env, p, clients, f))
		return -1;
	return open_domain(s, p, f) || open_peers(s, p, index, clients, f) || open_streams(s, f)
		       ? -1
		       : 0;
}

void load_setup_stages(const struct load_setup *s, struct message_tally *out)
{
	const struct asker *a = &s->env.questions.asker;

	if (a->ops->stages)
		message_tally_copy(a->ops->stages(a), out);
}

int load_setup_clients(const struct load_setup *s)
{
	return s->carriers_count ? s->carriers_count : s->peers_count;
}

void load_setup_release(struct load_setup *s)
{
	struct fail ignored = { 0 };

	for (int i = 0; i < s->peers_count; i++)
		peer_release(&s->peers[i]);
	for (int i = 0; i < s->carriers_count; i++)
		peer_release(&s->carriers[i]);
	free(s->peers);
	free(s->carriers);
	dgram_setup_release(&s->env);
	if (s->domain_is_open)
		s->domain.ops->domain_close(&s->domain);
	if (s->asker_is_open)
		s->env.questions.asker.ops->close(&s->env.questions.asker);
	stamps_close(&s->stamps, &ignored);
	loop_free(s->loop);
	*s = (struct load_setup){ 0 };
}
