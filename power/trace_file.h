/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file - a trace written while it is being measured, in constant memory.
 *
 * Samples are gathered into chunks; each chunk is appended in one write, so that whatever kills
 * the writer, the complete chunks are there to be read.
 */
#ifndef POWER_TRACE_FILE_H
#define POWER_TRACE_FILE_H

#include "power/trace_code.h"

struct trace_writer {
	int fd;           /* -1: not open */
	const char *path; /* borrowed */
	struct sample *pending;
	size_t count;
	int64_t written, due_ns; /* samples; when a chunk is written though it is not full */
	struct buf out;
};

/* Makes the file, which must not be there or be empty: nothing is ever overwritten. */
int trace_writer_open(struct trace_writer *w, const char *path, const struct meter_facts *facts,
		      struct fail *f);
/* A full chunk is written at once, any chunk five seconds after its first sample came. */
int trace_writer_add(struct trace_writer *w, const struct sample *s, size_t count, struct fail *f);
/* The rest and the tail. Closes in any case; safe on a zeroed writer with fd -1. */
int trace_writer_close(struct trace_writer *w, int64_t late, int64_t lost, int64_t cpu_ns,
		       struct fail *f);

#endif
