/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle - the subtraction and what it costs in certainty. It must not know samples.
 *
 * DETAILS. Relative errors (gain, shunt, clock) are common to busy and idle, so they scale net;
 * the offset is common too and cancels. Drift between the idle windows is taken as a straight
 * line: its mean is the mean of both, and it may be off by half the drift, uniformly. It is
 * called a drift when it is more than three standard errors and more than 0.1 % of idle: a
 * meter without noise has errors of 0 and still rounds.
 */
#include "power/idle.h"

#include <math.h>
#include <stddef.h>

#include "power/wide.h"

#define DRIFT_ERRORS    3
#define DRIFT_LEAST_PPM 1000

static bool usable(const struct energy *e)
{
	return e != NULL && e->about_ns > 0;
}

static double error_nw(const struct energy *e)
{
	return usable(e) && e->error_nw > 0 ? (double)e->error_nw : 0;
}

static int idle_power(const struct energy *before, const struct energy *after, int64_t *nw)
{
	int64_t nj = 0, ns = 0;

	if (usable(before)) {
		nj += before->energy_nj;
		ns += before->about_ns;
	}
	if (usable(after)) {
		nj += after->energy_nj;
		ns += after->about_ns;
	}
	return ns > 0 && wide_muldiv_round(nj, 1000000000, ns, nw) ? 0 : -1;
}

static void drift(const struct energy *before, const struct energy *after, struct energy_net *out)
{
	double limit_nw = DRIFT_ERRORS * hypot(error_nw(before), error_nw(after));
	double least_nw = fabs((double)out->idle_nw) * DRIFT_LEAST_PPM / 1e6;

	out->drift_known = usable(before) && usable(after);
	if (!out->drift_known)
		return;
	out->drift_nw = after->mean_nw - before->mean_nw;
	/* Without a scatter to compare with, nothing is called a drift. */
	out->drifted = before->error_nw >= 0 && after->error_nw >= 0 &&
		       fabs((double)out->drift_nw) > fmax(limit_nw, least_nw);
}

static void uncertainties(const struct energy *busy, const struct energy *before,
			  const struct energy *after, struct energy_net *out)
{
	double seconds = (double)busy->about_ns / 1e9, gross = (double)busy->energy_nj;
	double all = (double)busy->instrument_nj, offset = (double)busy->offset_nj;
	double relative =
		gross != 0 && all > offset ? sqrt(all * all - offset * offset) / fabs(gross) : 0;
	double scatter = hypot(error_nw(before), error_nw(after));

	if (out->drift_known)
		scatter /= 2;
	out->instrument_nj = llround(fabs((double)out->net_nj) * relative);
	out->idle_stat_nj =
		llround(seconds * hypot(scatter, fabs((double)out->drift_nw) / 2 / sqrt(3)));
}

int energy_net(const struct energy *busy, const struct energy *idle_before,
	       const struct energy *idle_after, struct energy_net *out)
{
	*out = (struct energy_net){ 0 };
	if (!usable(busy) || idle_power(idle_before, idle_after, &out->idle_nw) != 0 ||
	    !wide_muldiv_round(out->idle_nw, busy->about_ns, 1000000000, &out->idle_nj))
		return -1;
	out->gross_nj = busy->energy_nj;
	out->net_nj = out->gross_nj - out->idle_nj;
	drift(idle_before, idle_after, out);
	uncertainties(busy, idle_before, idle_after, out);
	return 0;
}
