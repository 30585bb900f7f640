/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots - durations in slots of 5 ms up to 10 s, summed up as the benchmark client of Eclipse
 * Californium does it, so that tables made with that can be compared cell by cell.
 *
 * A percentile is counted down from the longest: the slot that holds the sample of rank
 * n * (1000 - per mille) / 1000 behind it, in whole numbers. Its value is the upper edge of that
 * slot less a nanosecond, or the maximum where that is less, cut to whole milliseconds: it ends in
 * 4 or 9 unless it is the maximum. What is longer than the range stands in the last slot. The
 * average is the sum cut to whole milliseconds, over the number. For figures of our own there is
 * lib/hist.h.
 */
#ifndef CLIENTS_SLOTS_H
#define CLIENTS_SLOTS_H

#include <stdint.h>

#define SLOT_NS     INT64_C(5000000)
#define SLOTS       2001
#define SLOTS_BYTES 160

struct slots {
	uint32_t *slot; /* NULL until slots_init() */
	int64_t count, sum_ns, max_ns;
};

int slots_init(struct slots *s); /* -1: no memory */
void slots_release(struct slots *s);
/* Never allocates. A negative duration is left out. */
void slots_add(struct slots *s, int64_t ns);
void slots_merge(struct slots *into, const struct slots *from);
/* 1 to 999; -1 when there is no sample. */
int64_t slots_percentile_ms(const struct slots *s, int per_mille);
/* NAN when there is no sample. */
double slots_average_ms(const struct slots *s);
/* "#: 2000, avg.: 29.30 ms, 95%: 49 ms, 99%: 59 ms, 99.9%: 74 ms, max.: 83 ms". Returns dst. */
const char *slots_format(const struct slots *s, char dst[SLOTS_BYTES]);

#endif
