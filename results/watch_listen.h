/* SPDX-License-Identifier: Apache-2.0 */
/* watch_listen - the socket of the live page: on the loopback address, and nowhere else. */
#ifndef RESULTS_WATCH_LISTEN_H
#define RESULTS_WATCH_LISTEN_H

#include <stdint.h>

#include "lib/fail.h"

/* A listening socket that does not block; port 0: one that is free. *bound is the port. -1. */
int watch_listen(int64_t port, int backlog, int64_t *bound, struct fail *f);

#endif
