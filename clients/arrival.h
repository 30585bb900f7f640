/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrival - when a client's next request is due.
 *
 * A plan knows nothing of connections: it is told when its client became free and
 * answers with a time. A closed-loop plan follows the client; an open-loop plan follows
 * a schedule of its own and ignores it, so that a late client shows as response time.
 */
#ifndef CLIENTS_ARRIVAL_H
#define CLIENTS_ARRIVAL_H

#include <stdint.h>

struct arrival {
	const struct arrival_ops *ops;
};

struct arrival_ops {
	const char *name;
	/* Due time of the next request of a client that can begin at free_ns. Never blocks. */
	int64_t (*next_ns)(struct arrival *a, int64_t free_ns);
};

/* Due as soon as the client is free. */
extern const struct arrival_ops arrival_closed;

#define ARRIVAL_PAUSE_MAX_NS INT64_C(100000000)

/* How long a client stays away after its failures-th failure to connect in a row: 0, 1, 2, 4 .. 100
 * ms. */
int64_t arrival_pause_ns(int failures);

#endif
