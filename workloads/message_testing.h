/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_testing - two parties for each profile, with credentials in a directory of the
 * test's own. For tests only.
 */
#ifndef WORKLOADS_MESSAGE_TESTING_H
#define WORKLOADS_MESSAGE_TESTING_H

#include "workloads/message.h"

struct message_pair {
	struct message_party client, server;
};

/* cmocka's group fixtures. */
int message_pairs_open(void **state);
int message_pairs_close(void **state);

/* Of a profile that this program has; never NULL. */
struct message_pair *message_pair(const char *profile);
/* Where their credentials are. */
const char *message_pairs_dir(void);

#endif
