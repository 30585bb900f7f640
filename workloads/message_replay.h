/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_replay - which nonces have been seen: one memory for all threads of a process,
 * because a replay may come to another thread than the first copy. A lock, held for a look-up.
 *
 * A nonce is remembered for at least MESSAGE_REPLAY_S; a username token is refused when it
 * is older. When too many come in that time, further ones count as seen: to refuse is safe.
 */
#ifndef WORKLOADS_MESSAGE_REPLAY_H
#define WORKLOADS_MESSAGE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

#define MESSAGE_NONCE_BYTES 16
#define MESSAGE_REPLAY_S    120
#define MESSAGE_REPLAY_MAX  (1 << 21) /* nonces in MESSAGE_REPLAY_S */

/* Counted: the memory goes with the last close. */
int message_replay_open(struct fail *f);
void message_replay_close(void);

/* false: it is new, and remembered from now on. Monotonic time. */
bool message_replay_seen(const uint8_t nonce[MESSAGE_NONCE_BYTES], int64_t now_ns);

#endif
