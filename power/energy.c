/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy - integrates segments over a window.
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
#include <stdio.h>

#include "power/energy_parts.h"
#include "power/wide.h"

#define HALVES_PER_NJ INT64_C(2000000000)
#define OPEN_SLICE_NS INT64_C(1000000) /* to begin with; doubled as the run goes on */

const char *const gap_policy_name[] = { "fail", "hold", "linear", "exclude", NULL };

static void add_nj(struct energy_run *in, int64_t nj)
{
	in->overflow |= __builtin_add_overflow(in->nj, nj, &in->nj);
}

void energy_add_product(struct energy_run *in, int64_t nw, int64_t ns)
{
	int64_t halves, nj;

	if (__builtin_mul_overflow(nw, ns, &halves)) {
		if (!wide_muldiv(nw, ns, HALVES_PER_NJ, &nj, &halves)) {
			in->overflow = true;
			return;
		}
		add_nj(in, nj);
	}
	if (!__builtin_add_overflow(in->halves, halves, &in->halves))
		return;
	/* The sum has wrapped; undo, carry, and add again: both are small enough then. */
	in->halves = (int64_t)((uint64_t)in->halves - (uint64_t)halves);
	add_nj(in, in->halves / HALVES_PER_NJ + halves / HALVES_PER_NJ);
	in->halves = in->halves % HALVES_PER_NJ + halves % HALVES_PER_NJ;
}

static int64_t total_nj(struct energy_run *in)
{
	int64_t rest;

	add_nj(in, in->halves / HALVES_PER_NJ);
	rest = in->halves % HALVES_PER_NJ;
	if (rest >= HALVES_PER_NJ / 2)
		add_nj(in, 1);
	if (rest <= -HALVES_PER_NJ / 2)
		add_nj(in, -1);
	in->halves = 0;
	return in->nj;
}

/* Power on the line at t. */
static int64_t line_at(const struct segment *s, int64_t t_ns)
{
	int64_t up_nw;

	if (t_ns == s->to_ns)
		return s->to_nw;
	if (t_ns == s->from_ns || s->to_nw == s->from_nw ||
	    !wide_muldiv_round(s->to_nw - s->from_nw, t_ns - s->from_ns, s->to_ns - s->from_ns,
			       &up_nw))
		return s->from_nw;
	return s->from_nw + up_nw;
}

/* The part of a line that lies in [from, to]. */
static void add_line(struct energy_run *in, const struct segment *s, int64_t from_ns, int64_t to_ns)
{
	energy_add_product(in, line_at(s, from_ns) + line_at(s, to_ns), to_ns - from_ns);
}

static void add_part(struct energy_run *in, const struct segment *s, int64_t from_ns, int64_t to_ns)
{
	int64_t nj = s->energy_nj;

	if (to_ns - from_ns == s->to_ns - s->from_ns ||
	    wide_muldiv_round(s->energy_nj, to_ns - from_ns, s->to_ns - s->from_ns, &nj))
		add_nj(in, nj);
	else
		in->overflow = true;
}

/* A gap of the window, from the cursor to to_ns; the next known power, if there is one. */
static void fill(struct energy_run *in, int64_t to_ns, const struct segment *next)
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

static void close_gap(struct energy_run *in, int64_t to_ns, const struct segment *next)
{
	struct energy *e = &in->e;
	int64_t len_ns = to_ns - in->cursor_ns;
	bool at_edge = in->cursor_ns == e->from_ns || to_ns == e->to_ns;

	if (len_ns <= 0)
		return;
	if (!at_edge || len_ns > in->edge_ns) {
		e->gaps++;
		if (len_ns > e->longest_gap_ns)
			e->longest_gap_ns = len_ns;
		if (in->gap_ns == 0) {
			in->gap_at_ns = in->cursor_ns - e->from_ns;
			in->gap_ns = len_ns;
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

static void add_segment(struct energy_run *in, const struct segment *s)
{
	struct energy *e = &in->e;
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
			add_part(in, s, from_ns, to_ns);
		else
			add_line(in, s, from_ns, to_ns);
		peak(e, line_at(s, from_ns));
		peak(e, line_at(s, to_ns));
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
static void count_sample(struct energy_run *in, const struct sample *s,
			 enum segment_verdict verdict, const struct segment *seg)
{
	const struct segmenter *g = &in->segmenter;
	struct energy *e = &in->e;
	int64_t t_ns = sample_time_ns(s);
	int64_t power_nw = verdict == SEGMENT_KNOWN ? seg->to_nw : g->last_nw;

	if (t_ns < e->from_ns || t_ns > e->to_ns)
		return;
	count_flags(e, s->flags);
	e->ambiguous += verdict == SEGMENT_AMBIGUOUS;
	if (verdict == SEGMENT_STALE || (verdict != SEGMENT_KNOWN && !g->last_usable))
		return;
	if (g->convert.facts->meaning == SAMPLE_MEAN_STARTING) {
		if (!g->last_usable)
			return;
		power_nw = g->last_nw;
	}
	e->samples++;
	in->bus_sum_uv += (double)s->code[0] * (double)g->convert.facts->bus_lsb_pv / 1e6;
	energy_slice_add(in, t_ns, (double)power_nw, 1);
}

int energy_begin(struct energy_run *in, const struct meter_facts *facts, int64_t from_ns,
		 int64_t to_ns, enum gap_policy policy, int64_t max_gap_ns, struct fail *f)
{
	*in = (struct energy_run){ .policy = policy, .cursor_ns = from_ns };
	in->e = (struct energy){ .from_ns = from_ns, .to_ns = to_ns, .peak_nw = INT64_MIN };
	in->open = to_ns == ENERGY_OPEN;
	if (from_ns >= to_ns)
		return fail_set(f, EINVAL, "an empty window: it ends where it begins or before");
	if (convert_check(facts, f) != 0)
		return -1;
	segmenter_init(&in->segmenter, facts, max_gap_ns);
	in->edge_ns = max_gap_ns ? max_gap_ns : facts->period_ns * 3;
	in->slice_ns = in->open ? OPEN_SLICE_NS : (to_ns - from_ns) / (ENERGY_SLICES / 2);
	if (in->slice_ns < 1)
		in->slice_ns = 1;
	return 0;
}

static void add_one(struct energy_run *in, const struct sample *s)
{
	struct segment seg = { 0 };
	enum segment_verdict verdict = segmenter_add(&in->segmenter, s, &seg);

	if (verdict == SEGMENT_REJECTED) {
		in->e.rejected++;
		return;
	}
	count_sample(in, s, verdict, &seg);
	if (verdict == SEGMENT_KNOWN)
		add_segment(in, &seg);
}

bool energy_add(struct energy_run *in, const struct sample *s, size_t count)
{
	size_t i = 0;

	while (i < count && !in->finished) {
		size_t taken = energy_add_plain(in, s + i, count - i);

		i += taken;
		if (taken == 0)
			add_one(in, &s[i++]);
	}
	return !in->finished;
}

const char *energy_lacks_text(unsigned lacks, char *dst, size_t len)
{
	snprintf(dst, len, "%s%s%s%s%s", lacks & LACK_SAMPLES ? "fewer than 10 samples" : "",
		 lacks & LACK_SAMPLES && lacks & ~1u ? ", " : "",
		 lacks & LACK_LENGTH ? "shorter than 10 periods" : "",
		 lacks & LACK_LENGTH && lacks & LACK_COVER ? ", " : "",
		 lacks & LACK_COVER ? "less than half covered" : "");
	return dst;
}

static unsigned lacks(const struct energy *e, const struct meter_facts *facts)
{
	int64_t len_ns = e->to_ns - e->from_ns;

	return (e->samples < ENERGY_LEAST_SAMPLES ? LACK_SAMPLES : 0) |
	       (len_ns / ENERGY_LEAST_SAMPLES < facts->period_ns ? LACK_LENGTH : 0) |
	       (e->covered_ns < len_ns / 2 ? LACK_COVER : 0);
}

static int finish(struct energy_run *in, struct fail *f)
{
	const struct meter_facts *facts = in->segmenter.convert.facts;
	struct energy *e = &in->e;
	int64_t len_ns = e->to_ns - e->from_ns;

	e->energy_nj = total_nj(in);
	if (in->overflow)
		return fail_set(f, ERANGE, "the energy of the window does not fit into 64 bits");
	e->about_ns = in->policy == GAP_HOLD || in->policy == GAP_LINEAR ? len_ns : e->covered_ns;
	if (e->covered_ns == 0)
		return fail_set(f, ENODATA, "no readings in the window of %.6g s",
				(double)len_ns / 1e9);
	if (!wide_muldiv_round(e->energy_nj, 1000000000, e->about_ns, &e->mean_nw))
		return fail_set(f, ERANGE, "the mean power does not fit into 64 bits");
	e->error_nw = energy_standard_error(in);
	energy_uncertainty(in, facts);
	e->lacks = lacks(e, facts);
	e->insufficient = e->lacks != 0;
	if (in->policy == GAP_FAIL && in->gap_ns > 0)
		return fail_set(f, ENODATA,
				"a gap of %.6g s at %.6g s of the window: no readings there; "
				"another gap policy (hold, linear, exclude) would go on",
				(double)in->gap_ns / 1e9, (double)in->gap_at_ns / 1e9);
	return 0;
}

int energy_end(struct energy_run *in, struct energy *out, struct fail *f)
{
	struct energy *e = &in->e;
	struct segment s;
	int result;

	if (in->open)
		e->to_ns = in->segmenter.any ? in->segmenter.last_ns : e->from_ns;
	if (e->to_ns <= e->from_ns) {
		*out = *e;
		return fail_set(f, ENODATA, "fewer than two readings: no energy");
	}
	if (!in->finished && segmenter_end(&in->segmenter, e->to_ns, &s))
		add_segment(in, &s);
	close_gap(in, e->to_ns, NULL);
	if (e->peak_nw == INT64_MIN)
		e->peak_nw = 0;
	result = finish(in, f);
	*out = *e;
	return result;
}

int energy_window(const struct trace *t, int64_t from_ns, int64_t to_ns, enum gap_policy policy,
		  int64_t max_gap_ns, struct energy *e, struct fail *f)
{
	struct energy_run run;

	if (energy_begin(&run, &t->facts, from_ns, to_ns, policy, max_gap_ns, f) != 0) {
		*e = run.e;
		return -1;
	}
	energy_add(&run, t->sample, t->count);
	return energy_end(&run, e, f);
}

int energy_span(const struct trace *t, int64_t *from_ns, int64_t *to_ns)
{
	if (t->count < 2)
		return -1;
	*from_ns = sample_time_ns(&t->sample[0]);
	*to_ns = sample_time_ns(&t->sample[t->count - 1]);
	return *from_ns < *to_ns ? 0 : -1;
}
