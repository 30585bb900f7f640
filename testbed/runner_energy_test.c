/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_energy_test - net energy of a modelled board whose samples straddle every edge: the
 * start of the server, that of the load, and its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/rng.h"
#include "power/trace.h"
#include "testbed/runner_trial.h"

/* As power/model has it of an rpi-4b: 1.6 W idle, and 0.85 W for each CPU that is busy. */
#define IDLE_W 1.6
#define CORE_W 0.85

/* When what began, from the first sample on: settle, idle, warm-up, window, idle. */
#define SETTLED_NS (100 * NS_PER_MS)
#define LOADED_NS  (350 * NS_PER_MS)
#define OPENED_NS  (600 * NS_PER_MS)
#define CLOSED_NS  (1500 * NS_PER_MS)
#define OVER_NS    (1750 * NS_PER_MS)
#define LOAD_CPUS  0.7 /* busy with the load */
#define START_CPUS 1.0 /* and with a process that starts, until the idle window begins */

/* CPU seconds used until then. */
static double cpu_s(double at_ns)
{
	double loaded_ns = fmin(fmax(at_ns - LOADED_NS, 0), CLOSED_NS - LOADED_NS);

	return (START_CPUS * fmin(at_ns, SETTLED_NS) + LOAD_CPUS * loaded_ns) / NS_PER_S;
}

/* The mean power of each period, read up to a period after it was over. */
static void make_trace(struct trace *trace, int64_t period_ns, int64_t lag_ns)
{
	struct meter_facts facts = { .kind = CODE_POWER,
				     .meaning = SAMPLE_MEAN_ENDING,
				     .provenance = PROVENANCE_MODELLED,
				     .gapless = true,
				     .period_ns = period_ns,
				     .source = "model:",
				     .basis = "board" };

	assert_int_equal(trace_init(trace, &facts, 0), 0);
	for (int64_t end_ns = period_ns; end_ns < OVER_NS; end_ns += period_ns) {
		double cpus = (cpu_s((double)end_ns) - cpu_s((double)(end_ns - period_ns))) *
			      (double)NS_PER_S / (double)period_ns;
		struct sample s = { .before_ns = end_ns + lag_ns,
				    .after_ns = end_ns + lag_ns,
				    .code = { llround(1e9 * (IDLE_W + CORE_W * cpus)), 0 } };

		assert_int_equal(trace_add(trace, &s), 0);
	}
}

static json_t *collected(const struct trace *trace)
{
	struct buf raw = { 0 }, text = { 0 };
	json_t *answer;

	assert_int_equal(trace_encode(trace, &raw), 0);
	base64_encode(raw.data, raw.len, &text);
	answer = json_pack("{s:s}", "trace", buf_text(&text));
	buf_release(&raw);
	buf_release(&text);
	return answer;
}

/* over_ns: when the load was heard to be over. */
static void measure_until(struct runner_trial *t, int64_t period_ns, int64_t lag_ns,
			  int64_t over_ns)
{
	struct trace trace = { 0 };
	struct fail f = { 0 };

	memset(t, 0, sizeof(*t));
	t->phase.times.idle_ns = LOADED_NS - SETTLED_NS;
	make_trace(&trace, period_ns, lag_ns);
	t->collected[RUNNER_SERVER] = collected(&trace);
	t->phase.idle_before_from_ns = SETTLED_NS;
	t->phase.idle_before_to_ns = LOADED_NS;
	t->phase.idle_after_from_ns = CLOSED_NS;
	t->load_over_ns = over_ns;
	t->phase.idle_after_to_ns = OVER_NS;
	t->from_ns[RUNNER_SERVER] = OPENED_NS;
	t->to_ns[RUNNER_SERVER] = CLOSED_NS;
	if (runner_energy(t, RUNNER_SERVER, &f))
		fail_msg("%s", f.text);
	trace_release(&trace);
}

static void measure(struct runner_trial *t, int64_t period_ns, int64_t lag_ns)
{
	measure_until(t, period_ns, lag_ns, CLOSED_NS);
}

static void release(struct runner_trial *t)
{
	json_decref(t->collected[RUNNER_SERVER]);
	buf_release(&t->trace[RUNNER_SERVER]);
}

/* Idle is idle but for rounding, however the samples fall; and net is what the CPUs drew. */
static void net_is_the_model_times_cpu_time(void **state)
{
	static const int64_t period_ms[] = { 1, 4, 17, 34, 60 };
	double want_nj = CORE_W * LOAD_CPUS * (double)(CLOSED_NS - OPENED_NS);
	uint64_t seed = rng_fresh_seed();
	struct runner_trial t;
	struct rng rng;

	(void)state;
	print_message("CIPHERWATT_TEST_SEED=%llu\n", (unsigned long long)seed);
	rng_seed(&rng, seed);
	for (int i = 0; i < 200; i++) {
		int64_t period_ns = period_ms[i % 5] * NS_PER_MS + (int64_t)rng_below(&rng, 1000);
		int64_t lag_ns = (int64_t)rng_below(&rng, (uint64_t)period_ns);

		measure(&t, period_ns, lag_ns);
		if (llabs(t.record.server.idle_before_nw - 1600000000) > 10 ||
		    llabs(t.record.server.idle_after_nw - 1600000000) > 10)
			fail_msg("idle is %lld and %lld nW with a period of %lld ns, %lld ns late",
				 (long long)t.record.server.idle_before_nw,
				 (long long)t.record.server.idle_after_nw, (long long)period_ns,
				 (long long)lag_ns);
		assert_false(t.short_idle[RUNNER_SERVER]);
		/* The end of the window may lack what was read too late: a part of one sample. */
		assert_true(fabs((double)t.record.server.net_nj - want_nj) <
			    1e-6 * want_nj + CORE_W * (double)period_ns);
		release(&t);
	}
}

/* Nothing is left of the idle windows when a sample is as long: they are used as they are. */
static void short_idle_is_said(void **state)
{
	struct runner_trial t;

	(void)state;
	measure(&t, 100 * NS_PER_MS, 30 * NS_PER_MS);
	assert_true(t.short_idle[RUNNER_SERVER]);
	assert_true(t.record.server.idle_before_nw > 1600000000);
	release(&t);
}

/* Requests in flight took all of the idle behind the window: that before it is used alone. */
static void one_clear_window_is_enough(void **state)
{
	struct runner_trial t;

	(void)state;
	measure_until(&t, 17 * NS_PER_MS, 0, OVER_NS - 20 * NS_PER_MS);
	assert_true(t.short_idle[RUNNER_SERVER]);
	assert_int_equal(t.record.server.idle_after_nw, FIELD_UNKNOWN_INT);
	assert_in_range(t.record.server.idle_before_nw, 1599999990, 1600000010);
	assert_true(isnan(t.record.server.idle_drift_pct));
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(net_is_the_model_times_cpu_time),
		cmocka_unit_test(short_idle_is_said),
		cmocka_unit_test(one_clear_window_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
