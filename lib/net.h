/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net - names to socket addresses, and addresses to text.
 *
 * Resolving may block and allocate: it belongs before a run, never inside one.
 * No socket is opened here.
 */
#ifndef LIB_NET_H
#define LIB_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lib/fail.h"

#define NET_ADDRESSES_MAX 8
#define NET_TEXT_BYTES    64

struct net_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/*
 * Stream addresses of a name or of a literal IPv4 or IPv6 address (no brackets), in
 * the system's order of preference. listening: an address to bind, where an empty host
 * means every interface. Returns how many (1 to max), or -1 and the reason with the name.
 */
int net_resolve(const char *host, uint16_t port, bool listening, struct net_address *dst, int max,
		struct fail *f);

/*
 * A literal IPv4 or IPv6 address (with its zone, no brackets), or what may be a host's name: labels
 * of letters, digits, dashes and underscores (RFC 1123, 2.1), the last one not a number, since
 * that would be a malformed IPv4 address. Nothing is looked up.
 */
bool net_is_host(const char *host);

/* "127.0.0.1:443", "[::1]:443". Returns dst. */
const char *net_format(const struct net_address *a, char dst[NET_TEXT_BYTES]);

#endif
