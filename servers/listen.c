/* SPDX-License-Identifier: Apache-2.0 */
/* listen - sockets, bound and listening. It must not know what is accepted from them. */
#include "servers/listen.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static const char *what_to_do(int error)
{
	switch (error) {
	case EADDRINUSE:
		return "; stop what listens there, or take another port (0: a free one)";
	case EACCES:
		return "; ports below 1024 need root or CAP_NET_BIND_SERVICE";
	case EADDRNOTAVAIL:
		return "; it is not an address of this machine";
	default:
		return "";
	}
}

/* Bound, with errno left as it was when something failed. */
static int open_bound(const struct net_address *a, bool shared)
{
	int on = 1, fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
	    (!shared || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) &&
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
	    bind(fd, (const struct sockaddr *)&a->addr, a->len) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Without SO_REUSEPORT, so that somebody else's listener is in the way. */
static bool is_free(const struct net_address *a)
{
	int fd = open_bound(a, false);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int open_listening(const struct net_address *a, int backlog)
{
	int fd = open_bound(a, true), error;

	if (fd < 0 || listen(fd, backlog) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int cannot(const struct net_address *a, struct fail *f)
{
	int error = errno;
	char text[NET_TEXT_BYTES];

	return fail_set(f, error, "cannot listen on %s: %s%s", net_format(a, text), strerror(error),
			what_to_do(error));
}

/* Several addresses: the first that works, so that a machine without IPv6 is no obstacle. */
int listen_first(const struct url *u, int backlog, struct net_address *bound, struct fail *f)
{
	struct net_address address[NET_ADDRESSES_MAX];
	int count = net_resolve(u->host, u->port, true, address, NET_ADDRESSES_MAX, f), fd = -1;
	int tried = 0;

	if (count < 0)
		return -1;
	for (; fd < 0 && tried < count; tried++) {
		if (u->port == 0 || is_free(&address[tried]))
			fd = open_listening(&address[tried], backlog);
		if (fd < 0 && errno == EADDRINUSE)
			return cannot(&address[tried], f);
	}
	if (fd < 0)
		return cannot(&address[tried - 1], f);
	*bound = address[tried - 1];
	bound->len = sizeof bound->addr;
	getsockname(fd, (struct sockaddr *)&bound->addr, &bound->len);
	return fd;
}

int listen_again(const struct net_address *bound, int backlog, struct fail *f)
{
	int fd = open_listening(bound, backlog);

	return fd >= 0 ? fd : cannot(bound, f);
}

uint16_t listen_port(const struct net_address *bound)
{
	if (bound->addr.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&bound->addr)->sin6_port);
	return ntohs(((const struct sockaddr_in *)&bound->addr)->sin_port);
}
