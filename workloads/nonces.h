/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nonces - which nonces were used lately, for any number of threads.
 *
 * SUMMARY: a nonce is known for at least the time it is asked to be kept and at most twice
 * that; memory is bounded, and when it is full the answer is NONCE_FULL rather than a guess.
 * DETAILS: each shard has two tables, young and old. A new nonce goes into the young one;
 * when that is keep_ns old it becomes the old one and the old one is forgotten. The place of a
 * nonce depends on a secret, so that nobody can choose nonces that fall together.
 */
#ifndef WORKLOADS_NONCES_H
#define WORKLOADS_NONCES_H

#include <stdint.h>

#define NONCE_BYTES      16
#define NONCES_SHARDS    16
#define NONCES_SHARD_MAX (1 << 17) /* 2,097,152 in keep_ns, in 64 MiB twice at most */

enum nonce_state { NONCE_NEW, NONCE_USED, NONCE_FULL };

struct nonces;

/* NULL: no memory. */
struct nonces *nonces_new(int64_t keep_ns);
void nonces_free(struct nonces *n);

/* NONCE_NEW: and remembered from now on. Monotonic time. */
enum nonce_state nonces_use(struct nonces *n, const uint8_t nonce[NONCE_BYTES], int64_t now_ns);

#endif
