/* SPDX-License-Identifier: Apache-2.0 */
/* listen - TCP sockets, bound and listening. It must not know what is accepted from them. */
#include "servers/listen.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "servers/bound.h"

static int set_up(int fd)
{
	int on = 1;

	return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
			       setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0
		       ? 0
		       : -1;
}

static struct bound_kind kind(int backlog)
{
	return (struct bound_kind){ SOCK_STREAM, "cannot listen on", set_up, backlog };
}

int listen_first(const struct url *u, int backlog, struct net_address *bound, struct fail *f)
{
	struct bound_kind k = kind(backlog);

	return bound_first(u, &k, bound, f);
}

int listen_again(const struct net_address *bound, int backlog, struct fail *f)
{
	struct bound_kind k = kind(backlog);

	return bound_again(bound, &k, f);
}

uint16_t listen_port(const struct net_address *bound)
{
	if (bound->addr.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&bound->addr)->sin6_port);
	return ntohs(((const struct sockaddr_in *)&bound->addr)->sin_port);
}
