/* SPDX-License-Identifier: Apache-2.0 */
/* report_grid - the two tables of a report that people read as text, a row for each cell. */
#ifndef RESULTS_REPORT_GRID_H
#define RESULTS_REPORT_GRID_H

#include "lib/table.h"
#include "results/report.h"

/* t is made here and released by the caller, also on failure. -1: no memory. */
int report_grid_speed(const struct report *r, struct table *t);
int report_grid_energy(const struct report *r, struct table *t);

/* "Handshakes and energy (modelled)". */
void report_grid_energy_title(const struct report *r, char *dst, size_t len);

#endif
