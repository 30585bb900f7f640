/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace - a meter's samples over time with the facts that explain them.
 */
#ifndef POWER_TRACE_H
#define POWER_TRACE_H

#include <stddef.h>

#include "lib/buf.h"
#include "power/meter.h"

struct trace {
	struct meter_facts facts;
	struct sample *sample;
	size_t count, cap;
	int64_t late, lost; /* grid deadlines met late, and skipped */
	int64_t cpu_ns;     /* of the thread that sampled */
};

/* Room for cap samples, so that nothing is allocated while sampling. */
int trace_init(struct trace *t, const struct meter_facts *facts, size_t cap);
void trace_release(struct trace *t);
/* -1 when full and no memory for more. */
int trace_add(struct trace *t, const struct sample *s);

/* A compact portable form (facts, raw codes, stamps; compressed). Appended to out. Lossless. */
int trace_encode(const struct trace *t, struct buf *out);
/* Every byte is checked. t must be zeroed or released. */
int trace_decode(struct trace *t, const void *src, size_t len, struct fail *f);
/*
 * Only what a window needs of it: the chunks of samples that touch it and their neighbours. Others
 * are neither unpacked nor checked. What a killed writer left can be read so too.
 */
int trace_window(struct trace *t, const void *src, size_t len, int64_t from_ns, int64_t to_ns,
		 struct fail *f);

#endif
