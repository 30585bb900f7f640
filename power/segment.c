/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment - the rule for each meaning of a sample. It must not know windows or policies.
 *
 *	meaning        segment between samples a and b          where a and b are too far apart
 *	instant        line from P(a) to P(b)                   nothing
 *	mean_ending    P(b)                                     P(b), one period back
 *	mean_starting  P(a)                                     P(a), one period on
 *	increment      energy of b                              energy of b, one period back
 *	counter        energy from a to b, wraps undone         the same: a counter forgets nothing
 *
 * "One period" only where the facts know it. A sample that re-initialised its chip (REINIT)
 * is always too far from the one before. An absent or saturated sample has no value: it ends
 * what was known and begins nothing, except that a counter looks past it.
 */
#include "power/segment.h"

#include <stddef.h>

#include "power/wide.h"

void segmenter_init(struct segmenter *g, const struct meter_facts *facts, int64_t max_gap_ns)
{
	*g = (struct segmenter){ .max_gap_ns = max_gap_ns };
	convert_init(&g->convert, facts);
	if (max_gap_ns == 0)
		g->max_gap_ns =
			facts->period_ns && !facts->gapless ? facts->period_ns * 3 : INT64_MAX;
}

static bool flat(struct segment *out, int64_t from_ns, int64_t to_ns, int64_t power_nw)
{
	*out = (struct segment){ from_ns, to_ns, power_nw, power_nw, false, 0 };
	return from_ns < to_ns;
}

/* How far back a value that ends at t_ns reaches. */
static int64_t reach_back(const struct segmenter *g, const struct sample *s, int64_t t_ns)
{
	int64_t period_ns = g->convert.facts->period_ns, from_ns;

	if (g->any && t_ns - g->last_ns <= g->max_gap_ns && !(s->flags & SAMPLE_REINIT))
		return g->last_ns;
	from_ns = t_ns - period_ns;
	return g->any && from_ns < g->last_ns ? g->last_ns : from_ns;
}

static bool by_energy(struct segment *out, int64_t from_ns, int64_t to_ns, int64_t energy_nj)
{
	int64_t mean_nw;

	if (from_ns >= to_ns ||
	    !wide_muldiv_round(energy_nj, 1000000000, to_ns - from_ns, &mean_nw))
		return false;
	*out = (struct segment){ from_ns, to_ns, mean_nw, mean_nw, true, energy_nj };
	return true;
}

static enum segment_verdict counter(struct segmenter *g, const struct sample *s, int64_t t_ns,
				    struct segment *out)
{
	enum segment_verdict verdict = SEGMENT_NONE;
	int64_t energy_nj;

	if (s->flags & (SAMPLE_ABSENT | SAMPLE_SATURATED))
		return SEGMENT_NONE;
	if (g->has_base && !(s->flags & SAMPLE_REINIT))
		verdict = convert_energy(&g->convert, &g->base, s, t_ns - g->base_ns, &energy_nj) &&
					  by_energy(out, g->base_ns, t_ns, energy_nj)
				  ? SEGMENT_KNOWN
				  : SEGMENT_AMBIGUOUS;
	g->base = *s;
	g->base_ns = t_ns;
	g->has_base = true;
	return verdict;
}

static bool increment(struct segmenter *g, const struct sample *s, int64_t t_ns,
		      struct segment *out)
{
	int64_t from_ns = reach_back(g, s, t_ns), energy_nj;

	return convert_energy(&g->convert, NULL, s, t_ns - from_ns, &energy_nj) &&
	       by_energy(out, from_ns, t_ns, energy_nj);
}

static bool hold(const struct segmenter *g, int64_t to_ns, bool broken, struct segment *out)
{
	int64_t period_ns = g->convert.facts->period_ns;

	if (!g->any || !g->last_usable)
		return false;
	if (broken || to_ns - g->last_ns > g->max_gap_ns) {
		if (to_ns - g->last_ns > period_ns)
			to_ns = g->last_ns + period_ns;
	}
	return flat(out, g->last_ns, to_ns, g->last_nw);
}

static bool power(struct segmenter *g, const struct sample *s, int64_t t_ns, bool usable,
		  int64_t power_nw, struct segment *out)
{
	bool broken = s->flags & SAMPLE_REINIT;

	switch (g->convert.facts->meaning) {
	case SAMPLE_MEAN_ENDING:
		return usable && flat(out, reach_back(g, s, t_ns), t_ns, power_nw);
	case SAMPLE_MEAN_STARTING:
		return hold(g, t_ns, broken, out);
	case SAMPLE_INSTANT:
		*out = (struct segment){ g->last_ns, t_ns, g->last_nw, power_nw, false, 0 };
		return g->any && usable && g->last_usable && !broken &&
		       t_ns - g->last_ns <= g->max_gap_ns;
	case SAMPLE_INCREMENT:
	case SAMPLE_COUNTER:
		break;
	}
	return false;
}

enum segment_verdict segmenter_add(struct segmenter *g, const struct sample *s, struct segment *out)
{
	int64_t t_ns = sample_time_ns(s), power_nw = 0;
	enum sample_meaning meaning = g->convert.facts->meaning;
	enum segment_verdict verdict;
	bool usable = false;

	if (g->any && t_ns <= g->last_ns)
		return SEGMENT_REJECTED;
	if (s->flags & SAMPLE_STALE)
		return SEGMENT_STALE;
	if (meaning == SAMPLE_COUNTER)
		verdict = counter(g, s, t_ns, out);
	else if (meaning == SAMPLE_INCREMENT)
		verdict = increment(g, s, t_ns, out) ? SEGMENT_KNOWN : SEGMENT_NONE;
	else {
		usable = convert_usable(&g->convert, s, &power_nw);
		verdict = power(g, s, t_ns, usable, power_nw, out) ? SEGMENT_KNOWN : SEGMENT_NONE;
	}
	g->any = true;
	g->last_ns = t_ns;
	g->last_nw = power_nw;
	g->last_usable = usable;
	return verdict;
}

bool segmenter_end(const struct segmenter *g, int64_t end_ns, struct segment *out)
{
	return g->convert.facts->meaning == SAMPLE_MEAN_STARTING && hold(g, end_ns, false, out);
}
