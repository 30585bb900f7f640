/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affinity - lists of CPUs, and pinning a thread to one of them.
 *
 * The list is taskset's: "0,2-3" (strides are not read). It names CPUs that this
 * process may run on; anything else is refused with those that would fit.
 */
#ifndef LIB_AFFINITY_H
#define LIB_AFFINITY_H

#include <sched.h>

#include "lib/fail.h"

/* "0,2-3" into set. Every CPU named must be one that this process may run on. */
int affinity_parse(const char *list, cpu_set_t *set, struct fail *f);

/*
 * Pin the calling thread to the index-th CPU of set, counted from 0 and round again
 * when there are more threads than CPUs. -1: errno is set.
 */
int affinity_pin_thread(const cpu_set_t *set, int index);

/* How many CPUs this process may run on; at least 1. */
int affinity_count(void);

#endif
