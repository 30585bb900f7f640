/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sibling_vectors - as vectors.h, for the other chips of the family: what is on the wires, the
 * registers that must come of it, and the figures.
 */
#ifndef POWER_SIBLING_VECTORS_H
#define POWER_SIBLING_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The shunt is 0.1 Ohm, or the chip's own. */
struct sibling_vector {
	const char *id, *chip, *about; /* id NULL ends the table */
	int64_t bus_uv, current_na;    /* on the wires */
	uint32_t bus, shunt;           /* registers */
	int64_t shunt_nv, power_nw;
	uint32_t flags;
};

extern const struct sibling_vector sibling_vectors[];

/* True: passed. why says what differed, "" when nothing. */
bool sibling_passes(const struct sibling_vector *v, char *why, size_t len);

#endif
