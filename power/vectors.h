/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors - register vectors through the simulated chip, the reader and the conversion.
 *
 * Derived by hand from the data sheet's equations: they show on any machine that this build
 * decodes signs, ranges and flags as it should.
 */
#ifndef POWER_VECTORS_H
#define POWER_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ina219_vector {
	const char *id, *about; /* id NULL ends the table */
	uint16_t config, cal;
	int64_t shunt_uohm;
	/* What is on the wires: */
	int64_t bus_uv, current_na;
	/* What the registers and the figures must say: */
	uint16_t shunt, bus, current, power;
	int64_t shunt_nv, power_nw;
	uint32_t flags;
	bool floating; /* nothing drives the bus */
};

extern const struct ina219_vector ina219_vectors[];

/* True: passed. why says what differed, "" when nothing. */
bool vector_passes(const struct ina219_vector *v, char *why, size_t len);

#endif
