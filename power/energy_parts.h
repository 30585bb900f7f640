/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy_parts - what the files of the integrator share; for nobody else.
 */
#ifndef POWER_ENERGY_PARTS_H
#define POWER_ENERGY_PARTS_H

#include "power/energy.h"

/* energy.c: nw * ns half nanowatt-nanoseconds. */
void energy_add_product(struct energy_run *in, int64_t nw, int64_t ns);

/*
 * energy_plain.c: as many of the first samples as need no second thought: register codes without
 * flags, in order, without gaps, inside the window. The same sums, to the bit, as one by one; 0:
 * the first is not such a sample.
 */
size_t energy_add_plain(struct energy_run *in, const struct sample *s, size_t count);

/* energy_error.c */
void energy_slice_add(struct energy_run *in, int64_t t_ns, double sum_nw, int64_t count);
/* The first stamp that does not belong to the slice of t_ns. */
int64_t energy_slice_end(const struct energy_run *in, int64_t t_ns);
int64_t energy_standard_error(const struct energy_run *in);
void energy_uncertainty(struct energy_run *in, const struct meter_facts *facts);

#endif
