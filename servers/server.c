/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - puts workers, sockets and credentials together and takes them apart again.
 * It must not know what a worker does with a connection.
 */
#include "servers/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/credential.h"
#include "lib/affinity.h"
#include "servers/dgram_socket.h"
#include "servers/listen.h"
#include "servers/worker.h"

struct server {
	struct server_params params;
	struct tls_params tls[SERVER_LISTENERS_MAX];
	struct credential credential[SERVER_LISTENERS_MAX];
	uint8_t ticket_key[TICKET_KEY_BYTES];
	struct session_cache *sessions; /* of all threads; NULL: none are kept */
	cpu_set_t cpus;
	int open_total;
	int threads;
	struct worker worker[];
};

static int check_listener(const struct server_listener *l, struct fail *f)
{
	char suite[SUITE_TEXT_BYTES];
	const char *why;

	if (url_is_secure(&l->url) == suite_is_plain(&l->suite))
		return fail_set(f, EINVAL, "%s:// with the suite %s",
				url_scheme_name[l->url.scheme], suite_format(&l->suite, suite));
	if (!suite_is_plain(&l->suite) &&
	    tls_version_is_datagram(l->suite.version) != url_is_datagram(&l->url))
		return fail_set(f, EINVAL, "%s is for %s, %s:// needs %s",
				suite_format(&l->suite, suite),
				url_is_datagram(&l->url) ? "streams" : "datagrams",
				url_scheme_name[l->url.scheme],
				url_is_datagram(&l->url) ? "DTLS" : "TLS");
	why = l->engine->refuses(&l->suite);
	if (why)
		return fail_set(f, EINVAL, "engine %s cannot run %s: %s", l->engine->name,
				suite_format(&l->suite, suite), why);
	return 0;
}

/* By ALPN; NULL: none is negotiated. */
static const char *protocols_of(const struct server_params *p, const struct server_listener *l)
{
	if (l->url.scheme == URL_COAPS_TCP)
		return app_coap_tcp.name;
	return p->http2 && l->url.scheme == URL_HTTPS ? "h2,http/1.1" : NULL;
}

static struct tls_params listener_tls(const struct server *s, const struct server_listener *l)
{
	const struct server_params *p = &s->params;

	return (struct tls_params){
		.role = SERVER,
		.suite = &l->suite,
		.cert_file = p->cert_file,
		.key_file = p->key_file,
		.ca_file = p->client_ca_file,
		.record_bytes = p->record_bytes,
		.tickets = p->tickets,
		.ticket_key = p->tickets > 0 ? s->ticket_key : NULL,
		.resumption = p->session_ids ? RESUMPTION_SESSION_ID : RESUMPTION_NONE,
		.session_cache = s->sessions,
		.early_data_bytes = p->early_data_bytes,
		.alpn = protocols_of(p, l),
		.mtu = p->mtu,
		.retransmit_ns = p->retransmit_ns,
	};
}

/* Who has a key needs no certificate. */
static int prepare_keys(struct server *s, int i, struct fail *f)
{
	char suite[SUITE_TEXT_BYTES];

	if (!s->params.psk.rows)
		return fail_set(f, EINVAL, "%s needs pre-shared keys, and there are none",
				suite_format(s->tls[i].suite, suite));
	s->tls[i].cert_file = s->tls[i].key_file = s->tls[i].ca_file = NULL;
	s->tls[i].psk_table = &s->params.psk;
	return 0;
}

static int prepare_listener(struct server *s, int i, struct fail *f)
{
	const struct server_params *p = &s->params;
	const struct server_listener *l = &p->listener[i];
	struct credential *c = &s->credential[i];
	const char *name = l->url.host;

	s->tls[i] = listener_tls(s, l);
	if (check_listener(l, f) != 0)
		return -1;
	if (l->suite.credential->key == KEY_PSK)
		return prepare_keys(s, i, f);
	if (p->cert_file || !url_is_secure(&l->url))
		return 0;
	/* Nobody connects to the name of "every interface". */
	if (strcmp(name, "0.0.0.0") == 0 || strcmp(name, "::") == 0)
		name = NULL;
	if (credential_get(l->suite.credential, p->credential_dir, name, c, f) != 0)
		return -1;
	s->tls[i].cert_file = c->cert_file;
	s->tls[i].key_file = c->key_file;
	return 0;
}

static int open_workers(struct server *s, struct fail *f)
{
	for (int n = 0; n < s->threads; n++) {
		struct worker *w = &s->worker[n];

		w->params = &s->params;
		w->tls = s->tls;
		w->open_total = &s->open_total;
		w->index = n;
		w->cpus = s->params.cpus ? &s->cpus : NULL;
		if (worker_open(w, f) != 0)
			return -1;
	}
	return 0;
}

static int socket_first(const struct server *s, const struct url *url, struct net_address *bound,
			struct fail *f)
{
	return url_is_datagram(url) ? dgram_socket_first(url, bound, f)
				    : listen_first(url, s->params.backlog, bound, f);
}

static int socket_again(const struct server *s, const struct url *url,
			const struct net_address *bound, struct fail *f)
{
	return url_is_datagram(url) ? dgram_socket_again(bound, f)
				    : listen_again(bound, s->params.backlog, f);
}

static int open_sockets(struct server *s, struct fail *f)
{
	for (int i = 0; i < s->params.listeners; i++) {
		struct url *url = &s->params.listener[i].url;
		struct net_address bound;
		int fd = socket_first(s, url, &bound, f);

		for (int n = 0; n < s->threads && fd >= 0; n++) {
			s->worker[n].listener[i].fd = fd;
			if (n + 1 < s->threads)
				fd = socket_again(s, url, &bound, f);
		}
		if (fd < 0)
			return -1;
		url->port = listen_port(&bound);
	}
	return 0;
}

/* Signals are the main thread's: workers start with all of them blocked. */
static int start_threads(struct server *s, struct fail *f)
{
	sigset_t all, before;
	int error = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int n = 0; n < s->threads && error == 0; n++) {
		struct worker *w = &s->worker[n];

		error = pthread_create(&w->thread, NULL, worker_run, w);
		w->started = error == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return fail_set(f, error, "cannot start a thread: %s", strerror(error));
	return 0;
}

static int wait_ready(struct server *s, struct fail *f)
{
	for (int n = 0; n < s->threads; n++) {
		struct worker *w = &s->worker[n];

		while (sem_wait(&w->ready) != 0 && errno == EINTR)
			;
		if (w->fail.text[0])
			return fail_set(f, w->fail.code, "%s", w->fail.text);
	}
	return 0;
}

static int start(struct server *s, struct fail *f)
{
	if (s->params.tickets > 0 && ticket_key_make(s->ticket_key, f) != 0)
		return -1;
	if (s->params.session_ids && !(s->sessions = session_cache_new(SESSION_CACHE_COUNT)))
		return fail_set(f, ENOMEM, "no memory for sessions");
	for (int i = 0; i < s->params.listeners; i++)
		if (prepare_listener(s, i, f) != 0)
			return -1;
	if (open_workers(s, f) != 0 || open_sockets(s, f) != 0)
		return -1;
	return start_threads(s, f) == 0 ? wait_ready(s, f) : -1;
}

struct server *server_start(struct server_params *p, struct fail *f)
{
	int threads = p->threads;
	struct server *s = NULL;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (p->cpus && affinity_parse(p->cpus, &cpus, f) != 0)
		return NULL;
	if (threads == 0)
		threads = p->cpus ? CPU_COUNT(&cpus) : affinity_count();
	if (threads > SERVER_THREADS_MAX)
		threads = SERVER_THREADS_MAX;
	s = calloc(1, sizeof *s + (size_t)threads * sizeof s->worker[0]);
	if (!s) {
		fail_set(f, ENOMEM, "no memory for a server of %d threads", threads);
		return NULL;
	}
	s->params = *p;
	s->cpus = cpus;
	s->threads = threads;
	if (start(s, f) != 0) {
		server_stop(s);
		return NULL;
	}
	for (int i = 0; i < p->listeners; i++)
		p->listener[i].url.port = s->params.listener[i].url.port;
	return s;
}

const char *server_ca_file(const struct server *s, int listener)
{
	const char *file = s->credential[listener].ca_file;

	return file[0] ? file : NULL;
}

bool server_takes_datagrams(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (url_is_datagram(&p->listener[i].url))
			return true;
	return false;
}

int server_threads(const struct server *s)
{
	return s->threads;
}

/* The struct is nothing but counts of 64 bits: one loop adds them all. */
void server_counters(struct server *s, struct server_counters *sum)
{
	int64_t *total = (int64_t *)sum;

	_Static_assert(sizeof *sum % sizeof *total == 0, "only int64_t members");
	memset(sum, 0, sizeof *sum);
	for (int n = 0; n < s->threads; n++) {
		const int64_t *one = (const int64_t *)&s->worker[n].counters;

		for (size_t i = 0; i < sizeof *sum / sizeof *total; i++)
			total[i] += __atomic_load_n(&one[i], __ATOMIC_RELAXED);
	}
}

bool server_stages(struct server *s, struct message_tally *sum)
{
	*sum = (struct message_tally){ 0 };
	for (int n = 0; n < s->threads; n++) {
		const struct workload *w = &s->worker[n].workload;
		struct message_tally one;

		if (!w->ops->stages)
			return false;
		message_tally_copy(w->ops->stages(w), &one);
		message_tally_merge(sum, &one);
	}
	return true;
}

void server_stop(struct server *s)
{
	for (int n = 0; n < s->threads; n++) {
		struct worker *w = &s->worker[n];

		if (!w->started)
			continue;
		__atomic_store_n(&w->stop, 1, __ATOMIC_RELEASE);
		loop_wake(w->loop);
	}
	for (int n = 0; n < s->threads; n++) {
		if (s->worker[n].started)
			pthread_join(s->worker[n].thread, NULL);
		worker_close(&s->worker[n]);
	}
	explicit_bzero(s->ticket_key, sizeof s->ticket_key);
	session_cache_free(s->sessions);
	free(s);
}
