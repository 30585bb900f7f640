/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer - the states of one client, and every way an exchange can end.
 *
 * It knows sockets, associations and the protocol's table; it does not know why it is
 * asked to do a request nor who counts it. What passes while a request is on its way
 * stands in peer_exchange.c, how it gets a connection in peer_connect.c.
 */
#include "clients/peer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clients/peer_exchange.h"
#include "clients/peer_streams.h"
#include "lib/clock.h"

static const struct peer_ops over_stream;
static void on_alarm(struct loop_timer *t);
static void on_paid(struct loop_timer *t);

void peer_prepare(struct peer *p, struct peer_env *env, const struct peer_ops *ops)
{
	*p = (struct peer){ .ops = ops, .env = env, .fd = -1 };
	p->sock.fd = -1;
	loop_timer_init(&p->timer, env->loop, on_alarm, p);
	loop_timer_init(&p->pace, env->loop, on_paid, p);
}

int peer_prepare_answers(struct peer *p, struct fail *f)
{
	if (question_init(&p->question, &p->env->questions, f))
		return -1;
	return p->env->verify_body ? body_init(&p->body, p->env->request.accepts, f) : 0;
}

int peer_init(struct peer *p, struct peer_env *env, size_t record_bytes, int records_per_send,
	      struct fail *f)
{
	peer_prepare(p, env, &over_stream);
	p->app = (struct app){ .half = APP_CLIENT,
			       .limits = { .head_bytes = PEER_HEAD_BYTES,
					   .streams = env->streams > 1 ? (uint32_t)env->streams : 1,
					   .stream_window_bytes = env->window_bytes,
					   .session_window_bytes = env->window_bytes } };
	if (assoc_socket_init(&p->sock, record_bytes, records_per_send))
		return fail_set(f, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
	if (peer_prepare_answers(p, f))
		return -1;
	p->app.ops = env->app;
	if (p->app.ops->open(&p->app)) {
		p->app.ops = NULL;
		return fail_set(f, ENOMEM, "no memory for a client");
	}
	return 0;
}

int peer_stream_init(struct peer *p, struct peer *carrier, struct fail *f)
{
	peer_prepare(p, carrier->env, &over_stream);
	p->carrier = carrier;
	p->slot = -1;
	return peer_prepare_answers(p, f);
}

void peer_release(struct peer *p)
{
	if (!p->env)
		return;
	if (p->fd >= 0)
		peer_disconnect(p);
	loop_timer_stop(&p->timer);
	loop_timer_stop(&p->pace);
	p->ops->release(p);
	question_release(&p->question);
	peer_drop_session(p);
	assoc_socket_release(&p->sock);
	p->env = NULL;
}

/* --- the end of an exchange ----------------------------------------------- */

void peer_account_wire(struct peer *p)
{
	if (p->sock.fd < 0)
		return;
	p->exchange.count.wire_bytes_sent += p->sock.bytes_sent - p->sent_before;
	p->exchange.count.wire_bytes_received += p->sock.bytes_received - p->received_before;
	p->sent_before = p->sock.bytes_sent;
	p->received_before = p->sock.bytes_received;
}

void peer_disconnect(struct peer *p)
{
	peer_account_wire(p);
	peer_pay(p);
	peer_keep_session(p);
	loop_timer_stop(&p->pace);
	loop_io_want(&p->io, 0);
	assoc_socket_close(&p->sock);
	close(p->fd);
	p->fd = -1;
	p->served = 0;
	p->sent_before = p->received_before = 0;
	p->sent_paid = p->received_paid = 0;
}

static void count_end(struct exchange *x)
{
	x->count.succeeded = x->end == EXCHANGE_OK;
	x->count.failed = x->end == EXCHANGE_FAILED;
	x->count.timed_out = x->end == EXCHANGE_TIMED_OUT;
	x->count.in_flight = x->end == EXCHANGE_ABANDONED;
	if (x->end != EXCHANGE_OK)
		x->count.body_bytes = 0;
}

void peer_finish(struct peer *p)
{
	if (p->streams) {
		peer_streams_over(p);
		return;
	}
	if (p->carrier)
		peer_stream_settle(p);
	else
		peer_account_wire(p);
	count_end(&p->exchange);
	p->state = PEER_IDLE;
	p->env->on_end(p->env->data, p);
}

static void end_now(struct peer *p, enum exchange_end end)
{
	p->exchange.end = end;
	p->exchange.end_ns = clock_ns();
	p->ops->leave(p);
	peer_finish(p);
}

void peer_fail(struct peer *p)
{
	p->failures++;
	end_now(p, EXCHANGE_FAILED);
}

/* --- from the loop -------------------------------------------------------- */

void peer_on_ready(struct loop_io *io, int events)
{
	struct peer *p = io->data;

	(void)events;
	assoc_socket_ready(&p->sock);
	p->ops->ready(p);
}

/* --- over a stream -------------------------------------------------------- */

static void stream_begin(struct peer *p)
{
	if (p->carrier)
		peer_stream_begin(p);
	else if (p->fd < 0)
		peer_connect(p);
	else
		peer_ask(p);
}

static void stream_ready(struct peer *p)
{
	switch (p->state) {
	case PEER_IDLE:
	case PEER_PAUSING: /* the next request will meet what waits there */
	case PEER_WAITING: /* there is no socket */
		loop_io_want(&p->io, 0);
		break;
	case PEER_CONNECTING:
		peer_connected(p);
		break;
	case PEER_SECURING:
		peer_secure(p);
		break;
	case PEER_ASKING:
		peer_exchange(p);
		break;
	case PEER_LEAVING:
		peer_leave(p);
		break;
	}
}

static void stream_leave(struct peer *p)
{
	if (p->carrier)
		peer_stream_leave(p);
	else if (p->fd >= 0)
		peer_disconnect(p);
}

static void stream_goodbye(struct peer *p)
{
	assoc_socket_shutdown(&p->sock);
}

static void stream_release(struct peer *p)
{
	if (p->app.ops)
		p->app.ops->close(&p->app);
	peer_streams_release(p);
	body_release(&p->body);
}

static const struct peer_ops over_stream = { stream_begin, stream_ready, stream_leave,
					     stream_goodbye, stream_release };

/* --- time ------------------------------------------------------------------ */

static void start(struct peer *p)
{
	p->exchange.begun_ns = clock_ns();
	p->exchange.count.started = 1;
	peer_alarm_at(p, p->exchange.begun_ns + p->env->timeout_ns);
	p->ops->begin(p);
}

/* Its time has come: begin, or wait for its turn to connect. */
static void start_or_pause(struct peer *p)
{
	struct exchange *x = &p->exchange;
	int64_t now_ns = clock_ns();

	if (now_ns >= x->ready_ns)
		x->ready_ns = peer_ready_ns(p, x->ready_ns);
	if (p->env->closed_loop)
		x->due_ns = x->ready_ns;
	if (now_ns >= x->ready_ns) {
		start(p);
		return;
	}
	p->state = PEER_PAUSING;
	peer_alarm_at(p, x->ready_ns);
}

static void timed_out(struct peer *p)
{
	static const char *const doing[] = { [PEER_WAITING] = "waiting for its turn to connect",
					     [PEER_CONNECTING] = "connecting",
					     [PEER_SECURING] = "shaking hands",
					     [PEER_ASKING] = "waiting for the response",
					     [PEER_LEAVING] = "waiting for another connection" };
	enum peer_state state = p->state;

	if (p->carrier && p->slot < 0 && p->carrier->state != PEER_IDLE)
		state = p->carrier->state;

	fail_set(&p->fail, ETIMEDOUT, "no answer within %.3g s: gave up while %s",
		 (double)p->env->timeout_ns / NS_PER_S, doing[state]);
	end_now(p, EXCHANGE_TIMED_OUT);
}

/* The timer is left where it is while requests come and go: it looks when it rings. */
static void on_alarm(struct loop_timer *t)
{
	struct peer *p = t->data;

	if (p->state == PEER_IDLE || (p->streams && p->state == PEER_ASKING))
		return;
	if (clock_ns() < p->alarm_ns)
		loop_timer_at(t, p->alarm_ns);
	else if (p->state == PEER_PAUSING)
		start_or_pause(p);
	else if (p->state == PEER_LEAVING)
		peer_close_first(p);
	else if (p->state == PEER_WAITING)
		p->ops->begin(p);
	else
		timed_out(p);
}

static void on_paid(struct loop_timer *t)
{
	struct peer *p = t->data;

	if (p->fd >= 0)
		p->ops->ready(p);
}

void peer_alarm_at(struct peer *p, int64_t due_ns)
{
	p->alarm_ns = due_ns;
	if (!p->timer.armed || p->timer.due_ns > due_ns)
		loop_timer_at(&p->timer, due_ns);
}

/* --- what the owner calls ------------------------------------------------- */

void peer_begin(struct peer *p, int64_t due_ns, int64_t not_before_ns)
{
	p->exchange =
		(struct exchange){ .due_ns = due_ns,
				   .ready_ns = due_ns > not_before_ns ? due_ns : not_before_ns,
				   .begun_ns = -1,
				   .sent_ns = -1,
				   .end_ns = -1,
				   .handshake_ns = -1,
				   .decoded_bytes = -1 };
	fail_clear(&p->fail);
	start_or_pause(p);
}

void peer_abandon(struct peer *p)
{
	switch (p->state) {
	case PEER_IDLE:
		break;
	case PEER_PAUSING:
		p->state = PEER_IDLE;
		break;
	case PEER_LEAVING:
		peer_close_first(p);
		break;
	default:
		end_now(p, EXCHANGE_ABANDONED);
		break;
	}
}

void peer_close(struct peer *p, struct load_counters *count)
{
	if (p->streams) /* of streams that are over, and of none */
		load_counters_add(count, &p->exchange.count);
	p->exchange.count = (struct load_counters){ 0 };
	if (p->fd < 0)
		return;
	p->ops->goodbye(p);
	p->ops->leave(p);
	load_counters_add(count, &p->exchange.count);
}
