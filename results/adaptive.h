/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adaptive - is a cell known well enough? For campaigns that go on until it is.
 *
 * Known well enough: the intervals of requests per second and, where the server's energy is
 * known, of requests per mWh are no wider than ci_pct per cent of the mean to either side
 * (stats_narrow, which says what stopping early costs).
 */
#ifndef RESULTS_ADAPTIVE_H
#define RESULTS_ADAPTIVE_H

#include "results/store.h"
#include "results/summary.h"

bool adaptive_enough(const struct cell_summary *s, double ci_pct);

/* The same of what is stored of a cell. 1: enough; 0: not yet; -1: failure. */
int adaptive_stored(struct store *s, int64_t cell, double ci_pct, struct fail *f);

#endif
