/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wave_test - the integrator against analytic integrals: every shape and meaning, jittered
 * stamps, windows cut anywhere; and the shapes' own integrals against fine sums.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "power/energy.h"
#include "power/sim_meter.h"
#include "power/wave.h"

#define TRIALS 8000
#define PERIOD NS_PER_MS

static void integrals_match_fine_sums(void **state)
{
	(void)state;
	for (int shape = WAVE_CONSTANT; shape <= WAVE_RAMP; shape++) {
		struct wave w = { (enum wave_shape)shape, 2000000000, 700000000, 9973000 };
		int64_t from_ns = 1234567, step_ns = 100;
		double sum = 0;

		for (int i = 0; i < 300000; i++)
			sum += wave_power_nw(&w, from_ns + i * step_ns + step_ns / 2) *
			       (double)step_ns / 1e9;
		/* Each jump of a square may fall anywhere in a step. */
		assert_true(fabs(sum - wave_energy_nj(&w, from_ns, from_ns + 300000 * step_ns)) <
			    sum * (shape == WAVE_SQUARE || shape == WAVE_RAMP ? 2e-5 : 1e-8));
	}
}

/* Never below 0 W: a counter could not tell. */
static struct wave random_wave(struct rng *r)
{
	int64_t amplitude_nw = (int64_t)rng_below(r, 2000000000);

	return (struct wave){ (enum wave_shape)rng_below(r, 4),
			      amplitude_nw + (int64_t)rng_below(r, 4000000000), amplitude_nw,
			      20 * PERIOD + (int64_t)rng_below(r, 200 * PERIOD) };
}

static int64_t code_of(const struct wave *w, enum sample_meaning meaning, int64_t before_ns,
		       int64_t t_ns, int64_t *sum_nj)
{
	int64_t nj = llround(wave_energy_nj(w, 0, t_ns)), step_nj = nj - *sum_nj;

	*sum_nj = nj;
	switch (meaning) {
	case SAMPLE_MEAN_ENDING:
		return llround(wave_energy_nj(w, before_ns, t_ns) /
			       ((double)(t_ns - before_ns) / 1e9));
	case SAMPLE_INCREMENT:
		return step_nj;
	case SAMPLE_COUNTER:
		return nj % 1000000000;
	default:
		return llround(wave_power_nw(w, t_ns));
	}
}

/* About 1 kHz with jitter of up to 30 %. */
static struct trace sample_wave(const struct wave *w, enum sample_meaning meaning, struct rng *r)
{
	struct meter_facts facts = { .kind = CODE_POWER, .meaning = meaning, .period_ns = PERIOD };
	int64_t t_ns = 0, sum_nj = 0;
	struct trace t;

	if (meaning == SAMPLE_INCREMENT || meaning == SAMPLE_COUNTER) {
		facts.kind = CODE_ENERGY;
		facts.counter_range_nj = 1000000000;
	}
	assert_int_equal(trace_init(&t, &facts, 0), 0);
	for (int i = 0; i < 200; i++) {
		int64_t next_ns = t_ns + PERIOD * 7 / 10 + (int64_t)rng_below(r, PERIOD * 6 / 10);
		struct sample s = { next_ns, next_ns, { 0, 0 }, 0 };

		s.code[0] = code_of(w, meaning, t_ns, next_ns, &sum_nj);
		assert_int_equal(trace_add(&t, &s), 0);
		t_ns = next_ns;
	}
	return t;
}

/*
 * How far the rule of a meaning may be off. Means and energies are exact but where an edge cuts
 * a sample; h is the longest step. Points: trapezoid h^2/12 of the second derivative over the
 * window, one interval of amplitude at each jump; holding: half a step's slope, and jumps.
 */
static double bound_nj(const struct wave *w, enum sample_meaning meaning, int64_t len_ns)
{
	const double h = 1.3 * (double)PERIOD / 1e9, pi = M_PI;
	double a = (double)w->amplitude_nw, cycle = (double)w->period_ns / 1e9;
	double seconds = (double)len_ns / 1e9, jumps = 2 * (seconds / cycle + 2);
	double rounding = 2 + seconds * 1000;

	if (w->shape == WAVE_CONSTANT)
		return rounding;
	if (meaning != SAMPLE_INSTANT && meaning != SAMPLE_MEAN_STARTING) {
		/* At most the whole swing over half an interval at each edge. */
		return rounding + 2 * 2 * a * h / 2;
	}
	if (meaning == SAMPLE_MEAN_STARTING)
		return rounding + (w->shape == WAVE_SINE ? 2 * pi * a / cycle * h * seconds
				   : w->shape == WAVE_SQUARE
					   ? 2 * a * h * jumps
					   : 2 * a / cycle * h * seconds + 2 * a * h * jumps);
	if (w->shape == WAVE_SINE)
		return rounding + pow(2 * pi / cycle, 2) * a * h * h / 8 * (seconds + 2 * h);
	return rounding + a * h * jumps;
}

static void trial(struct rng *r, enum sample_meaning meaning)
{
	struct wave w = random_wave(r);
	struct trace t = sample_wave(&w, meaning, r);
	int64_t first_ns, last_ns, from_ns, to_ns;
	struct fail f = { 0 };
	struct energy e;
	double exact, bound;

	assert_int_equal(energy_span(&t, &first_ns, &last_ns), 0);
	from_ns = first_ns + (int64_t)rng_below(r, (uint64_t)(last_ns - first_ns) / 2);
	to_ns = last_ns - (int64_t)rng_below(r, (uint64_t)(last_ns - from_ns) / 2);
	if (energy_window(&t, from_ns, to_ns, GAP_FAIL, 0, &e, &f) != 0)
		fail_msg("%s", f.text);
	exact = wave_energy_nj(&w, from_ns, to_ns);
	bound = bound_nj(&w, meaning, to_ns - from_ns);
	if (fabs((double)e.energy_nj - exact) > bound)
		fail_msg("%s %s: %lld nJ, analytic %.0f, bound %.0f", wave_shape_name[w.shape],
			 sample_meaning_name[meaning], (long long)e.energy_nj, exact, bound);
	assert_int_equal(e.covered_ns, to_ns - from_ns);
	trace_release(&t);
}

static void random_windows(void **state)
{
	const uint64_t seed = 20261130;
	struct rng r;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < TRIALS; i++)
		trial(&r, (enum sample_meaning)(i % 5));
}

/* Windows from stamp to stamp lose nothing: means and energies are exact to the rounding. */
static void whole_samples_are_exact(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int i = 0; i < 2000; i++) {
		static const enum sample_meaning exact[] = { SAMPLE_MEAN_ENDING, SAMPLE_INCREMENT,
							     SAMPLE_COUNTER };
		struct wave w = random_wave(&r);
		struct trace t = sample_wave(&w, exact[i % 3], &r);
		size_t a = rng_below(&r, 100), b = 101 + rng_below(&r, 99);
		int64_t from_ns = t.sample[a].before_ns, to_ns = t.sample[b].before_ns;
		struct fail f = { 0 };
		struct energy e;

		assert_int_equal(energy_window(&t, from_ns, to_ns, GAP_FAIL, 0, &e, &f), 0);
		assert_true(fabs((double)e.energy_nj - wave_energy_nj(&w, from_ns, to_ns)) <= 2);
		trace_release(&t);
	}
}

static int64_t wave_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)from_ns, (void)to_ns;
	return 5000000;
}

static int64_t wave_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	double nj = wave_energy_nj(data, from_ns, to_ns);

	return llround(nj / ((double)(to_ns - from_ns) / 1e9) / 5);
}

/*
 * The same waves through the simulated INA219 and its reader, on a counted clock. The shunt is
 * looked at half of the time and stamped a quarter of a cycle late: for waves of 20 ms and more
 * that is the swing over two cycles at the edges and at each jump of the window's ends, plus the
 * chip's step (2 mW at 5 V), of which noise leaves a tenth.
 */
static void chip_trial(struct rng *r)
{
	struct wave w = random_wave(r);
	struct i2c_sim_source source = { wave_bus_uv, wave_current_na, &w, NULL };
	struct ina2xx_settings set = sim_meter_settings(1600000000, 5000000, 1);
	int64_t now_ns = 0, from_ns, to_ns;
	struct meter_facts facts = { 0 };
	struct fail f = { 0 };
	struct sim_meter m;
	struct energy e;
	struct trace t;
	double bound;

	assert_int_equal(sim_meter_start(&m, timebase_counter(&now_ns), &set, &source, rng_next(r),
					 &facts, &f),
			 0);
	m.sim.transfer_ns = 50 * NS_PER_US;
	assert_int_equal(trace_init(&t, &facts, 0), 0);
	for (int i = 0; i < 1200; i++) {
		struct sample s;

		assert_int_equal(ina2xx_read(&m.chip, &s, &f), 0);
		assert_int_equal(trace_add(&t, &s), 0);
	}
	from_ns = t.sample[1 + rng_below(r, 300)].before_ns + (int64_t)rng_below(r, NS_PER_MS);
	to_ns = t.sample[1000 + rng_below(r, 199)].before_ns;
	if (energy_window(&t, from_ns, to_ns, GAP_FAIL, 0, &e, &f) != 0)
		fail_msg("%s", f.text);
	bound = 4 * (double)w.amplitude_nw * (double)facts.period_ns / 1e9 +
		0.0002e9 * (double)(to_ns - from_ns) / 1e9;
	/* Jumps fall into the half that is not looked at, or not: a random walk of half cycles. */
	if (w.shape == WAVE_SQUARE || w.shape == WAVE_RAMP)
		bound += 4 * (double)w.amplitude_nw * (double)facts.period_ns / 1e9 *
			 sqrt((double)(to_ns - from_ns) / (double)w.period_ns * 2 + 1);
	if (fabs((double)e.energy_nj - wave_energy_nj(&w, from_ns, to_ns)) > bound)
		fail_msg("%s: %lld nJ, analytic %.0f, bound %.0f", wave_shape_name[w.shape],
			 (long long)e.energy_nj, wave_energy_nj(&w, from_ns, to_ns), bound);
	trace_release(&t);
	ina2xx_stop(&m.chip);
}

static void through_the_chip(void **state)
{
	const uint64_t seed = 219;
	struct rng r;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	for (int i = 0; i < 300; i++)
		chip_trial(&r);
}

/* The meter itself, live: a counter and means of the same wave. */
static void meter_is_exact(void **state)
{
	static const char *const text[] = {
		"wave:sine,mean=2W,amplitude=1W,period=7ms,rate=1kHz,meaning=counter",
		"wave:square,mean=2W,amplitude=1W,period=7ms,rate=1kHz",
		"wave:ramp,mean=2W,amplitude=1W,period=7ms,rate=1kHz,meaning=increment",
	};

	(void)state;
	for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
		struct wave w = { (enum wave_shape)(k + 1), 2000000000, 1000000000, 7000000 };
		struct meter m;
		struct trace t;
		struct fail f = { 0 };
		struct energy e;
		double exact, off;

		assert_int_equal(meter_open(&m, text[k]), 0);
		assert_int_equal(trace_init(&t, &m.facts, 64), 0);
		for (int i = 0; i < 50; i++) {
			struct sample s;

			assert_int_equal(m.ops->read(&m, &s), 0);
			assert_int_equal(trace_add(&t, &s), 0);
		}
		/* Time 0 of the wave is not known here: a whole number of periods needs none. */
		assert_int_equal(energy_window(&t, t.sample[0].before_ns,
					       t.sample[0].before_ns + 35000000, GAP_EXCLUDE,
					       NS_PER_S, &e, &f),
				 0);
		exact = wave_energy_nj(&w, 0, 35000000);
		off = fabs((double)e.energy_nj - exact);
		/* One edge is cut: at most the swing over half an interval. */
		if (off > 1e9 * 0.01)
			fail_msg("%s: %lld nJ, analytic %.0f", text[k], (long long)e.energy_nj,
				 exact);
		trace_release(&t);
		meter_close(&m);
	}
}

/* Increments add up: their roundings do not. */
static void increments_add_up(void **state)
{
	struct sample s;
	struct meter m;
	int64_t first_ns, sum_nj = 0;

	(void)state;
	assert_int_equal(meter_open(&m, "wave:constant,mean=1.5W,meaning=increment,rate=5kHz"), 0);
	assert_int_equal(m.ops->read(&m, &s), 0);
	first_ns = s.before_ns;
	for (int i = 0; i < 200; i++) {
		assert_int_equal(m.ops->read(&m, &s), 0);
		sum_nj += s.code[0];
	}
	assert_true(llabs(sum_nj - (s.before_ns - first_ns) * 3 / 2) <= 1);
	meter_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integrals_match_fine_sums),
		cmocka_unit_test(random_windows),
		cmocka_unit_test(whole_samples_are_exact),
		cmocka_unit_test(through_the_chip),
		cmocka_unit_test(meter_is_exact),
		cmocka_unit_test(increments_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
