/* SPDX-License-Identifier: Apache-2.0 */
/* report_trace - a meter's trace made small enough to be drawn. */
#include "results/report_trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "power/convert.h"
#include "power/trace.h"

#define NW_PER_W      1e9
#define NS_PER_S_REAL 1e9

struct sums {
	double sum_w[REPORT_TRACE_STEPS];
	int64_t n[REPORT_TRACE_STEPS];
};

/* Of an energy meter: the mean since the sample before. */
static bool power_of(const struct convert *c, const struct sample *before, const struct sample *s,
		     double *watts)
{
	int64_t value, dt_ns;

	if (c->facts->kind != CODE_ENERGY) {
		if (!convert_usable(c, s, &value))
			return false;
		*watts = (double)value / NW_PER_W;
		return true;
	}
	dt_ns = before ? sample_time_ns(s) - sample_time_ns(before) : 0;
	if (dt_ns <= 0 || !convert_energy(c, before, s, dt_ns, &value))
		return false;
	*watts = (double)value / (double)dt_ns; /* nanojoules over nanoseconds */
	return true;
}

static void put(struct report_trace *t, struct sums *sums, double share, double watts)
{
	size_t i = (size_t)(share * REPORT_TRACE_STEPS);
	struct report_step *step;

	i = i < REPORT_TRACE_STEPS ? i : REPORT_TRACE_STEPS - 1;
	step = &t->step[i];
	step->low_w = fmin(step->low_w, watts);
	step->high_w = fmax(step->high_w, watts);
	sums->sum_w[i] += watts;
	sums->n[i]++;
	t->samples++;
}

static void fill(struct report_trace *t, struct sums *sums, const struct trace *trace)
{
	const struct sample *s = trace->sample;
	int64_t first_ns = sample_time_ns(s);
	double all_ns = (double)(sample_time_ns(&s[trace->count - 1]) - first_ns);
	struct convert c;

	convert_init(&c, &trace->facts);
	for (size_t i = 0; i < trace->count; i++) {
		double at = (double)(sample_time_ns(&s[i]) - first_ns) / all_ns, watts;

		if (at >= 0 && at <= 1 && power_of(&c, i ? &s[i - 1] : NULL, &s[i], &watts))
			put(t, sums, at, watts);
	}
	for (size_t i = 0; i < REPORT_TRACE_STEPS; i++)
		t->step[i].mean_w = sums->n[i] ? sums->sum_w[i] / (double)sums->n[i] : NAN;
}

static int read_trace(struct report_trace *t, struct sums *sums, const struct trace *trace,
		      const struct store_trace *stored, struct fail *f)
{
	int64_t window_ns;

	if (__builtin_sub_overflow(stored->to_ns, stored->from_ns, &window_ns) || window_ns < 0)
		return fail_set(f, EBADMSG, "the trace's window ends before it begins");
	if (trace->count < 2 || convert_check(&trace->facts, f) < 0 ||
	    sample_time_ns(&trace->sample[trace->count - 1]) <= sample_time_ns(trace->sample))
		return fail_set(f, EBADMSG, "the trace has no two samples in order");
	t->from_s = (double)(sample_time_ns(trace->sample) - stored->from_ns) / NS_PER_S_REAL;
	t->to_s = (double)(sample_time_ns(&trace->sample[trace->count - 1]) - stored->from_ns) /
		  NS_PER_S_REAL;
	t->window_s = (double)window_ns / NS_PER_S_REAL;
	fill(t, sums, trace);
	return t->samples ? 0 : fail_set(f, EBADMSG, "the trace has no usable sample");
}

int report_trace_read(struct report_trace *t, const struct store_trace *stored, struct fail *f)
{
	struct sums *sums = calloc(1, sizeof(*sums));
	struct trace trace = { 0 };
	int status = -1;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < REPORT_TRACE_STEPS; i++)
		t->step[i] = (struct report_step){ NAN, NAN, NAN };
	if (!sums)
		fail_set(f, ENOMEM, "no memory for the trace");
	else if (trace_decode(&trace, stored->data, stored->len, f) == 0)
		status = read_trace(t, sums, &trace, stored, f);
	trace_release(&trace);
	free(sums);
	return status;
}

void report_trace_merge(const struct report_trace *t, size_t count, struct report_step *dst)
{
	size_t each = REPORT_TRACE_STEPS / count;

	for (size_t i = 0; i < count; i++) {
		double sum = 0;
		int n = 0;

		dst[i] = (struct report_step){ NAN, NAN, NAN };
		for (size_t k = i * each; k < (i + 1) * each; k++) {
			dst[i].low_w = fmin(dst[i].low_w, t->step[k].low_w);
			dst[i].high_w = fmax(dst[i].high_w, t->step[k].high_w);
			if (!isfinite(t->step[k].mean_w))
				continue;
			sum += t->step[k].mean_w;
			n++;
		}
		dst[i].mean_w = n ? sum / n : NAN;
	}
}

double report_trace_time_s(const struct report_trace *t, size_t step, size_t count)
{
	return t->from_s + ((double)step + 0.5) * (t->to_s - t->from_s) / (double)count;
}
