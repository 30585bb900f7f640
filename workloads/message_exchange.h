/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_exchange - what the server's and the client's half of the workload share: a
 * party, the text that it says, its times. Internal to message_workload.c and
 * message_asker.c.
 */
#ifndef WORKLOADS_MESSAGE_EXCHANGE_H
#define WORKLOADS_MESSAGE_EXCHANGE_H

#include "workloads/message.h"
#include "workloads/message_params.h"

struct message_exchange {
	struct message_party party;
	struct message_content says, hears;
	struct message_tally tally;
	bool remembers; /* believes no signed message twice */
};

/* kind: "json" or "text". NULL, and the reason in f. */
struct message_exchange *message_exchange_open(const struct message_params *p,
					       enum message_role role, int64_t payload_bytes,
					       const char *kind, struct fail *f);
void message_exchange_close(struct message_exchange *e); /* NULL is well */

/* says, with its id, secured into out, which is cleared first. -1: party.fail. */
int message_exchange_say(struct message_exchange *e, struct buf *out);
/*
 * Into hears. -1: party.fail. A server believes the id of a signed message once, in any thread;
 * the client's half looks for the id that it has asked with.
 */
int message_exchange_hear(struct message_exchange *e, const void *src, size_t len);

#endif
