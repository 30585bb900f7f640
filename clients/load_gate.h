/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_gate - what the threads of a run have in common: when phases begin and end, and that one
 * of them wants all to stop.
 *
 * Locked at the borders of a window only. A run of one thread has a gate too, so that there is
 * one way through.
 */
#ifndef CLIENTS_LOAD_GATE_H
#define CLIENTS_LOAD_GATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "clients/load.h"

struct load_gate {
	const struct load_params *p;
	pthread_mutex_t lock;
	pthread_cond_t met;
	int threads, ready; /* of them, that are set up */
	int before, inside; /* threads that have not opened their window; that have it open */
	bool warm_said, opened, closed;
	int64_t closed_ns;
	atomic_bool stop;      /* all of them end now */
	atomic_bool succeeded; /* one request did, in any thread */
	struct fail fail;      /* why nothing can be measured; under the lock */
};

void load_gate_init(struct load_gate *g, const struct load_params *p, int threads);
void load_gate_release(struct load_gate *g);

/* Wait until every thread is set up. -1: one of them failed. */
int load_gate_meet(struct load_gate *g);
/* A thread's phase begins now; the stamp. Tells on_phase of the first window and the last drain. */
int64_t load_gate_enter(struct load_gate *g, enum load_phase phase);
/* A thread is over; opened: its window ever was. */
void load_gate_leave(struct load_gate *g, bool opened);
/* The first reason stays; all stop. */
void load_gate_fail(struct load_gate *g, const struct fail *why);

#endif
