/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer - the states of one client, and every way an exchange can end.
 *
 * It knows sockets, associations and the protocol's table; it does not know why it is
 * asked to do a request nor who counts it. What passes while a request is on its way
 * stands in peer_exchange.c.
 */
#include "clients/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "clients/peer_exchange.h"
#include "lib/clock.h"

static void on_ready(struct loop_io *io, int events);
static void on_alarm(struct loop_timer *t);
static void on_paid(struct loop_timer *t);

/* With a download limit the kernel must not take in the server's bytes for us. */
#define LIMITED_RECEIVE_BYTES 4096

int peer_init(struct peer *p, struct peer_env *env, size_t record_bytes, int records_per_send,
	      struct fail *f)
{
	*p = (struct peer){ .env = env, .fd = -1 };
	loop_timer_init(&p->timer, env->loop, on_alarm, p);
	loop_timer_init(&p->pace, env->loop, on_paid, p);
	p->app = (struct app){ .half = APP_CLIENT,
			       .limits = { .head_bytes = PEER_HEAD_BYTES,
					   .streams = 1,
					   .stream_window_bytes = env->window_bytes,
					   .session_window_bytes = env->window_bytes } };
	if (assoc_socket_init(&p->sock, record_bytes, records_per_send))
		return fail_set(f, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
	if (env->verify_body && body_init(&p->body, env->request.accepts, f))
		return -1;
	p->app.ops = env->app;
	if (p->app.ops->open(&p->app)) {
		p->app.ops = NULL;
		return fail_set(f, ENOMEM, "no memory for a client");
	}
	return 0;
}

void peer_release(struct peer *p)
{
	if (!p->env)
		return;
	if (p->fd >= 0)
		peer_disconnect(p);
	loop_timer_stop(&p->timer);
	loop_timer_stop(&p->pace);
	if (p->app.ops)
		p->app.ops->close(&p->app);
	body_release(&p->body);
	peer_drop_session(p);
	assoc_socket_release(&p->sock);
	p->env = NULL;
}

/* --- the end of an exchange ----------------------------------------------- */

/* What passed on the wire since it was last counted belongs to this exchange. */
static void account_wire(struct peer *p)
{
	p->exchange.count.wire_bytes_sent += p->sock.bytes_sent - p->sent_before;
	p->exchange.count.wire_bytes_received += p->sock.bytes_received - p->received_before;
	p->sent_before = p->sock.bytes_sent;
	p->received_before = p->sock.bytes_received;
}

void peer_disconnect(struct peer *p)
{
	if (p->sock.fd >= 0)
		account_wire(p);
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
	if (p->sock.fd >= 0)
		account_wire(p);
	count_end(&p->exchange);
	p->state = PEER_IDLE;
	p->env->on_end(p->env->data, p);
}

static void end_now(struct peer *p, enum exchange_end end)
{
	p->exchange.end = end;
	p->exchange.end_ns = clock_ns();
	if (p->fd >= 0)
		peer_disconnect(p);
	peer_finish(p);
}

void peer_fail(struct peer *p)
{
	p->failures++;
	end_now(p, EXCHANGE_FAILED);
}

/* --- connecting ----------------------------------------------------------- */

static int open_socket(struct peer *p)
{
	const struct net_address *to = &p->env->address[p->tried];
	int on = 1, limited = LIMITED_RECEIVE_BYTES;

	p->fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->fd < 0)
		return -1;
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (p->env->download.bytes_per_s)
		setsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &limited, sizeof(limited));
	loop_io_init(&p->io, p->env->loop, p->fd, on_ready, p);
	if (!connect(p->fd, (const struct sockaddr *)&to->addr, to->len) || errno == EINPROGRESS)
		return 0;
	return -1;
}

static void close_socket(struct peer *p)
{
	if (p->fd < 0)
		return;
	loop_io_want(&p->io, 0);
	close(p->fd);
	p->fd = -1;
}

/* A host may have several addresses: the first that takes a connection is kept for the run. */
static bool another_address(struct peer *p)
{
	struct peer_env *e = p->env;

	if (p->tried == e->chosen && !e->connected && e->chosen + 1 < e->addresses)
		e->chosen++;
	return p->tried != e->chosen;
}

static bool is_limit_of_ours(int code)
{
	return code == EADDRNOTAVAIL || code == EMFILE || code == ENFILE || code == ENOBUFS ||
	       code == ENOMEM;
}

static void connect_failed(struct peer *p, int code)
{
	char to[NET_TEXT_BYTES];

	net_format(&p->env->address[p->tried], to);
	if (code == EADDRNOTAVAIL)
		fail_set(&p->fail, code,
			 "no local port left to connect to %s: this machine, not the server, is at "
			 "its "
			 "limit; use --connection keepalive or widen net.ipv4.ip_local_port_range",
			 to);
	else
		fail_set(&p->fail, code, "cannot connect to %s: %s", to, strerror(code));
	p->exchange.count.connects_failed++;
	p->exchange.count.client_limits += is_limit_of_ours(code);
	peer_fail(p);
}

int64_t peer_ready_ns(struct peer *p, int64_t free_ns)
{
	if (p->fd >= 0 || !p->env->connects.period_ns)
		return free_ns;
	if (!p->slot_ns)
		p->slot_ns = pacer_take(&p->env->connects, free_ns);
	return p->slot_ns > free_ns ? p->slot_ns : free_ns;
}

void peer_connect(struct peer *p)
{
	int64_t now_ns = clock_ns(), slot_ns = peer_ready_ns(p, now_ns);

	if (slot_ns > now_ns) {
		p->state = PEER_WAITING;
		peer_alarm_at(p, slot_ns);
		return;
	}
	p->slot_ns = 0;
	p->tried_before = true;
	p->connect_ns = now_ns;
	peer_alarm_at(p, p->exchange.begun_ns + p->env->timeout_ns);
	p->tried = p->env->chosen;
	while (open_socket(p)) {
		int code = errno;

		close_socket(p);
		if (!another_address(p)) {
			connect_failed(p, code);
			return;
		}
		p->tried = p->env->chosen;
	}
	p->state = PEER_CONNECTING;
	loop_io_want(&p->io, LOOP_WRITE);
}

static void connected(struct peer *p)
{
	int code = 0;
	socklen_t len = sizeof(code);

	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &code, &len))
		code = errno;
	if (code) {
		close_socket(p);
		if (another_address(p))
			peer_connect(p);
		else
			connect_failed(p, code);
		return;
	}
	p->env->connected = true;
	p->exchange.count.connects++;
	p->exchange.count.reconnects +=
		p->made_before && p->env->request.keep_alive && !p->ended_as_planned;
	p->ended_as_planned = false;
	p->exchange.count.handshakes_first += !p->made_before;
	if (assoc_socket_open(&p->sock, p->env->domain, p->fd) || peer_offer_session(p)) {
		fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
		peer_fail(p);
		return;
	}
	p->made_before = true;
	p->state = PEER_SECURING;
	peer_secure(p);
}

/* --- from the loop -------------------------------------------------------- */

static void on_ready(struct loop_io *io, int events)
{
	struct peer *p = io->data;

	(void)events;
	switch (p->state) {
	case PEER_IDLE:
	case PEER_PAUSING: /* the next request will meet what waits there */
	case PEER_WAITING: /* there is no socket */
		loop_io_want(io, 0);
		break;
	case PEER_CONNECTING:
		connected(p);
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

static void start(struct peer *p)
{
	p->exchange.begun_ns = clock_ns();
	p->exchange.count.started = 1;
	peer_alarm_at(p, p->exchange.begun_ns + p->env->timeout_ns);
	if (p->fd < 0)
		peer_connect(p);
	else
		peer_ask(p);
}

static void timed_out(struct peer *p)
{
	static const char *const doing[] = { [PEER_WAITING] = "waiting for its turn to connect",
					     [PEER_CONNECTING] = "connecting",
					     [PEER_SECURING] = "shaking hands",
					     [PEER_ASKING] = "waiting for the response" };

	fail_set(&p->fail, ETIMEDOUT, "no answer within %.3g s: gave up while %s",
		 (double)p->env->timeout_ns / NS_PER_S, doing[p->state]);
	end_now(p, EXCHANGE_TIMED_OUT);
}

/* The timer is left where it is while requests come and go: it looks when it rings. */
static void on_alarm(struct loop_timer *t)
{
	struct peer *p = t->data;

	if (p->state == PEER_IDLE)
		return;
	if (clock_ns() < p->alarm_ns)
		loop_timer_at(t, p->alarm_ns);
	else if (p->state == PEER_PAUSING)
		start(p);
	else if (p->state == PEER_LEAVING)
		peer_close_first(p);
	else if (p->state == PEER_WAITING)
		peer_connect(p);
	else
		timed_out(p);
}

static void on_paid(struct loop_timer *t)
{
	struct peer *p = t->data;

	if (p->fd >= 0)
		on_ready(&p->io, 0);
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
	if (clock_ns() >= p->exchange.ready_ns) {
		start(p);
		return;
	}
	p->state = PEER_PAUSING;
	peer_alarm_at(p, p->exchange.ready_ns);
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
	if (p->fd < 0)
		return;
	p->exchange.count = (struct load_counters){ 0 };
	assoc_socket_shutdown(&p->sock);
	peer_disconnect(p);
	load_counters_add(count, &p->exchange.count);
}
