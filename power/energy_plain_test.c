/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy_plain_test - the fast way against the slow one, and parts against the whole: the same
 * nanojoules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "power/energy.h"

static struct trace random_registers(struct rng *r, enum sample_meaning meaning)
{
	static const int64_t shunts[] = { 100000, 10000, 2000, 1000, 30000 };
	struct meter_facts facts = { .kind = CODE_BUS_SHUNT,
				     .meaning = meaning,
				     .period_ns = 1000000,
				     .bus_lsb_pv = 4000000000,
				     .shunt_lsb_pv = 10000000,
				     .shunt_uohm = shunts[rng_below(r, 5)],
				     .inverted = rng_below(r, 2) };
	int64_t ns = 5000;
	struct trace t;

	assert_int_equal(trace_init(&t, &facts, 0), 0);
	for (int i = 0; i < 3000; i++) {
		int64_t took = (int64_t)rng_below(r, 300);
		struct sample s = { ns,
				    ns + took,
				    { (int64_t)rng_below(r, 8000),
				      (int64_t)rng_below(r, 64000) - 32000 },
				    0 };

		if (rng_below(r, 100) == 0)
			s.flags = 1u << rng_below(r, 8);
		if (rng_below(r, 200) == 0)
			s.code[rng_below(r, 2)] *= 256;
		ns += rng_below(r, 100) ? 900000 + (int64_t)rng_below(r, 200000)
					: (int64_t)rng_below(r, 40000000) - 1000000;
		assert_int_equal(trace_add(&t, &s), 0);
	}
	return t;
}

static void same_energy(const struct energy *a, const struct energy *b)
{
	assert_int_equal(a->energy_nj, b->energy_nj);
	assert_int_equal(a->covered_ns, b->covered_ns);
	assert_int_equal(a->mean_nw, b->mean_nw);
	assert_int_equal(a->peak_nw, b->peak_nw);
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->gaps, b->gaps);
	assert_int_equal(a->longest_gap_ns, b->longest_gap_ns);
	assert_int_equal(a->rejected, b->rejected);
	assert_int_equal(a->stale + a->absent + a->saturated + a->retried,
			 b->stale + b->absent + b->saturated + b->retried);
	assert_true(llabs(a->error_nw - b->error_nw) <= 2);
	assert_true(llabs(a->instrument_nj - b->instrument_nj) <= 2);
}

/* A range that no power leaves turns the fast way off: the same to the nanojoule. */
static void fast_way_is_the_slow_way(void **state)
{
	struct rng r = testing_rng("fast and slow");

	(void)state;
	for (int i = 0; i < 600; i++) {
		struct trace t = random_registers(&r, i % 2 ? SAMPLE_INSTANT : SAMPLE_MEAN_ENDING);
		enum gap_policy policy = i % 3 ? GAP_EXCLUDE : i % 4 ? GAP_LINEAR : GAP_HOLD;
		int64_t from_ns = (int64_t)rng_below(&r, 500000000) - 10000000;
		int64_t to_ns = from_ns + 1000000 + (int64_t)rng_below(&r, 4000000000);
		struct energy fast, slow;
		struct fail f = { 0 }, g = { 0 };
		int a = energy_window(&t, from_ns, to_ns, policy, 0, &fast, &f), b;

		t.facts.power_min_nw = -INT64_C(1000000000000000);
		t.facts.power_max_nw = INT64_C(1000000000000000);
		b = energy_window(&t, from_ns, to_ns, policy, 0, &slow, &g);
		assert_int_equal(a, b);
		if (a == 0)
			same_energy(&fast, &slow);
		trace_release(&t);
	}
}

/* However the samples are cut into parts, and with an end that is not known before. */
static void parts_and_open_end(void **state)
{
	struct rng r = testing_rng("parts");

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct trace t = random_registers(&r, i % 2 ? SAMPLE_INSTANT : SAMPLE_MEAN_ENDING);
		int64_t from_ns = sample_time_ns(&t.sample[0]), to_ns;
		struct energy whole, parts;
		struct energy_run run;
		struct fail f = { 0 };

		assert_int_equal(
			energy_begin(&run, &t.facts, from_ns, ENERGY_OPEN, GAP_EXCLUDE, 0, &f), 0);
		for (size_t at = 0; at < t.count;) {
			size_t len = 1 + rng_below(&r, 700);

			if (len > t.count - at)
				len = t.count - at;
			energy_add(&run, t.sample + at, len);
			at += len;
		}
		assert_int_equal(energy_end(&run, &parts, &f), 0);
		to_ns = parts.to_ns;
		assert_int_equal(energy_window(&t, from_ns, to_ns, GAP_EXCLUDE, 0, &whole, &f), 0);
		assert_int_equal(whole.energy_nj, parts.energy_nj);
		assert_int_equal(whole.covered_ns, parts.covered_ns);
		assert_int_equal(whole.samples, parts.samples);
		assert_int_equal(whole.peak_nw, parts.peak_nw);
		assert_true(parts.error_nw > 0);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_way_is_the_slow_way),
		cmocka_unit_test(parts_and_open_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
