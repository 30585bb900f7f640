/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_params - settings of the workload of secured messages, both halves.
 *
 * A client sends a secured message, POST /message; the answer is one too, of the same
 * profile, and repeats the exchange's id. What is said is a text of the given size.
 */
#ifndef WORKLOADS_MESSAGE_PARAMS_H
#define WORKLOADS_MESSAGE_PARAMS_H

#include <stdint.h>

#define MESSAGE_TARGET "/message"

/* Of what is said in one exchange; a message around it takes at most MESSAGE_WIRE_BYTES_MAX. */
#define MESSAGE_PAYLOAD_BYTES_MAX (512 << 10)
#define MESSAGE_WIRE_BYTES_MAX    (1 << 20)

struct message_params {
	const char *profile;        /* by name; NULL: message_profile_default() */
	const char *credential_dir; /* NULL: the user's cache. Both halves need its files */
	int64_t payload_bytes;      /* asker; the workload takes that of all workloads */
};

#endif
