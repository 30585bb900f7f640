/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - one thread of a server: its loop, listening sockets, TLS domains, workload
 * and connections. Nothing in it is shared but the number of open connections and the
 * counters, which it alone writes. Internal to servers/.
 */
#ifndef SERVERS_WORKER_H
#define SERVERS_WORKER_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "lib/clock.h"
#include "lib/loop.h"
#include "servers/pool.h"
#include "servers/server.h"

struct conn;
struct dgram;

struct worker_listener {
	struct worker *worker;
	struct loop_io io;
	struct domain domain;
	bool domain_open;
	bool secure;
	bool coap;           /* over TCP, as RFC 8323 has it */
	int fd;              /* -1: not open */
	struct dgram *dgram; /* coap and coaps, on the worker's thread; NULL: accepts */
};

struct worker {
	const struct server_params *params;
	const struct tls_params *tls; /* of each listener; texts outlive the thread */
	int *open_total;              /* connections of all workers, changed atomically */
	int index;
	const cpu_set_t *cpus; /* NULL: not pinned */
	pthread_t thread;
	bool started;
	sem_t ready;
	struct fail fail;
	struct loop *loop;
	struct workload workload;
	bool workload_open;
	struct worker_listener listener[SERVER_LISTENERS_MAX];
	struct loop_timer resume; /* accepting waits for this one */
	struct loop_timer tidy;   /* what handshakes left behind goes back to the system */
	int64_t tidy_ns;
	struct conn *open, *spare; /* doubly linked; singly linked */
	struct pool pool;
	struct server_counters counters;
	char date[CLOCK_HTTP_BYTES];
	int64_t date_until_ns; /* monotonic: the date is another one from then on */
	int stop;              /* set by another thread, then loop_wake() */
};

/*
 * Everything but the TLS domains. params, tls, open_total, index and cpus have been set;
 * the listening sockets go into listener[].fd afterwards.
 */
int worker_open(struct worker *w, struct fail *f);
/* The thread has been joined, or was never started. Safe on a zeroed struct. */
void worker_close(struct worker *w);
/*
 * The thread's main: opens the domains, posts ready, and runs until stop is set and the
 * loop was woken. What went wrong before ready is in fail. data: struct worker.
 */
void *worker_run(void *data);

/*
 * A handshake is over, or the association it made rests for the first time: when no other
 * follows soon, memory that is not needed any more is given back.
 */
void worker_untidy(struct worker *w);

/* The Date of this second. */
const char *worker_date(struct worker *w);

/* One writer, many readers: no lock, no torn value. */
static inline void worker_count(int64_t *counter, int64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

#endif
