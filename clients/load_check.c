/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_check - settings that contradict each other, and the limits of this machine: said before
 * the first connection.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "clients/dgram_setup.h"
#include "clients/load_setup.h"
#include "lib/clock.h"

/* Descriptors besides the clients' sockets: standard streams, the loop's, the libraries'. */
#define OTHER_DESCRIPTORS 32
/* How long Linux keeps the port of a connection that this side closed. */
#define TIME_WAIT_S 60.0

/* --- settings ------------------------------------------------------------- */

static bool may_be_early(const struct load_params *p)
{
	return connection_kind[p->connection].resumes && p->url.scheme == URL_HTTPS && !p->http2 &&
	       p->resumption != RESUMPTION_SESSION_ID && (!p->suite || p->suite->version == TLS13);
}

static int check_scheme(const struct load_params *p, struct fail *f)
{
	bool datagrams = url_is_datagram(&p->url), secure = url_is_secure(&p->url);
	const char *why = p->suite ? p->engine->refuses(p->suite) : NULL;
	const char *scheme = url_scheme_name[p->url.scheme];
	char text[SUITE_TEXT_BYTES];

	if (p->http2 && p->url.scheme != URL_HTTP && p->url.scheme != URL_HTTPS)
		return fail_set(f, EINVAL, "HTTP/2 is spoken over http and https, not %s", scheme);
	if (why)
		return fail_set(f, EINVAL, "engine %s does not offer %s: %s", p->engine->name,
				suite_format(p->suite, text), why);
	if (!secure && p->engine != &engine_null)
		return fail_set(f, EINVAL, "%s has no TLS: engine %s cannot be used, write %ss",
				scheme, p->engine->name, scheme);
	if (secure && p->engine == &engine_null)
		return fail_set(f, EINVAL, "%s needs TLS: engine null has none, write %.*s", scheme,
				(int)strlen(scheme) - 1, scheme);
	if (!secure && connection_kind[p->connection].resumes)
		return fail_set(f, EINVAL, "%s has no TLS: there is nothing to resume", scheme);
	if (connection_kind[p->connection].resumes && p->resumption == RESUMPTION_SESSION_ID &&
	    p->suite && p->suite->version == TLS13)
		return fail_set(f, EINVAL, "TLS 1.3 has no session ids: resume by ticket");
	if (p->early_data && !may_be_early(p))
		return fail_set(
			f, EINVAL,
			"early data goes with a resumed handshake of TLS 1.3 over HTTP/1.1: give "
			"https, --connection resume and a suite of TLS 1.3; no session ids, no "
			"--http 2");
	if (datagrams && secure && !p->suite)
		return fail_set(f, EINVAL, "%s needs a suite, such as dtls1.2:%s", scheme,
				"ECDHE-ECDSA-AES128-CCM8:p256:p256");
	if (secure && p->suite && tls_version_is_datagram(p->suite->version) != datagrams)
		return fail_set(f, EINVAL, "%s runs over %s, not %s", scheme,
				datagrams ? "DTLS" : "TLS", tls_version_name[p->suite->version]);
	return datagrams ? dgram_settings_check(p, f) : 0;
}

static int check_rate(const char *what, double per_s, struct fail *f)
{
	if (per_s == 0 || (per_s >= ARRIVAL_RATE_MIN_PER_S && per_s <= ARRIVAL_RATE_MAX_PER_S))
		return 0;
	return fail_set(f, EINVAL, "a rate of %g %s/s: expected %g to %g", per_s, what,
			ARRIVAL_RATE_MIN_PER_S, ARRIVAL_RATE_MAX_PER_S);
}

/* Sums of several of these, and of the clock, stay far within 64 bits of nanoseconds. */
static int check_times(const struct load_params *p, struct fail *f)
{
	const struct {
		const char *name;
		int64_t ns;
	} times[] = { { "duration", p->duration_ns },
		      { "warm-up", p->warmup_ns },
		      { "time-out", p->timeout_ns },
		      { "think time", p->think_ns },
		      { "ramp", p->ramp_ns } };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i].ns > LOAD_TIME_MAX_NS)
			return fail_set(f, EINVAL,
					"a %s of %.0f s: expected up to %.0f s (30 days)",
					times[i].name, (double)times[i].ns / (double)NS_PER_S,
					(double)LOAD_TIME_MAX_NS / (double)NS_PER_S);
	return 0;
}

static int check_numbers(const struct load_params *p, struct fail *f)
{
	if (p->clients < 1 || p->clients > LOAD_CLIENTS_MAX)
		return fail_set(f, EINVAL, "%d clients: expected 1 to %d", p->clients,
				LOAD_CLIENTS_MAX);
	if ((p->count > 0) == (p->duration_ns > 0))
		return fail_set(f, EINVAL, "a run ends by a count or by a duration: give one");
	if (p->count_each && p->count != p->count_each * p->clients)
		return fail_set(f, EINVAL, "%lld requests are not %lld of each of %d clients",
				(long long)p->count, (long long)p->count_each, p->clients);
	if (p->timeout_ns <= 0)
		return fail_set(f, EINVAL, "the time-out must be longer than nothing");
	if (p->threads > LOAD_THREADS_MAX || p->threads > p->clients)
		return fail_set(f, EINVAL, "%d threads for %d clients: expected 1 to %d",
				p->threads, p->clients,
				p->clients < LOAD_THREADS_MAX ? p->clients : LOAD_THREADS_MAX);
	if (p->streams > 1 && (!load_app_lasts(p) || !connection_kind[p->connection].keeps))
		return fail_set(f, EINVAL,
				"%d streams at once need HTTP/2, or CoAP over TCP, and a "
				"connection that is kept: "
				"--http 2 --connection keepalive",
				p->streams);
	if ((int64_t)p->streams * p->clients > LOAD_CLIENTS_MAX)
		return fail_set(f, EINVAL, "%d streams of %d clients: expected up to %d together",
				p->streams, p->clients, LOAD_CLIENTS_MAX);
	if (p->secrets && (!p->stamps || !p->engine->tells_secrets))
		return fail_set(f, EINVAL, "secrets go with --stamps, and engine %s tells %s",
				p->engine->name, p->engine->tells_secrets ? "them then" : "none");
	if (p->stamps && (p->threads > 1 || p->streams > 1))
		return fail_set(f, EINVAL,
				"stamps are of one thread and one request at a time: leave out "
				"--threads and --streams");
	if (check_rate("requests", p->rate_per_s, f) ||
	    check_rate("connections", p->connection_rate_per_s, f) || check_times(p, f))
		return -1;
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

int load_target_find(struct load_target *t, const struct load_params *p, struct fail *f)
{
	if (check_scheme(p, f) || check_numbers(p, f) || raise_descriptors(p->clients, f) ||
	    check_ports(p->clients, f))
		return -1;
	t->addresses =
		net_resolve(p->url.host, p->url.port, false, t->address, NET_ADDRESSES_MAX, f);
	return t->addresses < 0 ? -1 : 0;
}
