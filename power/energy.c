/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy - integrates a trace's segments over a window.
 * It must not know meanings (segment.c does) or instruments.
 *
 * SUMMARY. Power is integrated exactly as the segments give it; the result is rounded to 1 nJ,
 * and a segment cut at an edge of the window or a filled gap adds at most 1 nJ for each second
 * of its length.
 *
 * DETAILS. A line from P1 to P2 over dt holds (P1 + P2) dt / 2. Sums are kept in half
 * nanowatt-nanoseconds with the whole nanojoules carried out, so 64 bits are enough for years:
 *   1 kHz, 5 W: (5e9 + 5e9) * 1e6 = 1e16 a sample; 2e9 of them are one nanojoule.
 *
 * Insufficient: fewer than 10 usable samples in the window, a window shorter than 10 periods,
 * or less than half of it covered.
 */
#include "power/energy.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "power/segment.h"
#include "power/wide.h"

#define HALVES_PER_NJ INT64_C(2000000000)
#define SLICES        16

const char *const gap_policy_name[] = { "fail", "hold", "linear", "exclude", NULL };

struct total {
	int64_t nj, halves;
	bool overflow;
};

struct integral {
	struct energy *e;
	struct fail *fail;
	enum gap_policy policy;
	int64_t edge_ns; /* what may be open at an edge without being a gap */
	struct total total;
	int64_t cursor_ns; /* the window is dealt with up to here */
	bool has_before, finished, failed;
	int64_t before_ns, before_nw; /* the end of the last known segment */
	double bus_sum_uv;            /* over the samples used */
	double slice_sum_nw[SLICES];
	int64_t slice_count[SLICES];
};

static void add_nj(struct total *t, int64_t nj)
{
	t->overflow |= __builtin_add_overflow(t->nj, nj, &t->nj);
}

static void add_product(struct total *t, int64_t nw, int64_t ns)
{
	int64_t halves, nj;

	if (__builtin_mul_overflow(nw, ns, &halves)) {
		if (!wide_muldiv(nw, ns, HALVES_PER_NJ, &nj, &halves)) {
			t->overflow = true;
			return;
		}
		add_nj(t, nj);
	}
	if (!__builtin_add_overflow(t->halves, halves, &t->halves))
		return;
	/* t->halves has wrapped; undo, carry, and add again: both are small enough then. */
	t->halves = (int64_t)((uint64_t)t->halves - (uint64_t)halves);
	add_nj(t, t->halves / HALVES_PER_NJ + halves / HALVES_PER_NJ);
	t->halves = t->halves % HALVES_PER_NJ + halves % HALVES_PER_NJ;
}

static int64_t total_nj(struct total *t)
{
	int64_t rest;

	add_nj(t, t->halves / HALVES_PER_NJ);
	rest = t->halves % HALVES_PER_NJ;
	if (rest >= HALVES_PER_NJ / 2)
		add_nj(t, 1);
	if (rest <= -HALVES_PER_NJ / 2)
		add_nj(t, -1);
	t->halves = 0;
	return t->nj;
}

/* Power on the line at t. */
static int64_t line_at(int64_t from_ns, int64_t from_nw, int64_t to_ns, int64_t to_nw, int64_t t_ns)
{
	int64_t up_nw;

	if (t_ns == to_ns)
		return to_nw;
	if (t_ns == from_ns || to_nw == from_nw ||
	    !wide_muldiv_round(to_nw - from_nw, t_ns - from_ns, to_ns - from_ns, &up_nw))
		return from_nw;
	return from_nw + up_nw;
}

/* The part of a line that lies in [from, to]. */
static void add_line(struct integral *in, const struct segment *s, int64_t from_ns, int64_t to_ns)
{
	int64_t a = line_at(s->from_ns, s->from_nw, s->to_ns, s->to_nw, from_ns);
	int64_t b = line_at(s->from_ns, s->from_nw, s->to_ns, s->to_nw, to_ns);

	add_product(&in->total, a + b, to_ns - from_ns);
}

static void add_energy(struct integral *in, const struct segment *s, int64_t from_ns, int64_t to_ns)
{
	int64_t nj = s->energy_nj;

	if (to_ns - from_ns == s->to_ns - s->from_ns ||
	    wide_muldiv_round(s->energy_nj, to_ns - from_ns, s->to_ns - s->from_ns, &nj))
		add_nj(&in->total, nj);
	else
		in->total.overflow = true;
}

/* A gap of the window, from the cursor to to_ns; the next known power, if there is one. */
static void fill(struct integral *in, int64_t to_ns, const struct segment *next)
{
	struct segment line = { in->before_ns, to_ns, in->before_nw, in->before_nw, false, 0 };

	if (next != NULL) {
		line.to_ns = next->from_ns;
		if (!in->has_before)
			line.from_nw = next->from_nw;
		if (in->policy == GAP_LINEAR || !in->has_before)
			line.to_nw = next->from_nw;
	}
	if (!in->has_before)
		line.from_ns = in->cursor_ns;
	if (in->has_before || next != NULL)
		add_line(in, &line, in->cursor_ns, to_ns);
}

static void close_gap(struct integral *in, int64_t to_ns, const struct segment *next)
{
	struct energy *e = in->e;
	int64_t len_ns = to_ns - in->cursor_ns;
	bool at_edge = in->cursor_ns == e->from_ns || to_ns == e->to_ns;

	if (len_ns <= 0)
		return;
	if (!at_edge || len_ns > in->edge_ns) {
		e->gaps++;
		if (len_ns > e->longest_gap_ns)
			e->longest_gap_ns = len_ns;
		if (in->policy == GAP_FAIL && !in->failed) {
			in->failed = true;
			fail_set(in->fail, ENODATA,
				 "a gap of %.6g s at %.6g s of the window: no readings there; "
				 "another gap policy (hold, linear, exclude) would go on",
				 (double)len_ns / 1e9, (double)(in->cursor_ns - e->from_ns) / 1e9);
		}
	}
	if (in->policy == GAP_HOLD || in->policy == GAP_LINEAR)
		fill(in, to_ns, next);
	in->cursor_ns = to_ns;
}

static void peak(struct energy *e, int64_t power_nw)
{
	if (power_nw > e->peak_nw)
		e->peak_nw = power_nw;
}

static void add_segment(struct integral *in, const struct segment *s)
{
	struct energy *e = in->e;
	int64_t from_ns = s->from_ns > in->cursor_ns ? s->from_ns : in->cursor_ns;
	int64_t to_ns = s->to_ns < e->to_ns ? s->to_ns : e->to_ns;

	if (s->from_ns >= e->to_ns) {
		close_gap(in, e->to_ns, s);
		in->finished = true;
		return;
	}
	if (from_ns < to_ns) {
		close_gap(in, from_ns, s);
		if (s->by_energy)
			add_energy(in, s, from_ns, to_ns);
		else
			add_line(in, s, from_ns, to_ns);
		peak(e, line_at(s->from_ns, s->from_nw, s->to_ns, s->to_nw, from_ns));
		peak(e, line_at(s->from_ns, s->from_nw, s->to_ns, s->to_nw, to_ns));
		e->covered_ns += to_ns - from_ns;
		in->cursor_ns = to_ns;
	}
	in->has_before = true;
	in->before_ns = s->to_ns;
	in->before_nw = s->to_nw;
	in->finished = s->to_ns >= e->to_ns;
}

static void count_flags(struct energy *e, uint32_t flags)
{
	e->stale += (flags & SAMPLE_STALE) != 0;
	e->saturated += (flags & SAMPLE_SATURATED) != 0;
	e->retried += (flags & SAMPLE_RETRIED) != 0;
	e->absent += (flags & SAMPLE_ABSENT) != 0;
}

/* A sample inside the window: what is counted, and statistics by slices of the window. */
static void count_sample(struct integral *in, const struct segmenter *g, const struct sample *s,
			 enum segment_verdict verdict, const struct segment *seg)
{
	struct energy *e = in->e;
	int64_t t_ns = sample_time_ns(s), slice;
	int64_t power_nw = verdict == SEGMENT_KNOWN ? seg->to_nw : g->last_nw;

	if (t_ns < e->from_ns || t_ns > e->to_ns)
		return;
	count_flags(e, s->flags);
	if (verdict == SEGMENT_STALE || (verdict != SEGMENT_KNOWN && !g->last_usable))
		return;
	if (g->convert.facts->meaning == SAMPLE_MEAN_STARTING) {
		if (!g->last_usable)
			return;
		power_nw = g->last_nw;
	}
	e->samples++;
	in->bus_sum_uv += (double)s->code[0] * (double)g->convert.facts->bus_lsb_pv / 1e6;
	slice = (int64_t)((double)(t_ns - e->from_ns) * SLICES / (double)(e->to_ns - e->from_ns));
	if (slice == SLICES)
		slice--;
	in->slice_sum_nw[slice] += (double)power_nw;
	in->slice_count[slice]++;
}

/* From the scatter of the slices' means: slow swings count in full, unlike single samples. */
static int64_t standard_error(const struct integral *in)
{
	double sum = 0, square = 0, mean;
	int n = 0;

	for (int i = 0; i < SLICES; i++)
		if (in->slice_count[i] > 0) {
			sum += in->slice_sum_nw[i] / (double)in->slice_count[i];
			n++;
		}
	if (n < SLICES / 2)
		return -1;
	mean = sum / n;
	for (int i = 0; i < SLICES; i++)
		if (in->slice_count[i] > 0) {
			double d = in->slice_sum_nw[i] / (double)in->slice_count[i] - mean;

			square += d * d;
		}
	return llround(sqrt(square / (n - 1) / n));
}

/* Relative parts scale with the energy; the offset of the current with voltage and time. */
static void uncertainty(const struct integral *in, const struct meter_facts *facts)
{
	struct energy *e = in->e;
	double nj = (double)e->energy_nj, seconds = (double)e->about_ns / 1e9;
	double gain = nj * (double)facts->gain_ppm / 1e6,
	       shunt = nj * (double)facts->shunt_ppm / 1e6;
	double clock = nj * (double)facts->clock_ppm / 1e6, offset = 0, step = 0;

	if (facts->kind == CODE_BUS_SHUNT && e->samples > 0) {
		double volts = in->bus_sum_uv / (double)e->samples / 1e6;
		double lsb_na = (double)facts->shunt_lsb_pv * 1000 / (double)facts->shunt_uohm;

		offset = (double)facts->offset_na * volts * seconds;
		/* Quantisation in the worst case, a quiet load: it does not average out. */
		step = lsb_na / sqrt(12) * volts * seconds;
	}
	e->offset_nj = llround(fabs(offset));
	e->instrument_nj = llround(
		sqrt(gain * gain + shunt * shunt + clock * clock + offset * offset + step * step));
}

static int finish(struct integral *in, const struct meter_facts *facts, struct fail *f)
{
	struct energy *e = in->e;
	int64_t len_ns = e->to_ns - e->from_ns;

	e->energy_nj = total_nj(&in->total);
	if (in->total.overflow)
		return fail_set(f, ERANGE, "the energy of the window does not fit into 64 bits");
	e->about_ns = in->policy == GAP_HOLD || in->policy == GAP_LINEAR ? len_ns : e->covered_ns;
	if (e->covered_ns == 0)
		return fail_set(f, ENODATA, "no readings in the window of %.6g s",
				(double)len_ns / 1e9);
	if (!wide_muldiv_round(e->energy_nj, 1000000000, e->about_ns, &e->mean_nw))
		return fail_set(f, ERANGE, "the mean power does not fit into 64 bits");
	e->error_nw = standard_error(in);
	uncertainty(in, facts);
	e->insufficient = e->samples < ENERGY_LEAST_SAMPLES ||
			  len_ns / ENERGY_LEAST_SAMPLES < facts->period_ns ||
			  e->covered_ns < len_ns / 2;
	return in->failed ? -1 : 0;
}

int energy_window(const struct trace *t, int64_t from_ns, int64_t to_ns, enum gap_policy policy,
		  int64_t max_gap_ns, struct energy *e, struct fail *f)
{
	struct integral in = { .e = e, .fail = f, .policy = policy, .cursor_ns = from_ns };
	struct segmenter g;
	struct segment s = { 0 };

	*e = (struct energy){ .from_ns = from_ns, .to_ns = to_ns, .peak_nw = INT64_MIN };
	if (from_ns >= to_ns)
		return fail_set(f, EINVAL, "an empty window: it ends where it begins or before");
	if (convert_check(&t->facts, f) != 0)
		return -1;
	segmenter_init(&g, &t->facts, max_gap_ns);
	in.edge_ns = max_gap_ns ? max_gap_ns : t->facts.period_ns * 3;
	for (size_t i = 0; i < t->count && !in.finished; i++) {
		enum segment_verdict verdict = segmenter_add(&g, &t->sample[i], &s);

		if (verdict == SEGMENT_REJECTED) {
			e->rejected++;
			continue;
		}
		count_sample(&in, &g, &t->sample[i], verdict, &s);
		if (verdict == SEGMENT_KNOWN)
			add_segment(&in, &s);
	}
	if (!in.finished && segmenter_end(&g, to_ns, &s))
		add_segment(&in, &s);
	close_gap(&in, to_ns, NULL);
	if (e->peak_nw == INT64_MIN)
		e->peak_nw = 0;
	return finish(&in, &t->facts, f);
}

int energy_span(const struct trace *t, int64_t *from_ns, int64_t *to_ns)
{
	if (t->count < 2)
		return -1;
	*from_ns = sample_time_ns(&t->sample[0]);
	*to_ns = sample_time_ns(&t->sample[t->count - 1]);
	return *from_ns < *to_ns ? 0 : -1;
}
