/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram - a listener for coap:// or coaps:// on one thread: a socket, the peers that are met
 * there by address, and one association that listens to all others.
 *
 * Nothing is kept of a peer of coaps:// before it has proven its address with a cookie. A
 * peer that begins anew from the same port keeps its old association until the new handshake
 * is done. Internal to servers/.
 */
#ifndef SERVERS_DGRAM_H
#define SERVERS_DGRAM_H

#include "servers/worker.h"

struct dgram;

/*
 * On the worker's own thread, for the socket and the domain of this listener, which stay the
 * worker's. NULL: no memory.
 */
struct dgram *dgram_open(struct worker_listener *l);
/* Says goodbye to all peers. Accepts NULL. */
void dgram_close(struct dgram *d);

#endif
