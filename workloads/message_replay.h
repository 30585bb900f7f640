/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_replay - what a server must not believe twice: nonces of username tokens, and ids of
 * signed exchanges. One memory for all threads of a process, because a replay may come to
 * another thread than the first copy.
 *
 * Signatures are not what is remembered: who holds no key can make another one of ECDSA fit.
 */
#ifndef WORKLOADS_MESSAGE_REPLAY_H
#define WORKLOADS_MESSAGE_REPLAY_H

#include "lib/fail.h"
#include "workloads/message.h"
#include "workloads/nonces.h"

/* For as long as each could be shown again: its life, by a clock that is ahead and one behind. */
#define MESSAGE_TOKEN_S    (2 * MESSAGE_SKEW_S)
#define MESSAGE_EXCHANGE_S (MESSAGE_VALID_S + 2 * MESSAGE_SKEW_S)

enum message_once { MESSAGE_TOKEN, MESSAGE_EXCHANGE, MESSAGE_ONCE };

/* Counted: the memory goes with the last close. */
int message_replay_open(struct fail *f);
void message_replay_close(void);

/*
 * 0: it is new, and remembered from now on. -1: used before, or too many are remembered.
 * Monotonic time.
 */
int message_replay_use(enum message_once kind, const uint8_t nonce[NONCE_BYTES], int64_t now_ns,
		       struct fail *f);

#endif
