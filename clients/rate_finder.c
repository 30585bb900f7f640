/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_finder - a bracket in the logarithm of the rate, worked out anew from all probes each time,
 * so that a run that changes a verdict changes the bracket with it.
 */
#include "clients/rate_finder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/bucket.h"
#include "lib/units.h"

/* The next rate keeps this share of the bracket, in logarithms, from either end. */
#define EDGE 0.1

const char *const rate_metric_name[RATE_METRICS + 1] = { "mean", "p50", "p95", "p99" };
const char *const rate_state_name[] = {
	[RATE_SEARCHING] = "searching",   [RATE_FOUND] = "found",
	[RATE_HIGH_FAILS] = "high_fails", [RATE_LOW_MEETS] = "low_meets",
	[RATE_CROSSED] = "crossed",       [RATE_EXHAUSTED] = "exhausted",
};

/* --- texts ------------------------------------------------------------------ */

int rate_target_parse(const char *text, struct rate_finder *r, struct fail *f)
{
	size_t len = strcspn(text, "<");
	struct fail ignored = { 0 };

	for (int i = 0; i < RATE_METRICS; i++) {
		if (strlen(rate_metric_name[i]) != len || strncmp(text, rate_metric_name[i], len) ||
		    strncmp(text + len, "<=", 2))
			continue;
		r->metric = (enum rate_metric)i;
		if (!units_duration(text + len + 2, &r->target_ns, &ignored) && r->target_ns > 0)
			return 0;
	}
	return fail_set(f, EINVAL,
			"'%s' is not a target; expected mean, p50, p95 or p99, then <= and a "
			"duration, such as 'mean<=1s'",
			text);
}

int rate_range_parse(const char *text, struct rate_finder *r, struct fail *f)
{
	const char *dots = strstr(text, "..");
	struct fail ignored = { 0 };
	char low[32];

	if (dots && (size_t)(dots - text) < sizeof(low)) {
		snprintf(low, sizeof(low), "%.*s", (int)(dots - text), text);
		if (!bucket_parse_rate(low, &r->low, &ignored) &&
		    !bucket_parse_rate(dots + 2, &r->high, &ignored) && r->low < r->high)
			return 0;
	}
	return fail_set(f, EINVAL,
			"'%s' is not a range of data rates; expected two, the lower first, such as "
			"100B/s..1MB/s",
			text);
}

/* --- probes ------------------------------------------------------------------ */

double rate_probe_ns(const struct rate_probe *p)
{
	int valid = p->runs - p->invalid;

	return valid ? p->sum_ns / valid : NAN;
}

bool rate_probe_meets(const struct rate_finder *r, const struct rate_probe *p)
{
	return !p->invalid && rate_probe_ns(p) <= (double)r->target_ns;
}

/* One run says enough: far from the target, not valid, or run often enough. */
static bool settled(const struct rate_finder *r, const struct rate_probe *p)
{
	return p->runs >= RATE_RUNS_MAX || p->invalid ||
	       fabs(rate_probe_ns(p) / (double)r->target_ns - 1) > r->tolerance ||
	       (p->runs > 1 && (p->met == 0 || p->met == p->runs));
}

static struct rate_probe *find(struct rate_finder *r, int64_t bytes_per_s)
{
	for (int i = 0; i < r->probes; i++) {
		if (r->probe[i].bytes_per_s == bytes_per_s)
			return &r->probe[i];
	}
	return NULL;
}

static struct rate_probe *insert(struct rate_finder *r, int64_t bytes_per_s)
{
	int at = 0;

	while (at < r->probes && r->probe[at].bytes_per_s < bytes_per_s)
		at++;
	memmove(&r->probe[at + 1], &r->probe[at], (size_t)(r->probes - at) * sizeof(r->probe[0]));
	r->probe[at] = (struct rate_probe){ .bytes_per_s = bytes_per_s };
	r->probes++;
	return &r->probe[at];
}

static void bracket(struct rate_finder *r)
{
	r->fails = r->meets = 0;
	for (int i = 0; i < r->probes; i++) {
		if (!rate_probe_meets(r, &r->probe[i])) {
			r->fails = r->probe[i].bytes_per_s;
			r->meets = 0;
		} else if (!r->meets) {
			r->meets = r->probe[i].bytes_per_s;
		}
	}
}

void rate_finder_tell(struct rate_finder *r, int64_t bytes_per_s, double figure_ns, bool valid)
{
	struct rate_probe *p = find(r, bytes_per_s);

	if (!p && r->probes == RATE_PROBES_MAX)
		return;
	if (!p)
		p = insert(r, bytes_per_s);
	p->runs++;
	p->invalid += !valid;
	p->met += valid && figure_ns <= (double)r->target_ns;
	p->sum_ns += valid ? figure_ns : 0;
	bracket(r);
}

/* --- the search --------------------------------------------------------------- */

static bool narrow(const struct rate_finder *r)
{
	return r->meets - r->fails <= 1 ||
	       (double)r->meets <= (double)r->fails * (1 + r->tolerance);
}

/* Logarithm of where time / target = 1 on the line through both ends; NAN: it cannot be told. */
static double crossing(struct rate_finder *r, double from, double to)
{
	double slow = log(rate_probe_ns(find(r, r->fails)) / (double)r->target_ns);
	double fast = log(rate_probe_ns(find(r, r->meets)) / (double)r->target_ns);

	return from + (to - from) * slow / (slow - fast);
}

static int64_t between(struct rate_finder *r)
{
	double from = log((double)r->fails), to = log((double)r->meets);
	double at = crossing(r, from, to), edge = (to - from) * EDGE;
	int64_t rate;

	/* Where the line misleads, each second probe halves what is left. */
	if (!isfinite(at) || r->probes % 2 == 0)
		at = (from + to) / 2;
	at = fmin(fmax(at, from + edge), to - edge);
	rate = llround(exp(at));
	if (rate <= r->fails)
		rate = r->fails + 1;
	return rate < r->meets ? rate : r->meets - 1;
}

/*
 * Below everything that is known, all of which meets: time is inverse to rate, and a bit lower; or
 * half of the way down, where the server's own time makes that too careful.
 */
static int64_t below(struct rate_finder *r)
{
	double time = rate_probe_ns(find(r, r->meets)) / (double)r->target_ns;
	double rate = (double)r->meets * time * (1 - r->tolerance);

	rate = fmin(rate, sqrt((double)r->low * (double)r->meets));
	return rate > (double)r->low ? (int64_t)rate : r->low;
}

enum rate_state rate_finder_state(const struct rate_finder *r)
{
	if (r->probes && !r->meets && r->fails >= r->high)
		return RATE_HIGH_FAILS;
	if (r->meets && r->meets <= r->low)
		return RATE_LOW_MEETS;
	for (int i = 0; i < r->probes; i++) {
		if (rate_probe_meets(r, &r->probe[i]) &&
		    (double)r->probe[i].bytes_per_s * (1 + r->tolerance) < (double)r->fails)
			return RATE_CROSSED;
	}
	if (r->meets && r->fails && narrow(r))
		return RATE_FOUND;
	return r->probes == RATE_PROBES_MAX ? RATE_EXHAUSTED : RATE_SEARCHING;
}

/* An end of the bracket that one more run may move; 0: both stand. */
static int64_t unsettled(struct rate_finder *r)
{
	const int64_t ends[] = { r->meets, r->fails };

	for (int i = 0; i < 2; i++) {
		const struct rate_probe *p = find(r, ends[i]);

		if (p && !settled(r, p))
			return ends[i];
	}
	return 0;
}

int64_t rate_finder_next(struct rate_finder *r)
{
	enum rate_state state = rate_finder_state(r);

	if (!r->probes)
		return r->high;
	if (state == RATE_SEARCHING)
		return r->fails ? between(r) : below(r);
	return unsettled(r);
}
