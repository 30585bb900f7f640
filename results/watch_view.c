/* SPDX-License-Identifier: Apache-2.0 */
/* watch_view - how a campaign stands, by what was read of it. */
#include "results/watch_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calendar.h"
#include "lib/clock.h"

#define QUIET_NS     (60 * NS_PER_S) /* a trial of unknown length may take so long */
#define QUIET_TRIALS 3

bool watch_may_come(const struct fail *f)
{
	return f->code == ENOENT || f->code == ENODATA || f->code == EBUSY;
}

static bool wrote_lately(const struct watch_view *v, int64_t wall_ns)
{
	int64_t quiet_ns = QUIET_TRIALS * watch_trial_ns(v);
	int64_t silent_ns = watch_silent_ns(v, wall_ns);

	return silent_ns >= 0 && silent_ns < (quiet_ns > QUIET_NS ? quiet_ns : QUIET_NS);
}

enum watch_state watch_state(const struct watch_view *v, int64_t wall_ns)
{
	bool written = v->claimed < 0 ? wrote_lately(v, wall_ns) : v->claimed > 0;

	if (!v->report)
		return watch_may_come(&v->fail) ? WATCH_WAITING : WATCH_TROUBLE;
	if (v->report->campaign.complete)
		return WATCH_ENDED;
	if (!written)
		return WATCH_INTERRUPTED;
	return v->newest ? WATCH_RUNNING : WATCH_OTHER;
}

static int by_value(const void *left, const void *right)
{
	const int64_t *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

/* Of the trials whose stamp can be read, oldest first. */
static int read_starts(const struct watch_view *v, int64_t start_s[WATCH_TRIALS])
{
	int n = 0;

	for (int i = v->trials - 1; i >= 0; i--) {
		const char *at = v->trial[i].started;

		n += calendar_read_time(&at, at + strlen(at), &start_s[n]);
	}
	return n;
}

/*
 * Stamps are of whole seconds, so spans of several trials are divided; a quarter of what is kept
 * is long enough for that, and leaves most spans without the one gap of an interruption.
 */
int64_t watch_trial_ns(const struct watch_view *v)
{
	int64_t start_s[WATCH_TRIALS], span_s[WATCH_TRIALS];
	int n = read_starts(v, start_s), step = n < 8 ? 1 : n / 4, spans = n - step;

	if (spans < 1)
		return 0;
	for (int i = 0; i < spans; i++)
		span_s[i] = start_s[i + step] - start_s[i];
	qsort(span_s, (size_t)spans, sizeof(*span_s), by_value);
	return (span_s[(spans - 1) / 2] + span_s[spans / 2]) * NS_PER_S / (2 * step);
}

int64_t watch_total(const struct watch_view *v)
{
	return v->report->trials + v->report->trials_missing;
}

int64_t watch_left_ns(const struct watch_view *v)
{
	int64_t trial_ns = watch_trial_ns(v);

	return trial_ns > 0 ? trial_ns * v->report->trials_missing : -1;
}

int64_t watch_silent_ns(const struct watch_view *v, int64_t wall_ns)
{
	if (v->written_ns <= 0)
		return -1;
	return wall_ns > v->written_ns ? wall_ns - v->written_ns : 0;
}
