/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - monotonic time for every figure, wall time only as a label.
 *
 * All times are int64_t nanoseconds; a time_t never leaves this file.
 */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/* CLOCK_MONOTONIC. */
int64_t clock_ns(void);

/* CLOCK_REALTIME: for labels, never for differences. */
int64_t clock_wall_ns(void);

#define CLOCK_UTC_BYTES 24
/* "2026-11-30T22:15:17Z" into dst. */
void clock_utc(int64_t wall_ns, char dst[CLOCK_UTC_BYTES]);

#define CLOCK_HTTP_BYTES 30
/* "Mon, 30 Nov 2026 22:15:17 GMT" into dst, in every locale (RFC 9110 section 5.6.7). */
void clock_http(int64_t wall_ns, char dst[CLOCK_HTTP_BYTES]);

/* Sleep until the monotonic clock shows due_ns; interrupted sleeps go on. */
void clock_sleep_until(int64_t due_ns);

#endif
