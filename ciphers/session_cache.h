/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_cache - sessions of TLS 1.2 by their ids, shared by the domains of several threads:
 * a client that comes back is known whichever thread it meets.
 *
 * Bounded: where there is no room the oldest of a few makes it. The engine decides what a
 * session looks like, and whether it is too old.
 */
#ifndef CIPHERS_SESSION_CACHE_H
#define CIPHERS_SESSION_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define SESSION_ID_BYTES    32
#define SESSION_BYTES_MAX   16384 /* a longer one is not kept */
#define SESSION_CACHE_COUNT 20480 /* as many as OpenSSL keeps in a context */

struct session_cache;

/* For about so many. NULL: no memory. Every call but these two is for any thread. */
struct session_cache *session_cache_new(size_t sessions);
/* NULL is allowed. Secrets are cleared. */
void session_cache_free(struct session_cache *c);

/* A copy; of the same id the last counts. Without memory it is not kept. */
void session_cache_put(struct session_cache *c, const uint8_t *id, size_t id_len, const void *src,
		       size_t len);
/* Into dst of SESSION_BYTES_MAX: how many bytes; 0: not known. */
size_t session_cache_get(struct session_cache *c, const uint8_t *id, size_t id_len, void *dst);
void session_cache_drop(struct session_cache *c, const uint8_t *id, size_t id_len);

#endif
