/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_clock - how far a node's monotonic clock is from the runner's, and how sure that is.
 *
 * SUMMARY.  node time = runner time + offset, wrong by at most the uncertainty, however
 * unequal the two ways of the exchange took.
 *
 * DETAILS.  A question leaves at s and its answer is here at r, on the runner's clock; the
 * node read n in between, when the runner's clock showed something in [s, r]. So the
 * offset is in [n - r, n - s]: its middle is n - (s + r) / 2, and half its width is
 * (r - s) / 2. The exchange with the shortest r - s is kept:
 *
 *      s      r      n    offset  uncertainty
 *    100    140    620       500           20
 *    200    210    704       499            5   <- kept
 */
#ifndef TESTBED_RUNNER_CLOCK_H
#define TESTBED_RUNNER_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock_exchange {
	int64_t sent_ns, received_ns; /* on the runner's clock */
	int64_t node_ns;
};

struct clock_estimate {
	int64_t offset_ns, uncertainty_ns;
};

/* count > 0. Pure. */
struct clock_estimate clock_estimate(const struct clock_exchange *x, size_t count);

/*
 * Of a trial between two estimates: the middle of both. The uncertainty covers the whole
 * drift from one to the other. Pure.
 */
struct clock_estimate clock_between(const struct clock_estimate *before,
				    const struct clock_estimate *after);

#endif
