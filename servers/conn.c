/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conn - handshake, goodbye and the machine around them (see conn.h); what happens
 * between is in conn_serve.c. Every path out of run() leaves the watcher armed for what
 * is missing, or the connection released. It must not know the TLS library.
 */
#include "servers/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/log.h"

#define LINGER_NS        (NS_PER_S * 2)
#define LINGERS_PER_TURN 16

static void set_due(struct conn *c, int64_t patience_ns)
{
	c->due_ns = loop_now_ns(c->worker->loop) + patience_ns;
	/* Later due times are found out when the timer fires: no timer work per request. */
	if (c->timer.armed && c->timer_due_ns <= c->due_ns)
		return;
	c->timer_due_ns = c->due_ns;
	loop_timer_at(&c->timer, c->due_ns);
}

void conn_patience(struct conn *c)
{
	set_due(c, c->worker->params->idle_timeout_ns);
}

void conn_die(struct conn *c, const char *when)
{
	log_say(LOG_DETAIL, "connection ended %s: %s", when, c->sock.assoc.fail.text);
	c->state = CONN_DEAD;
}

void conn_fail(struct conn *c, const char *what)
{
	log_say(LOG_DETAIL, "%s failed: %s", what, c->sock.assoc.fail.text);
	/* The engine has queued its alert; a close_notify does not follow one. */
	c->goodbye = true;
	c->state = CONN_CLOSING;
	conn_patience(c);
}

/* --- handshake ------------------------------------------------------------ */

static void count_handshake(struct conn *c)
{
	struct server_counters *n = &c->worker->counters;
	struct domain *d = &c->from->domain;
	struct tls_facts facts = { 0 };

	d->ops->facts(&c->sock.assoc, &facts);
	if (facts_check(d->params.suite, &facts, SERVER, &c->sock.assoc.fail) != 0) {
		worker_count(&n->handshakes_failed, 1);
		conn_die(c, "after the handshake");
		return;
	}
	worker_count(facts.resumed ? &n->handshakes_resumed : &n->handshakes_full, 1);
	worker_count(&n->handshakes_early_data, facts.early_data);
	c->unacked = facts.version == TLS13 && d->params.tickets == 0;
	c->state = CONN_OPEN;
	conn_patience(c);
}

static bool peer_left(const struct conn *c, enum step step)
{
	int code = c->sock.assoc.fail.code;

	return step == STEP_CLOSED || code == ECONNRESET || code == EPIPE;
}

static void handshake(struct conn *c)
{
	struct server_counters *n = &c->worker->counters;
	enum step step = assoc_socket_handshake(&c->sock);

	if (step == STEP_DONE) {
		count_handshake(c);
	} else if (step == STEP_IN || step == STEP_OUT) {
		loop_io_want(&c->io, step == STEP_IN ? LOOP_READ : LOOP_WRITE);
	} else if (peer_left(c, step)) {
		worker_count(&n->closed_in_handshake, 1);
		conn_die(c, "in the handshake");
	} else {
		worker_count(&n->handshakes_failed, 1);
		conn_fail(c, "handshake");
	}
}

/* --- goodbye ---------------------------------------------------------------- */

static void close_orderly(struct conn *c)
{
	enum step step;

	if (!c->goodbye)
		assoc_socket_shutdown(&c->sock);
	c->goodbye = true;
	step = assoc_socket_flush(&c->sock);
	if (step == STEP_OUT) {
		loop_io_want(&c->io, LOOP_WRITE);
	} else if (step != STEP_DONE || c->sock.eof || shutdown(c->fd, SHUT_WR) != 0) {
		c->state = CONN_DEAD;
	} else {
		c->state = CONN_LINGER;
		set_due(c, LINGER_NS);
	}
}

static void linger(struct conn *c)
{
	char dropped[4096];

	for (int n = 0; n < LINGERS_PER_TURN; n++) {
		ssize_t got = recv(c->fd, dropped, sizeof dropped, 0);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (got <= 0) {
			c->state = CONN_DEAD;
			return;
		}
	}
	loop_io_want(&c->io, LOOP_READ);
}

/* --- the machine -------------------------------------------------------------- */

static void count_bytes(struct conn *c)
{
	struct server_counters *n = &c->worker->counters;

	worker_count(&n->bytes_sent, c->sock.bytes_sent - c->sent_bytes);
	worker_count(&n->bytes_received, c->sock.bytes_received - c->received_bytes);
	c->sent_bytes = c->sock.bytes_sent;
	c->received_bytes = c->sock.bytes_received;
}

static void release(struct conn *c)
{
	struct worker *w = c->worker;

	loop_io_want(&c->io, 0);
	loop_timer_stop(&c->timer);
	count_bytes(c);
	assoc_socket_close(&c->sock);
	close(c->fd);
	if (c->prev)
		c->prev->next = c->next;
	else
		w->open = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->next = w->spare;
	w->spare = c;
	worker_count(&w->counters.open, -1);
	__atomic_sub_fetch(w->open_total, 1, __ATOMIC_RELAXED);
}

static void run(struct conn *c)
{
	if (c->state == CONN_HANDSHAKE)
		handshake(c);
	if (c->state == CONN_OPEN)
		conn_serve(c);
	if (c->state == CONN_CLOSING)
		close_orderly(c);
	if (c->state == CONN_LINGER)
		linger(c);
	if (c->state == CONN_DEAD)
		release(c);
	else
		count_bytes(c);
}

static void on_ready(struct loop_io *io, int events)
{
	(void)events;
	run(io->data);
}

static void on_due(struct loop_timer *t)
{
	struct conn *c = t->data;

	if (loop_now_ns(c->worker->loop) < c->due_ns) {
		c->timer_due_ns = c->due_ns;
		loop_timer_at(t, c->due_ns);
		return;
	}
	/* A peer that keeps its side open after our goodbye is no time-out of ours. */
	if (c->state != CONN_LINGER)
		worker_count(&c->worker->counters.timed_out, 1);
	conn_drop(c);
}

void conn_drop(struct conn *c)
{
	if (c->state == CONN_OPEN && !c->goodbye)
		assoc_socket_shutdown(&c->sock);
	release(c);
}

void conn_begin(struct conn *c, struct worker_listener *from, int fd)
{
	struct worker *w = c->worker;

	c->from = from;
	c->fd = fd;
	c->state = from->secure ? CONN_HANDSHAKE : CONN_OPEN;
	c->sent_bytes = c->received_bytes = 0;
	c->peer_ended = c->unacked = c->goodbye = false;
	c->rx_at = c->rx_len = c->tx_at = c->tx_len = 0;
	c->prev = NULL;
	c->next = w->open;
	if (w->open)
		w->open->prev = c;
	w->open = c;
	worker_count(&w->counters.open, 1);
	worker_count(&w->counters.connections, 1);
	c->app.ops->reset(&c->app);
	loop_io_init(&c->io, w->loop, fd, on_ready, c);
	set_due(c, from->secure ? w->params->handshake_timeout_ns : w->params->idle_timeout_ns);
	if (assoc_socket_open(&c->sock, &from->domain, fd) == 0) {
		loop_io_want(&c->io, LOOP_READ);
		return;
	}
	worker_count(&w->counters.handshakes_failed, from->secure);
	conn_die(c, "before it began");
	release(c);
}

/* Whole records' worth, so that the cut between two pieces makes no short one. */
static size_t tx_bytes(size_t record_bytes)
{
	if (record_bytes == 0 || record_bytes > RECORD_BYTES_MAX)
		return RECORD_BYTES_MAX;
	return RECORD_BYTES_MAX / record_bytes * record_bytes;
}

struct conn *conn_new(struct worker *w)
{
	const struct server_params *p = w->params;
	size_t tx_cap = tx_bytes(p->record_bytes);
	struct conn *c = malloc(sizeof *c + CONN_RX_BYTES + tx_cap);

	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	c->worker = w;
	c->tx = c->rx + CONN_RX_BYTES;
	c->tx_cap = tx_cap;
	c->app = (struct app){ .ops = &app_http1,
			       .half = APP_SERVER,
			       .limits = { .head_bytes = p->head_bytes,
					   .body_bytes = p->body_bytes } };
	loop_timer_init(&c->timer, w->loop, on_due, c);
	if (assoc_socket_init(&c->sock, p->record_bytes, p->records_per_send) == 0 &&
	    c->app.ops->open(&c->app) == 0)
		return c;
	conn_free(c);
	return NULL;
}

void conn_free(struct conn *c)
{
	if (c->app.impl)
		c->app.ops->close(&c->app);
	assoc_socket_release(&c->sock);
	buf_release(&c->scratch);
	free(c);
}
