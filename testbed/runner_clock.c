/* SPDX-License-Identifier: Apache-2.0 */
/* runner_clock - offsets of clocks: derivation in the header. */
#include "testbed/runner_clock.h"

#include <stdlib.h>

struct clock_estimate clock_estimate(const struct clock_exchange *x, size_t count)
{
	size_t best = 0;
	int64_t trip_ns;

	for (size_t i = 1; i < count; i++)
		if (x[i].received_ns - x[i].sent_ns < x[best].received_ns - x[best].sent_ns)
			best = i;
	trip_ns = x[best].received_ns - x[best].sent_ns;
	return (struct clock_estimate){
		.offset_ns = x[best].node_ns - x[best].sent_ns - trip_ns / 2,
		.uncertainty_ns = (trip_ns + 1) / 2, /* a half nanosecond counts, too */
	};
}

struct clock_estimate clock_between(const struct clock_estimate *before,
				    const struct clock_estimate *after)
{
	int64_t drift_ns = after->offset_ns - before->offset_ns;
	int64_t larger_ns = before->uncertainty_ns > after->uncertainty_ns ? before->uncertainty_ns
									   : after->uncertainty_ns;

	return (struct clock_estimate){
		.offset_ns = before->offset_ns + drift_ns / 2,
		.uncertainty_ns = larger_ns + (llabs(drift_ns) + 1) / 2,
	};
}
