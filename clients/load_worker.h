/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_worker - one thread's part of a run: its loop, its clients, its share of the schedule.
 */
#ifndef CLIENTS_LOAD_WORKER_H
#define CLIENTS_LOAD_WORKER_H

#include "clients/load_gate.h"
#include "clients/load_setup.h"

struct load_worker {
	struct load_gate *gate;
	const struct load_target *target;
	int index, threads;
	struct load_result *r; /* of this thread alone; initialised */
};

/* Returns when the part is over, however; failures stand in the gate. Waits there for the others.
 */
void load_worker_run(const struct load_worker *w);

#endif
