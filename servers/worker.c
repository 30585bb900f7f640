/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - a server's thread: accepts in bounded batches, hands connections to conn.c,
 * and stops when told. It must not know what passes over a connection.
 */
#include "servers/worker.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/affinity.h"
#include "lib/blocks.h"
#include "lib/log.h"
#include "servers/conn.h"
#include "servers/dgram.h"

#define ACCEPTS_PER_TURN 64
#define ACCEPT_PAUSE_NS  (100 * NS_PER_MS)
#define TIDY_NS          (200 * NS_PER_MS) /* nothing made a mess for so long: there is time to tidy up */

const char *worker_date(struct worker *w)
{
	int64_t now_ns = loop_now_ns(w->loop);

	if (now_ns >= w->date_until_ns) {
		int64_t wall_ns = clock_wall_ns();

		clock_http(wall_ns, w->date);
		w->date_until_ns = now_ns + NS_PER_S - wall_ns % NS_PER_S;
	}
	return w->date;
}

/* --- accepting -------------------------------------------------------------- */

static void want_accepts(struct worker *w, bool wanted)
{
	for (int i = 0; i < w->params->listeners; i++)
		if (!w->listener[i].dgram)
			loop_io_want(&w->listener[i].io, wanted ? LOOP_READ : 0);
}

static void on_resume(struct loop_timer *t)
{
	want_accepts(t->data, true);
}

/* Out of descriptors or memory: trying at once again would only burn CPU time. */
static void pause_accepting(struct worker *w)
{
	log_say(LOG_DETAIL, "accepting pauses: %s", strerror(errno));
	worker_count(&w->counters.accept_pauses, 1);
	want_accepts(w, false);
	loop_timer_at(&w->resume, loop_now_ns(w->loop) + ACCEPT_PAUSE_NS);
}

static void refuse(struct worker *w, int fd)
{
	__atomic_sub_fetch(w->open_total, 1, __ATOMIC_RELAXED);
	worker_count(&w->counters.refused, 1);
	close(fd);
}

static void welcome(struct worker_listener *l, int fd)
{
	struct worker *w = l->worker;
	struct conn *c = w->spare;

	if (__atomic_add_fetch(w->open_total, 1, __ATOMIC_RELAXED) > w->params->connections) {
		refuse(w, fd);
		return;
	}
	if (c)
		w->spare = c->next;
	else
		c = conn_new(w);
	if (c)
		conn_begin(c, l, fd);
	else
		refuse(w, fd);
}

static void on_accept(struct loop_io *io, int events)
{
	struct worker_listener *l = io->data;

	(void)events;
	for (int n = 0; n < ACCEPTS_PER_TURN; n++) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			welcome(l, fd);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			pause_accepting(l->worker);
			return;
		} else if (errno == EAGAIN) {
			return;
		}
		/* The rest are errors of the connection that was waiting (accept(2)). */
	}
}

/* --- memory -------------------------------------------------------------------- */

/*
 * A handshake takes ten times the memory of the connection that it leaves, in pieces between
 * those of others: the allocator keeps the pages until it is told to look for empty ones.
 * It is told once, behind a row of handshakes, and once more where associations over datagrams
 * come to rest: never while handshakes go on, and not for each request of one that wakes.
 */
static void on_tidy(struct loop_timer *t)
{
	struct worker *w = t->data;

	if (loop_now_ns(w->loop) < w->tidy_ns)
		loop_timer_at(t, w->tidy_ns);
	else {
		blocks_trim();
		malloc_trim(0);
	}
}

void worker_untidy(struct worker *w)
{
	w->tidy_ns = loop_now_ns(w->loop) + TIDY_NS;
	if (!w->tidy.armed)
		loop_timer_at(&w->tidy, w->tidy_ns);
}

/* --- opening and closing ------------------------------------------------------ */

/*
 * Domains are opened, used and closed on the worker's own thread: libraries keep memory
 * for each thread that touched one.
 */
static int open_domains(struct worker *w)
{
	for (int i = 0; i < w->params->listeners; i++) {
		struct worker_listener *l = &w->listener[i];
		const struct server_listener *settings = &w->params->listener[i];

		l->worker = w;
		l->secure = url_is_secure(&settings->url);
		l->coap = settings->url.scheme == URL_COAP_TCP ||
			  settings->url.scheme == URL_COAPS_TCP;
		l->domain = (struct domain){ .ops = settings->engine, .params = w->tls[i] };
		if (l->domain.ops->domain_open(&l->domain) != 0)
			return fail_set(&w->fail, l->domain.fail.code, "%s", l->domain.fail.text);
		l->domain_open = true;
		worker_count(&w->counters.domains, l->secure);
	}
	return 0;
}

static void close_domains(struct worker *w)
{
	for (int i = 0; i < w->params->listeners; i++) {
		struct worker_listener *l = &w->listener[i];

		if (l->domain_open)
			l->domain.ops->domain_close(&l->domain);
		l->domain_open = false;
	}
}

int worker_open(struct worker *w, struct fail *f)
{
	for (int i = 0; i < SERVER_LISTENERS_MAX; i++)
		w->listener[i].fd = -1;
	w->pool.params = w->params;
	w->loop = loop_new();
	if (!w->loop)
		return fail_set(f, ENOMEM, "no memory or descriptors for an event loop");
	loop_timer_init(&w->resume, w->loop, on_resume, w);
	loop_timer_init(&w->tidy, w->loop, on_tidy, w);
	sem_init(&w->ready, 0, 0);
	w->workload = (struct workload){ .ops = w->params->workload,
					 .params = w->params->workload_params };
	if (w->workload.ops->open(&w->workload) != 0)
		return fail_set(f, w->workload.fail.code, "%s", w->workload.fail.text);
	w->workload_open = true;
	return 0;
}

void worker_close(struct worker *w)
{
	struct conn *c;

	while ((c = w->spare)) {
		w->spare = c->next;
		conn_free(c);
	}
	pool_release(&w->pool);
	if (w->workload_open)
		w->workload.ops->close(&w->workload);
	if (!w->loop)
		return;
	for (int i = 0; i < SERVER_LISTENERS_MAX; i++)
		if (w->listener[i].fd >= 0)
			close(w->listener[i].fd);
	sem_destroy(&w->ready);
	loop_free(w->loop);
}

/* --- datagrams ------------------------------------------------------------------ */

static int open_datagrams(struct worker *w)
{
	for (int i = 0; i < w->params->listeners; i++) {
		struct worker_listener *l = &w->listener[i];

		if (!url_is_datagram(&w->params->listener[i].url))
			continue;
		l->dgram = dgram_open(l);
		if (!l->dgram)
			return fail_set(&w->fail, ENOMEM, "no memory to take datagrams");
	}
	return 0;
}

static void close_datagrams(struct worker *w)
{
	for (int i = 0; i < w->params->listeners; i++) {
		dgram_close(w->listener[i].dgram);
		w->listener[i].dgram = NULL;
	}
}

/* --- running -------------------------------------------------------------------- */

static void on_wake(struct loop *l, void *data)
{
	struct worker *w = data;

	if (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
		return;
	loop_timer_stop(&w->resume);
	loop_timer_stop(&w->tidy);
	want_accepts(w, false);
	while (w->open)
		conn_drop(w->open);
	close_datagrams(w);
	loop_stop(l);
}

static void run(struct worker *w)
{
	for (int i = 0; i < w->params->listeners; i++)
		if (!w->listener[i].dgram)
			loop_io_init(&w->listener[i].io, w->loop, w->listener[i].fd, on_accept,
				     &w->listener[i]);
	loop_on_wake(w->loop, on_wake, w);
	want_accepts(w, true);
	loop_run(w->loop);
}

void *worker_run(void *data)
{
	struct worker *w = data;
	int opened;

	if (w->cpus && affinity_pin_thread(w->cpus, w->index) != 0)
		log_say(LOG_WARNING, "server thread %d could not be pinned: %s", w->index,
			strerror(errno));
	opened = open_domains(w);
	if (opened == 0)
		opened = open_datagrams(w);
	sem_post(&w->ready);
	if (opened == 0)
		run(w);
	close_datagrams(w);
	close_domains(w);
	return NULL;
}
