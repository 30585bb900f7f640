/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_pack - samples as columns of small numbers, before compression, and back.
 *
 * A chunk stands alone: reading a window needs no chunk before it.
 */
#ifndef POWER_TRACE_PACK_H
#define POWER_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "power/meter.h"

/* Samples of a chunk; the decoder refuses more. */
#define TRACE_CHUNK 8192

void pack_unsigned(struct buf *out, uint64_t v);
void pack_signed(struct buf *out, int64_t v);

/* Bytes to read from; failed is sticky and every value after it is 0. */
struct unpack {
	const uint8_t *at, *end;
	bool failed;
};
uint64_t unpack_unsigned(struct unpack *u);
int64_t unpack_signed(struct unpack *u);

/* 1000 when every stamp is a whole number of microseconds, else 1. */
int64_t pack_tick_ns(const struct sample *s, size_t count);
void pack_samples(const struct sample *s, size_t count, int64_t tick_ns, struct buf *out);
/* False: the bytes do not hold exactly count samples. */
bool unpack_samples(struct unpack *u, size_t count, int64_t tick_ns, struct sample *s);

#endif
