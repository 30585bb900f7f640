/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy_trial_test - thousands of random runs with a known integral.
 *
 * Power is a line through random knots. A meter with known errors looks at it on a jittery clock,
 * loses samples, and says what it saw in one of the five meanings. What the integrator makes of
 * that must be the true integral of what it says is covered, within what it says of its error.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "power/energy.h"

#define TRIALS  12000
#define KNOTS   24
#define SAMPLES 400

struct truth {
	double t[KNOTS], w[KNOTS], area[KNOTS]; /* area: from the first knot */
};

static double between(struct rng *r, double low, double high)
{
	return low + (high - low) * rng_unit(r);
}

static struct truth random_truth(struct rng *r)
{
	struct truth p;

	p.t[0] = -1;
	for (int i = 0; i < KNOTS; i++) {
		if (i > 0)
			p.t[i] = p.t[i - 1] + between(r, 0.2, 1.2);
		p.w[i] = between(r, 0.3, 5);
		p.area[i] =
			i == 0 ? 0
			       : p.area[i - 1] + (p.w[i] + p.w[i - 1]) / 2 * (p.t[i] - p.t[i - 1]);
	}
	return p;
}

static int knot_before(const struct truth *p, double t)
{
	int i = 0;

	while (i < KNOTS - 2 && p->t[i + 1] <= t)
		i++;
	return i;
}

static double power_at(const struct truth *p, double t)
{
	int i = knot_before(p, t);

	return p->w[i] + (p->w[i + 1] - p->w[i]) * (t - p->t[i]) / (p->t[i + 1] - p->t[i]);
}

static double area_to(const struct truth *p, double t)
{
	int i = knot_before(p, t);

	return p->area[i] + (p->w[i] + power_at(p, t)) / 2 * (t - p->t[i]);
}

static double joules(const struct truth *p, double from, double to)
{
	return area_to(p, to) - area_to(p, from);
}

/* How far power strays over an interval that has at most one knot inside. */
static double stray(const struct truth *p, double from, double to)
{
	int i = knot_before(p, to);
	double a = power_at(p, from), b = power_at(p, to), low = fmin(a, b), high = fmax(a, b);

	if (p->t[i] > from) {
		low = fmin(low, p->w[i]);
		high = fmax(high, p->w[i]);
	}
	return high - low;
}

struct run {
	struct truth p;
	enum sample_meaning meaning;
	double t[SAMPLES]; /* true times */
	bool lost[SAMPLES];
	double period, scale, offset_w; /* the meter says scale * power + offset */
	double stretch;                 /* its clock against the true one */
};

static double said(const struct run *u, int i)
{
	double value = 0, dt;

	switch (u->meaning) {
	case SAMPLE_INSTANT:
		return power_at(&u->p, u->t[i]) * u->scale + u->offset_w;
	case SAMPLE_MEAN_ENDING:
	case SAMPLE_INCREMENT:
		dt = i ? u->t[i] - u->t[i - 1] : u->period;
		value = joules(&u->p, u->t[i] - dt, u->t[i]) * u->scale + u->offset_w * dt;
		return u->meaning == SAMPLE_INCREMENT ? value : value / dt;
	case SAMPLE_MEAN_STARTING:
		dt = i + 1 < SAMPLES ? u->t[i + 1] - u->t[i] : u->period;
		return joules(&u->p, u->t[i], u->t[i] + dt) / dt * u->scale + u->offset_w;
	case SAMPLE_COUNTER:
		return joules(&u->p, u->t[0] - 1e-3, u->t[i]) * u->scale +
		       u->offset_w * (u->t[i] - u->t[0]);
	}
	return value;
}

static struct trace look(const struct run *u, struct meter_facts *facts)
{
	struct trace t;

	assert_int_equal(trace_init(&t, facts, SAMPLES), 0);
	for (int i = 0; i < SAMPLES; i++) {
		int64_t ns = llround(u->t[i] * u->stretch * 1e9);
		struct sample s = {
			ns, ns, { llround(said(u, i) * 1e9), 0 }, u->lost[i] ? SAMPLE_ABSENT : 0
		};

		if (facts->counter_range_nj > 0)
			s.code[0] %= facts->counter_range_nj;
		assert_int_equal(trace_add(&t, &s), 0);
	}
	return t;
}

/* What is known by the rule of each meaning, between samples i - 1 and i (i may reach on). */
static bool known(const struct run *u, int i, int *from)
{
	*from = i - 1;
	switch (u->meaning) {
	case SAMPLE_INSTANT:
		return !u->lost[i] && !u->lost[i - 1];
	case SAMPLE_MEAN_ENDING:
	case SAMPLE_INCREMENT:
		return !u->lost[i];
	case SAMPLE_MEAN_STARTING:
		return !u->lost[i - 1];
	case SAMPLE_COUNTER:
		while (*from > 0 && u->lost[*from])
			--*from;
		return !u->lost[i] && !u->lost[*from];
	}
	return false;
}

/* The true energy of what is known in the window, and how far an edge or a knot may put it off. */
static double expected(const struct run *u, double from, double to, double *slack, double *covered)
{
	double sum = 0;

	*slack = *covered = 0;
	for (int i = 1; i < SAMPLES; i++) {
		int begin;
		double a, b;

		if (!known(u, i, &begin))
			continue;
		a = fmax(u->t[begin], from);
		b = fmin(u->t[i], to);
		if (a >= b)
			continue;
		sum += joules(&u->p, a, b);
		*covered += b - a;
		/* A cut interval is shared out evenly; a line misses the knot inside it. */
		if (a > u->t[begin] || b < u->t[i])
			*slack += stray(&u->p, u->t[begin], u->t[i]) * (u->t[i] - u->t[begin]);
		else if (u->meaning == SAMPLE_INSTANT && u->p.t[knot_before(&u->p, b)] > a)
			*slack += stray(&u->p, a, b) * (b - a) / 2;
	}
	return sum;
}

static void random_run(struct rng *r, struct run *u, struct meter_facts *facts, int number)
{
	double at = 0;

	u->p = random_truth(r);
	u->meaning = (enum sample_meaning)(number % 5);
	u->period = between(r, 0.002, 0.015);
	for (int i = 0; i < SAMPLES; i++) {
		u->t[i] = at + u->period * between(r, -0.3, 0.3);
		at += u->period;
		u->lost[i] = false;
	}
	for (int gaps = (int)rng_below(r, 4); gaps > 0; gaps--) {
		int begin = (int)rng_below(r, SAMPLES - 40), len = 1 + (int)rng_below(r, 30);

		memset(u->lost + begin, true, (size_t)len * sizeof *u->lost);
	}
	*facts = (struct meter_facts){ .meaning = u->meaning, .kind = CODE_POWER };
	if (u->meaning == SAMPLE_INCREMENT || u->meaning == SAMPLE_COUNTER)
		facts->kind = CODE_ENERGY;
	else
		facts->clock_ppm = 1000;
	facts->period_ns = llround(u->period * 1e9);
	facts->gain_ppm = 5000;
	facts->shunt_ppm = 3000;
	if (u->meaning == SAMPLE_COUNTER && rng_below(r, 2))
		facts->counter_range_nj =
			15000000000; /* half of it: longer than three gaps in a row */
	u->scale = (1 + rng_normal(r) * 5000e-6) * (1 + rng_normal(r) * 3000e-6);
	u->stretch = 1 + rng_normal(r) * (double)facts->clock_ppm / 1e6;
	u->offset_w = 0;
}

/* Marks that are off by the skew cost what power differs between them, times the skew. */
static void skew_costs_its_step(const struct run *u, const struct trace *t, double from, double to,
				double skew)
{
	double step_w = fabs(power_at(&u->p, to) - power_at(&u->p, from)), slack[2], covered, most;
	double steepest = 25 * u->scale;
	struct energy a, b;
	struct fail f = { 0 };

	if (energy_window(t, llround(from * u->stretch * 1e9), llround(to * u->stretch * 1e9),
			  GAP_FAIL, 0, &a, &f) != 0 ||
	    energy_window(t, llround((from + skew) * u->stretch * 1e9),
			  llround((to + skew) * u->stretch * 1e9), GAP_FAIL, 0, &b, &f) != 0 ||
	    a.covered_ns < a.to_ns - a.from_ns || b.covered_ns < b.to_ns - b.from_ns)
		return;
	expected(u, from, to, &slack[0], &covered);
	expected(u, from + skew, to + skew, &slack[1], &covered);
	most = fabs(skew) * (step_w * u->scale + steepest * fabs(skew)) * u->stretch + slack[0] +
	       slack[1] + 1e-8;
	if (fabs((double)(b.energy_nj - a.energy_nj) / 1e9) > most)
		fail_msg("a skew of %g s costs %g J, more than %g", skew,
			 (double)(b.energy_nj - a.energy_nj) / 1e9, most);
}

/* One trial: how far off, in the integrator's own standard uncertainties. */
static double trial(struct rng *r, int number)
{
	struct meter_facts facts;
	struct run u;
	struct trace t;
	struct fail f = { 0 };
	struct energy e;
	double from, to, skew, slack, covered, want, off;

	random_run(r, &u, &facts, number);
	t = look(&u, &facts);
	from = between(r, 0.1, 0.3) * u.t[SAMPLES - 1];
	to = between(r, 0.7, 0.95) * u.t[SAMPLES - 1];
	/* The marks come by another clock, whose offset is known but for a residual. */
	skew = rng_normal(r) * 1e-3;
	if (energy_window(&t, llround((from + skew) * u.stretch * 1e9),
			  llround((to + skew) * u.stretch * 1e9), GAP_EXCLUDE, 0, &e, &f) != 0)
		fail_msg("trial %d: %s", number, f.text);
	want = expected(&u, from + skew, to + skew, &slack, &covered);
	if (fabs((double)e.covered_ns / 1e9 / u.stretch - covered) > 1e-6)
		fail_msg("trial %d (%s): %.9f s covered, expected %.9f", number,
			 sample_meaning_name[u.meaning], (double)e.covered_ns / 1e9 / u.stretch,
			 covered);
	skew_costs_its_step(&u, &t, from, to, skew);
	off = fabs((double)e.energy_nj / 1e9 - want);
	if (off > 6 * (double)e.instrument_nj / 1e9 * (1 + 1e-3) + slack + SAMPLES * 2e-9)
		fail_msg("trial %d (%s): %.9f J, true %.9f, stated +- %.9f, edges %.9f", number,
			 sample_meaning_name[u.meaning], (double)e.energy_nj / 1e9, want,
			 (double)e.instrument_nj / 1e9, slack);
	trace_release(&t);
	return fmax(0, off - slack) / ((double)e.instrument_nj / 1e9);
}

static void random_trials(void **state)
{
	struct rng r = testing_rng("energy trials");
	int within[5] = { 0 };

	(void)state;
	for (int i = 0; i < TRIALS; i++)
		within[i % 5] += trial(&r, i) < 1;
	/* One standard uncertainty holds 68.3 %, of 2400 trials 1639 +- 23; what edges may cost is
	 * not counted, so that a few more are inside. */
	for (int i = 0; i < 5; i++) {
		double part = (double)within[i] * 5 / TRIALS;

		printf("%s: %.1f %% of %d within one standard uncertainty\n",
		       sample_meaning_name[i], part * 100, TRIALS / 5);
		assert_true(part > 0.63 && part < 0.80);
	}
}

/* A meter without errors is right to the nanojoule, whatever it means. */
static void exact_means(void **state)
{
	struct rng r = testing_rng("exact trials");

	(void)state;
	for (int i = 0; i < TRIALS / 4; i++) {
		struct meter_facts facts;
		struct run u;
		struct trace t;
		struct fail f = { 0 };
		struct energy e;
		double want;

		random_run(&r, &u, &facts, i);
		if (u.meaning == SAMPLE_INSTANT)
			continue;
		u.scale = u.stretch = 1;
		memset(u.lost, 0, sizeof u.lost);
		t = look(&u, &facts);
		assert_int_equal(energy_window(&t, t.sample[0].before_ns,
					       t.sample[SAMPLES - 1].before_ns, GAP_FAIL, 0, &e,
					       &f),
				 0);
		want = joules(&u.p, u.t[0], u.t[SAMPLES - 1]);
		if (fabs((double)e.energy_nj / 1e9 - want) > SAMPLES * 6e-9)
			fail_msg("trial %d (%s): %.12f J, true %.12f", i,
				 sample_meaning_name[u.meaning], (double)e.energy_nj / 1e9, want);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_trials),
		cmocka_unit_test(exact_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
