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
	c->early = facts.early_data;
	worker_untidy(c->worker);
	c->unacked = facts.version == TLS13 && d->params.tickets == 0;
	if (!c->from->coap)
		c->protocol = strcmp(facts.alpn, app_http2.name) == 0 ? POOL_HTTP2 : POOL_HTTP1;
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

/* Before it has come, tickets cannot be sent: the client could not come back a third time. */
static bool awaits_last_message(struct conn *c)
{
	struct domain *d = &c->from->domain;
	struct tls_facts facts = { .unfinished = true };
	enum step step = STEP_DONE;
	size_t got;

	if (!c->early)
		return false;
	/* Whoever goes on sending behind a request has had its chance: other clients wait. */
	for (int n = 0; step == STEP_DONE && facts.unfinished && n < LINGERS_PER_TURN; n++) {
		step = assoc_socket_read(&c->sock, c->space->rx, POOL_RX_BYTES, &got);
		d->ops->facts(&c->sock.assoc, &facts);
	}
	c->early = step == STEP_IN && facts.unfinished;
	if (c->early)
		loop_io_want(&c->io, LOOP_READ);
	return c->early;
}

static void close_orderly(struct conn *c)
{
	enum step step;

	if (awaits_last_message(c))
		return;
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
		loop_io_want(&c->io, LOOP_READ);
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

/* --- what is borrowed ---------------------------------------------------------- */

void conn_give_talk(struct conn *c)
{
	if (c->talk)
		pool_give_talk(&c->worker->pool, c->protocol, c->talk);
	c->talk = NULL;
	c->begun = false;
}

/* NULL: no memory. */
static struct pool_space *take_space(struct conn *c)
{
	if (!c->space && (c->space = pool_take_space(&c->worker->pool)))
		assoc_socket_lend(&c->sock, &c->space->wires);
	return c->space;
}

/* Unless something is in it. HTTP/1.1 keeps nothing between two requests: its codec goes too. */
static void give_space(struct conn *c)
{
	if (c->rx_at < c->rx_len || c->tx_at < c->tx_len)
		return;
	if (c->talk && c->protocol == POOL_HTTP1 && !c->begun && c->state == CONN_OPEN)
		conn_give_talk(c);
	if (!assoc_socket_return(&c->sock, &c->space->wires))
		return;
	pool_give_space(&c->worker->pool, c->space);
	c->space = NULL;
	c->rx_at = c->rx_len = c->tx_at = c->tx_len = 0;
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
	conn_give_talk(c);
	c->rx_at = c->rx_len = c->tx_at = c->tx_len = 0;
	if (c->space)
		give_space(c);
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
	if (!take_space(c)) {
		fail_set(&c->sock.assoc.fail, ENOMEM, "no memory for its bytes");
		conn_die(c, "on its way");
	}
	if (c->state == CONN_LINGER)
		linger(c);
	if (c->state == CONN_HANDSHAKE)
		handshake(c);
	if (c->state == CONN_OPEN)
		conn_serve(c);
	if (c->state == CONN_CLOSING)
		close_orderly(c);
	count_bytes(c);
	if (c->state == CONN_DEAD)
		release(c);
	else
		give_space(c);
}

static void on_ready(struct loop_io *io, int events)
{
	struct conn *c = io->data;

	(void)events;
	assoc_socket_ready(&c->sock);
	run(c);
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
	worker_count(&c->worker->counters.handshakes_failed, c->state == CONN_HANDSHAKE);
	conn_drop(c);
}

void conn_drop(struct conn *c)
{
	if (c->state == CONN_OPEN && !c->goodbye && take_space(c))
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
	c->peer_ended = c->unacked = c->goodbye = c->early = false;
	c->protocol = w->params->http2 && !from->secure ? POOL_PROTOCOLS : POOL_HTTP1;
	if (from->coap)
		c->protocol = POOL_COAP;
	c->prev = NULL;
	c->next = w->open;
	if (w->open)
		w->open->prev = c;
	w->open = c;
	worker_count(&w->counters.open, 1);
	worker_count(&w->counters.connections, 1);
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

struct conn *conn_new(struct worker *w)
{
	struct conn *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->worker = w;
	loop_timer_init(&c->timer, w->loop, on_due, c);
	assoc_socket_init_bare(&c->sock, w->params->records_per_send);
	return c;
}

void conn_free(struct conn *c)
{
	assoc_socket_release(&c->sock);
	free(c);
}
