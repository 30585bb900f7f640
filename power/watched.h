/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched - CPU time of a set of processes that may change while it is read.
 *
 * Only time used while watched counts: what a process had used before is its base line. The
 * set may be changed from another thread than the one that reads.
 */
#ifndef POWER_WATCHED_H
#define POWER_WATCHED_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#define WATCHED_MAX 256

struct watched {
	pthread_mutex_t lock;
	int count;
	pid_t pid[WATCHED_MAX];
	int64_t last_ns[WATCHED_MAX];
	int64_t total_ns;
};

void watched_init(struct watched *w);
void watched_release(struct watched *w);
/* These processes from now on, instead of those before. -1: too many, or one is not there;
 * the set is as it was. */
int watched_set(struct watched *w, const pid_t *pids, int count);
/* CPU time used while watched, by all; it never falls. A process that ended keeps its last. */
int64_t watched_cpu_ns(void *watched);

#endif
