/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy - a pure function of a trace and a window.
 *
 * Samples are integrated by what they mean; the window is cut at its edges; a gap is
 * listed and treated by the policy, never silently bridged.
 */
#ifndef POWER_ENERGY_H
#define POWER_ENERGY_H

#include "power/segment.h"
#include "power/trace.h"

enum gap_policy { GAP_FAIL, GAP_HOLD, GAP_LINEAR, GAP_EXCLUDE };
extern const char *const gap_policy_name[]; /* "fail", "hold", "linear", "exclude", NULL */

/* A window with fewer samples, or shorter in periods, is insufficient. */
#define ENERGY_LEAST_SAMPLES 10

struct energy {
	int64_t from_ns, to_ns;
	int64_t energy_nj;  /* over the covered part; with GAP_HOLD and GAP_LINEAR over all */
	int64_t covered_ns; /* of to - from, by samples */
	int64_t mean_nw;    /* energy / the time it is about */
	int64_t peak_nw;
	int64_t samples; /* used in the window */
	int64_t gaps, longest_gap_ns;
	int64_t stale, saturated, retried, absent; /* samples with these flags in the window */
	int64_t instrument_nj; /* standard uncertainty (k = 1) of the instrument */
	bool insufficient;     /* too few samples or too short to trust: see energy.c */

	int64_t about_ns;  /* the time that energy_nj is about: covered, or all of it */
	int64_t rejected;  /* samples whose stamp did not move on: left out */
	int64_t offset_nj; /* the part of instrument_nj that idle subtraction cancels */
	int64_t error_nw;  /* standard error of mean_nw from slices of the window; -1 unknown */
	/* The other parts of instrument_nj; squares add up. step: quantisation. */
	int64_t gain_nj, shunt_nj, clock_nj, step_nj;
	int64_t ambiguous; /* steps of a counter that could be a wrap, two, or a reset: gaps */
	unsigned lacks;    /* enum energy_lack: why it is insufficient */
};

enum energy_lack {
	LACK_SAMPLES = 1 << 0, /* fewer than ENERGY_LEAST_SAMPLES */
	LACK_LENGTH = 1 << 1,  /* shorter than that many periods of the meter */
	LACK_COVER = 1 << 2,   /* less than half of the window is covered */
};
/* "too few samples, too short": 80 bytes hold any. "" when nothing lacks. */
const char *energy_lacks_text(unsigned lacks, char *dst, size_t len);

/*
 * The longest interval between samples that is not a gap; 0: three periods of the facts, no
 * limit where the period is unknown or the samples leave no gaps (facts.gapless). What the trace
 * leaves open at an edge of the window is always uncovered, and a gap when it is longer than that
 * or three periods. -1: no window, no samples, or a gap with GAP_FAIL; f says which.
 */
int energy_window(const struct trace *t, int64_t from_ns, int64_t to_ns, enum gap_policy policy,
		  int64_t max_gap_ns, struct energy *e, struct fail *f);

/*
 * The same for samples that come in parts, in constant memory: begin, add, end. An end that is not
 * known yet is ENERGY_OPEN; energy_end() then takes the last sample's stamp. The facts are
 * borrowed. The result does not depend on how the samples were cut into parts.
 */
#define ENERGY_OPEN   INT64_MAX
#define ENERGY_SLICES 32

struct energy_run {
	struct energy e;
	struct segmenter segmenter;
	enum gap_policy policy;
	bool open;
	int64_t edge_ns;    /* what may be open at an edge without being a gap */
	int64_t nj, halves; /* the sum: nanojoules, and half nanowatt-nanoseconds */
	bool overflow;
	int64_t cursor_ns; /* the window is dealt with up to here */
	bool has_before, finished;
	int64_t before_ns, before_nw; /* the end of the last known segment */
	int64_t gap_at_ns, gap_ns;    /* the first gap; gap_ns 0: none */
	double bus_sum_uv;            /* over the samples used */
	int64_t slice_ns;             /* width of the slices below */
	int slices;
	double slice_sum_nw[ENERGY_SLICES];
	int64_t slice_count[ENERGY_SLICES];
};

int energy_begin(struct energy_run *run, const struct meter_facts *facts, int64_t from_ns,
		 int64_t to_ns, enum gap_policy policy, int64_t max_gap_ns, struct fail *f);
/* False: the window is full, nothing more is needed. */
bool energy_add(struct energy_run *run, const struct sample *s, size_t count);
/* As energy_window(). */
int energy_end(struct energy_run *run, struct energy *e, struct fail *f);

/* The first and last stamp of a trace: its own window. -1: fewer than two samples. */
int energy_span(const struct trace *t, int64_t *from_ns, int64_t *to_ns);

#endif
