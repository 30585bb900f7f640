/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conn_serve - requests in, answers out, on an open connection: nothing more is read
 * while an answer waits for its peer to take it. It must not know how a connection
 * begins or ends, nor what the workload answers.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/log.h"
#include "servers/conn.h"

/* A connection that could go on for ever lets the others in between. */
#define PIECES_PER_TURN 16
#define EVENTS_PER_TURN 32
#define STEPS_PER_TURN  128

#define PREFACE       "PRI " /* how HTTP/2 begins, and no request of HTTP/1.1 */
#define PREFACE_BYTES 4

/* --- who talks ---------------------------------------------------------------- */

static void tell_protocol(struct conn *c)
{
	size_t len = c->rx_len < PREFACE_BYTES ? c->rx_len : PREFACE_BYTES;
	bool same = memcmp(c->space->rx, PREFACE, len) == 0;

	if (!same || c->peer_ended)
		c->protocol = POOL_HTTP1;
	else if (len == PREFACE_BYTES)
		c->protocol = POOL_HTTP2;
}

/* false: the first bytes do not tell yet, or the connection is over for want of memory. */
static bool talks(struct conn *c)
{
	struct worker *w = c->worker;

	if (c->talk)
		return true;
	if (c->protocol == POOL_PROTOCOLS)
		tell_protocol(c);
	if (c->protocol == POOL_PROTOCOLS)
		return false;
	c->talk = pool_take_talk(&w->pool, c->protocol);
	if (c->talk) {
		worker_count(&w->counters.http2_connections, c->protocol == POOL_HTTP2);
		return true;
	}
	fail_set(&c->sock.assoc.fail, ENOMEM, "no memory for its requests");
	conn_die(c, "before a request");
	return false;
}

/* --- answers ------------------------------------------------------------------ */

static void answer(struct conn *c, const struct app_event *e)
{
	struct worker *w = c->worker;
	struct app *app = &c->talk->app;
	struct app_response r = { 0 };
	struct pool_answer *a = pool_take_answer(&w->pool, c->talk, e->slot);

	conn_patience(c);
	worker_count(&w->counters.http2_streams, c->protocol == POOL_HTTP2);
	if (!a) {
		fail_set(&c->sock.assoc.fail, ENOMEM, "no memory for an answer");
		conn_die(c, "without an answer");
		return;
	}
	w->workload.ops->answer(&w->workload, &e->request, &a->scratch, &r);
	a->status = r.status;
	a->continued = e->request.continued;
	r.stream = e->request.stream;
	if (w->params->close_each)
		r.keep_alive = false;
	if (app->ops->respond(app, &r) != 0) {
		fail_set(&c->sock.assoc.fail, EPROTO, "%s", app->fail.text);
		conn_die(c, "without an answer");
	}
}

static void answered(struct conn *c, const struct app_event *e)
{
	struct worker *w = c->worker;
	struct server_counters *n = &w->counters;
	const struct pool_answer *a = c->talk->answer[e->slot];

	if (a->status >= 400 || e->response.status >= 400)
		worker_count(&n->rejected, 1);
	else
		worker_count(&n->requests, !a->continued);
	pool_give_answer(&w->pool, c->talk, e->slot);
	c->begun = false;
	conn_patience(c);
}

/* One stream is over, and was not answered to its end. */
static void stream_reset(struct conn *c, const struct app_event *e)
{
	struct worker *w = c->worker;

	worker_count(&w->counters.http2_resets, 1);
	worker_count(&w->counters.rejected, e->response.status != 0);
	pool_give_answer(&w->pool, c->talk, e->slot);
}

static void take_event(struct conn *c, const struct app_event *e)
{
	switch (e->kind) {
	case APP_REQUEST:
		answer(c, e);
		break;
	case APP_SENT:
		answered(c, e);
		break;
	case APP_RESET:
		stream_reset(c, e);
		break;
	case APP_FAILED:
		log_say(LOG_DETAIL, "request refused: %s", c->talk->app.fail.text);
		worker_count(&c->worker->counters.rejected, e->response.status != 0);
		break;
	default:
		break;
	}
}

/* true: something happened, there may be bytes to send. */
static bool take_events(struct conn *c)
{
	struct app *app = &c->talk->app;
	struct app_event e;
	int n = 0;

	while (c->state == CONN_OPEN && n < EVENTS_PER_TURN && app->ops->next(app, &e)) {
		n++;
		take_event(c, &e);
	}
	return n > 0;
}

/* --- bytes -------------------------------------------------------------------- */

/* More requests have come: what is said to them may share a record. */
static bool gathers(const struct conn *c)
{
	return c->protocol != POOL_HTTP1 && c->rx_at < c->rx_len &&
	       c->tx_len < c->space->tx_cap / 2;
}

/* STEP_DONE: the codec has no more. STEP_OUT: the socket, or this turn, takes no more. */
static enum step send_some(struct conn *c)
{
	struct app *app = &c->talk->app;
	struct pool_space *s = c->space;

	for (int piece = 0; piece < PIECES_PER_TURN; piece++) {
		enum step step;
		size_t put;

		if (c->tx_at == c->tx_len)
			c->tx_at = c->tx_len = 0;
		if (c->tx_at == 0)
			c->tx_len += app->ops->pull(app, s->tx + c->tx_len, s->tx_cap - c->tx_len);
		if (c->tx_len == 0 || gathers(c))
			return STEP_DONE;
		step = assoc_socket_write(&c->sock, s->tx + c->tx_at, c->tx_len - c->tx_at, &put);
		c->tx_at += put;
		/* What only answers a ping is no progress. */
		if (put > 0 && c->talk->answers > 0)
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

static enum step read_some(struct conn *c)
{
	enum step step = assoc_socket_flush(&c->sock);
	size_t got;

	/* A peer that has left already still gets what it asked for. */
	if (step != STEP_DONE)
		return step;
	if (c->rx_at == c->rx_len)
		c->rx_at = c->rx_len = 0;
	step = assoc_socket_read(&c->sock, c->space->rx + c->rx_len, POOL_RX_BYTES - c->rx_len,
				 &got);
	c->rx_len += got;
	if (step != STEP_CLOSED && !(step == STEP_FAILED && stream_ended(c)))
		return step;
	c->peer_ended = true;
	return STEP_DONE;
}

/* STEP_IN: nothing to read now. */
static enum step receive_some(struct conn *c)
{
	struct app *app = c->talk ? &c->talk->app : NULL;
	uint64_t refused;
	size_t used;

	if (app && c->rx_at < c->rx_len) {
		/* Before the codec, which answers what it cannot understand itself. */
		app->date = worker_date(c->worker);
		refused = app->refused;
		used = app->ops->feed(app, c->space->rx + c->rx_at, c->rx_len - c->rx_at);
		if (app->refused != refused)
			worker_count(&c->worker->counters.rejected,
				     (int64_t)(app->refused - refused));
		c->rx_at += used;
		c->begun |= used > 0;
		return STEP_DONE;
	}
	if (app && c->peer_ended) {
		app->ops->end(app);
		return STEP_DONE;
	}
	return read_some(c);
}

/*
 * The turn is over in the middle of long answers. A client of HTTP/2 may want to stop one
 * of them, or ask for more: hear it before the next turn.
 */
static enum step turn_over(struct conn *c)
{
	enum step step = STEP_OUT;

	if (c->protocol != POOL_HTTP1 && c->tx_at == c->tx_len)
		step = receive_some(c);
	return step == STEP_DONE || step == STEP_IN ? STEP_OUT : step;
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

static bool finished(const struct conn *c)
{
	return c->talk->app.ops->finished(&c->talk->app);
}

void conn_serve(struct conn *c)
{
	for (int n = 0; n < STEPS_PER_TURN && c->state == CONN_OPEN; n++) {
		bool talking = talks(c);
		enum step step = talking ? send_some(c) : STEP_DONE;

		if (c->state != CONN_OPEN || (talking && step == STEP_DONE && take_events(c)))
			continue;
		if (talking && step == STEP_DONE && c->tx_at == c->tx_len && finished(c)) {
			c->state = CONN_CLOSING;
			return;
		}
		step = step == STEP_DONE ? receive_some(c) : step == STEP_OUT ? turn_over(c) : step;
		if (step != STEP_DONE) {
			wait_for(c, step);
			return;
		}
	}
	if (c->state == CONN_OPEN)
		wait_for(c, STEP_OUT);
}
