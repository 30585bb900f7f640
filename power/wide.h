/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide - a * b / d with a 128-bit product, on machines without a 128-bit type too
 * (32-bit boards have none).
 */
#ifndef POWER_WIDE_H
#define POWER_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * a * b = quotient * d + remainder, truncated towards zero, d > 0. rest may be NULL.
 * False when the quotient does not fit; nothing is written then.
 */
bool wide_muldiv(int64_t a, int64_t b, int64_t d, int64_t *quotient, int64_t *rest);

/* The same rounded to the nearest, halves away from zero. */
bool wide_muldiv_round(int64_t a, int64_t b, int64_t d, int64_t *quotient);

#endif
