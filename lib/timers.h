/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers - the loop's armed timers, the earliest at hand: a pairing heap.
 *
 * The links live in the timers, so nothing is allocated.  Arming is constant
 * time, the rest logarithmic on average (Fredman, Sedgewick, Sleator, Tarjan,
 * Algorithmica 1, 1986).  For loop.c; knows no clock.
 */
#ifndef LIB_TIMERS_H
#define LIB_TIMERS_H

#include "lib/loop.h"

/* *first is the earliest timer, NULL when there is none. t->due_ns must not change meanwhile. */
void timers_add(struct loop_timer **first, struct loop_timer *t);
/* t must be among them. */
void timers_remove(struct loop_timer **first, struct loop_timer *t);

#endif
