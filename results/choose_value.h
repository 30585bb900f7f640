/* SPDX-License-Identifier: Apache-2.0 */
/* choose_value - what a cell is worth for an objective, trial by trial. For choose*.c. */
#ifndef RESULTS_CHOOSE_VALUE_H
#define RESULTS_CHOOSE_VALUE_H

#include "results/choose.h"

struct interval choose_value(const struct choose_rules *r, const struct cell_summary *s);
bool choose_more_is_better(const struct choose_rules *r);
bool choose_needs_energy(const struct choose_rules *r);
/* Of the value: "Wh", "us"; NULL: a score of several weights has none. */
const char *choose_unit(const struct choose_rules *r);
/* Above a table's column of values, with the unit: ">requests/mWh", ">score". */
const char *choose_value_head(const struct choose_rules *r);
/* How many times b's value a's is, over the blocks in which both are valid. */
struct interval choose_times(const struct choose_rules *r, const struct cell_summary *a,
			     const struct cell_summary *b);
/* Requests per mWh of the role, gross; NAN: not known. */
double choose_energy(const struct choose_rules *r, const struct cell_summary *s);
/* "measured", "modelled", "none"; "mixed" where the two sides of a role differ. */
const char *choose_source(const struct cell_summary *s, enum energy_role role);

#endif
