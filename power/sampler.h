/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler - a thread that reads one meter on a fixed grid into a trace.
 *
 * Deadlines are absolute: a late read does not move the later ones; deadlines
 * that passed while reading are skipped and counted as lost.
 */
#ifndef POWER_SAMPLER_H
#define POWER_SAMPLER_H

#include "power/trace.h"

struct sampler;

/*
 * The thread asks for a real-time priority, so that the load that is measured does not delay its
 * reads; without the right to it, it samples as it can.
 *
 * Takes over nothing: m stays the caller's, but only the sampler reads it until stop.
 * period_ns 0, or shorter than the meter's: the meter's own pace. expected_ns sizes the trace.
 * NULL: reason in f.
 */
struct sampler *sampler_start(struct meter *m, int64_t period_ns, int64_t expected_ns,
			      struct fail *f);
/* Ends the thread and hands over the trace, which the caller releases. -1: the meter had failed
 * (f), the trace so far is still handed over. */
int sampler_stop(struct sampler *s, struct trace *out, struct fail *f);

/* The first deadline of the grid after now; those that passed are added to *lost. Pure. */
int64_t sampler_next_due(int64_t due_ns, int64_t now_ns, int64_t period_ns, int64_t *lost);

/* The meter has failed, or has no more readings: stop will say which. */
bool sampler_over(struct sampler *s);
/*
 * Takes the oldest samples out, at most `most` into dst, so that a run without an end needs no more
 * memory than what comes between two calls; stop hands over the rest. Returns how many.
 */
size_t sampler_take(struct sampler *s, struct sample *dst, size_t most);
/* The meter's facts with the period of the grid; borrowed until stop. */
const struct meter_facts *sampler_facts(const struct sampler *s);

#endif
