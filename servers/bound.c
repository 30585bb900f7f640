/* SPDX-License-Identifier: Apache-2.0 */
#include "servers/bound.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *what_to_do(int error)
{
	switch (error) {
	case EADDRINUSE:
		return "; stop what uses it, or take another port (0: a free one)";
	case EACCES:
		return "; ports below 1024 need root or CAP_NET_BIND_SERVICE";
	case EADDRNOTAVAIL:
		return "; it is not an address of this machine";
	default:
		return "";
	}
}

static int cannot(const struct bound_kind *k, const struct net_address *a, struct fail *f)
{
	int error = errno;
	char text[NET_TEXT_BYTES];

	return fail_set(f, error, "%s %s: %s%s", k->cannot, net_format(a, text), strerror(error),
			what_to_do(error));
}

/* With errno left as it was when something failed. */
static int open_bound(const struct net_address *a, const struct bound_kind *k, bool shared)
{
	int on = 1, fd = socket(a->addr.ss_family, k->type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -1;
	if (k->set_up(fd) == 0 &&
	    (!shared || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) &&
	    bind(fd, (const struct sockaddr *)&a->addr, a->len) == 0 &&
	    (!shared || k->type != SOCK_STREAM || listen(fd, k->backlog) == 0))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Without SO_REUSEPORT first, so that somebody else's socket is in the way. */
static int open_first(const struct net_address *a, const struct bound_kind *k, bool any_port)
{
	int fd = any_port ? -1 : open_bound(a, k, false);

	if (!any_port && fd < 0)
		return -1;
	if (fd >= 0)
		close(fd);
	return open_bound(a, k, true);
}

int bound_first(const struct url *u, const struct bound_kind *k, struct net_address *bound,
		struct fail *f)
{
	struct net_address address[NET_ADDRESSES_MAX];
	int count = net_resolve(u->host, u->port, true, address, NET_ADDRESSES_MAX, f), fd = -1;
	int tried = 0;

	if (count < 0)
		return -1;
	for (; fd < 0 && tried < count; tried++) {
		fd = open_first(&address[tried], k, u->port == 0);
		if (fd < 0 && errno == EADDRINUSE)
			return cannot(k, &address[tried], f);
	}
	if (fd < 0)
		return cannot(k, &address[tried - 1], f);
	*bound = address[tried - 1];
	bound->len = sizeof bound->addr;
	getsockname(fd, (struct sockaddr *)&bound->addr, &bound->len);
	return fd;
}

int bound_again(const struct net_address *bound, const struct bound_kind *k, struct fail *f)
{
	int fd = open_bound(bound, k, true);

	return fd >= 0 ? fd : cannot(k, bound, f);
}
