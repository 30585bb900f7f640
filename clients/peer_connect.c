/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_connect - a client's way to an open association: its turn, its address, its socket, and
 * every way to fail at that.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "clients/peer_exchange.h"
#include "lib/clock.h"

/* With a download limit the kernel must not take in the server's bytes for us. */
#define LIMITED_RECEIVE_BYTES 4096

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
	loop_io_init(&p->io, p->env->loop, p->fd, peer_on_ready, p);
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

bool peer_another_address(struct peer *p)
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

void peer_connect_failed(struct peer *p, int code)
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
	if (p->carrier)
		p = p->carrier;
	if (p->fd >= 0 || !p->env->connects.period_ns)
		return free_ns;
	if (!p->slot_ns)
		p->slot_ns = pacer_take(&p->env->connects, free_ns);
	return p->slot_ns > free_ns ? p->slot_ns : free_ns;
}

bool peer_may_connect(struct peer *p)
{
	int64_t now_ns = clock_ns(), slot_ns = peer_ready_ns(p, now_ns);

	if (slot_ns > now_ns) {
		p->state = PEER_WAITING;
		peer_alarm_at(p, slot_ns);
		return false;
	}
	p->slot_ns = 0;
	p->tried_before = true;
	p->connect_ns = now_ns;
	peer_alarm_at(p, p->exchange.begun_ns + p->env->timeout_ns);
	p->tried = p->env->chosen;
	return true;
}

void peer_count_connect(struct peer *p)
{
	p->env->connected = true;
	p->exchange.count.connects++;
	p->exchange.count.reconnects +=
		p->made_before && p->env->request.keep_alive && !p->ended_as_planned;
	p->ended_as_planned = false;
	p->exchange.count.handshakes_first += !p->made_before;
}

void peer_connect(struct peer *p)
{
	if (!peer_may_connect(p))
		return;
	while (open_socket(p)) {
		int code = errno;

		close_socket(p);
		if (!peer_another_address(p)) {
			peer_connect_failed(p, code);
			return;
		}
		p->tried = p->env->chosen;
	}
	p->state = PEER_CONNECTING;
	loop_io_want(&p->io, LOOP_WRITE);
}

void peer_connected(struct peer *p)
{
	int code = 0;
	socklen_t len = sizeof(code);

	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &code, &len))
		code = errno;
	if (code) {
		close_socket(p);
		if (peer_another_address(p))
			peer_connect(p);
		else
			peer_connect_failed(p, code);
		return;
	}
	peer_count_connect(p);
	p->sock.assoc.psk = p->psk;
	p->sock.gathers = true;
	if (assoc_socket_open(&p->sock, p->env->domain, p->fd) || peer_offer_session(p)) {
		fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
		peer_fail(p);
		return;
	}
	p->made_before = true;
	if (!peer_ask_early(p))
		return;
	p->state = PEER_SECURING;
	peer_secure(p);
}
