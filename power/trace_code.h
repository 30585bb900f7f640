/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_code - the portable form of a trace, piece by piece: head, chunks, tail.
 *
 * A chunk's own head says what time it holds and how long it is, so that a reader of a window
 * walks over the heads and unpacks only what it needs, from memory or from a file. A file whose
 * writer was killed has no tail; its complete chunks are all there.
 */
#ifndef POWER_TRACE_CODE_H
#define POWER_TRACE_CODE_H

#include "power/trace.h"
#include "power/trace_pack.h"

#define TRACE_MAGIC "CWTRACE2"

/* Writing: append to out, whose sticky failure says the rest. */
void trace_put_head(const struct meter_facts *facts, struct buf *out);
/* At most TRACE_CHUNK samples. -1: no memory. */
int trace_put_chunk(const struct sample *s, size_t count, struct buf *out);
void trace_put_tail(int64_t count, int64_t late, int64_t lost, int64_t cpu_ns, struct buf *out);

struct trace_chunk {
	int64_t at;             /* where its compressed bytes begin */
	int64_t from_ns, to_ns; /* earliest and latest stamp */
	uint32_t count, packed_len, len, crc;
	int64_t tick_ns;
};

struct trace_reader {
	const uint8_t *bytes; /* NULL: read from fd */
	int fd;
	int64_t len, at;    /* of everything; of the next piece */
	int64_t bytes_read; /* how much was looked at */
	struct meter_facts facts;
	bool complete; /* the tail was met; what follows is from it */
	int64_t count, late, lost, cpu_ns;
	void *packed, *squeezed; /* room to unpack */
};

/* From memory (bytes) or, when that is NULL, an open file, both borrowed. Reads the head. */
int trace_reader_open(struct trace_reader *r, const void *bytes, int fd, int64_t len,
		      struct fail *f);
void trace_reader_close(struct trace_reader *r);
/* 1: *c is the next chunk, its samples not looked at; 0: the end, complete or cut; -1: damaged. */
int trace_reader_next(struct trace_reader *r, struct trace_chunk *c, struct fail *f);
/* Its samples into dst, which has room for TRACE_CHUNK. */
int trace_reader_load(struct trace_reader *r, const struct trace_chunk *c, struct sample *dst,
		      struct fail *f);

/*
 * Chunks that a window needs, in order: those inside, and one more at each side when the window
 * begins or ends between chunks. visit: 0 to go on, 1 enough, -1 failed (f set by it).
 */
typedef int trace_visit(void *data, const struct sample *s, size_t count);
int trace_reader_window(struct trace_reader *r, int64_t from_ns, int64_t to_ns, trace_visit *visit,
			void *data, struct fail *f);

#endif
