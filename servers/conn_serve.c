/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conn_serve - requests in, answers out, on an open connection: nothing more is read
 * while an answer waits for its peer to take it. It must not know how a connection
 * begins or ends, nor what the workload answers.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "lib/log.h"
#include "servers/conn.h"

#define SCRATCH_KEPT_BYTES (1 << 20)
/* A connection that could go on for ever lets the others in between. */
#define PIECES_PER_TURN 16
#define STEPS_PER_TURN  128

static void answer(struct conn *c, const struct app_request *q)
{
	struct worker *w = c->worker;
	struct app_response r = { 0 };

	conn_patience(c);
	w->workload.ops->answer(&w->workload, q, &c->scratch, &r);
	c->status = r.status;
	r.stream = q->stream;
	if (w->params->close_each)
		r.keep_alive = false;
	if (c->app.ops->respond(&c->app, &r) != 0) {
		fail_set(&c->sock.assoc.fail, EPROTO, "%s", c->app.fail.text);
		conn_die(c, "without an answer");
	}
}

static void answered(struct conn *c)
{
	struct server_counters *n = &c->worker->counters;

	worker_count(c->status < 400 ? &n->requests : &n->rejected, 1);
	if (c->scratch.cap > SCRATCH_KEPT_BYTES)
		buf_release(&c->scratch);
	conn_patience(c);
}

/* true: something happened, there may be bytes to send. */
static bool take_events(struct conn *c)
{
	struct app_event e;
	bool any = false;

	while (c->state == CONN_OPEN && c->app.ops->next(&c->app, &e)) {
		any = true;
		if (e.kind == APP_REQUEST) {
			answer(c, &e.request);
		} else if (e.kind == APP_SENT) {
			answered(c);
		} else if (e.kind == APP_FAILED) {
			log_say(LOG_DETAIL, "request refused: %s", c->app.fail.text);
			worker_count(&c->worker->counters.rejected, e.response.status != 0);
		}
	}
	return any;
}

/* STEP_DONE: the codec has no more. STEP_OUT: the socket, or this turn, takes no more. */
static enum step send_some(struct conn *c)
{
	for (int piece = 0; piece < PIECES_PER_TURN; piece++) {
		enum step step;
		size_t put;

		if (c->tx_at == c->tx_len) {
			c->tx_at = 0;
			c->tx_len = c->app.ops->pull(&c->app, c->tx, c->tx_cap);
		}
		if (c->tx_len == 0)
			return STEP_DONE;
		step = assoc_socket_write(&c->sock, c->tx + c->tx_at, c->tx_len - c->tx_at, &put);
		c->tx_at += put;
		if (put > 0)
			conn_patience(c);
		if (step != STEP_DONE)
			return step;
		if (c->tx_at < c->tx_len)
			return STEP_OUT;
	}
	return STEP_OUT;
}

/* Without a close_notify, as many clients do: for HTTP, whose messages have lengths, no loss. */
static bool stream_ended(const struct conn *c)
{
	return c->sock.eof && !c->sock.socket_error && c->sock.assoc.fail.code == ECONNRESET;
}

/* STEP_IN: nothing to read now. */
static enum step receive_some(struct conn *c)
{
	enum step step;

	if (c->rx_at < c->rx_len) {
		/* Before the codec, which answers what it cannot understand itself. */
		c->app.date = worker_date(c->worker);
		c->rx_at += c->app.ops->feed(&c->app, c->rx + c->rx_at, c->rx_len - c->rx_at);
		return STEP_DONE;
	}
	if (c->peer_ended) {
		c->app.ops->end(&c->app);
		return STEP_DONE;
	}
	/* A peer that has left already still gets what it asked for. */
	step = assoc_socket_flush(&c->sock);
	if (step != STEP_DONE)
		return step;
	c->rx_at = c->rx_len = 0;
	step = assoc_socket_read(&c->sock, c->rx, CONN_RX_BYTES, &c->rx_len);
	if (step != STEP_CLOSED && !(step == STEP_FAILED && stream_ended(c)))
		return step;
	c->peer_ended = true;
	return STEP_DONE;
}

/*
 * Nothing follows a TLS 1.3 client's Finished when no tickets are sent. A client with
 * Nagle's algorithm holds its request back until that Finished is acknowledged, which
 * the kernel would put off for 40 ms.
 */
static void acknowledge_now(struct conn *c)
{
	int on = 1;

	c->unacked = false;
	setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

static void wait_for(struct conn *c, enum step step)
{
	if (step == STEP_IN && c->unacked)
		acknowledge_now(c);
	if (step == STEP_IN || step == STEP_OUT)
		loop_io_want(&c->io, step == STEP_IN ? LOOP_READ : LOOP_WRITE);
	else if (c->sock.socket_error)
		conn_die(c, "by its peer");
	else
		conn_fail(c, "TLS");
}

void conn_serve(struct conn *c)
{
	for (int n = 0; n < STEPS_PER_TURN && c->state == CONN_OPEN; n++) {
		enum step step = send_some(c);

		if (step == STEP_DONE && take_events(c))
			continue;
		if (step == STEP_DONE && c->app.ops->finished(&c->app)) {
			c->state = CONN_CLOSING;
			return;
		}
		if (step == STEP_DONE)
			step = receive_some(c);
		if (step != STEP_DONE) {
			wait_for(c, step);
			return;
		}
	}
	if (c->state == CONN_OPEN)
		wait_for(c, STEP_OUT);
}
