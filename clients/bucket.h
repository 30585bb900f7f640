/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket - a token bucket: bytes per second, exact in whole numbers, no clock of its own.
 *
 * What was moved is taken afterwards and may leave a debt; the caller moves nothing more until
 * ready_ns(). So in any span at most rate x span + burst + the last piece passes.
 */
#ifndef CLIENTS_BUCKET_H
#define CLIENTS_BUCKET_H

#include <stdint.h>

#include "lib/fail.h"

#define BUCKET_RATE_MAX INT64_C(4000000000)

struct bucket {
	int64_t bytes_per_s;   /* 0: no limit */
	int64_t burst_bytes;   /* credit that an idle time can gather */
	int64_t level_byte_ns; /* credit in bytes x nanoseconds per second; a debt below 0 */
	int64_t at_ns;         /* when that was */
};

/* Full. 0 <= bytes_per_s <= BUCKET_RATE_MAX, 0 <= burst_bytes < 2^32. */
void bucket_init(struct bucket *b, int64_t bytes_per_s, int64_t burst_bytes, int64_t now_ns);
/* now_ns never goes back. */
void bucket_take(struct bucket *b, int64_t bytes, int64_t now_ns);
/* When the debt is paid; now_ns or before: there is none. */
int64_t bucket_ready_ns(const struct bucket *b);

/* "0.7kB/s", "64KiB/s", "700B/s" (KB is read as kB): whole bytes per second, at least 1. */
int bucket_parse_rate(const char *text, int64_t *bytes_per_s, struct fail *f);

#endif
