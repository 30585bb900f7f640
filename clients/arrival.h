/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrival - when a client's next request is due, and when it may connect.
 *
 * A plan knows nothing of connections: it is told when its client became free and answers
 * with a time. A closed-loop plan follows the client; an open-loop plan follows a schedule of
 * its own and ignores it, so that a late client shows as response time. Several threads that
 * share a rate hold every threads-th start each: nothing is shared between them.
 */
#ifndef CLIENTS_ARRIVAL_H
#define CLIENTS_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rng.h"

enum arrival_kind { ARRIVAL_FIXED, ARRIVAL_POISSON, ARRIVAL_KINDS };
extern const char *const arrival_kind_name[ARRIVAL_KINDS + 1]; /* ends with NULL */

#define ARRIVAL_RATE_MIN_PER_S 1e-3
#define ARRIVAL_RATE_MAX_PER_S 1e6

struct arrival {
	const struct arrival_ops *ops;
	int64_t origin_ns; /* open: the schedule's zero */
	int64_t think_ns;  /* closed: what a client waits before it asks again */
	int64_t period_ns; /* fixed: between the starts of all threads together */
	int64_t k, step;   /* fixed: number of the last start, counted from 1; threads */
	double gap_ns;     /* poisson: the mean, of this thread's starts */
	int64_t last_ns;   /* poisson: the last start */
	struct rng rng;
};

struct arrival_ops {
	const char *name;
	bool open;
	/* Due time of the next request of a client that can begin at free_ns. Never blocks. */
	int64_t (*next_ns)(struct arrival *a, int64_t free_ns);
	/* Forget what was handed out: the schedule begins again at origin_ns. */
	void (*restart)(struct arrival *a, int64_t origin_ns);
};

/* Due when the client has been free for think_ns. */
void arrival_closed(struct arrival *a, int64_t think_ns);

/*
 * The k-th start of all threads is origin + k * period, k = 1, 2, .. in whole nanoseconds, with
 * the period rounded up: in no span from the origin are there more than rate x span. This plan
 * hands out every step-th, from number index + 1 on. 0 <= index < step, 0 < rate_per_s <=
 * ARRIVAL_RATE_MAX_PER_S.
 */
void arrival_fixed(struct arrival *a, double rate_per_s, int index, int step);

/*
 * Independent exponential gaps of mean 1 / rate: the rate is kept on average, a span may hold
 * more by chance. The same seed, index and step give the same gaps.
 */
void arrival_poisson(struct arrival *a, double rate_per_s, uint64_t seed, int index, int step);

#define ARRIVAL_PAUSE_MAX_NS INT64_C(100000000)

/* How long a client stays away after its failures-th failure to connect in a row: 0, 1, 2, 4 .. 100
 * ms. */
int64_t arrival_pause_ns(int failures);

/*
 * Slots at least a period apart: a rate that is a limit and not a schedule. A slot that nobody
 * took is lost, so the rate is never exceeded later to catch up.
 */
struct pacer {
	int64_t period_ns; /* 0: no limit */
	int64_t next_ns;
};
/* Of a rate that step pacers share; 0 a second: no limit. */
void pacer_init(struct pacer *p, double rate_per_s, int64_t origin_ns, int index, int step);
/* The slot of who can begin at from_ns, now or before: a later one would be lost to all others. */
int64_t pacer_take(struct pacer *p, int64_t from_ns);

#endif
