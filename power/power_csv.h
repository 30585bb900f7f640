/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_csv - readings as rows, written as they come. replay: reads what this writes.
 */
#ifndef POWER_POWER_CSV_H
#define POWER_POWER_CSV_H

#include <stdio.h>

#include "power/meter.h"

/* Header lines that begin with '#', then the names with their units. */
void power_csv_head(const struct meter_facts *facts, FILE *out);
/* One row a sample, times in seconds after first_ns. No value is an empty cell. */
void power_csv_rows(const struct meter_facts *facts, const struct sample *s, size_t count,
		    int64_t first_ns, FILE *out);
void power_csv_tail(int64_t late, int64_t lost, FILE *out);

#endif
