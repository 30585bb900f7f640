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

#include "lib/affinity.h"

/* Descriptors besides the clients' sockets: standard streams, the loop's, the libraries'. */
#define OTHER_DESCRIPTORS 32

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

/* The server closes first, so a port is free again at once: one for each client is enough. */
static int check_ports(int clients, struct fail *f)
{
	int low, high, read;
	FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");

	if (!range)
		return 0;
	read = fscanf(range, "%d %d", &low, &high);
	fclose(range);
	if (read != 2 || clients <= high - low + 1)
		return 0;
	return fail_set(
		f, EADDRNOTAVAIL,
		"%d clients need as many local ports and net.ipv4.ip_local_port_range has %d "
		"(%d to %d): widen it or use fewer clients",
		clients, high - low + 1, low, high);
}

static int pin(const char *cpus, struct fail *f)
{
	cpu_set_t set;

	if (!cpus)
		return 0;
	if (affinity_parse(cpus, &set, f))
		return -1;
	if (affinity_pin_thread(&set, 0))
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
	s->domain.ops = p->engine;
	s->domain.params = (struct tls_params){
		.role = CLIENT,
		.suite = p->suite,
		.ca_file = p->ca_file,
		.server_name = server_name(p),
		.record_bytes = p->record_bytes,
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

static int open_env(struct load_setup *s, const struct load_params *p, struct fail *f)
{
	s->env.loop = s->loop;
	s->env.domain = &s->domain;
	s->env.app = &app_http1;
	s->env.verify_body = p->verify_body;
	s->env.timeout_ns = p->timeout_ns;
	write_host(s, p);
	s->env.request = (struct app_request){
		.method = APP_GET,
		.target = p->url.target,
		.host = s->host,
		.accepts = p->accepts,
		.keep_alive = p->connection == CONNECTION_KEEPALIVE,
	};
	s->env.addresses =
		net_resolve(p->url.host, p->url.port, false, s->env.address, NET_ADDRESSES_MAX, f);
	return s->env.addresses < 0 ? -1 : 0;
}

static int open_peers(struct load_setup *s, const struct load_params *p, struct fail *f)
{
	s->peers = calloc((size_t)p->clients, sizeof(*s->peers));
	if (!s->peers)
		return fail_set(f, ENOMEM, "no memory for %d clients", p->clients);
	for (; s->clients < p->clients; s->clients++) {
		struct peer *peer = &s->peers[s->clients];

		if (!peer_init(peer, &s->env, p->record_bytes, p->records_per_send, f))
			continue;
		peer_release(peer);
		return fail_within(f, "client %d of %d", s->clients + 1, p->clients);
	}
	return 0;
}

int load_setup_open(struct load_setup *s, const struct load_params *p, struct fail *f)
{
	if (check_scheme(p, f) || check_numbers(p, f) || raise_descriptors(p->clients, f) ||
	    check_ports(p->clients, f) || pin(p->cpus, f))
		return -1;
	s->loop = loop_new();
	if (!s->loop)
		return fail_set(f, ENOMEM, "cannot make an event loop");
	return open_env(s, p, f) || open_domain(s, p, f) || open_peers(s, p, f) ? -1 : 0;
}

void load_setup_release(struct load_setup *s)
{
	for (int i = 0; i < s->clients; i++)
		peer_release(&s->peers[i]);
	free(s->peers);
	if (s->domain_is_open)
		s->domain.ops->domain_close(&s->domain);
	loop_free(s->loop);
	*s = (struct load_setup){ 0 };
}
