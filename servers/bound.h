/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound - sockets of a listener, one per thread on the same address (SO_REUSEPORT). What they
 * are for is their owner's.
 */
#ifndef SERVERS_BOUND_H
#define SERVERS_BOUND_H

#include <stdbool.h>

#include "lib/fail.h"
#include "lib/net.h"
#include "protocols/url.h"

struct bound_kind {
	int type;              /* SOCK_STREAM, SOCK_DGRAM */
	const char *cannot;    /* how a refusal begins: "cannot listen on" */
	int (*set_up)(int fd); /* before it is bound; 0, or -1 with errno */
	int backlog;           /* SOCK_STREAM: for listen() */
};

/*
 * The first socket of a listener, non-blocking, and in bound the address it has, with the port
 * the kernel gave where 0 was asked; of several addresses the first that works, so that a
 * machine without IPv6 is no obstacle. One that another process, or another listener here,
 * has already is refused even if it would share it. -1: f.
 */
int bound_first(const struct url *u, const struct bound_kind *k, struct net_address *bound,
		struct fail *f);
/* One more on that address. -1: f. */
int bound_again(const struct net_address *bound, const struct bound_kind *k, struct fail *f);

#endif
