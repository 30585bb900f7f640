/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_peer - a client's memory, its socket, its accounts, what comes and every way to leave.
 */
#include "clients/dgram_exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/peer_exchange.h"
#include "lib/clock.h"

/* So that one busy socket does not keep the loop from the others. */
#define READS_PER_TURN 32
/* Datagrams that wait in the wires: a flight of a handshake with a long chain. */
#define FLIGHT_DATAGRAMS 16

static const struct peer_ops over_datagrams;
static void on_timer(struct loop_timer *t);

/* --- memory ---------------------------------------------------------------- */

int dgram_peer_init(struct peer *p, struct peer_env *env, struct fail *f)
{
	size_t wire_bytes = (env->dgram->mtu_bytes + 2) * FLIGHT_DATAGRAMS;
	struct dgram *d = calloc(1, sizeof(*d));

	peer_prepare(p, env, &over_datagrams);
	p->dgram = d;
	if (!d || wire_init(&p->sock.assoc.in, PEER_SCRATCH_BYTES + 2, true) ||
	    wire_init(&p->sock.assoc.out, wire_bytes, true))
		return fail_set(f, ENOMEM, "no memory for a client");
	loop_timer_init(&d->timer, env->loop, on_timer, p);
	if (coap_endpoint_open(&d->coap, APP_CLIENT, &env->dgram->coap, &env->dgram->rng,
			       &d->coap_now))
		return fail_set(f, d->coap.fail.code, "%s", d->coap.fail.text);
	d->opened = true;
	return peer_prepare_answers(p, f);
}

static void release(struct peer *p)
{
	struct dgram *d = p->dgram;

	if (!d)
		return;
	loop_timer_stop(&d->timer);
	if (d->opened)
		coap_endpoint_close(&d->coap);
	body_release(&p->body);
	free(d);
	p->dgram = NULL;
}

/* --- accounts -------------------------------------------------------------- */

static int64_t since(uint64_t now, uint64_t before)
{
	return (int64_t)(now - before);
}

/* What the endpoint counted since the last time belongs to this exchange. */
void dgram_account(struct peer *p)
{
	const struct coap_counters *now = &p->dgram->coap_now, *before = &p->dgram->coap_counted;
	const struct dgram_counters *moved = &p->dgram->now, *then = &p->dgram->counted;
	struct load_counters *c = &p->exchange.count;

	c->datagrams_sent += since(moved->datagrams_sent, then->datagrams_sent);
	c->datagrams_received += since(moved->datagrams_received, then->datagrams_received);
	c->datagrams_dropped += since(moved->datagrams_dropped, then->datagrams_dropped);
	c->dtls_unread += since(moved->dtls_unread, then->dtls_unread);
	c->dtls_retransmissions += since(moved->dtls_retransmissions, then->dtls_retransmissions);
	p->dgram->counted = *moved;
	c->coap_retransmissions += since(now->retransmissions, before->retransmissions);
	c->coap_duplicates += since(now->duplicates, before->duplicates);
	c->coap_strays += since(now->unmatched, before->unmatched);
	c->coap_malformed += since(now->malformed, before->malformed);
	c->coap_resets += since(now->resets_received, before->resets_received);
	p->dgram->coap_counted = *now;
}

/* --- leaving --------------------------------------------------------------- */

void dgram_disconnect(struct peer *p)
{
	if (p->fd < 0)
		return;
	dgram_account(p);
	loop_timer_stop(&p->dgram->timer);
	coap_endpoint_reset(&p->dgram->coap);
	p->dgram->socket++;
	p->dgram->asked = false;
	peer_disconnect(p);
}

void dgram_goodbye(struct peer *p)
{
	if (!p->secured || p->sock.socket_error)
		return;
	p->env->domain->ops->shutdown(&p->sock.assoc);
	dgram_link_send_last(&p->env->dgram->link, p);
}

/* The server is not there any more, or not for us: another association, if there is time. */
void dgram_begin_again(struct peer *p)
{
	dgram_disconnect(p);
	dgram_begin(p);
}

void dgram_fail_exchange(struct peer *p, enum exchange_end end)
{
	if (end == EXCHANGE_FAILED) {
		p->exchange.count.closed_by_peer += p->sock.socket_error == ECONNREFUSED;
		peer_fail(p);
		return;
	}
	p->exchange.end = end;
	p->exchange.end_ns = clock_ns();
	p->failures++;
	dgram_disconnect(p);
	peer_finish(p);
}

void dgram_refused(struct peer *p, int code)
{
	char to[NET_TEXT_BYTES];

	p->sock.socket_error = code;
	net_format(&p->env->address[p->tried], to);
	if (!p->dgram->heard && peer_another_address(p)) {
		dgram_begin_again(p);
		return;
	}
	fail_set(&p->fail, code, "%s: %s", to,
		 code == ECONNREFUSED ? "connection refused: nothing takes datagrams there"
				      : strerror(code));
	p->exchange.count.connects_failed += !p->dgram->heard;
	if (p->state == PEER_IDLE || p->state == PEER_PAUSING)
		dgram_disconnect(p);
	else
		dgram_fail_exchange(p, EXCHANGE_FAILED);
}

/* --- receiving ------------------------------------------------------------- */

static void lost(struct peer *p, enum step step)
{
	if (p->state != PEER_ASKING) {
		dgram_disconnect(p);
	} else if (step == STEP_CLOSED && p->served && p->env->request.keep_alive) {
		dgram_begin_again(p); /* the server had ended it before it saw the request */
	} else if (step == STEP_CLOSED) {
		fail_set(&p->fail, ECONNRESET, "closed by peer before the response was complete");
		p->exchange.count.closed_by_peer++;
		dgram_fail_exchange(p, EXCHANGE_FAILED);
	} else {
		fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
		dgram_fail_exchange(p, EXCHANGE_FAILED);
	}
}

/* What the engine has of application data. False: the exchange or the association is over. */
static bool hear(struct peer *p)
{
	uint32_t socket = p->dgram->socket;
	enum step step;
	size_t got;

	for (;;) {
		step = p->env->domain->ops->read(&p->sock.assoc, p->env->scratch,
						 sizeof(p->env->scratch), &got);
		if (dgram_link_send(&p->env->dgram->link, p)) {
			dgram_refused(p, p->sock.socket_error);
			return false;
		}
		if (step == STEP_DONE && got) {
			coap_endpoint_feed(&p->dgram->coap, p->env->scratch, got, clock_ns());
			if (!dgram_take_events(p) || socket != p->dgram->socket)
				return false;
			continue;
		}
		if (step == STEP_OUT || (step == STEP_IN && !wire_empty(&p->sock.assoc.in)))
			continue;
		if (step == STEP_DONE || step == STEP_IN)
			return true;
		lost(p, step);
		return false;
	}
}

/* One datagram has come. False: as above. */
static bool hear_one(struct peer *p)
{
	uint64_t before = p->dgram->coap_now.received;
	bool goes_on = hear(p);

	p->dgram->now.dtls_unread += goes_on && p->dgram->coap_now.received == before;
	return goes_on;
}

/* The first datagram of a server says that it is there. */
static void count_heard(struct peer *p)
{
	if (p->dgram->heard)
		return;
	p->dgram->heard = true;
	peer_count_connect(p);
	p->made_before = true;
}

/* One datagram into the in wire. 0: there is none; -1: the socket failed. */
static int receive(struct peer *p, size_t *len)
{
	ssize_t n;

	do {
		n = recv(p->fd, p->env->scratch, sizeof(p->env->scratch), 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
	p->dgram->now.datagrams_received++;
	p->sock.bytes_received += n;
	if (p->env->limited)
		bucket_take(&p->env->download, n + p->env->dgram->link.overhead_bytes, clock_ns());
	p->received_paid = p->sock.bytes_received;
	count_heard(p);
	wire_put(&p->sock.assoc.in, p->env->scratch, (size_t)n);
	*len = (size_t)n;
	return 1;
}

static void ready(struct peer *p)
{
	uint32_t socket = p->dgram->socket;

	for (int i = 0; i < READS_PER_TURN; i++) {
		size_t len;
		int got;

		if (peer_must_wait(p, false))
			return;
		got = receive(p, &len);
		if (got < 0)
			dgram_refused(p, errno);
		if (got < 0)
			return;
		if (!got)
			break;
		if (p->state == PEER_SECURING && !dgram_takes_cookie(p, p->env->scratch, len))
			peer_handshake_failed(p);
		else if (p->state == PEER_SECURING)
			dgram_secure(p);
		else if (!hear_one(p))
			return;
		if (socket != p->dgram->socket)
			return;
	}
	dgram_arm(p);
}

static void on_timer(struct loop_timer *t)
{
	struct peer *p = t->data;

	if (p->fd < 0)
		return;
	if (p->state == PEER_SECURING) {
		if (p->env->domain->ops->expire(&p->sock.assoc) == STEP_FAILED)
			peer_handshake_failed(p);
		else
			dgram_secure(p);
		return;
	}
	coap_endpoint_expire(&p->dgram->coap, clock_ns());
	if (dgram_take_events(p))
		dgram_arm(p);
}

/* --- the socket ------------------------------------------------------------ */

static int open_socket(struct peer *p)
{
	const struct net_address *to = &p->env->address[p->tried];
	struct dgram_env *env = p->env->dgram;
	socklen_t len = sizeof(env->receive_granted_bytes);

	p->fd = socket(to->addr.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->fd < 0)
		return -1;
	if (env->receive_bytes)
		setsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &env->receive_bytes,
			   sizeof(env->receive_bytes));
	getsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &env->receive_granted_bytes, &len);
	loop_io_init(&p->io, p->env->loop, p->fd, peer_on_ready, p);
	return connect(p->fd, (const struct sockaddr *)&to->addr, to->len);
}

static int open_assoc(struct peer *p)
{
	struct assoc_socket *s = &p->sock;

	fail_clear(&s->assoc.fail);
	s->assoc.domain = p->env->domain;
	s->assoc.psk = p->psk;
	s->socket_error = 0;
	s->bytes_sent = s->bytes_received = 0;
	if (p->env->domain->ops->open(&s->assoc))
		return -1;
	s->fd = p->fd;
	return 0;
}

void dgram_begin(struct peer *p)
{
	if (p->fd >= 0) {
		dgram_ask(p);
		return;
	}
	if (!peer_may_connect(p))
		return;
	while (open_socket(p)) {
		int code = errno;

		if (p->fd >= 0)
			close(p->fd);
		p->fd = -1;
		if (!peer_another_address(p)) {
			peer_connect_failed(p, code);
			return;
		}
		p->tried = p->env->chosen;
	}
	p->dgram->heard = false;
	p->dgram->flight = DGRAM_FLIGHT_NONE;
	p->dgram->ids_before = p->dgram->ids_asked = dgram_ids(p->dgram);
	p->state = PEER_SECURING;
	if (!open_assoc(p) && !peer_offer_session(p)) {
		dgram_secure(p);
		return;
	}
	fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
	peer_fail(p);
}

static const struct peer_ops over_datagrams = { dgram_begin, ready, dgram_disconnect, dgram_goodbye,
						release };
