/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_usage - cumulative CPU time of some processes on a 10 ms grid, so that what they
 * used between any two moments is known afterwards.
 *
 * Memory is fixed: when it is full, every second point is dropped and the grid doubles,
 * so nothing is allocated while a window is open, however long the trial.
 */
#ifndef TESTBED_NODE_USAGE_H
#define TESTBED_NODE_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/fail.h"

struct usage_point {
	int64_t at_ns, cpu_ns;
};

/* CPU time at a moment by linear interpolation; -1 outside the points. Pure. */
int64_t usage_points_at(const struct usage_point *p, size_t count, int64_t at_ns);

/* Keep every second point, the last one always; returns how many are left. Pure. */
size_t usage_points_halve(struct usage_point *p, size_t count);

struct node_usage;

/* Starts the thread. NULL: the reason in f. */
struct node_usage *node_usage_start(struct fail *f);
/* Count this process too, from now on. A process that ended keeps what it had used. */
int node_usage_watch(struct node_usage *u, pid_t pid, struct fail *f);
/* Take a last point and end the thread; what was seen stays readable. */
void node_usage_stop(struct node_usage *u);
/* After stop: used between two moments, -1 when that was not seen. */
int64_t node_usage_between(const struct node_usage *u, int64_t from_ns, int64_t to_ns);
/* After stop: of the thread itself. */
int64_t node_usage_own_cpu_ns(const struct node_usage *u);
/* Accepts NULL; stops first where that was not done. */
void node_usage_free(struct node_usage *u);

#endif
