/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment - what a machine is, and what state it is in: the parts of a record that
 * explain a figure later.
 *
 * Reads files below a root directory ("" for the real one, another in tests). What a
 * machine does not tell is left out, never guessed.
 */
#ifndef TESTBED_ENVIRONMENT_H
#define TESTBED_ENVIRONMENT_H

#include <jansson.h>

#include "results/record.h"

/* Fills all but name, role and board. */
void environment_describe(const char *root, struct node *n);

/* The same as a new object, with "environment", "engines" and "builds" as objects in it. */
json_t *environment_json(const char *root);

/*
 * The state now, as a new object; keys are there only where readable:
 * cpu_khz, cpu_khz_min, cpu_khz_max, temperature_mc (of the hottest zone), throttled (the
 * Raspberry Pi firmware's bits), load_1m, and of all CPUs since the boot: ticks, ticks_idle and
 * ticks_stolen; cpus is how many.
 */
json_t *environment_state(const char *root);

/* Changes at each boot, and is the same for all that share one kernel and its clocks; "" unknown.
 */
void environment_boot_id(const char *root, char *dst, size_t len);

/* Bits 0 to 3 of throttled: under-voltage, capped, throttled, or at the soft limit right now. */
bool environment_is_throttled(const json_t *state);

#endif
