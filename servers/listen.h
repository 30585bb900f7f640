/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen - listening TCP sockets, one per thread on the same address (SO_REUSEPORT).
 * Accepted sockets inherit TCP_NODELAY from them.
 */
#ifndef SERVERS_LISTEN_H
#define SERVERS_LISTEN_H

#include "lib/fail.h"
#include "lib/net.h"
#include "protocols/url.h"

/*
 * The first socket of a listener, non-blocking, and in bound the address it has, with
 * the port the kernel gave where 0 was asked. An address that another process, or another
 * listener here, listens on already is refused even if it would share it. -1: f.
 */
int listen_first(const struct url *u, int backlog, struct net_address *bound, struct fail *f);

/* One more socket on that address. -1: f. */
int listen_again(const struct net_address *bound, int backlog, struct fail *f);

uint16_t listen_port(const struct net_address *bound);

#endif
