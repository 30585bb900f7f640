/* SPDX-License-Identifier: Apache-2.0 */
/* message_json - the times of stages as JSON, the same from servers and clients. */
#ifndef WORKLOADS_MESSAGE_JSON_H
#define WORKLOADS_MESSAGE_JSON_H

#include <jansson.h>

#include "workloads/message_stages.h"

/*
 * { "secured", "read", "secure_ns", "read_ns", "crypto_share", "stages_ns": { "build": sum, ... },
 *   "warm_up": { "secured", "read", "stages_ns" } }; sums over the messages that are counted.
 * crypto_share is null where there was none.
 */
json_t *message_tally_json(const struct message_tally *t);

#endif
