/* SPDX-License-Identifier: Apache-2.0 */
/* watch_listen - the socket of the live page. */
#include "results/watch_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail_port(int64_t port, int code, struct fail *f)
{
	if (code == EADDRINUSE)
		return fail_set(f, code,
				"port %d of 127.0.0.1 is taken, perhaps by another `cipherwatt "
				"watch`: name another with --port, or --port 0 for any that is "
				"free",
				(int)port);
	return fail_set(f, code, "port %d of 127.0.0.1: %s%s", (int)port, strerror(code),
			code == EACCES ? "; take one from 1024 on" : "");
}

int watch_listen(int64_t port, int backlog, int64_t *bound, struct fail *f)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, backlog) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0) {
		fail_port(port, errno, f);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*bound = ntohs(a.sin_port);
	return fd;
}
