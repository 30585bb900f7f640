/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment - what two neighbouring samples say about the time between them.
 *
 * A trace becomes a row of segments with known power, in order; what lies between two of
 * them is not known. Gap policies and windows are somebody else's.
 */
#ifndef POWER_SEGMENT_H
#define POWER_SEGMENT_H

#include "power/convert.h"

struct segment {
	int64_t from_ns, to_ns;
	int64_t from_nw, to_nw; /* power is a straight line; at both ends the mean if by_energy */
	bool by_energy;
	int64_t energy_nj; /* by_energy: exactly this much */
};

/* Samples go in one by one; each may complete a segment. */
struct segmenter {
	struct convert convert;
	int64_t max_gap_ns; /* INT64_MAX: none */
	bool any;           /* last_* are set */
	int64_t last_ns, last_nw;
	bool last_usable;
	struct sample base; /* of a counter */
	int64_t base_ns;
	bool has_base;
};

enum segment_verdict {
	SEGMENT_NONE,      /* nothing known ends here */
	SEGMENT_KNOWN,     /* *out */
	SEGMENT_REJECTED,  /* stamp not after the one before: sample ignored */
	SEGMENT_STALE,     /* not a new value: sample ignored */
	SEGMENT_AMBIGUOUS, /* a counter's step that could be several things: nothing is known */
};

void segmenter_init(struct segmenter *g, const struct meter_facts *facts, int64_t max_gap_ns);
enum segment_verdict segmenter_add(struct segmenter *g, const struct sample *s,
				   struct segment *out);
/* What is known after the last sample, until end_ns: a value that holds. */
bool segmenter_end(const struct segmenter *g, int64_t end_ns, struct segment *out);

#endif
